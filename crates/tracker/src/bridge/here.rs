//! The items here, with where they are linked to.

use app::Error;
use model::id::EntityId;
use model::item::ItemKind;
use model::workflow::State;
use store::index::{Index, Query, Row};

use super::kind::Kind;
use super::link::{COMMENTS, FIELD, Far, Link};
use super::shape::Shape;
use super::terms::Terms;

/// An item here.
#[derive(Debug, Clone)]
pub(super) struct Here {
    pub(super) row: Row,
    pub(super) kind: Kind,
    /// Where it is on any server.
    pub(super) link: Option<Link>,
}

const KINDS: [ItemKind; 5] = [ItemKind::Epic, ItemKind::Story, ItemKind::Task, ItemKind::Issue, ItemKind::Milestone];

/// Returns everything that is bridged, what is closed and what is deleted too.
pub(super) fn all(index: &Index) -> Result<Vec<Here>, Error> {
    let query = Query { kinds: &KINDS, include_closed: true, include_deleted: true, ..Query::default() };
    let mut items: Vec<Here> = index.list(&query)?.rows.into_iter().filter_map(Here::of).collect();
    items.sort_by_key(|item| (item.kind, item.row.number));
    Ok(items)
}

impl Here {
    pub(super) fn of(row: Row) -> Option<Self> {
        let kind = Kind::of(row.item.kind)?;
        let link = row.item.extra.get(FIELD).and_then(Link::from_value).filter(|link| link.kind == kind);
        Some(Self { row, kind, link })
    }

    pub(super) fn id(&self) -> EntityId {
        self.row.item.id
    }

    /// Returns the link to a project there that still has the item.
    pub(super) fn link_to(&self, far: &Far) -> Option<&Link> {
        self.link.as_ref().filter(|link| link.far == *far && !link.gone)
    }

    /// Tells whether no server has the item: it was never sent, or was deleted there and brought back here.
    pub(super) fn is_nowhere(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.gone)
    }

    pub(super) fn shape(&self, terms: &Terms) -> Shape {
        terms.of_local(self.kind, &self.row.item, self.row.state == State::Closed)
    }

    /// Counts the comments that the other side does not have.
    pub(super) fn n_unsent_comments(&self) -> usize {
        let paired = self.row.item.extra.get(COMMENTS).and_then(|set| set.as_array()).map_or(0, Vec::len);
        usize::try_from(self.row.comment_count).unwrap_or(usize::MAX).saturating_sub(paired)
    }

    /// Tells whether comments of it are on both sides.
    pub(super) fn has_sent_comments(&self) -> bool {
        self.row.item.extra.get(COMMENTS).and_then(|set| set.as_array()).is_some_and(|set| !set.is_empty())
    }

    pub(super) fn has_unsent_comments(&self) -> bool {
        self.n_unsent_comments() > 0
    }
}
