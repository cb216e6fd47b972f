//! Annotations of code: reading them through blame, and writing them.
//!
//! A query resolves a path and a name to lines (`scope`), lines through blame to commits and their notes to regions
//! (`find`), and regions to a result (`read`, `deps`, `history`, `summary`). `status` says whether a region still
//! matches the code.
//!
//! A write parses a document (`draft`), flags (`write`), or trailers of a message (`trailers`, `changed`), resolves the
//! places in the code (`place`) and merges them into the note of the commit; `carry` and `moved` carry notes when
//! commits are rewritten; `correct` adds corrections. Nothing is guessed: code that cannot be located is reported as
//! lost.

mod blamed;
mod bystander;
mod cache;
mod carry;
mod changed;
mod check;
mod code_index;
mod context;
mod correct;
mod corrected;
mod coverage;
mod decisions;
mod dependents;
mod deps;
mod diff_check;
mod draft;
mod find;
mod form;
mod history;
pub mod hooks;
mod knowledge;
mod line_owners;
mod list;
mod locate;
pub mod markdown;
mod measure;
mod moved;
mod moved_here;
mod outline;
mod paths;
mod place;
mod read;
mod replaced;
mod scope;
mod score;
mod selection;
mod solid_lines;
mod source;
mod status;
mod summary;
mod supersede;
mod touched;
mod trailers;
mod trim;
mod unreadable_notes;
pub mod view;
mod work_tree;
mod write;

use std::ops::{Deref, DerefMut};

use app::{Error, Project};
use model::annotation::Lines;
use store::git::CommitId;
use store::index::AgedRegions;

pub(crate) use carry::{CommitReplacement, commit_replacements};
pub use context::ContextQuery;
pub use correct::AnnotationName;
pub use decisions::Decision;
pub use diff_check::CheckedChange;
pub use history::HistoryQuery;
pub use list::AnnotationFilter;
pub use measure::Measure;
pub use read::{ContextFilter, ReadQuery};
pub use touched::TouchedPlace;
pub(crate) use trailers::may_have_trailers;
pub use write::Remarks;

/// Maximum length of a commit message that is read, in bytes: longer than any that people write. A commit beyond it is an
/// error, so that a forged one cannot fill the memory.
const MAX_MESSAGE: u64 = 16 * 1024 * 1024;

/// Gives access to the annotations of a project.
pub trait Annotated {
    /// Returns the annotations for reading. They are those that the index has: `Project::follow_annotations` updates it.
    fn annotations(&self) -> Annotations<'_>;

    /// Returns the annotations for writing.
    fn annotations_mut(&mut self) -> AnnotationsMut<'_>;
}

impl Annotated for Project {
    fn annotations(&self) -> Annotations<'_> {
        Annotations { project: self, shows_aged: false, commit: None }
    }

    fn annotations_mut(&mut self) -> AnnotationsMut<'_> {
        AnnotationsMut { project: self, shows_aged: false }
    }
}

/// The annotations of a project, for reading.
#[derive(Clone, Copy)]
pub struct Annotations<'a> {
    project: &'a Project,
    shows_aged: bool,
    /// The commit to read at; `None` for `HEAD`.
    commit: Option<CommitId>,
}

/// The annotations of a project, for writing.
pub struct AnnotationsMut<'a> {
    project: &'a mut Project,
    shows_aged: bool,
}

impl Deref for Annotations<'_> {
    type Target = Project;

    fn deref(&self) -> &Project {
        self.project
    }
}

impl Deref for AnnotationsMut<'_> {
    type Target = Project;

    fn deref(&self) -> &Project {
        self.project
    }
}

impl DerefMut for AnnotationsMut<'_> {
    fn deref_mut(&mut self) -> &mut Project {
        self.project
    }
}

/// The commit at which a query reads: `HEAD`, unless another one was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct QueryCommit {
    head: CommitId,
}

impl Annotations<'_> {
    /// Includes superseded and expired annotations, marked as such.
    #[must_use]
    pub fn with_aged(self) -> Self {
        Self { shows_aged: true, ..self }
    }

    /// Reads at a commit instead of `HEAD`.
    fn at(self, commit: CommitId) -> Self {
        Self { commit: Some(commit), ..self }
    }

    fn query_commit(&self) -> Result<QueryCommit, Error> {
        let today = self.today();
        self.index().set_aged(if self.shows_aged { AgedRegions::Shown } else { AgedRegions::Hidden(today) });
        let head = match self.commit {
            Some(commit) => Some(commit),
            None => self.store().repository().head()?,
        };
        head.map(|head| QueryCommit { head }).ok_or_else(|| Error::not_found("the repository has no commit yet"))
    }
}

impl AnnotationsMut<'_> {
    /// Includes superseded and expired annotations, marked as such.
    #[must_use]
    pub fn with_aged(self) -> Self {
        Self { shows_aged: true, ..self }
    }

    fn shared(&self) -> Annotations<'_> {
        Annotations { project: self.project, shows_aged: self.shows_aged, commit: None }
    }
}

/// Returns the functions and types of a text; empty if its language is not known.
pub fn symbols(path: &str, text: &str) -> Vec<anchors::Symbol> {
    let found = anchors::Language::detect(path, text).and_then(|language| anchors::symbols(language, text).ok());
    found.map(|symbols| symbols.all().to_vec()).unwrap_or_default()
}

/// Returns the lines of a symbol.
fn lines_of(symbol: &anchors::Symbol) -> Lines {
    let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Lines { start: line(symbol.lines.start), end: line(symbol.lines.end) }
}

/// Returns whether two ranges overlap.
fn overlap(a: Lines, b: Lines) -> bool {
    a.start <= b.end && b.start <= a.end
}
