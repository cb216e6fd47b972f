//! Finds items by their name in Taiga: `TG-27`, or the URL of their page.

use model::item::ItemKind;
use model::number::ItemNumber;
use store::index::{Index, ItemQuery, Row};

use crate::error::Error;
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
        link.is_some_and(|link| link["ref"] == self.reference) && self.kind.is_none_or(|wanted| wanted == kind)
    }

    fn is_on_server(&self, row: &Row) -> bool {
        let server = row.item.extra.get(LINK).and_then(|link| link["server"].as_str());
        server.is_some() && server == self.server.as_deref()
    }
}

/// Finds an item by its name in Taiga; `None` if the text is not such a name, or no linked item has it.
pub(crate) fn try_find(index: &Index, text: &str) -> Result<Option<Row>, Error> {
    let Some(name) = parse(text) else { return Ok(None) };
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
    if found.len() > 1 {
        let mentions: Vec<String> = found.iter().map(mention).collect();
        return Err(Error::invalid(format!("`{}` can be {}", text.trim(), mentions.join(" or ")))
            .hint("give the number of the one you mean"));
    }
    Ok(found.pop())
}

/// Tells whether a text has the form of a name on a Taiga.
pub fn is_external_name(text: &str) -> bool {
    parse(text).is_some()
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
