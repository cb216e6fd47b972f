//! Local items with their links.

use app::Error;
use model::id::EntityId;
use model::item::ItemKind;
use store::index::{Index, ItemQuery, Row};

use super::field_set::FieldSet;
use super::kind::BridgedKind;
use super::link::{COMMENTS, FIELD, Link, RemoteRef};
use super::mapping::BridgeMapping;

#[derive(Debug, Clone)]
pub(super) struct LocalItem {
    pub(super) row: Row,
    pub(super) kind: BridgedKind,
    /// Its link to any server.
    pub(super) link: Option<Link>,
}

const KINDS: [ItemKind; 5] = [ItemKind::Epic, ItemKind::Story, ItemKind::Task, ItemKind::Issue, ItemKind::Milestone];

/// Returns all items of bridged kinds, including closed and deleted ones.
pub(super) fn all(index: &Index) -> Result<Vec<LocalItem>, Error> {
    let query = ItemQuery { kinds: &KINDS, include_closed: true, include_deleted: true, ..ItemQuery::default() };
    let mut items: Vec<LocalItem> = index.list(&query)?.rows.into_iter().filter_map(LocalItem::of).collect();
    items.sort_by_key(|item| (item.kind, item.row.number));
    Ok(items)
}

impl LocalItem {
    pub(super) fn of(row: Row) -> Option<Self> {
        let kind = BridgedKind::of(row.item.kind)?;
        let link = row.item.extra.get(FIELD).and_then(Link::from_value).filter(|link| link.kind == kind);
        Some(Self { row, kind, link })
    }

    pub(super) fn id(&self) -> EntityId {
        self.row.item.id
    }

    /// Returns the link to this remote project, unless the item was deleted there.
    pub(super) fn link_to(&self, remote_ref: &RemoteRef) -> Option<&Link> {
        self.link.as_ref().filter(|link| link.remote_ref == *remote_ref && !link.gone)
    }

    /// Returns whether no server has the item: it was never pushed, or was deleted remotely and restored locally.
    pub(super) fn is_unlinked(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.gone)
    }

    pub(super) fn shape(&self, mapping: &BridgeMapping) -> FieldSet {
        mapping.of_local(self.kind, &self.row.item, self.row.state)
    }

    /// Counts the comments that are not on the server.
    pub(super) fn n_unsent_comments(&self) -> usize {
        let paired = self.row.item.extra.get(COMMENTS).and_then(|set| set.as_array()).map_or(0, Vec::len);
        usize::try_from(self.row.comment_count).unwrap_or(usize::MAX).saturating_sub(paired)
    }

    /// Returns whether the item has paired comments.
    pub(super) fn has_sent_comments(&self) -> bool {
        self.row.item.extra.get(COMMENTS).and_then(|set| set.as_array()).is_some_and(|set| !set.is_empty())
    }

    pub(super) fn has_unsent_comments(&self) -> bool {
        self.n_unsent_comments() > 0
    }
}
