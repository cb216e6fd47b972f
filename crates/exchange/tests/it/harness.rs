//! A project for tests: fixed clock, fixed ids, its own repository.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

use app::view::ItemView;
use app::{Env, Error, Project};
use exchange::{ImportFormat, ImportOptions, ImportView};
use jiff::Timestamp;
use model::item_ref::ItemRef;
use serde_json::Value;
use testkit::{Layout, TestRepository, git_in};
use uuid::Uuid;

thread_local! {
    static TICKS: Cell<u64> = const { Cell::new(0) };
}

/// A deterministic clock and ids. A test runs in one thread, so the ticks are thread-local.
const ENV: Env = Env {
    now: || Timestamp::from_second(1_773_144_000 + i64::try_from(tick()).unwrap()).unwrap(),
    today: || jiff::civil::date(2026, 3, 10),
    uuid: || Uuid::from_u128((0x0190_0000_0000_7000_8000 << 48) + u128::from(tick())),
};

fn tick() -> u64 {
    TICKS.with(|ticks| ticks.replace(ticks.get() + 1))
}

/// A project with its repository and a folder for files.
pub(crate) struct TestProject {
    pub(crate) fixture: TestRepository,
    pub(crate) project: Project,
    pub(crate) files: tempfile::TempDir,
}

impl TestProject {
    pub(crate) fn new() -> Self {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let project = Project::open(fixture.path(), ENV, Arc::new(|_| {})).unwrap();
        Self { fixture, project, files: tempfile::tempdir().unwrap() }
    }

    /// Writes a file, and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.files.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn import_with(
        &mut self,
        format: ImportFormat,
        text: &str,
        options: &ImportOptions,
    ) -> Result<ImportView, Error> {
        let path = self.file("input", text);
        exchange::import(&mut self.project, format, &[path], options, &mut |_| {}).map(|(view, _)| view)
    }

    pub(crate) fn try_import(&mut self, format: ImportFormat, text: &str) -> Result<ImportView, Error> {
        self.import_with(format, text, &ImportOptions::default())
    }

    #[track_caller]
    pub(crate) fn import(&mut self, format: ImportFormat, text: &str) -> ImportView {
        self.try_import(format, text).unwrap()
    }

    /// Imports again what is here already.
    #[track_caller]
    pub(crate) fn import_changes_nothing(&mut self, format: ImportFormat, text: &str) {
        let before = self.tip();
        let view = self.import(format, text);
        assert_eq!((view.created, view.updated, view.comments), (0, 0, 0), "{view:?}");
        assert_eq!(self.tip(), before, "something was written");
    }

    /// Fails with a message, and writes nothing.
    #[track_caller]
    pub(crate) fn refuses(&mut self, format: ImportFormat, text: &str, message: &str) {
        let before = self.tip();
        let error = self.try_import(format, text).unwrap_err();
        assert_eq!(testkit::redact(&error.message), message);
        assert_eq!(self.tip(), before, "something was written");
    }

    pub(crate) fn show(&self, id: &str) -> ItemView {
        self.project.show(&ItemRef::parse(id)).unwrap()
    }

    /// Compares the keys of `expected` with those of an item.
    #[track_caller]
    pub(crate) fn check(&self, id: &str, expected: &Value) {
        let shown = serde_json::to_value(self.show(id)).unwrap();
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(reduced(&shown[name], value), *value, "`{name}` of {id}");
        }
    }

    pub(crate) fn tip(&self) -> String {
        git_in(self.fixture.path(), &["for-each-ref", "--format=%(objectname)", "refs/cairn/work"])
    }
}

/// Keeps of objects only the keys that are expected, and of references only their titles if texts are expected.
fn reduced(shown: &Value, expected: &Value) -> Value {
    match (shown, expected) {
        (Value::Array(shown), Value::Array(expected)) if shown.len() == expected.len() => {
            shown.iter().zip(expected).map(|(shown, expected)| reduced(shown, expected)).collect()
        }
        (Value::Object(fields), Value::Object(expected)) => {
            expected.iter().map(|(name, value)| (name.clone(), reduced(&fields[name], value))).collect()
        }
        (Value::Object(fields), Value::String(_)) if fields.contains_key("title") => fields["title"].clone(),
        _ => shown.clone(),
    }
}
