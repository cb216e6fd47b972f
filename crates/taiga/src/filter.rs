//! What lists can be narrowed by. A Taiga passes over filters it does not know and returns everything, so only those it has
//! can be said here.

use jiff::Timestamp;

use crate::Error;
use crate::dto::{IssueTypeId, ItemId, MilestoneId, PriorityId, SeverityId, StatusId, UserId};
use crate::query::Query;

/// Can be written as a query.
pub trait AsQuery {
    /// Writes the query; an error for what cannot be asked.
    fn as_query(&self) -> Result<Query, Error>;
}

/// What lists of all kinds can be narrowed by. All that is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemFilter {
    /// Any of these statuses.
    pub statuses: Vec<StatusId>,
    /// Whether the status means done.
    pub status_is_closed: Option<bool>,
    /// Any of these people; none stands for nobody.
    pub assigned_to: Vec<Option<UserId>>,
    /// Made by any of these.
    pub owners: Vec<UserId>,
    /// Any of these tags. One with a comma cannot be asked for.
    pub tags: Vec<String>,
    /// None of these tags.
    pub without_tags: Vec<String>,
    /// Words that begin so, in subject, description, tags or number; all of them.
    pub words: Option<String>,
    /// Changed at this time or later.
    pub modified_since: Option<Timestamp>,
    /// Made at this time or later.
    pub created_since: Option<Timestamp>,
}

/// What lists of epics can be narrowed by. They have one order, that of the board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EpicFilter {
    /// What all kinds have.
    pub core: ItemFilter,
}

/// What lists of stories can be narrowed by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoryFilter {
    /// What all kinds have.
    pub core: ItemFilter,
    /// In any of these epics; none stands for no epic.
    pub epics: Vec<Option<ItemId>>,
    /// In any of these sprints; none stands for the backlog.
    pub milestones: Vec<Option<MilestoneId>>,
    /// Whether it is done, by its tasks and its status.
    pub is_closed: Option<bool>,
    /// In which order; without, that of the backlog.
    pub order: Option<OrderBy>,
}

/// What lists of tasks can be narrowed by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskFilter {
    /// What all kinds have.
    pub core: ItemFilter,
    /// Of any of these stories; none stands for no story.
    pub stories: Vec<Option<ItemId>>,
    /// In any of these sprints; none stands for no sprint.
    pub milestones: Vec<Option<MilestoneId>>,
    /// In which order; without, as they were made.
    pub order: Option<OrderBy>,
}

/// What lists of issues can be narrowed by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IssueFilter {
    /// What all kinds have.
    pub core: ItemFilter,
    /// Any of these types.
    pub types: Vec<IssueTypeId>,
    /// Any of these priorities.
    pub priorities: Vec<PriorityId>,
    /// Any of these severities.
    pub severities: Vec<SeverityId>,
    /// In any of these sprints; none stands for no sprint.
    pub milestones: Vec<Option<MilestoneId>>,
    /// In which order; without, newest first.
    pub order: Option<OrderBy>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderBy {
    /// By what.
    pub field: OrderField,
    /// Whether the last comes first.
    pub descending: bool,
}

/// What lists of stories, tasks and issues can be ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderField {
    /// When it was made.
    Created,
    /// When it was changed last.
    Modified,
    /// By name.
    Subject,
    /// By the place of the status.
    Status,
    /// By the place in the backlog; stories only.
    Backlog,
    /// By the place in the sprint; stories only.
    Sprint,
    /// By the place on the kanban board; stories only.
    Kanban,
}

impl OrderBy {
    /// As they were made: what is added while a list is walked comes last.
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
        // Unlike for other kinds, several are an error of the server's.
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

/// Writes tags as the server keeps them: in lower case.
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
