//! Finds imported items by their name in the tool they came from: `PROJ-1`, `bd-12`, `owner/name#12`, or the address of
//! their page.
//!
//! Ids of imported items are derived from the names, so a name is looked up in one query, without a search.

use model::id::EntityId;
use model::imported::{FIELD, ImportSource, TOOLS};
use model::number::ItemNumber;
use store::index::{Index, ItemQuery, Row};

use crate::error::Error;
use crate::external_name::only_one;

/// Longer texts are not names.
const MAX_NAME: usize = 500;

/// Returns whether a text has the form of a name in a tool: a key, a project with a number, or an address.
pub(crate) fn has_form(text: &str) -> bool {
    let text = text.trim();
    let is_key = text.contains(['-', '#', '/']) && text.contains(|c: char| c.is_ascii_alphanumeric());
    text.len() <= MAX_NAME && is_key && !text.contains(char::is_whitespace)
}

/// Finds the item that was imported under a name; `None` if there is none.
pub(crate) fn try_find(index: &Index, text: &str) -> Result<Option<Row>, Error> {
    let text = text.trim();
    if !has_form(text) {
        return Ok(None);
    }
    let found = index.items(&ids(text))?;
    if found.is_empty() && is_address(text) { try_find_by_address(index, text) } else { only_one(text, found) }
}

/// Returns the ids that an item of this name would have, from any tool.
fn ids(text: &str) -> Vec<EntityId> {
    let mut names = vec![text.to_owned(), text.to_uppercase(), text.to_lowercase()];
    names.extend(name_of_address(text));
    names.sort_unstable();
    names.dedup();
    TOOLS.iter().flat_map(|tool| names.iter().map(move |name| ImportSource::entity(tool, name))).collect()
}

/// Returns the name that an address contains: `owner/name#12` on GitHub, a key on Jira and Linear.
fn name_of_address(text: &str) -> Option<String> {
    let path = without_extras(text).split_once("://")?.1.split_once('/')?.1;
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [owner, name, "issues", number] => Some(format!("{owner}/{name}#{number}")),
        [owner, name, "milestone", number] => Some(format!("{owner}/{name}/milestone/{number}")),
        [.., "browse", key] | [_, "issue", key, ..] => Some((*key).to_owned()),
        _ => None,
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

// A comment's place on the page, or how the page is to be shown.
fn without_extras(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

/// Finds the item whose page has an address; not every tool has its names in its addresses.
fn try_find_by_address(index: &Index, text: &str) -> Result<Option<Row>, Error> {
    let wanted = without_extras(text);
    // Fast path: nearly all items keep their numbers, and most addresses end with them.
    let number = wanted.rsplit('/').next().and_then(|last| last.parse().ok()).map(ItemNumber::work);
    let near = number.map(|number| index.item_by_number(number)).transpose()?.flatten();
    if let Some(near) = near.filter(|row| has_address(row, wanted)) {
        return Ok(Some(near));
    }
    let query = ItemQuery { include_closed: true, include_deleted: true, ..ItemQuery::default() };
    let rows = index.list(&query)?.rows;
    only_one(text, rows.into_iter().filter(|row| has_address(row, wanted)).collect())
}

fn has_address(row: &Row, wanted: &str) -> bool {
    let source = row.item.extra.get(FIELD).and_then(ImportSource::from_value);
    source.and_then(|source| source.url).is_some_and(|url| without_extras(&url) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_contain_names() {
        let check = |text: &str, name: Option<&str>| assert_eq!(name_of_address(text).as_deref(), name, "{text}");
        check("https://github.com/octo/shop/issues/12", Some("octo/shop#12"));
        check("https://github.com/octo/shop/issues/12#issuecomment-5", Some("octo/shop#12"));
        check("https://github.com/octo/shop/milestone/3/", Some("octo/shop/milestone/3"));
        check("https://shop.atlassian.net/browse/SHOP-7?filter=1", Some("SHOP-7"));
        check("https://linear.app/shop/issue/ENG-5/dark-mode", Some("ENG-5"));
        check("https://gitlab.com/g/p/-/issues/7", None);
        check("octo/shop#12", None);
    }

    #[test]
    fn only_keys_projects_and_addresses_are_names() {
        for text in ["PROJ-1", "bd-a1.2", "octo/shop#12", "https://gitlab.com/g/p/-/issues/7"] {
            assert!(has_form(text), "{text}");
        }
        for text in ["", "-", "Login", "fix the login - now", &"a-".repeat(300)] {
            assert!(!has_form(text), "{text}");
        }
    }
}
