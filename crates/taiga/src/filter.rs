//! Filters of lists. Taiga ignores unknown filters and returns everything, so only the existing ones can be expressed
//! here.

use jiff::Timestamp;

use crate::Error;
use crate::dto::{IssueTypeId, ItemId, MilestoneId, PriorityId, SeverityId, StatusId, UserId};
use crate::query::Query;

/// Can be encoded as a query string.
pub trait AsQuery {
    /// Returns the query; an error for a filter that Taiga cannot express.
    fn as_query(&self) -> Result<Query, Error>;
}

/// Filters of all kinds of lists, combined with "and".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemFilter {
    /// Any of these statuses.
    pub statuses: Vec<StatusId>,
    /// Whether the status closes the item.
    pub status_is_closed: Option<bool>,
    /// Any of these assignees; `None` means unassigned.
    pub assigned_to: Vec<Option<UserId>>,
    /// Created by any of these users.
    pub owners: Vec<UserId>,
    /// Any of these tags. A tag with a comma cannot be used.
    pub tags: Vec<String>,
    /// None of these tags.
    pub without_tags: Vec<String>,
    /// Word prefixes in subject, description, tags or number; all must match.
    pub words: Option<String>,
    /// Changed at this time or later.
    pub modified_since: Option<Timestamp>,
    /// Created at this time or later.
    pub created_since: Option<Timestamp>,
}

/// Filters of epics. Epics have only one order, that of the board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EpicFilter {
    /// The common filters.
    pub core: ItemFilter,
}

/// Filters of stories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoryFilter {
    /// The common filters.
    pub core: ItemFilter,
    /// In any of these epics; `None` means without an epic.
    pub epics: Vec<Option<ItemId>>,
    /// In any of these sprints; `None` means the backlog.
    pub milestones: Vec<Option<MilestoneId>>,
    /// Whether it is closed, by its tasks and its status.
    pub is_closed: Option<bool>,
    /// Sort order; by default that of the backlog.
    pub order: Option<OrderBy>,
}

/// Filters of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskFilter {
    /// The common filters.
    pub core: ItemFilter,
    /// Of any of these stories; `None` means without a story.
    pub stories: Vec<Option<ItemId>>,
    /// In any of these sprints; `None` means without a sprint.
    pub milestones: Vec<Option<MilestoneId>>,
    /// Sort order; by default the order of creation.
    pub order: Option<OrderBy>,
}

/// Filters of issues.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IssueFilter {
    /// The common filters.
    pub core: ItemFilter,
    /// Any of these types.
    pub types: Vec<IssueTypeId>,
    /// Any of these priorities.
    pub priorities: Vec<PriorityId>,
    /// Any of these severities.
    pub severities: Vec<SeverityId>,
    /// In any of these sprints; `None` means without a sprint.
    pub milestones: Vec<Option<MilestoneId>>,
    /// Sort order; by default newest first.
    pub order: Option<OrderBy>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderBy {
    /// Sort field.
    pub field: OrderField,
    /// Descending order.
    pub descending: bool,
}

/// Sort fields of stories, tasks and issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderField {
    /// Time of creation.
    Created,
    /// Time of the last change.
    Modified,
    /// Title.
    Subject,
    /// Position of the status.
    Status,
    /// Position in the backlog; stories only.
    Backlog,
    /// Position in the sprint; stories only.
    Sprint,
    /// Position on the kanban board; stories only.
    Kanban,
}

impl OrderBy {
    /// Order of creation: items that are added while a list is read come last.
    pub const OLDEST_FIRST: Self = Self { field: OrderField::Created, descending: false };
}

impl std::fmt::Display for OrderBy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let field = match self.field {
            OrderField::Created => "created_date",
            OrderField::Modified => "modified_date",
            OrderField::Subject => "subject",
            OrderField::Status => "status",
            OrderField::Backlog => "backlog_order",
            OrderField::Sprint => "sprint_order",
            OrderField::Kanban => "kanban_order",
        };
        write!(formatter, "{}{field}", if self.descending { "-" } else { "" })
    }
}

impl From<ItemFilter> for EpicFilter {
    fn from(core: ItemFilter) -> Self {
        Self { core }
    }
}

impl From<ItemFilter> for StoryFilter {
    fn from(core: ItemFilter) -> Self {
        Self { core, ..Self::default() }
    }
}

impl From<ItemFilter> for TaskFilter {
    fn from(core: ItemFilter) -> Self {
        Self { core, ..Self::default() }
    }
}

