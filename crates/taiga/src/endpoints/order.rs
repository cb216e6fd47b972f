//! The order of cards. Moving a card changes neither version nor date; the server renumbers its neighbors.

use serde_json::{Value, json};

use crate::dto::{ItemId, Kind, MilestoneId, ProjectId, StatusId};
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error};

/// Target position of cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardPlace {
    /// After another card of the same list.
    After(ItemId),
    /// Before another card of the same list.
    Before(ItemId),
    /// Before all other cards.
    Top,
}

impl CardPlace {
    fn write(self, body: &mut Value) {
        match self {
            Self::After(id) => body["after_userstory_id"] = json!(id),
            Self::Before(id) => body["before_userstory_id"] = json!(id),
            Self::Top => {}
        }
    }
}

impl Client {
    /// Moves stories to a position in the backlog or in a sprint. Stories outside of that sprint are moved into it.
    pub fn order_stories(
        &self,
        project: ProjectId,
        sprint: Option<MilestoneId>,
        stories: &[ItemId],
        place: CardPlace,
    ) -> Result<(), Error> {
        let mut body = json!({"project_id": project, "bulk_userstories": stories});
        if let Some(sprint) = sprint {
            body["milestone_id"] = json!(sprint);
        }
        place.write(&mut body);
        self.order("/userstories/bulk_update_backlog_order", &body)
    }

    /// Moves stories to a position in a column of the kanban board. They get its status and swimlane.
    pub fn order_kanban(
        &self,
        project: ProjectId,
        status: StatusId,
        swimlane: Option<u64>,
        stories: &[ItemId],
        place: CardPlace,
    ) -> Result<(), Error> {
        let mut body = json!({"project_id": project, "status_id": status, "bulk_userstories": stories});
        // Omitted means none; the server rejects `null`.
        if let Some(swimlane) = swimlane {
            body["swimlane_id"] = json!(swimlane);
        }
        place.write(&mut body);
        self.order("/userstories/bulk_update_kanban_order", &body)
    }

    /// Sets the sort keys of tasks in their story. Tasks with the same or a higher key are shifted.
    pub fn order_tasks(&self, project: ProjectId, story: ItemId, orders: &[(ItemId, i64)]) -> Result<(), Error> {
        let tasks: Vec<Value> = orders.iter().map(|(id, order)| json!({"task_id": id, "order": order})).collect();
        let body = json!({"project_id": project, "us_id": story, "bulk_tasks": tasks});
        self.order("/tasks/bulk_update_us_order", &body)
    }

    /// Sets the sort key of an epic that was read at the given version. Epics with the same or a higher key are
    /// shifted.
    pub fn order_epic(&self, id: ItemId, version: u64, order: i64) -> Result<(), Error> {
        let body = json!({"epics_order": order, "version": version});
        let sent = self.write(Verb::Patch, &super::items::path(Kind::Epic, id), &Query::default(), Some(&body));
        sent.map(drop).map_err(|error| self.settle(Kind::Epic, id, error))
    }

    fn order(&self, path: &str, body: &Value) -> Result<(), Error> {
        self.write(Verb::Post, path, &Query::default(), Some(body)).map(drop)
    }
}
