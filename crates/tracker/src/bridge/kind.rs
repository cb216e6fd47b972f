//! The kinds of bridged items, and their names on both sides.

use model::item::ItemKind;

use crate::Kind;
pub(super) use crate::mapping::local_kind;

/// The kind of a bridged item: a work item, or a sprint, which has its own requests in Taiga.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum BridgedKind {
    /// An item in both.
    Work(Kind),
    /// A sprint in Taiga, a milestone in Cairn.
    Sprint,
}

impl BridgedKind {
    /// All kinds, parents before their children.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        Kind::ALL.into_iter().map(Self::Work).chain([Self::Sprint])
    }

    /// Returns the name used in the log and in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Work(kind) => local_kind(kind).name(),
            Self::Sprint => "sprint",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name() == name)
    }

    pub(super) fn local(self) -> ItemKind {
        match self {
            Self::Work(kind) => local_kind(kind),
            Self::Sprint => ItemKind::Milestone,
        }
    }

    /// Returns the bridged kind of a local kind; boards are not bridged.
    pub(super) fn of(kind: ItemKind) -> Option<Self> {
        Self::all().find(|bridged| bridged.local() == kind)
    }

    /// Returns the kind of a work item; `None` for a sprint.
    pub(super) fn work(self) -> Option<Kind> {
        match self {
            Self::Work(kind) => Some(kind),
            Self::Sprint => None,
        }
    }
}

impl From<Kind> for BridgedKind {
    fn from(kind: Kind) -> Self {
        Self::Work(kind)
    }
}

impl PartialEq<Kind> for BridgedKind {
    fn eq(&self, kind: &Kind) -> bool {
        *self == Self::Work(*kind)
    }
}