impl From<ItemFilter> for IssueFilter {
    fn from(core: ItemFilter) -> Self {
        Self { core, ..Self::default() }
    }
}

impl AsQuery for ItemFilter {
    fn as_query(&self) -> Result<Query, Error> {
        let mut query = Query::default();
        query.add_any("status", &self.statuses);
        query.add_some("status__is_closed", self.status_is_closed);
        query.add_any("assigned_to", or_null(&self.assigned_to));
        query.add_any("owner", &self.owners);
        query.add_any("tags", stored_tags("tags", &self.tags)?);
        query.add_any("exclude_tags", stored_tags("tags", &self.without_tags)?);
        if let Some(words) = &self.words {
            if words.contains('\0') {
                return Err(Error::invalid("query", "a text must not contain the character NUL"));
            }
            query.add("q", words);
        }
        query.add_some("modified_date__gte", self.modified_since);
        query.add_some("created_date__gte", self.created_since);
        Ok(query)
    }
}

impl AsQuery for EpicFilter {
    fn as_query(&self) -> Result<Query, Error> {
        // Unlike for other kinds, several assignees are a server error.
        if self.core.assigned_to.len() > 1 {
            return Err(Error::invalid("assigned_to", "epics can be asked for by one assignee only"));
        }
        self.core.as_query()
    }
}

impl AsQuery for StoryFilter {
    fn as_query(&self) -> Result<Query, Error> {
        let mut query = self.core.as_query()?;
        query.add_any("epic", or_null(&self.epics));
        query.add_any("milestone", or_null(&self.milestones));
        query.add_some("is_closed", self.is_closed);
        query.add_some("order_by", self.order);
        Ok(query)
    }
}

impl AsQuery for TaskFilter {
    fn as_query(&self) -> Result<Query, Error> {
        let mut query = self.core.as_query()?;
        query.add_any("user_story", or_null(&self.stories));
        query.add_any("milestone", or_null(&self.milestones));
        query.add_some("order_by", self.order);
        Ok(query)
    }
}

impl AsQuery for IssueFilter {
    fn as_query(&self) -> Result<Query, Error> {
        let mut query = self.core.as_query()?;
        query.add_any("type", &self.types);
        query.add_any("priority", &self.priorities);
        query.add_any("severity", &self.severities);
        query.add_any("milestone", or_null(&self.milestones));
        query.add_some("order_by", self.order);
        Ok(query)
    }
}

fn or_null<T: ToString>(values: &[Option<T>]) -> impl Iterator<Item = String> {
    values.iter().map(|value| value.as_ref().map_or_else(|| "null".to_owned(), ToString::to_string))
}

/// Normalizes tags to lower case, as the server stores them.
fn stored_tags(field: &str, tags: &[String]) -> Result<Vec<String>, Error> {
    let store = |tag: &String| {
        let has_comma = tag.contains(',');
        let is_usable = !has_comma && !tag.contains('\0') && !tag.trim().is_empty();
        is_usable.then(|| tag.to_lowercase()).ok_or_else(|| {
            Error::invalid(
                field,
                if has_comma { "a tag with a comma cannot be searched for" } else { "a tag must not be empty" },
            )
        })
    };
    tags.iter().map(store).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_is_written_as_the_server_reads_it() {
        let core = ItemFilter {
            statuses: vec![StatusId(3), StatusId(4)],
            assigned_to: vec![None, Some(UserId(7))],
            tags: vec!["Back End".to_owned()],
            words: Some("berth plan".to_owned()),
            modified_since: Some("2026-01-02T03:04:05Z".parse().unwrap()),
            ..ItemFilter::default()
        };
        let order = Some(OrderBy { field: OrderField::Modified, descending: true });
        let filter = StoryFilter { core, epics: vec![Some(ItemId(1))], order, ..StoryFilter::default() };
        assert_eq!(
            filter.as_query().unwrap().after("/userstories"),
            "/userstories?status=3,4&assigned_to=null,7&tags=back%20end&q=berth%20plan\
             &modified_date__gte=2026-01-02T03%3A04%3A05Z&epic=1&order_by=-modified_date"
        );
    }

    #[test]
    fn tag_that_cannot_be_asked_for_is_refused() {
        for tag in ["a,b", " ", "a\0"] {
            let filter = ItemFilter { tags: vec![tag.to_owned()], ..ItemFilter::default() };
            assert_eq!(filter.as_query().unwrap_err().kind.category(), "validation", "{tag:?}");
        }
    }
}
