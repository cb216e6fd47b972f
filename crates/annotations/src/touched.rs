//! Shows the code of an item, with its annotations.

use std::cell::Cell;
use std::sync::Arc;

use anchors::{NameMatch, Resolution, SymbolQuery};
use app::view::reference;
use app::{Error, ErrorKind};
use model::item_ref::ItemRef;
use model::link::normalize_touch;
use model::nearest::nearest;
use model::text::escape_line;
use store::git::{TreePath, WorkTreeEntry};

use crate::Annotations;
use crate::ReadQuery;
use crate::paths::PathObject;
use crate::source::Source;
use crate::view::{ReadView, SummaryView, TouchedCodeView, TouchedPlaceView};

/// Maximum number of places that are read; the rest are only counted.
const MAX_PLACES: usize = 20;

/// Token budget of each place with a function.
const MAX_TOKENS_PER_PLACE: usize = 2_000;

/// Maximum number of functions of each place with a file or a folder.
const MAX_UNITS_PER_PLACE: usize = 50;

/// Maximum number of files of a folder.
const MAX_FILES_PER_PLACE: usize = 200;

/// Whether the code of a new link is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchedPlace {
    /// The file or folder is there, and the anchor in it; or its language has no anchors.
    Known,
    /// The file does not exist: it is misspelled, or not written yet.
    NoFile,
}

impl Annotations<'_> {
    /// Fails if the anchor of `path:anchor` is not in the file of the work tree or, without one, of `HEAD`: most likely
    /// it is misspelled. The hint has the nearest name.
    pub fn check_touch(&self, touch: &str) -> Result<TouchedPlace, Error> {
        let touch = normalize_touch(touch)?;
        let (path, anchor) = touch.split_once(':').map_or((touch.as_str(), None), |(path, name)| (path, Some(name)));
        let Some(source) = self.touched_source(path)? else {
            return Ok(if self.is_folder(path)? { TouchedPlace::Known } else { TouchedPlace::NoFile });
        };
        match anchor {
            Some(name) if !source.symbols().all().is_empty() => refuse_unknown_anchor(&source, path, name)?,
            _ => {}
        }
        Ok(TouchedPlace::Known)
    }

    fn touched_source(&self, path: &str) -> Result<Option<Arc<Source>>, Error> {
        let written = self.store().repository().work_tree_file(path)?;
        if let Some(bytes) = written {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(Some(Arc::new(Source::new(path, text))));
        }
        let Some(head) = self.store().repository().head()? else { return Ok(None) };
        self.source(&head, path)
    }

    fn is_folder(&self, path: &str) -> Result<bool, Error> {
        let repository = self.store().repository();
        if repository.work_tree_entry(path) == WorkTreeEntry::Folder {
            return Ok(true);
        }
        match (repository.head()?, TreePath::from_bytes(path.as_bytes())) {
            (Some(head), Ok(path)) => Ok(matches!(self.look_at(&head, &path)?, Some(PathObject::Folder))),
            _ => Ok(false),
        }
    }

    /// Returns the code that an item touches. A missing place is reported and does not hide others.
    pub fn code_of(&self, item: &ItemRef) -> Result<TouchedCodeView, Error> {
        let row = self.find(item)?;
        let touches = &row.item.touches;
        let places = touches.iter().take(MAX_PLACES).map(|touches| self.place(touches)).collect::<Result<_, _>>()?;
        Ok(TouchedCodeView { item: reference(&row), places, total: touches.len() })
    }

    fn place(&self, touches: &str) -> Result<TouchedPlaceView, Error> {
        let mut view = TouchedPlaceView { touches: touches.to_owned(), read: None, summary: None, error: None };
        match touches.split_once(':') {
            Some((path, anchor)) => match self.read_place(&self.path_today(path)?, anchor) {
                Ok(read) => view.read = Some(read),
                Err(error) => view.error = Some(about_the_place(error)?),
            },
            None => match self.summarize_place(&self.path_today(touches)?) {
                Ok(summary) => view.summary = Some(summary),
                Err(error) => view.error = Some(about_the_place(error)?),
            },
        }
        Ok(view)
    }

    fn read_place(&self, path: &str, anchor: &str) -> Result<ReadView, Error> {
        self.read(&ReadQuery {
            anchor: Some(anchor.to_owned()),
            max_tokens: Some(MAX_TOKENS_PER_PLACE),
            ..ReadQuery::new(path)
        })
    }

    fn summarize_place(&self, path: &str) -> Result<SummaryView, Error> {
        let is_too_large = Cell::new(false);
        let progress = |_, n_files| {
            is_too_large.set(n_files > MAX_FILES_PER_PLACE);
            n_files <= MAX_FILES_PER_PLACE
        };
        let summary = self.summary(path, None, &progress);
        if is_too_large.get() {
            return Err(Error::invalid(format!("`{path}` has more than {MAX_FILES_PER_PLACE} files")));
        }
        let mut summary = summary?;
        summary.units.truncate(MAX_UNITS_PER_PLACE);
        Ok(summary)
    }
}

fn refuse_unknown_anchor(source: &Source, path: &str, name: &str) -> Result<(), Error> {
    let symbols = source.symbols();
    let near: Vec<&str> = match anchors::resolve(symbols, SymbolQuery { name, signature: None }) {
        Resolution::Found { how: NameMatch::Exact | NameMatch::Unqualified, .. } | Resolution::Ambiguous { .. } => {
            return Ok(());
        }
        Resolution::Found { symbol, .. } => vec![&symbol.name],
        Resolution::Lost { nearest } => nearest,
    };
    let error = Error::not_found(format!("`{}` has no `{}`", escape_line(path), escape_line(name)));
    let best = nearest(name, near.iter().copied()).or(match near.as_slice() {
        [only] => Some(only),
        _ => None,
    });
    Err(match best {
        Some(best) => error.hint(format!("did you mean `{}`?", escape_line(best))),
        None if near.is_empty() => error.hint(format!("`cairn summary {}` lists what it has", escape_line(path))),
        None => error.hint(format!("it has: {}", escape_line(&near.join(", ")))),
    })
}

// An error of one place is reported there; an error of the repository concerns all.
fn about_the_place(error: Error) -> Result<String, Error> {
    match error.kind {
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict => Ok(error.message),
        _ => Err(error),
    }
}
