//! A repository and the router that serves it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use app::{Env, NewItem, Project, Role};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use database::Database;
use dialects::{DIALECTS, ServerContext};
use inbox::InboxPlace;
use mcp::ServeOptions;
use mcp::http::Shutdown;
use model::item::ItemKind;
use model::person::Person;
use serde_json::Value;
use testkit::TestRepository;
use tokio::runtime::Runtime;
use tower::ServiceExt as _;
use tracker::{Setup, TokenStorage};
use web::{AuthMode, NewToken, Proxy, Rate, ServerSettings, Tokens};

pub(crate) const HOST: &str = "localhost:8931";

/// A served repository with one token of each role.
pub(crate) struct Site {
    pub(crate) repository: TestRepository,
    pub(crate) reader: String,
    pub(crate) writer: String,
    router: Router,
    runtime: Runtime,
    // Ends the streams when the site is dropped.
    _stop: Shutdown,
}

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Site {
    /// Serves a repository with these issues.
    pub(crate) fn new(titles: &[&str]) -> Self {
        Self::with(titles, |_| {})
    }

    /// Serves a repository with other settings.
    pub(crate) fn with(titles: &[&str], change: impl FnOnce(&mut ServerSettings)) -> Self {
        let repository = TestRepository::new();
        let mut project = Project::open(repository.path(), Env::default(), Arc::new(|_| {})).unwrap();
        for title in titles {
            project.create(&NewItem::new(ItemKind::Issue, (*title).to_owned())).unwrap();
        }
        let [reader, writer] = create_tokens(&Tokens::of(repository.path()).unwrap());
        let mut settings = settings(repository.path());
        change(&mut settings);
        Self::of_settings(repository, [reader, writer], settings)
    }

    /// Serves an empty repository as one of several servers: with the inbox and the tokens of a database.
    pub(crate) fn shared(database: &Arc<Database>, [reader, writer]: [String; 2]) -> Self {
        let repository = TestRepository::new();
        let mut settings = settings(repository.path());
        settings.database = Some(Arc::clone(database));
        settings.context.inbox = InboxPlace::Database(Arc::clone(database));
        Self::of_settings(repository, [reader, writer], settings)
    }

    fn of_settings(repository: TestRepository, [reader, writer]: [String; 2], settings: ServerSettings) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let stop = Shutdown::default();
        let router = {
            let _inside = runtime.enter();
            web::router(settings, &stop).unwrap()
        };
        Self { repository, reader, writer, router, runtime, _stop: stop }
    }

    /// Sends a request; `Host` is this server unless given.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", HOST);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let (status, headers, body) = self.answer(request);
        Answer { status, headers, body: String::from_utf8(body).unwrap() }
    }

    /// Sends a request and returns the body as it is, and the headers.
    pub(crate) fn send_raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (Vec<u8>, HeaderMap) {
        let request = Request::builder().method(method).uri(path).header("host", HOST);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let (_, headers, body) = self.answer(request.body(Body::from(body.to_owned())).unwrap());
        (body, headers)
    }

    fn answer(&self, request: Request<Body>) -> (u16, HeaderMap, Vec<u8>) {
        self.runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            (parts.status.as_u16(), parts.headers, body.to_vec())
        })
    }

    /// Gets a path with a token.
    pub(crate) fn get(&self, path: &str, token: &str) -> Answer {
        self.send("GET", path, &[("authorization", &format!("Bearer {token}"))], "")
    }

    /// Sends JSON with a token.
    pub(crate) fn write(&self, method: &str, path: &str, token: &str, body: &Value) -> Answer {
        self.write_with(method, path, token, &[], body)
    }

    /// Sends JSON with a token and further headers.
    pub(crate) fn write_with(
        &self,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Answer {
        let bearer = format!("Bearer {token}");
        let own = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        self.send(method, path, &[&own[..], headers].concat(), &body.to_string())
    }

    /// Tries to log in with a wrong token.
    pub(crate) fn log_in_fails(&self) {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        assert_eq!(self.send("POST", "/login", &form, "token=wrong").status, 401);
    }

    /// Logs in and returns the session cookie.
    pub(crate) fn log_in(&self, token: &str) -> String {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let answer = self.send("POST", "/login", &form, &format!("token={token}"));
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{}", answer.body);
        answer.header("set-cookie").split(';').next().unwrap().to_owned()
    }
}

impl Answer {
    /// Returns a header, empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Checks that this is a problem document with a status.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, detail: &str) {
        assert_eq!((self.status, self.header("content-type")), (status, "application/problem+json"), "{}", self.body);
        let body = self.json();
        assert_eq!((&body["type"], &body["status"]), (&"about:blank".into(), &status.into()), "{body}");
        assert!(body["detail"].as_str().unwrap().contains(detail), "{body}");
    }
}

/// Creates a token for a reader and one for a writer.
pub(crate) fn create_tokens(tokens: &Tokens) -> [String; 2] {
    [Role::Reader, Role::Writer].map(|role| {
        let person = Person::parse("Grace <grace@example.com>");
        let new = NewToken { name: role.name().to_owned(), role, person };
        let (_, secret) = tokens.create(&new, app::now()).unwrap();
        secret.reveal().to_owned()
    })
}

fn settings(place: &Path) -> ServerSettings {
    let context = ServerContext {
        place: place.to_owned(),
        env: Env::default(),
        listener: Arc::new(|_| {}),
        inbox: InboxPlace::Clone,
        noteref: None,
        taiga: Setup { state: place.join("state"), given: None, missing: None, token_storage: TokenStorage::File },
        on_call: None,
    };
    ServerSettings {
        address: SocketAddr::from(([127, 0, 0, 1], 8931)),
        services: Box::new(|context| {
            DIALECTS.iter().map(|entry| (entry.open)(context, ServeOptions::default())).collect()
        }),
        chosen: "cairn",
        context,
        database: None,
        auth_mode: AuthMode::Tokens(Vec::new()),
        first_login: None,
        hosts: Vec::new(),
        tls: None,
        allows_plain: false,
        proxy: Proxy::None,
        max_connections: web::listen::DEFAULT_MAX_CONNECTIONS,
        rate: Rate::Unlimited,
        log: None,
    }
}
