//! Shows the code of an item, with its annotations.

use std::cell::Cell;

use app::view::reference;
use app::{Error, ErrorKind};
use model::item_ref::ItemRef;

use crate::Annotations;
use crate::ReadQuery;
use crate::view::{ReadView, SummaryView, TouchedCodeView, TouchedPlaceView};

/// Maximum number of places that are read; the rest are only counted.
const MAX_PLACES: usize = 20;

/// Token budget of each place with a function.
const TOKENS_OF_A_PLACE: usize = 2_000;

/// Maximum number of functions of each place with a file or a folder.
const UNITS_OF_A_PLACE: usize = 50;

/// Maximum number of files of a folder.
const FILES_OF_A_PLACE: usize = 200;

impl Annotations<'_> {
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
            None => match self.summarise_place(&self.path_today(touches)?) {
                Ok(summary) => view.summary = Some(summary),
                Err(error) => view.error = Some(about_the_place(error)?),
            },
        }
        Ok(view)
    }

    fn read_place(&self, path: &str, anchor: &str) -> Result<ReadView, Error> {
        self.read(&ReadQuery {
            anchor: Some(anchor.to_owned()),
            max_tokens: Some(TOKENS_OF_A_PLACE),
            ..ReadQuery::new(path)
        })
    }

    fn summarise_place(&self, path: &str) -> Result<SummaryView, Error> {
        let is_too_large = Cell::new(false);
        let progress = |_, n_files| {
            is_too_large.set(n_files > FILES_OF_A_PLACE);
            n_files <= FILES_OF_A_PLACE
        };
        let told = self.summary(path, None, &progress);
        if is_too_large.get() {
            return Err(Error::invalid(format!("`{path}` has more than {FILES_OF_A_PLACE} files")));
        }
        let mut summary = told?;
        summary.units.truncate(UNITS_OF_A_PLACE);
        Ok(summary)
    }
}

// An error of one place is reported there; an error of the repository concerns all.
fn about_the_place(error: Error) -> Result<String, Error> {
    match error.kind {
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict => Ok(error.message),
        _ => Err(error),
    }
}
