//! The statuses of a kind of item. A workflow is an entity in the log, one per kind, the same in every clone; statuses
//! that nobody changed are the built-in ones.

use serde_json::{Value, json};

use crate::entity::Entity;
use crate::id::EntityId;
use crate::item::ItemKind;
use crate::names::{names, parse_name};

/// The meaning of a status, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Not approved yet.
    Draft,
    /// Not started.
    Todo,
    /// In progress.
    Doing,
    /// In review.
    Review,
    /// Finished.
    Done,
    /// Will not be done.
    Dropped,
}

/// The state that all dialects understand, derived from the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Not approved yet.
    Draft,
    /// Not finished.
    Open,
    /// Finished or dropped.
    Closed,
}

/// One status of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Name, unique in the workflow.
    pub name: String,
    /// Category.
    pub category: Category,
    /// Position on a board, lowest to the left.
    pub order: i64,
    /// `#rrggbb`.
    pub color: String,
    /// Whether items in it are closed.
    pub closed: bool,
    /// How many items should be in it at most: the limit of work in progress. Shown, never enforced.
    pub limit: Option<u32>,
}

/// The statuses of one kind of item, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// The kind of item.
    pub kind: ItemKind,
    statuses: Vec<Status>,
}

impl Category {
    /// Returns a glyph that fills up as work goes on.
    pub fn glyph(self) -> char {
        match self {
            Self::Draft => '◌',
            Self::Todo => '○',
            Self::Doing => '◐',
            Self::Review => '◕',
            Self::Done => '●',
            Self::Dropped => '⊘',
        }
    }

    /// Returns whether a status of this category closes items by default.
    pub fn closes(self) -> bool {
        matches!(self, Self::Done | Self::Dropped)
    }
}

names!(Category: Draft = "draft", Todo = "todo", Doing = "doing", Review = "review", Done = "done", Dropped = "dropped");
parse_name!(Category, "category");
names!(State: Draft = "draft", Open = "open", Closed = "closed");
parse_name!(State, "state");

impl Status {
    /// Returns the state of an item in this status.
    pub fn state(&self) -> State {
        match (self.closed, self.category) {
            (true, _) => State::Closed,
            (false, Category::Draft) => State::Draft,
            (false, _) => State::Open,
        }
    }

    /// Returns the name of the field for this status in the workflow's entity.
    pub fn field(name: &str) -> String {
        format!("{FIELD_PREFIX}{name}")
    }

    /// Returns the value of that field.
    pub fn to_value(&self) -> Value {
        let mut value =
            json!({"category": self.category.name(), "order": self.order, "colour": self.color, "closed": self.closed});
        if let Some(limit) = self.limit {
            value["limit"] = limit.into();
        }
        value
    }

    fn from_value(name: &str, value: &Value) -> Option<Self> {
        let category: Category = value.get("category")?.as_str()?.parse().ok()?;
        Some(Self {
            name: name.to_owned(),
            category,
            order: value.get("order").and_then(Value::as_i64).unwrap_or(0),
            color: value.get("colour").and_then(Value::as_str).unwrap_or("#888888").to_owned(),
            closed: value.get("closed").and_then(Value::as_bool).unwrap_or_else(|| category.closes()),
            limit: value.get("limit").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
        })
    }
}

/// The entity kind of workflows.
pub const ENTITY_KIND: &str = "workflow";
const FIELD_PREFIX: &str = "status:";

impl Workflow {
    /// Returns the id of the workflow of a kind, the same in every clone.
    pub fn id(kind: ItemKind) -> EntityId {
        EntityId::shared(&format!("workflow:{}", kind.name()))
    }

    /// Returns the built-in statuses of a kind.
    pub fn built_in(kind: ItemKind) -> Self {
        let rows: &[(&str, Category, &str)] = match kind {
            ItemKind::Milestone | ItemKind::Board => {
                &[("open", Category::Todo, "#4c9aff"), ("closed", Category::Done, "#36b37e")]
            }
            _ => &[
                ("backlog", Category::Todo, "#97a0af"),
                ("ready", Category::Todo, "#4c9aff"),
                ("in_progress", Category::Doing, "#ffab00"),
                ("review", Category::Review, "#8777d9"),
                ("done", Category::Done, "#36b37e"),
            ],
        };
        let statuses = (10..).step_by(10).zip(rows).map(|(order, (name, category, color))| Status {
            name: (*name).to_owned(),
            category: *category,
            order,
            color: (*color).to_owned(),
            closed: category.closes(),
            limit: None,
        });
        Self { kind, statuses: statuses.collect() }
    }

    /// Returns the built-in statuses with the changes in the log.
    pub fn from_entity(kind: ItemKind, entity: &Entity) -> Self {
        let mut workflow = Self::built_in(kind);
        for (field, value) in entity.all_values() {
            let Some(name) = field.strip_prefix(FIELD_PREFIX) else { continue };
            workflow.statuses.retain(|status| status.name != name);
            workflow.statuses.extend(Status::from_value(name, value));
        }
        workflow.statuses.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        if workflow.statuses.is_empty() { Self::built_in(kind) } else { workflow }
    }

    /// Returns the statuses in order; never empty.
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// Returns the status with this name.
    pub fn try_find(&self, name: &str) -> Option<&Status> {
        self.statuses.iter().find(|status| status.name == name)
    }

    /// Returns the first status of a category.
    pub fn first_in(&self, category: Category) -> Option<&Status> {
        self.statuses.iter().find(|status| status.category == category)
    }

    /// Returns the status of a new item.
    pub fn initial(&self) -> &Status {
        let open = self.statuses.iter().find(|status| status.state() == State::Open);
        open.unwrap_or(&self.statuses[0])
    }

    /// Returns the status for closing an item: the first closed one of the category `Done`, else the first closed one.
    pub fn closing(&self) -> Option<&Status> {
        let done = self.statuses.iter().find(|status| status.closed && status.category == Category::Done);
        done.or_else(|| self.statuses.iter().find(|status| status.closed))
    }

    /// Returns the state and the category of a status; an unknown status counts as open and not started.
    pub fn state_and_category(&self, status: &str) -> (State, Category) {
        match self.try_find(status) {
            Some(status) => (status.state(), status.category),
            None => (State::Open, Category::Todo),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_states_follow_from_the_category() {
        let workflow = Workflow::built_in(ItemKind::Task);
        assert_eq!(workflow.initial().name, "backlog");
        assert_eq!(workflow.closing().unwrap().name, "done");
        assert_eq!(workflow.state_and_category("done"), (State::Closed, Category::Done));
        assert_eq!(workflow.state_and_category("review"), (State::Open, Category::Review));
        assert_eq!(workflow.state_and_category("gone"), (State::Open, Category::Todo));
    }

    #[test]
    fn every_category_reads_back() {
        for category in Category::ALL {
            assert_eq!(category.name().parse(), Ok(category));
        }
        assert!("nothing".parse::<Category>().is_err());
    }
}
