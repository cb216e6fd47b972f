//! A project for tests of the verbs: fixed clock, fixed ids, its own repository.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use app::verb::GitProgress;
use app::view::ItemView;
use app::{ChangeSet, Env, Error, NewItem, Project};
use jiff::Timestamp;
use model::field::{Field, FieldChange};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::person::PersonRef;
use proptest::test_runner::Config;
use store::Store;
use testkit::{Layout, TestRepository, git_in};
use uuid::Uuid;

thread_local! {
    static TICKS: Cell<u64> = const { Cell::new(0) };
}

/// Noon on the day every test calls today; each read of the clock is a second later.
const START: i64 = 1_773_144_000;

/// A deterministic clock and ids. A test runs in one thread, so the ticks are thread-local.
pub(crate) const ENV: Env = Env {
    now: || Timestamp::from_second(START + i64::try_from(tick()).unwrap()).unwrap(),
    today: || jiff::civil::date(2026, 3, 10),
    uuid: || Uuid::from_u128((0x0190_0000_0000_7000_8000 << 48) + u128::from(tick())),
};

fn tick() -> u64 {
    TICKS.with(|ticks| ticks.replace(ticks.get() + 1))
}

/// A small number of cases; `PROPTEST_CASES` overrides it.
pub(crate) fn cases(usual: u32) -> Config {
    let mut config =
        Config { failure_persistence: None, max_shrink_iters: 500, max_shrink_time: 60_000, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = usual;
    }
    config
}

pub(crate) fn open(path: &Path) -> Project {
    Project::open(path, ENV, Arc::new(|_| {})).unwrap()
}

/// A project with its repository.
pub(crate) struct TestProject {
    pub(crate) fixture: TestRepository,
    pub(crate) project: Project,
}

impl TestProject {
    pub(crate) fn new() -> Self {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let project = open(fixture.path());
        Self { fixture, project }
    }

    /// Creates an item for each title, all of one kind; the first is #1.
    pub(crate) fn with(kind: ItemKind, titles: &[&str]) -> Self {
        let mut new = Self::new();
        for title in titles {
            new.create(kind, title);
        }
        new
    }

    pub(crate) fn create(&mut self, kind: ItemKind, title: &str) -> ItemView {
        self.project.create(&new_item(kind, title, &[])).unwrap()
    }

    pub(crate) fn try_create(&mut self, title: &str, fields: &[(&str, &str)]) -> Result<ItemView, Error> {
        let fields = try_fields(fields)?;
        self.project.create(&NewItem { fields, ..NewItem::new(ItemKind::Issue, title) })
    }

    pub(crate) fn try_edit(&mut self, id: &str, fields: &[(&str, &str)]) -> Result<ItemView, Error> {
        self.project.edit(&ids(&[id]), &ChangeSet::of_fields(try_fields(fields)?)).map(|mut items| items.pop().unwrap())
    }

    pub(crate) fn edit(&mut self, id: &str, fields: &[(&str, &str)]) -> ItemView {
        self.try_edit(id, fields).unwrap()
    }

    pub(crate) fn show(&self, id: &str) -> ItemView {
        self.project.show(&by_name(id)).unwrap()
    }

    /// Returns the tip of the log.
    pub(crate) fn tip(&self) -> String {
        tip(self.fixture.path())
    }

    /// Syncs with a hub.
    pub(crate) fn sync(&mut self, hub: &TestRepository) {
        let hub = hub.path().to_str().unwrap();
        self.project.sync(Some(hub), GitProgress::Quiet, |_| Ok(())).unwrap();
    }

    /// Fails unless `act` leaves the log unchanged.
    #[track_caller]
    pub(crate) fn writes_nothing<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.tip();
        let answer = act(self);
        assert_eq!(self.tip(), before, "something was written");
        answer
    }
}

pub(crate) fn new_item(kind: ItemKind, title: &str, given: &[(&str, &str)]) -> NewItem {
    NewItem { fields: parsed(given), ..NewItem::new(kind, title) }
}

pub(crate) fn parsed(given: &[(&str, &str)]) -> Vec<FieldChange> {
    try_fields(given).unwrap()
}

fn try_fields(given: &[(&str, &str)]) -> Result<Vec<FieldChange>, Error> {
    let parse = |(name, value): &(&str, &str)| FieldChange::parse(Field::try_find(name).unwrap(), value);
    Ok(given.iter().map(parse).collect::<Result<_, _>>()?)
}

pub(crate) fn by_name(name: impl AsRef<str>) -> ItemRef {
    ItemRef::parse(name.as_ref())
}

pub(crate) fn ids(names: &[&str]) -> Vec<ItemRef> {
    names.iter().map(by_name).collect()
}

pub(crate) fn people(names: &[&str]) -> Vec<PersonRef> {
    names.iter().map(|name| PersonRef::parse(name).unwrap()).collect()
}

pub(crate) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns the tip of a repository's log; empty if there is none.
pub(crate) fn tip(path: &Path) -> String {
    git_in(path, &["for-each-ref", "--format=%(objectname)", "refs/cairn/work"])
}

/// Returns the whole content of a repository's index.
pub(crate) fn dump(path: &Path) -> Vec<String> {
    let store = Store::open(path, Arc::new(|_| {})).unwrap();
    assert!(store.verify_index().unwrap().is_true, "the index does not match the log");
    store.index().dump().unwrap()
}

/// Returns the kind, the message and the hint of an error.
#[track_caller]
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    let Error { kind, message, hint, .. } = result.unwrap_err();
    let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    format!("{kind:?}: {message}{hint}")
}
