//! Which annotations are reported for which code: every query, after every kind of code move.

mod budgets;
mod decisions;
mod diff_check;
mod last_commits;
mod layout;
mod many_regions;
mod names;
mod twins;
mod unreadable;

use std::fs;

use annotations::Annotated as _;
use annotations::view::ReadView;
use annotations::{HistoryQuery, ReadQuery, Remarks};
use app::Project;
use testkit::{Layout, TestRepository};

use crate::harness::open;

/// A repository with code, and its project.
pub(crate) struct Code {
    pub(crate) fixture: TestRepository,
    pub(crate) project: Project,
}

impl Code {
    /// Commits these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let project = open(fixture.path());
        let code = Self { fixture, project };
        for (file, text) in files {
            code.write(file, text);
        }
        code.commit("Begin");
        code
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.fixture.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits all changes, a minute after the last commit; returns the commit.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.fixture.git(&["add", "--all"]);
        self.fixture.git(&["commit", "--quiet", "--allow-empty", &format!("--message={message}")]);
        self.fixture.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    pub(crate) fn mv(&self, from: &str, to: &str) {
        fs::create_dir_all(self.fixture.path().join(to).parent().unwrap()).unwrap();
        self.fixture.git(&["mv", from, to]);
        self.commit("Rename");
    }

    /// Annotates code of the newest commit.
    pub(crate) fn say(&mut self, target: &str, intent: &str) {
        self.say_more(&Remarks { target: target.to_owned(), intent: intent.to_owned(), ..Remarks::default() });
    }

    pub(crate) fn say_more(&mut self, remarks: &Remarks) {
        self.project.annotations_mut().annotate_by_flags(None, remarks, None).unwrap();
        self.project.follow_annotations(None).unwrap();
    }

    /// Annotates code that depends on other code, `PATH:NAME`.
    pub(crate) fn rely(&mut self, target: &str, on: &str) {
        let depends = vec![format!("{on}=relies on it")];
        let (target, intent) = (target.to_owned(), "relies".to_owned());
        self.say_more(&Remarks { target, intent, depends, ..Remarks::default() });
    }

    pub(crate) fn query(&self, path: &str, anchor: Option<&str>) -> ReadView {
        self.project
            .annotations()
            .read(&ReadQuery { anchor: anchor.map(str::to_owned), ..ReadQuery::new(path) })
            .unwrap()
    }

    /// Returns the annotations of a function: intent and status, in order.
    pub(crate) fn read(&self, path: &str, anchor: &str) -> Vec<(String, String)> {
        told(&self.query(path, Some(anchor)))
    }

    /// Returns the annotations of a file.
    pub(crate) fn read_file(&self, path: &str) -> Vec<(String, String)> {
        told(&self.query(path, None))
    }

    /// Returns the annotations of lines.
    pub(crate) fn read_lines(&self, path: &str, lines: &str) -> Vec<(String, String)> {
        let query = ReadQuery { lines: Some(lines.to_owned()), ..ReadQuery::new(path) };
        told(&self.project.annotations().read(&query).unwrap())
    }

    /// Returns the summary of a file or folder: line, signature, intent.
    pub(crate) fn summary(&self, path: &str) -> Vec<(u32, String, String)> {
        let view = self.project.annotations().summary(path, None, &|_, _| true).unwrap();
        view.units.into_iter().map(|unit| (unit.lines.start, unit.anchor.name, unit.intent)).collect()
    }

    /// Returns the intents in the history of a function or, without a name, of a file.
    pub(crate) fn history(&self, path: &str, anchor: Option<&str>) -> Vec<Option<String>> {
        let query = HistoryQuery { path: path.to_owned(), anchor: anchor.map(str::to_owned), limit: 20 };
        let view = self.project.annotations().history(&query).unwrap();
        view.timeline.into_iter().map(|moment| moment.intent).collect()
    }

    /// Returns the dependents of a function or a file from `deps`; `read` must return the same.
    pub(crate) fn deps(&self, path: &str, anchor: Option<&str>) -> Vec<(String, String)> {
        let view = self.project.annotations().dependents(path, anchor).unwrap();
        let mut found: Vec<(String, String)> = view.dependents.into_iter().map(|one| (one.file, one.anchor)).collect();
        let read = self.query(path, anchor).dependencies_on_this;
        let mut also: Vec<(String, String)> = read.into_iter().map(|one| (one.from_file, one.from_anchor)).collect();
        found.sort();
        also.sort();
        assert_eq!(found, also, "`deps` and `read` differ about {path} {anchor:?}");
        found
    }

    /// Counts current, stale and missing annotations of all code.
    pub(crate) fn coverage(&mut self) -> (usize, usize, usize) {
        let total = self.project.annotations_mut().coverage(None, None).unwrap().total;
        (total.current, total.stale, total.bare)
    }
}

fn told(view: &ReadView) -> Vec<(String, String)> {
    view.regions.iter().map(|region| (region.intent.clone(), region.code.status.to_string())).collect()
}

pub(crate) fn said(intent: &str, status: &'static str) -> Vec<(String, String)> {
    vec![(intent.to_owned(), status.to_owned())]
}
