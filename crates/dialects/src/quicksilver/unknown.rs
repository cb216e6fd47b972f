//! The texts for unknown ids. Each lists existing ids, since no tool of the contract does.

use app::{ErrorKind, NumberedObject, UnknownNumber};
use model::item::ItemKind;

/// Maximum length of a title beside its id, in characters.
const MAX_TITLE: usize = 60;

/// Returns the text for an id of a request, or, if the request is invalid, for the argument that has the id.
pub(super) fn text(unknown: &UnknownNumber, kind: ErrorKind) -> String {
    let id = unknown.number;
    let reason = match (unknown.wanted, kind, unknown.taken_by) {
        (NumberedObject::Task, _, Some(other)) => format!("{id} is {} {other}, not a task", article(other)),
        (NumberedObject::Board, ErrorKind::Invalid, _) => format!("board_id is {id}, and there is no such board"),
        (NumberedObject::Person, ..) => format!("owner_id is {id}, and nobody here has that id"),
        (wanted, ..) => format!("there is no {wanted} {id}"),
    };
    format!("{reason}: {}", existing(unknown))
}

fn existing(unknown: &UnknownNumber) -> String {
    let named = unknown.existing.iter().map(|(id, title)| match unknown.wanted {
        NumberedObject::Person => format!("{id} is {title}"),
        NumberedObject::Task | NumberedObject::Board => format!("{id} is {}", shortened(title)),
    });
    let named: Vec<String> = named.collect();
    match (named.is_empty(), unknown.n_existing.saturating_sub(named.len())) {
        (true, _) => format!("there are no {} yet", plural(unknown.wanted)),
        (false, 0) => named.join(", "),
        (false, others) => format!("{}, and {others} more", named.join(", ")),
    }
}

fn plural(wanted: NumberedObject) -> &'static str {
    match wanted {
        NumberedObject::Task => "tasks",
        NumberedObject::Board => "boards",
        NumberedObject::Person => "people",
    }
}

fn shortened(title: &str) -> String {
    match title.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

fn article(kind: ItemKind) -> &'static str {
    if matches!(kind, ItemKind::Issue | ItemKind::Epic) { "an" } else { "a" }
}
