//! Where the values of an argument come from, decided by its placeholder: a new argument with a known placeholder is
//! completed without further work.

use clap::Arg;
use model::item::ItemKind;

/// A source of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Items of one kind, or of all.
    Items(Option<ItemKind>),
    /// Closed and deleted items.
    ClosedItems,
    ItemsThenPerson,
    ItemsThenStatus,
    /// Items, then `+label` and `-label`.
    ItemsThenLabels,
    Kinds,
    Statuses,
    Labels,
    People,
    /// Review messages.
    Messages,
    /// Files and folders.
    Paths,
    /// Functions and types of the file before it.
    Anchors,
    /// A file, a colon, and a function or type in it.
    PathAndAnchor,
    /// Names of fields to sort by, also descending.
    SortKeys,
    /// Fixed words.
    Words(Words),
}

/// Fixed words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Priorities,
    Sizes,
    Categories,
    MessageKinds,
    Dates,
    YesOrNo,
}

impl Source {
    /// Returns the source for an argument of a command; `None` if clap knows the values, or nobody does.
    pub(super) fn of(parent: &str, command: &str, argument: &Arg) -> Option<Self> {
        let placeholder = argument.get_value_names().and_then(<[_]>::first)?.as_str();
        if argument.get_value_parser().possible_values().is_some() {
            return None;
        }
        let of_kind = |kind| Some(Self::Items(Some(kind)));
        match (parent, command, argument.get_id().as_str(), placeholder) {
            ("inbox", _, _, "ID" | "IDS") => Some(Self::Messages),
            ("inbox", _, "kind", _) => Some(Self::Words(Words::MessageKinds)),
            (_, "label", "words", _) => Some(Self::ItemsThenLabels),
            (_, "assign", "words", _) => Some(Self::ItemsThenPerson),
            (_, "status", "words", _) => Some(Self::ItemsThenStatus),
            (_, "reopen", _, "ID") => Some(Self::ClosedItems),
            (_, _, "milestone", "ID") => of_kind(ItemKind::Milestone),
            (_, _, "board", "ID") => of_kind(ItemKind::Board),
            (_, _, "epic", "ID") => of_kind(ItemKind::Epic),
            (_, _, _, placeholder) => Self::of_placeholder(placeholder),
        }
    }

    fn of_placeholder(placeholder: &str) -> Option<Self> {
        Some(match placeholder {
            "ID" | "IDS" => Self::Items(None),
            "KIND" => Self::Kinds,
            "STATUS" => Self::Statuses,
            "LABEL" => Self::Labels,
            "WHO" => Self::People,
            "PATH" | "FILE" | "FOLDER" | "DIR" => Self::Paths,
            "ANCHOR" => Self::Anchors,
            "PATH:NAME" | "PATH[:ANCHOR]" | "PATH:NAME=NATURE" => Self::PathAndAnchor,
            "FIELD[:desc]" => Self::SortKeys,
            "LEVEL" => Self::Words(Words::Priorities),
            "SIZE" => Self::Words(Words::Sizes),
            "CATEGORY" => Self::Words(Words::Categories),
            "DATE" => Self::Words(Words::Dates),
            "YES|NO" => Self::Words(Words::YesOrNo),
            _ => return None,
        })
    }
}
