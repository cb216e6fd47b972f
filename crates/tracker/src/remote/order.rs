//! Moves cards on a server: in the backlog, a sprint, the kanban board, a story, or among the epics.

use taiga::CardPlace;

use super::errors::about;
use super::{Remote, item_id};
use crate::Kind;
use crate::TrackerResult;
use crate::change::{CardMove, CardTarget};
use crate::entry::{Entry, Id};
use crate::failure::{Neighbor, Problem, Subject};
use crate::mapping::item::RemoteItem;

impl Remote {
    pub(super) fn move_one(&self, kind: Kind, id: Id, card: &CardMove) -> TrackerResult<Entry> {
        let read = self.fetch(kind, id)?;
        let near = match card.target {
            CardTarget::Top => None,
            CardTarget::Before(other) => Some(self.near(kind, other, Neighbor::Before)?),
            CardTarget::After(other) => Some(self.near(kind, other, Neighbor::After)?),
        };
        let project = read.core().project;
        let moved = match &read {
            RemoteItem::Story(story) if card.on_kanban => {
                let status = story.core.status.ok_or(Problem::NotFound(Subject::Status))?;
                self.client.order_kanban(project, status, story.swimlane, &[story.core.id], place(card.target))
            }
            RemoteItem::Story(story) => {
                self.client.order_stories(project, story.milestone, &[story.core.id], place(card.target))
            }
            RemoteItem::Task(task) => {
                let story = task.user_story.ok_or(Problem::TaskWithoutStory)?;
                self.client.order_tasks(project, story, &[(task.core.id, number(near.as_ref(), card.target))])
            }
            RemoteItem::Epic(epic) => {
                self.client.order_epic(epic.core.id, epic.core.version, number(near.as_ref(), card.target))
            }
            RemoteItem::Issue(_) => return Err(Problem::UnorderedIssues.into()),
        };
        moved.map_err(|error| about(error, Subject::Work(kind)))?;
        self.find_one(kind, id)
    }

    /// Reads the card next to the target position.
    fn near(&self, kind: Kind, id: Id, side: Neighbor) -> TrackerResult<RemoteItem> {
        self.fetch(kind, id)
            .map_err(|failure| if failure.is_not_found() { Problem::UnknownNeighbor(side).into() } else { failure })
    }
}

fn place(target: CardTarget) -> CardPlace {
    match target {
        CardTarget::Top => CardPlace::Top,
        CardTarget::Before(id) => CardPlace::Before(item_id(id)),
        CardTarget::After(id) => CardPlace::After(item_id(id)),
    }
}

/// Returns the order number for a position next to a card; the server shifts the card that has it. All numbers are
/// above the first.
fn number(near: Option<&RemoteItem>, target: CardTarget) -> i64 {
    let order = match near {
        Some(RemoteItem::Task(task)) => task.us_order,
        Some(RemoteItem::Epic(epic)) => epic.epics_order,
        _ => None,
    };
    let order = order.unwrap_or(1);
    if matches!(target, CardTarget::After(_)) { order.saturating_add(1) } else { order }
}
