//! Lists: from an offset and a limit to the pages a Taiga has, and back, row by row exact.

use serde::de::DeserializeOwned;

use crate::answer::Answer;
use crate::query::Query;
use crate::{Client, Error, ErrorKind};

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    offset: u64,
    limit: u32,
}

impl Window {
    /// The most rows that may be asked for at once.
    pub const MAX_LIMIT: u32 = 200;

    /// A part of a list: so many rows from a place on, which counts from zero.
    pub fn new(offset: u64, limit: u32) -> Result<Self, Error> {
        if limit == 0 || limit > Self::MAX_LIMIT {
            return Err(Error::invalid("limit", format!("the limit must be between 1 and {}", Self::MAX_LIMIT)));
        }
        Ok(Self { offset, limit })
    }

    /// Returns how many rows are left out before the first.
    pub fn offset(self) -> u64 {
        self.offset
    }

    /// Returns how many rows are wanted at most.
    pub fn limit(self) -> u32 {
        self.limit
    }
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows, never more than the limit.
    pub items: Vec<T>,
    /// How many rows the whole list has.
    pub total: u64,
    /// What was asked for.
    pub window: Window,
}

impl<T> Page<T> {
    /// Tells whether there is more after this part.
    pub fn has_next(&self) -> bool {
        self.window.offset.saturating_add(self.items.len() as u64) < self.total
    }
}

/// One page as the server cuts them.
struct Sheet<T> {
    rows: Vec<T>,
    total: Option<u64>,
    /// How many rows the server really puts on a page; none if it sent everything.
    size: Option<u64>,
}

/// How many rows a page has when everything is wanted.
const WALKING_SIZE: u64 = 100;

/// More pages than this are not walked: 200,000 rows, or a server that never ends.
const MAX_PAGES: u64 = 2000;

impl Client {
    /// Reads a part of a list.
    pub(crate) fn window<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query,
        window: Window,
    ) -> Result<Page<T>, Error> {
        let asked = u64::from(window.limit);
        let first = number_of(window.offset, asked);
        let Some(sheet) = self.sheet(path, query, first, asked)? else {
            let total = self.total(path, query)?;
            return Ok(Page { items: Vec::new(), total, window });
        };
        match sheet.size {
            Some(size) if size == asked => self.gather(path, query, window, sheet, asked),
            // The server allows fewer rows on a page than were asked for: its pages begin elsewhere.
            Some(size) if size > 0 => {
                let first = number_of(window.offset, size);
                match self.sheet(path, query, first, size)? {
                    Some(sheet) => self.gather(path, query, window, sheet, size),
                    None => Ok(Page { items: Vec::new(), total: self.total(path, query)?, window }),
                }
            }
            _ if sheet.is_everything(first, asked) => Ok(from_everything(sheet.rows, window)),
            _ => Err(unpaged(path)),
        }
    }

    /// Puts a part together from the first page of it and those that follow.
    fn gather<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query,
        window: Window,
        first: Sheet<T>,
        size: u64,
    ) -> Result<Page<T>, Error> {
        let limit = window.limit as usize;
        let skip = usize::try_from(window.offset % size).unwrap_or(usize::MAX);
        let mut total = first.total;
        let mut is_last = first.is_last(size);
        let mut items: Vec<T> = first.rows.into_iter().take(fit(size)).skip(skip).collect();
        let mut number = number_of(window.offset, size);
        while items.len() < limit && !is_last && total.is_none_or(|total| number.saturating_mul(size) < total) {
            number += 1;
            let Some(next) = self.sheet(path, query, number, size)? else { break };
            is_last = next.is_last(size);
            total = next.total.or(total);
            items.extend(next.rows.into_iter().take(fit(size)));
        }
        items.truncate(limit);
        let seen = window.offset.saturating_add(items.len() as u64);
        Ok(Page { items, total: total.unwrap_or(seen), window })
    }

    /// Reads a whole list, page by page.
    pub(crate) fn everything<T: DeserializeOwned>(&self, path: &str, query: &Query) -> Result<Vec<T>, Error> {
        let mut rows = Vec::new();
        let mut size = WALKING_SIZE;
        for number in 1..=MAX_PAGES {
            let Some(sheet) = self.sheet(path, query, number, size)? else { return Ok(rows) };
            if number == 1 {
                size = sheet.size.filter(|size| *size > 0).unwrap_or(size);
            }
            if sheet.size.is_none() && !sheet.is_everything(number, size) {
                return Err(unpaged(path));
            }
            let is_complete = sheet.size.is_none() || sheet.is_last(size);
            let total = sheet.total;
            rows.extend(sheet.rows);
            if is_complete || total.is_some_and(|total| number.saturating_mul(size) >= total) {
                return Ok(rows);
            }
        }
        Err(Error::unknown(format!("the list `{path}` does not end")))
    }

    /// Reads one page; none if it lies behind the last.
    fn sheet<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query,
        number: u64,
        size: u64,
    ) -> Result<Option<Sheet<T>>, Error> {
        let query = query.clone().with("page", number).with("page_size", size);
        match self.read(path, &query) {
            Ok(answer) => Sheet::read(&answer, path).map(Some),
            // A first page there always is: its absence means that there is no such list.
            Err(error) if number > 1 && error.kind == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn total(&self, path: &str, query: &Query) -> Result<u64, Error> {
        let query = query.clone().with("page", 1).with("page_size", 1);
        let answer = self.read(path, &query)?;
        answer.number("x-pagination-count").ok_or_else(|| {
            Error::unknown(format!("the answer to `{path}` does not say how many there are")).with_status(answer.status)
        })
    }
}

impl<T: DeserializeOwned> Sheet<T> {
    fn read(answer: &Answer, path: &str) -> Result<Self, Error> {
        Ok(Self {
            rows: answer.json(path)?,
            total: answer.number("x-pagination-count"),
            size: answer.number("x-paginated-by"),
        })
    }
}

impl<T> Sheet<T> {
    fn is_last(&self, size: u64) -> bool {
        (self.rows.len() as u64) < size
    }

    /// Tells whether these are all rows, when the server does not say that it pages: more than a page can have, or a first
    /// page that is not full. Anything else may be a page whose headers got lost.
    fn is_everything(&self, number: u64, size: u64) -> bool {
        let rows = self.rows.len() as u64;
        rows > size || (number == 1 && rows < size)
    }
}

fn unpaged(path: &str) -> Error {
    Error::unknown(format!(
        "the answer to `{path}` does not say which page it is: does something in between drop headers?"
    ))
}

/// Cuts a part out of a whole list, from a server that does not page.
fn from_everything<T>(rows: Vec<T>, window: Window) -> Page<T> {
    let total = rows.len() as u64;
    let skip = usize::try_from(window.offset).unwrap_or(usize::MAX);
    let items = rows.into_iter().skip(skip).take(window.limit as usize).collect();
    Page { items, total, window }
}

/// Which page has the row at an offset; the first is 1.
fn number_of(offset: u64, size: u64) -> u64 {
    (offset / size).saturating_add(1)
}

fn fit(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}
