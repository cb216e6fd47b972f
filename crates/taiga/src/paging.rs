//! Maps offset and limit to the pages of a Taiga, exactly row by row.

use serde::de::DeserializeOwned;

use crate::query::Query;
use crate::response::HttpResponse;
use crate::{Client, Error, ErrorKind};

/// A window of a list: offset and limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    offset: u64,
    limit: u32,
}

impl Window {
    /// Maximum limit of a window.
    pub const MAX_LIMIT: u32 = 200;

    /// A window of `limit` rows from `offset` on, which counts from zero.
    pub fn new(offset: u64, limit: u32) -> Result<Self, Error> {
        if limit == 0 || limit > Self::MAX_LIMIT {
            return Err(Error::invalid("limit", format!("the limit must be between 1 and {}", Self::MAX_LIMIT)));
        }
        Ok(Self { offset, limit })
    }

    /// Returns the number of rows before the window.
    pub fn offset(self) -> u64 {
        self.offset
    }

    /// Returns the maximum number of rows.
    pub fn limit(self) -> u32 {
        self.limit
    }
}

/// The rows of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows, at most the limit.
    pub items: Vec<T>,
    /// Number of rows in the whole list.
    pub total: u64,
    /// The requested window.
    pub window: Window,
}

impl<T> Page<T> {
    /// Returns whether there are rows after this window.
    pub fn has_next(&self) -> bool {
        self.window.offset.saturating_add(self.items.len() as u64) < self.total
    }
}

struct ServerPage<T> {
    rows: Vec<T>,
    total: Option<u64>,
    /// The page size that the server actually uses; `None` if it sent everything.
    size: Option<u64>,
}

/// Page size when a whole list is read.
const WALKING_SIZE: u64 = 100;

/// Maximum number of pages: 200,000 rows, or a server that never ends.
const MAX_PAGES: u64 = 2000;

impl Client {
    /// Reads a window of a list.
    pub(crate) fn window<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query,
        window: Window,
    ) -> Result<Page<T>, Error> {
        let asked = u64::from(window.limit);
        let first = number_of(window.offset, asked);
        // After the last page Taiga answers 404 without the total.
        let Some(sheet) = self.sheet(path, query, first, asked)? else {
            let total = self.total(path, query)?;
            return Ok(Page { items: Vec::new(), total, window });
        };
        match sheet.size {
            Some(size) if size == asked => self.gather(path, query, window, sheet, asked),
            // The server limits the page size below the request, so its pages begin at other offsets.
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

    /// Assembles a window from its first page and the following ones.
    fn gather<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query,
        window: Window,
        first: ServerPage<T>,
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

    /// Reads one page; `None` if it is after the last.
    fn sheet<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query,
        number: u64,
        size: u64,
    ) -> Result<Option<ServerPage<T>>, Error> {
        let query = query.clone().with("page", number).with("page_size", size);
        match self.read(path, &query) {
            Ok(response) => ServerPage::read(&response, path).map(Some),
            // A first page always exists: if it is missing, the list does not exist.
            Err(error) if number > 1 && error.kind == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn total(&self, path: &str, query: &Query) -> Result<u64, Error> {
        let query = query.clone().with("page", 1).with("page_size", 1);
        let response = self.read(path, &query)?;
        response.number("x-pagination-count").ok_or_else(|| {
            Error::unknown(format!("the answer to `{path}` does not say how many there are"))
                .with_status(response.status)
        })
    }
}

impl<T: DeserializeOwned> ServerPage<T> {
    fn read(response: &HttpResponse, path: &str) -> Result<Self, Error> {
        Ok(Self {
            rows: response.json(path)?,
            total: response.number("x-pagination-count"),
            size: response.number("x-paginated-by"),
        })
    }
}

impl<T> ServerPage<T> {
    fn is_last(&self, size: u64) -> bool {
        (self.rows.len() as u64) < size
    }

    /// Returns whether these are all rows, if the server sends no paging headers: more than a page can have, or a first
    /// page that is not full. Anything else may be a page whose headers were lost.
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

/// Cuts a window out of a whole list, for a server that does not page.
fn from_everything<T>(rows: Vec<T>, window: Window) -> Page<T> {
    let total = rows.len() as u64;
    let skip = usize::try_from(window.offset).unwrap_or(usize::MAX);
    let items = rows.into_iter().skip(skip).take(window.limit as usize).collect();
    Page { items, total, window }
}

/// Returns the page number of the row at an offset; the first is 1.
fn number_of(offset: u64, size: u64) -> u64 {
    (offset / size).saturating_add(1)
}

fn fit(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}
