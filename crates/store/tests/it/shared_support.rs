//! Helpers of the tests of shared refs: servers, each with its own clone, on one database or on one clone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use database::{Database, Options};
use jiff::Timestamp;
use model::id::EntityId;
use model::number::NumberSpace;
use model::op::Change;
use model::person::Person;
use store::shared::{ShareOptions, Shared, share};
use store::{Store, StoreError, WriteMeta, WritePlan};
use testkit::TestRepository;
use testkit::postgres::TestDatabase;
use uuid::Uuid;

/// A server: its clone, and the connection if there is one.
pub(crate) struct Server {
    pub(crate) clone: PathBuf,
    pub(crate) shared: Option<Shared>,
}

impl Server {
    pub(crate) fn store(&self) -> Store {
        Store::open(&self.clone, Arc::new(|_| {})).unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        testkit::git_in(&self.clone, arguments)
    }
}

/// Servers that share their refs.
pub(crate) struct Servers {
    // Dropped first: the database is removed with force, but its clients should not have to notice.
    pub(crate) all: Vec<Server>,
    pub(crate) database: Option<TestDatabase<'static>>,
    pub(crate) fixture: TestRepository,
}

impl Servers {
    /// Returns servers that all use one clone.
    pub(crate) fn on_one_clone(n: usize) -> Self {
        let fixture = with_code();
        let server = |_| Server { clone: fixture.path().to_owned(), shared: None };
        Self { all: (0..n).map(server).collect(), database: None, fixture }
    }

    /// Returns servers with a clone each, on one database; `None` without PostgreSQL.
    pub(crate) fn on_one_database(n: usize) -> Option<Self> {
        let database = TestDatabase::shared()?;
        let fixture = with_code();
        let clones = (0..n).map(|n| fixture.clone_beside(&format!("server-{n}"), &[]));
        let all = clones.map(|clone| connect(clone, &database.url(), ShareOptions::default()).unwrap()).collect();
        Some(Self { all, database: Some(database), fixture })
    }
}

pub(crate) fn connect(clone: PathBuf, url: &str, options: ShareOptions) -> Result<Server, StoreError> {
    connect_with(clone, url, options, &Options::default())
}

pub(crate) fn connect_with(
    clone: PathBuf,
    url: &str,
    options: ShareOptions,
    client: &Options,
) -> Result<Server, StoreError> {
    let database = Arc::new(Database::lazy(url.parse()?, client)?);
    let shared = share(&clone, database, options, Arc::new(|_| {}))?;
    Ok(Server { clone, shared: Some(shared) })
}

/// A repository with one commit of code.
pub(crate) fn with_code() -> TestRepository {
    let fixture = TestRepository::new();
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message", "code"]);
    fixture
}

/// Creates an item with the next number; returns its id and number.
pub(crate) fn create(store: &mut Store, title: &str) -> Result<(EntityId, u64), StoreError> {
    let id = EntityId::new(Uuid::now_v7());
    let mut next_id = Uuid::now_v7;
    let mut meta = WriteMeta { at: Timestamp::UNIX_EPOCH, by: Person::new("ada", ""), next_id: &mut next_id };
    let plan = |index: &store::index::Index| -> Result<_, StoreError> {
        let number = index.next_number(NumberSpace::Work)?;
        let fields = BTreeMap::from([("title".to_owned(), title.into())]);
        let change = Change::Create { kind: "task".to_owned(), number: Some(number), fields, sets: BTreeMap::new() };
        Ok((WritePlan::new(format!("task #{number}: create"), [(id, change)]), (id, number)))
    };
    store.write(&mut meta, plan, |_, answer| Ok(answer))
}

/// Returns the numbers of all items, in order, as this store reads them now.
pub(crate) fn numbers(store: &mut Store) -> Vec<u64> {
    store.refresh().unwrap();
    let mut numbers: Vec<u64> = store.index().op_counts().unwrap().keys().map(|number| number.number).collect();
    numbers.sort_unstable();
    numbers
}

/// Checks that a clone is sound, and its index that of its log.
pub(crate) fn assert_sound(clone: &Path) {
    testkit::git_in(clone, &["fsck", "--strict", "--no-dangling"]);
    let store = Store::open(clone, Arc::new(|_| {})).unwrap();
    assert!(store.verify_index().unwrap().is_true);
}
