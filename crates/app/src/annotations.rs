//! Why code is as it is: reading annotations through blame, and writing them.
//!
//! A question goes from a path and a name to lines (`scope`), from lines through blame to commits and from their notes to
//! regions (`find`), and from regions to an answer (`read`, `deps`, `history`, `summary`). `status` says whether a region
//! still speaks of the code as it is.
//!
//! What is written goes from a document (`draft`), flags (`write`), or trailers of a message (`trailers`, `changed`) to places in the code (`place`)
//! and into the note of its commit; `carry` and `moved` take notes along when commits are replaced; `correct` adds to them. Nothing here guesses: what cannot be found again is said to be lost.

mod blamed;
mod cache;
mod carry;
mod changed;
mod code_index;
mod context;
mod correct;
mod corrected;
mod coverage;
mod dependents;
mod deps;
mod draft;
mod find;
mod form;
mod history;
mod knowledge;
mod list;
mod locate;
mod measure;
mod moved;
mod moved_here;
mod paths;
mod place;
mod read;
mod replaced;
mod scope;
mod score;
mod selection;
mod source;
mod status;
mod summary;
mod supersede;
mod trailers;
mod trim;
mod work_tree;
mod write;

use model::annotation::Lines;
use store::git::CommitId;
use store::index::Aged;

use crate::error::Error;
use crate::project::Project;
use crate::view::LinesView;
pub(crate) use cache::Cache;
pub(crate) use carry::{Succession, successions};
pub use context::ContextQuery;
pub use correct::AnnotationName;
pub use history::HistoryQuery;
pub use measure::Measure;
pub use read::{ContextFilter, ReadQuery};
pub(crate) use trailers::may_have_trailers;
pub use write::Remarks;

/// Where a question is asked: the newest commit, and the notes that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Here {
    head: CommitId,
}

impl Project {
    /// Takes in the newest annotations of a notes ref: the one named, else what git's configuration says.
    pub fn follow_annotations(&mut self, noteref: Option<&str>) -> Result<(), Error> {
        let name = self.store.notes_ref(noteref)?;
        self.store.follow_notes(&name)?;
        Ok(())
    }

    /// Has annotations that were superseded or have expired told as well, marked as such.
    pub fn show_aged_annotations(&mut self) {
        self.shows_aged = true;
    }

    fn here(&self) -> Result<Here, Error> {
        let today = (self.env.today)();
        self.index().set_aged(if self.shows_aged { Aged::Shown } else { Aged::Hidden(today) });
        let head = self.store.repository().head()?;
        head.map(|head| Here { head }).ok_or_else(|| Error::not_found("the repository has no commit yet"))
    }

    /// Says which of these commits have notes that cannot be read.
    fn warnings(&self, commits: &[CommitId]) -> Result<Vec<String>, Error> {
        let broken = self.index().broken_notes()?;
        let of_these = broken.into_iter().filter(|(commit, _)| commits.contains(commit));
        Ok(of_these.map(|(commit, why)| format!("skipped the note of commit {commit}: {why}")).collect())
    }
}

impl From<Lines> for LinesView {
    fn from(lines: Lines) -> Self {
        Self { start: lines.start, end: lines.end }
    }
}

/// Returns the lines of a symbol.
fn lines_of(symbol: &anchors::Symbol) -> Lines {
    let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Lines { start: line(symbol.lines.start), end: line(symbol.lines.end) }
}

/// Tells whether two ranges share a line.
fn overlap(a: Lines, b: Lines) -> bool {
    a.start <= b.end && b.start <= a.end
}
