//! A fixture to call tools on, and checks that hold for every result.

use std::cell::Cell;
use std::sync::Arc;

use app::Env;
use app::ProjectPool;
use dialects::taiga::{TAIGA, TAIGA_EXTENDED, TaigaState};
use jiff::Timestamp;
use mcp::{Call, Content, Dialect};
use serde_json::{Value, json};
use testkit::taiga::{FakeTaiga, ItemKind, PASSWORD};
use testkit::{Layout, TestRepository};
use tracker::{Proof, Secret, Servers, Setup, TokenStorage};
use uuid::Uuid;

thread_local! {
    static TICKS: Cell<u64> = const { Cell::new(0) };
}

/// Noon of a day; each read of the clock is a second later.
const START: i64 = 1_773_144_000;

/// A deterministic clock and ids. A test runs in one thread, so the ticks are thread-local.
const ENV: Env = Env {
    now: || Timestamp::from_second(START + i64::try_from(tick()).unwrap()).unwrap(),
    today: || jiff::civil::date(2026, 3, 10),
    uuid: || Uuid::from_u128((0x0190_0000_0000_7000_8000 << 48) + u128::from(tick())),
};

fn tick() -> u64 {
    TICKS.with(|ticks| ticks.replace(ticks.get() + 1))
}

/// A fixture to call tools on.
pub(crate) struct Bench {
    pub(crate) repository: Arc<TestRepository>,
    state: TaigaState,
    taiga: Option<Arc<FakeTaiga>>,
    tools: &'static Dialect<TaigaState>,
}

impl Bench {
    /// An empty repository.
    pub(crate) fn local() -> Self {
        Self::on(TestRepository::in_memory(Layout::PLAIN))
    }

    /// An existing repository.
    pub(crate) fn on(repository: TestRepository) -> Self {
        let state = state(&repository);
        Self { repository: Arc::new(repository), state, taiga: None, tools: &TAIGA }
    }

    /// An empty repository with the real clock, whose ids are unique across threads.
    pub(crate) fn for_threads() -> Self {
        let bench = Self::local();
        let state = state_with(&bench.repository, Env::default());
        Self { state, ..bench }
    }

    /// A repository bound to a Taiga, logged in as `alice`, without an active project.
    pub(crate) fn remote() -> Self {
        Self::remote_as("alice")
    }

    /// The same for another user.
    pub(crate) fn remote_as(username: &str) -> Self {
        let taiga = FakeTaiga::start();
        let repository = TestRepository::in_memory(Layout::PLAIN);
        let servers = Servers::new(setup(&repository));
        let proof = Proof::Password { username: username.to_owned(), password: Secret::new(PASSWORD) };
        let instance = servers.log_in(taiga.url(), Some("harbour"), &proof).unwrap();
        let mut binding = servers.binding(repository.path()).unwrap();
        servers.bind(&mut binding, &instance, None).unwrap();
        let state = state(&repository);
        Self { repository: Arc::new(repository), state, taiga: Some(Arc::new(taiga)), tools: &TAIGA }
    }

    /// The same, in an empty project.
    pub(crate) fn remote_project() -> Self {
        let bench = Self::remote();
        for kind in ItemKind::ALL {
            for item in bench.taiga().items(kind, EMPTY_PROJECT) {
                bench.taiga().remove("alice", kind, item["id"].as_u64().unwrap());
            }
        }
        bench.data("set_active_project", json!({"projectId": EMPTY_PROJECT}));
        bench
    }

    /// The same repository, as served by another process.
    pub(crate) fn again(&self) -> Self {
        let (repository, taiga) = (Arc::clone(&self.repository), self.taiga.clone());
        Self { state: state(&repository), repository, taiga, tools: self.tools }
    }

    /// The same with the tools beyond the contract.
    pub(crate) fn extended(self) -> Self {
        Self { tools: &TAIGA_EXTENDED, ..self }
    }

    /// Returns the bound server.
    pub(crate) fn taiga(&self) -> &FakeTaiga {
        self.taiga.as_ref().expect("this one is remote")
    }

    /// Calls a tool and returns its envelope, which must be the same as text and as structured content.
    pub(crate) fn call(&self, tool: &str, given: &Value) -> Value {
        let name = format!("taiga.{tool}");
        let found = self.tools.try_find(&name).unwrap_or_else(|| panic!("there is no {name}"));
        let answer = (found.call)(&self.state, given.clone(), &Call::unheard()).expect("tools answer with envelopes");
        let [Content::Text(text)] = answer.content.as_slice() else { panic!("{answer:?}") };
        let envelope: Value = serde_json::from_str(text).expect("the text is JSON");
        assert_eq!(Some(&envelope), answer.structured.as_ref());
        assert_eq!(envelope["ok"], json!(!answer.is_error), "{envelope}");
        envelope
    }

    /// Calls a tool that must succeed, and returns its data.
    #[track_caller]
    pub(crate) fn data(&self, tool: &str, given: Value) -> Value {
        let mut envelope = self.call(tool, &given);
        assert_eq!(envelope["ok"], true, "{tool} {given}: {envelope}");
        assert_eq!(keys(&envelope), ["ok", "data"], "{envelope}");
        envelope["data"].take()
    }

    /// Calls a tool that must fail, and returns the error without its random id.
    #[track_caller]
    pub(crate) fn error(&self, tool: &str, given: Value) -> Value {
        let mut envelope = self.call(tool, &given);
        assert_eq!(keys(&envelope), ["ok", "error"], "{tool} {given}: {envelope}");
        let mut error = envelope["error"].take();
        let trace = error.as_object_mut().and_then(|error| error.remove("_traceId")).expect("a trace id");
        let trace: Uuid = trace.as_str().and_then(|text| text.parse().ok()).expect("it is a UUID");
        assert_eq!(trace.get_version_num(), 4);
        error
    }

    /// Creates an object and returns its id.
    #[track_caller]
    pub(crate) fn make(&self, tool: &str, given: Value) -> u64 {
        self.data(tool, given)["id"].as_u64().expect("an id")
    }

    /// Returns the id of a status by position.
    #[track_caller]
    pub(crate) fn status(&self, entity: &str, place: usize) -> u64 {
        self.data("get_statuses", json!({"entity": entity}))["items"][place]["id"].as_u64().expect("an id")
    }

    /// Returns the id of a person who can be assigned.
    #[track_caller]
    pub(crate) fn somebody(&self) -> u64 {
        self.data("get_members", json!({}))["items"][0]["id"].as_u64().expect("an id")
    }
}

/// The empty project for contract tests.
pub(crate) const EMPTY_PROJECT: u64 = 2;

/// Returns a state for a repository.
fn state(repository: &TestRepository) -> TaigaState {
    state_with(repository, ENV)
}

fn state_with(repository: &TestRepository, env: Env) -> TaigaState {
    let projects = ProjectPool::new(repository.path().to_owned(), env, Arc::new(|_| {}));
    TaigaState::new(repository.path().to_owned(), projects, setup(repository))
}

/// Keeps servers and tokens of a test beside its repository.
pub(crate) fn setup(repository: &TestRepository) -> Setup {
    let state = repository.directory_path().join("state");
    Setup { state, given: None, missing: None, token_storage: TokenStorage::File }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().into_iter().flat_map(serde_json::Map::keys).map(String::as_str).collect()
}
