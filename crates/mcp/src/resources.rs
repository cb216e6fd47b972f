//! Resources and prompts as tables of plain functions over the state of the dialect.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::call::Call;
use crate::fault::Fault;
use crate::results::{PromptResult, Resource, ResourceContents};

/// The resources of a dialect.
pub struct Resources<C: 'static> {
    /// Lists one page.
    pub list: fn(&C, PageRequest<'_>) -> Result<ResourcePage<Resource>, Fault>,
    /// The resource templates.
    pub templates: &'static [ResourceTemplate<C>],
    /// Reads one resource; [`Fault::Missing`] if it does not exist.
    pub read: fn(&C, &str, &Call) -> Result<Vec<ResourceContents>, Fault>,
    /// The contract requires `"nextCursor": null` on the last page. Official clients reject that, so it is sent only
    /// with [`contract_strict`](crate::ServeOptions::contract_strict), and only to clients that begin with
    /// `initialize`.
    pub ends_with_null: bool,
}

/// A request for one page of a list.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'a> {
    /// The `next` of the previous page.
    pub after: Option<&'a str>,
    /// Maximum number of entries.
    pub limit: usize,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourcePage<T> {
    /// The entries.
    pub items: Vec<T>,
    /// Keyset position where the next page begins, in a notation of the list; `None` on the last page.
    pub next: Option<String>,
}

/// A family of resources with placeholders in their URI.
pub struct ResourceTemplate<C: 'static> {
    /// URI template, such as `cairn://item/{number}`.
    pub uri: &'static str,
    /// Name for programs.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Description for the model.
    pub description: &'static str,
    /// MIME type, such as `application/json`.
    pub mime: &'static str,
    /// The placeholders that have completion.
    pub arguments: &'static [Argument<C>],
}

/// A prompt that a person can choose.
pub struct Prompt<C: 'static> {
    /// Name for programs.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Description.
    pub description: &'static str,
    /// The arguments.
    pub arguments: &'static [Argument<C>],
    /// Renders the prompt. Required arguments are checked before the call.
    pub get: fn(&C, &PromptArguments, &Call) -> Result<PromptResult, Fault>,
}

/// The arguments of a prompt, by name.
pub type PromptArguments = Map<String, Value>;

/// An argument of a prompt, or a placeholder of a template.
pub struct Argument<C: 'static> {
    /// Name for programs.
    pub name: &'static str,
    /// Description.
    pub description: &'static str,
    /// The argument must be given.
    pub is_required: bool,
    /// Completes a partial value, best match first.
    pub complete: Option<Complete<C>>,
}

/// Finds values for a partial value; the map holds the values of the other arguments.
pub type Complete<C> = fn(&C, &str, &BTreeMap<String, String>) -> Result<Vec<String>, Fault>;

impl<T> ResourcePage<T> {
    /// A single page with all entries.
    pub fn all(items: Vec<T>) -> Self {
        Self { items, next: None }
    }

    /// Cuts a page out of a sorted list. `place` returns the sort key of an entry; the page begins after the key
    /// `request.after`.
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
                let page = ResourcePage::cut(all.to_vec(), request, |item| (*item).to_owned());
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
