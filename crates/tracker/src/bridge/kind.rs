//! What the two sides have in common, and what each calls it.

use model::item::ItemKind;

use crate::mapping::item::RemoteItem;

/// What is bridged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// An epic.
    Epic,
    /// A user story.
    Story,
    /// A task.
    Task,
    /// An issue.
    Issue,
    /// A sprint there, a milestone here.
    Sprint,
}

impl Kind {
    /// What goes both ways, what others can be a part of first.
    pub(super) const WORK: [Self; 4] = [Self::Epic, Self::Story, Self::Task, Self::Issue];

    /// Returns the name used in the log and in answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Epic => "epic",
            Self::Story => "story",
            Self::Task => "task",
            Self::Issue => "issue",
            Self::Sprint => "sprint",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::WORK.into_iter().chain([Self::Sprint]).find(|kind| kind.name() == name)
    }

    /// Returns what it is here.
    pub(super) fn local(self) -> ItemKind {
        match self {
            Self::Epic => ItemKind::Epic,
            Self::Story => ItemKind::Story,
            Self::Task => ItemKind::Task,
            Self::Issue => ItemKind::Issue,
            Self::Sprint => ItemKind::Milestone,
        }
    }

    /// Returns what an item is there; boards stay here.
    pub(super) fn of(kind: ItemKind) -> Option<Self> {
        match kind {
            ItemKind::Epic => Some(Self::Epic),
            ItemKind::Story => Some(Self::Story),
            ItemKind::Task => Some(Self::Task),
            ItemKind::Issue => Some(Self::Issue),
            ItemKind::Milestone => Some(Self::Sprint),
            ItemKind::Board => None,
        }
    }

    /// Returns what an item there is.
    pub(super) fn of_item(item: &RemoteItem) -> Self {
        match item.kind() {
            taiga::dto::Kind::Epic => Self::Epic,
            taiga::dto::Kind::Story => Self::Story,
            taiga::dto::Kind::Task => Self::Task,
            taiga::dto::Kind::Issue => Self::Issue,
        }
    }

    /// Returns which kind of item it is there; a sprint is none.
    pub(super) fn remote(self) -> Option<taiga::dto::Kind> {
        match self {
            Self::Epic => Some(taiga::dto::Kind::Epic),
            Self::Story => Some(taiga::dto::Kind::Story),
            Self::Task => Some(taiga::dto::Kind::Task),
            Self::Issue => Some(taiga::dto::Kind::Issue),
            Self::Sprint => None,
        }
    }
}
