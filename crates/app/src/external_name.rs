//! Finds items by their name in another tracker: `TG-27` or the URL of a page for a linked Taiga, and what `imported_name`
//! finds for items that were imported.

use model::imported::{self, ImportSource};
use model::item::ItemKind;
use model::number::ItemNumber;
use store::index::{Index, ItemQuery, Row};

use crate::error::Error;
use crate::imported_name;
use crate::project::mention;

/// The item field with the link to Taiga.
const LINK: &str = "taiga";

const KINDS: [ItemKind; 4] = [ItemKind::Epic, ItemKind::Story, ItemKind::Task, ItemKind::Issue];

/// The name of an item in Taiga.
#[derive(Debug, PartialEq, Eq)]
struct ExternalName {
    /// `None` for any kind, as in `TG-27`.
    kind: Option<ItemKind>,
    reference: u64,
    /// The URL of the server, if given.
    server: Option<String>,
}

impl ExternalName {
    fn is_of(&self, row: &Row) -> bool {
        let kind = row.item.kind;
        let link = row.item.extra.get(LINK).filter(|link| link["kind"] == kind.name());
        let is_linked = link.is_some_and(|link| link["ref"] == self.reference);
        (is_linked || self.is_imported(row)) && self.kind.is_none_or(|wanted| wanted == kind)
    }

    // From the export of a project, whose ids are `SLUG#REF`.
    fn is_imported(&self, row: &Row) -> bool {
        let source = row.item.extra.get(imported::FIELD).and_then(ImportSource::from_value);
        source.is_some_and(|source| source.tool == "taiga" && source.id.ends_with(&format!("#{}", self.reference)))
    }

    fn is_on_server(&self, row: &Row) -> bool {
        let server = row.item.extra.get(LINK).and_then(|link| link["server"].as_str());
        server.is_some() && server == self.server.as_deref()
    }
}

/// Finds an item by its name in another tracker; `None` if the text is not such a name, or no item has it.
pub(crate) fn try_find(index: &Index, text: &str) -> Result<Option<Row>, Error> {
    let linked = parse(text).map(|name| try_find_linked(index, text, &name)).transpose()?.flatten();
    if linked.is_some() { Ok(linked) } else { imported_name::try_find(index, text) }
}

fn try_find_linked(index: &Index, text: &str, name: &ExternalName) -> Result<Option<Row>, Error> {
    // Fast path: nearly all items have the same number here and in Taiga.
    let near = index.item_by_number(ItemNumber::work(name.reference))?.filter(|row| name.is_of(row));
    if near.is_some() && name.server.is_none() {
        return Ok(near);
    }
    let query = ItemQuery { kinds: &KINDS, include_closed: true, include_deleted: true, ..ItemQuery::default() };
    let mut found: Vec<Row> = index.list(&query)?.rows.into_iter().filter(|row| name.is_of(row)).collect();
    if found.iter().any(|row| name.is_on_server(row)) {
        found.retain(|row| name.is_on_server(row));
    }
    only_one(text, found)
}

/// Returns the one item that a name means; fails if it can be several.
pub(crate) fn only_one(text: &str, mut found: Vec<Row>) -> Result<Option<Row>, Error> {
    if found.len() > 1 {
        let mentions: Vec<String> = found.iter().map(mention).collect();
        let text = model::text::escape_line(text.trim());
        return Err(Error::invalid(format!("`{text}` can be {}", mentions.join(" or ")))
            .hint("give the number of the one you mean"));
    }
    Ok(found.pop())
}

/// Returns whether a text has the form of a name in another tracker.
pub fn is_external_name(text: &str) -> bool {
    parse(text).is_some() || imported_name::has_form(text)
}

fn parse(text: &str) -> Option<ExternalName> {
    let text = text.trim();
    if let Some(prefix) = text.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("tg-")) {
        let reference = text[prefix.len()..].parse().ok()?;
        return Some(ExternalName { kind: None, reference, server: None });
    }
    let address = text.split(['?', '#']).next()?.trim_end_matches('/');
    let (server, page) = address.split_once("/project/")?;
    if !server.starts_with("http://") && !server.starts_with("https://") {
        return None;
    }
    let mut parts = page.split('/').skip(1);
    let kind = match parts.next()? {
        "us" => ItemKind::Story,
        "task" => ItemKind::Task,
        "issue" => ItemKind::Issue,
        "epic" => ItemKind::Epic,
        _ => return None,
    };
    let reference = parts.next()?.parse().ok()?;
    Some(ExternalName { kind: Some(kind), reference, server: Some(server.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_as_people_write_and_copy_them() {
        let by_reference = |text: &str| parse(text).map(|name| (name.kind, name.reference));
        assert_eq!(by_reference("TG-27"), Some((None, 27)));
        assert_eq!(by_reference(" tg-27 "), Some((None, 27)));
        let page = "https://taiga.example.org/agile/project/harbour-logistics/us/7?kanban=1";
        let name = parse(page).unwrap();
        assert_eq!((name.kind, name.reference), (Some(ItemKind::Story), 7));
        assert_eq!(name.server.as_deref(), Some("https://taiga.example.org/agile"));
        for text in ["TG-", "TG-x", "27", "https://x/project/y/wiki/home", "/project/y/us/7", "tgé"] {
            assert_eq!(by_reference(text), None, "{text}");
        }
    }
}
