//! Paging: headers, limits and the errors after the last page.

use serde_json::Value;

use super::http::{Answer, Request};
use super::refusal::{self, Reply};

const DEFAULT_SIZE: usize = 30;
/// Default maximum page size of a Taiga.
pub(super) const MAX_SIZE: usize = 1000;

/// Responds with one page of a list; only its rows are rendered.
pub(super) fn page<T>(request: &Request, largest: usize, rows: &[T], render: impl Fn(&T) -> Value) -> Reply {
    if request.header("x-disable-pagination").is_some() {
        return Ok(Answer::json(200, &rows.iter().map(render).collect()));
    }
    let asked = request.parameter("page_size").and_then(|size| size.parse().ok()).filter(|size| *size > 0);
    let size = asked.unwrap_or(DEFAULT_SIZE).min(largest);
    let pages = rows.len().div_ceil(size).max(1);
    let number = match request.parameter("page") {
        None => 1,
        Some("last") => pages,
        Some(number) => number.parse().unwrap_or(0),
    };
    if number == 0 || number > pages {
        return Err(refusal::no_such_page());
    }
    let mut answer = Answer::json(200, &rows.iter().skip((number - 1) * size).take(size).map(render).collect())
        .header("x-paginated", "true")
        .header("x-paginated-by", size)
        .header("x-pagination-current", number);
    if request.header("x-lazy-pagination").is_none() {
        answer = answer.header("x-pagination-count", rows.len());
    }
    // A host as a proxy would have left it: a client that follows these links fails.
    let link = |page: usize| format!("http://internal.invalid{}?page={page}&page_size={size}", request.path);
    if number < pages {
        answer = answer.header("x-pagination-next", link(number + 1));
    }
    if number > 1 {
        answer = answer.header("x-pagination-prev", link(number - 1));
    }
    Ok(answer)
}
