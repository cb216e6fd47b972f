//! What is special to each kind of work on a server.

use taiga::dto::{self, Epic, Issue, Item, Project, Story, Task};
use taiga::{EpicFilter, IssueFilter, ItemFilter, OrderBy, StoryFilter, TaskFilter};

use super::{grades, item_id, known_id};
use crate::tracker::entry::{Id, Kind};
use crate::tracker::priority::Priority;
use crate::tracker::{Answer, Change, Draft, Query};

/// A kind of work on a server.
pub(super) trait Work: Item {
    /// What we call it.
    const OURS: Kind;

    /// Narrows lists by what only this kind has.
    fn filter(core: ItemFilter, query: &Query, project: &Project) -> Answer<Self::Filter>;

    /// Begins with what only this kind has.
    fn draft(core: dto::Draft, draft: &Draft, project: &Project) -> Answer<Self::Draft>;

    /// Changes what only this kind has.
    fn patch(core: dto::Patch, change: &Change, project: &Project) -> Answer<Self::Patch>;

    /// Returns what only this kind shows.
    fn own(&self, project: &Project) -> Own;
}

/// What only some kinds show.
#[derive(Default)]
pub(super) struct Own {
    pub(super) parent: Option<Id>,
    /// All epics of a story; `parent` is the first.
    pub(super) epics: Vec<Id>,
    pub(super) colour: Option<String>,
    pub(super) severity: Option<String>,
    pub(super) type_: Option<String>,
    /// Of an issue; elsewhere it is among the tags.
    pub(super) priority: Option<Priority>,
}

impl Work for Epic {
    const OURS: Kind = Kind::Epic;

    fn filter(core: ItemFilter, _: &Query, _: &Project) -> Answer<EpicFilter> {
        Ok(EpicFilter { core })
    }

    fn draft(core: dto::Draft, draft: &Draft, _: &Project) -> Answer<dto::EpicDraft> {
        Ok(dto::EpicDraft { core, color: draft.colour.clone() })
    }

    fn patch(core: dto::Patch, change: &Change, _: &Project) -> Answer<dto::EpicPatch> {
        Ok(dto::EpicPatch { core, color: change.colour.clone() })
    }

    fn own(&self, _: &Project) -> Own {
        Own { colour: self.color.clone(), ..Own::default() }
    }
}

impl Work for Story {
    const OURS: Kind = Kind::Story;

    fn filter(core: ItemFilter, query: &Query, _: &Project) -> Answer<StoryFilter> {
        let epics = query.parent.map(|id| Some(item_id(id))).into_iter().collect();
        Ok(StoryFilter { core, epics, order: Some(OrderBy::OLDEST_FIRST), ..StoryFilter::default() })
    }

    fn draft(core: dto::Draft, _: &Draft, _: &Project) -> Answer<dto::StoryDraft> {
        Ok(core.into())
    }

    fn patch(core: dto::Patch, _: &Change, _: &Project) -> Answer<dto::StoryPatch> {
        Ok(core.into())
    }

    fn own(&self, _: &Project) -> Own {
        let epics: Vec<Id> = self.epics.iter().filter_map(|epic| known_id(epic.id.0).ok()).collect();
        Own { parent: epics.first().copied(), epics, ..Own::default() }
    }
}

impl Work for Task {
    const OURS: Kind = Kind::Task;

    fn filter(core: ItemFilter, query: &Query, _: &Project) -> Answer<TaskFilter> {
        let stories = query.parent.map(|id| Some(item_id(id))).into_iter().collect();
        Ok(TaskFilter { core, stories, order: Some(OrderBy::OLDEST_FIRST), ..TaskFilter::default() })
    }

    fn draft(core: dto::Draft, draft: &Draft, _: &Project) -> Answer<dto::TaskDraft> {
        Ok(dto::TaskDraft { user_story: draft.parent.map(item_id), ..core.into() })
    }

    fn patch(core: dto::Patch, _: &Change, _: &Project) -> Answer<dto::TaskPatch> {
        Ok(core.into())
    }

    fn own(&self, _: &Project) -> Own {
        Own { parent: self.user_story.and_then(|id| known_id(id.0).ok()), ..Own::default() }
    }
}

impl Work for Issue {
    const OURS: Kind = Kind::Issue;

    fn filter(core: ItemFilter, query: &Query, project: &Project) -> Answer<IssueFilter> {
        let severity = query.severity.as_deref().map(|name| grades::severity(project, name)).transpose()?;
        let severities = severity.into_iter().collect();
        Ok(IssueFilter { core, severities, order: Some(OrderBy::OLDEST_FIRST), ..IssueFilter::default() })
    }

    fn draft(core: dto::Draft, draft: &Draft, project: &Project) -> Answer<dto::IssueDraft> {
        Ok(dto::IssueDraft {
            priority: draft.priority.map(|word| grades::priority(project, word)).transpose()?,
            severity: draft.severity.as_deref().map(|name| grades::severity(project, name)).transpose()?,
            issue_type: draft.type_.as_deref().map(|name| grades::issue_type(project, name)).transpose()?,
            ..core.into()
        })
    }

    fn patch(core: dto::Patch, change: &Change, project: &Project) -> Answer<dto::IssuePatch> {
        Ok(dto::IssuePatch {
            priority: change.priority.map(|word| grades::priority(project, word)).transpose()?,
            severity: change.severity.as_deref().map(|name| grades::severity(project, name)).transpose()?,
            issue_type: change.type_.as_deref().map(|name| grades::issue_type(project, name)).transpose()?,
            ..core.into()
        })
    }

    fn own(&self, project: &Project) -> Own {
        let severity = project.severities.iter().find(|known| Some(known.id) == self.severity);
        let type_ = project.issue_types.iter().find(|known| Some(known.id) == self.issue_type);
        Own {
            severity: severity.map(|known| known.name.clone()),
            type_: type_.map(|known| known.name.clone()),
            priority: self.priority.and_then(|id| grades::word(project, id)),
            ..Own::default()
        }
    }
}
