//! The kinds of bridged items, and their names on both sides.

use model::item::ItemKind;

use crate::mapping::item::RemoteItem;

/// A bridged kind.
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
    /// A sprint in Taiga, a milestone in Cairn.
    Sprint,
}

impl Kind {
    /// The work items, parents before their children.
    pub(super) const WORK: [Self; 4] = [Self::Epic, Self::Story, Self::Task, Self::Issue];

    /// Returns the name used in the log and in reports.
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

    /// Returns the local kind.
    pub(super) fn local(self) -> ItemKind {
        match self {
            Self::Epic => ItemKind::Epic,
            Self::Story => ItemKind::Story,
            Self::Task => ItemKind::Task,
            Self::Issue => ItemKind::Issue,
            Self::Sprint => ItemKind::Milestone,
        }
    }

    /// Returns the bridged kind of a local kind; boards are not bridged.
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

    /// Returns the bridged kind of a remote item.
    pub(super) fn of_item(item: &RemoteItem) -> Self {
        match item.kind() {
            taiga::dto::Kind::Epic => Self::Epic,
            taiga::dto::Kind::Story => Self::Story,
            taiga::dto::Kind::Task => Self::Task,
            taiga::dto::Kind::Issue => Self::Issue,
        }
    }

    /// Returns the remote item kind; `None` for a sprint, which is not an item in Taiga.
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
