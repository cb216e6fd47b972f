//! Resources and prompts as tables: plain functions over what the dialect works on.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::answer::{PromptAnswer, Resource, ResourceContents};
use crate::call::Call;
use crate::fault::Fault;

/// What a dialect lets clients read.
pub struct Resources<C: 'static> {
    /// Lists a page of them.
    pub list: fn(&C, PageRequest<'_>) -> Result<Page<Resource>, Fault>,
    /// Those that are found by filling in a name.
    pub templates: &'static [ResourceTemplate<C>],
    /// Reads one; [`Fault::Missing`] when there is none.
    pub read: fn(&C, &str, &Call) -> Result<Vec<ResourceContents>, Fault>,
    /// The contract has `"nextCursor": null` on the last page. Official clients refuse that, so only an offer that is
    /// [strict](crate::ServeOptions::contract_strict) does it, and only for clients that begin with `initialize`.
    pub ends_with_null: bool,
}

/// Which page of a list is wanted.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'a> {
    /// The `next` of the page before.
    pub after: Option<&'a str>,
    /// How many at the most.
    pub limit: usize,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next one begins, in whatever words the list has for places; `None` on the last one.
    pub next: Option<String>,
}

/// Resources that are found by filling in a name.
pub struct ResourceTemplate<C: 'static> {
    /// Such as `cairn://item/{number}`.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What they are.
    pub description: &'static str,
    /// Such as `application/json`.
    pub mime: &'static str,
    /// The names in braces that can be completed.
    pub arguments: &'static [Argument<C>],
}

/// A prompt that a person can choose.
pub struct Prompt<C: 'static> {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What to fill in.
    pub arguments: &'static [Argument<C>],
    /// Makes it. What the table says is required is there.
    pub get: fn(&C, &PromptArguments, &Call) -> Result<PromptAnswer, Fault>,
}

/// What was filled in.
pub type PromptArguments = Map<String, Value>;

/// Something to fill in.
pub struct Argument<C: 'static> {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// It cannot be left out.
    pub is_required: bool,
    /// Finds values that begin as typed, best first.
    pub complete: Option<Complete<C>>,
}

/// Finds values for what was typed so far; the map has the values of other arguments.
pub type Complete<C> = fn(&C, &str, &BTreeMap<String, String>) -> Result<Vec<String>, Fault>;

impl<T> Page<T> {
    /// Everything, on one page.
    pub fn all(items: Vec<T>) -> Self {
        Self { items, next: None }
    }

    /// Cuts a page out of a sorted list by the place after which it begins.
    pub fn cut(items: Vec<T>, request: PageRequest<'_>, place: impl Fn(&T) -> String) -> Self {
        let rest = items.into_iter().filter(|item| request.after.is_none_or(|after| place(item).as_str() > after));
        let mut items: Vec<T> = rest.take(request.limit + 1).collect();
        let has_more = items.len() > request.limit;
        items.truncate(request.limit);
        let next = if has_more { items.last().map(place) } else { None };
        Self { items, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_a_list_once() {
        let all = ["a", "b", "c", "d", "e"];
        for limit in 1..=6 {
            let (mut seen, mut after) = (Vec::new(), None);
            loop {
                let request = PageRequest { after: after.as_deref(), limit };
                let page = Page::cut(all.to_vec(), request, |item| (*item).to_owned());
                assert!(page.items.len() <= limit);
                seen.extend(page.items);
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(seen, all, "{limit} at a time");
        }
    }
}
