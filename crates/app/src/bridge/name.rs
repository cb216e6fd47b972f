//! Items by what a Taiga calls them: `TG-27`, or the address of their page.

use model::number::ItemNumber;
use store::index::{Index, Row};

use super::here::{self, Here};
use super::kind::Kind;
use crate::error::Error;
use crate::project::mention;

/// What a Taiga calls an item.
#[derive(Debug, PartialEq, Eq)]
struct RemoteName {
    /// Any, in `TG-27`.
    kind: Option<Kind>,
    reference: u64,
    /// Where the address begins.
    server: Option<String>,
}

/// Finds an item by what a Taiga calls it; none if the text is no such name, or no linked item has it.
pub(crate) fn try_find(index: &Index, text: &str) -> Result<Option<Row>, Error> {
    let Some(name) = parse(text) else { return Ok(None) };
    let is_it = |item: &Here| {
        let link = item.link.as_ref().filter(|link| link.reference == Some(name.reference));
        link.is_some() && name.kind.is_none_or(|kind| kind == item.kind)
    };
    // The number here is the same as there for nearly all items.
    let near = index.item_by_number(ItemNumber::work(name.reference))?.and_then(Here::of).filter(|item| is_it(item));
    if let Some(item) = near.filter(|_| name.server.is_none()) {
        return Ok(Some(item.row));
    }
    let mut found: Vec<Here> = here::all(index)?.into_iter().filter(is_it).collect();
    let is_there = |item: &Here| item.link.as_ref().is_some_and(|link| Some(&link.far.server) == name.server.as_ref());
    if found.iter().any(is_there) {
        found.retain(is_there);
    }
    if found.len() > 1 {
        let mentions: Vec<String> = found.iter().map(|item| mention(&item.row)).collect();
        return Err(Error::invalid(format!("`{}` can be {}", text.trim(), mentions.join(" or ")))
            .hint("give the number of the one you mean"));
    }
    Ok(found.pop().map(|item| item.row))
}

fn parse(text: &str) -> Option<RemoteName> {
    let text = text.trim();
    if let Some(prefix) = text.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("tg-")) {
        let reference = text[prefix.len()..].parse().ok()?;
        return Some(RemoteName { kind: None, reference, server: None });
    }
    let address = text.split(['?', '#']).next()?.trim_end_matches('/');
    let (server, page) = address.split_once("/project/")?;
    if !server.starts_with("http://") && !server.starts_with("https://") {
        return None;
    }
    let mut parts = page.split('/').skip(1);
    let kind = match parts.next()? {
        "us" => Kind::Story,
        "task" => Kind::Task,
        "issue" => Kind::Issue,
        "epic" => Kind::Epic,
        _ => return None,
    };
    let reference = parts.next()?.parse().ok()?;
    Some(RemoteName { kind: Some(kind), reference, server: Some(server.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_people_write_and_copy_them() {
        let by_reference = |text: &str| parse(text).map(|name| (name.kind, name.reference));
        assert_eq!(by_reference("TG-27"), Some((None, 27)));
        assert_eq!(by_reference(" tg-27 "), Some((None, 27)));
        let page = "https://taiga.example.org/agile/project/harbour-logistics/us/7?kanban=1";
        let name = parse(page).unwrap();
        assert_eq!((name.kind, name.reference), (Some(Kind::Story), 7));
        assert_eq!(name.server.as_deref(), Some("https://taiga.example.org/agile"));
        for text in ["TG-", "TG-x", "27", "https://x/project/y/wiki/home", "/project/y/us/7", "tgé"] {
            assert_eq!(by_reference(text), None, "{text}");
        }
    }
}
