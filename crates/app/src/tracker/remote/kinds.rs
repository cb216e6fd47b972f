//! What is special to each kind of work on a server.

use std::collections::BTreeMap;

use jiff::civil::Date;
use taiga::dto::{self, Epic, Issue, Item, MilestoneId, Project, Story, Task, UserId};
use taiga::{EpicFilter, IssueFilter, ItemFilter, OrderBy, StoryFilter, TaskFilter};

use super::{extended, grades, item_id, known_id, lookups};
use crate::bridge::hand_over;
use crate::tracker::change::Choice;
use crate::tracker::entry::{Id, Kind, Planned};
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

    /// Changes what only this kind has, in something that was read.
    fn patch(&self, core: dto::Patch, change: &Change, project: &Project) -> Answer<Self::Patch>;

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
    pub(super) planned: Planned,
}

impl Work for Epic {
    const OURS: Kind = Kind::Epic;

    fn filter(core: ItemFilter, _: &Query, _: &Project) -> Answer<EpicFilter> {
        Ok(EpicFilter { core })
    }

    fn draft(core: dto::Draft, draft: &Draft, _: &Project) -> Answer<dto::EpicDraft> {
        Ok(dto::EpicDraft { core, color: draft.colour.clone() })
    }

    fn patch(&self, core: dto::Patch, change: &Change, _: &Project) -> Answer<dto::EpicPatch> {
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
        let (milestones, order) = (extended::sprints_of(query.sprint), Some(extended::order_of(query.order)));
        Ok(StoryFilter { core, epics, milestones, order, ..StoryFilter::default() })
    }

    fn draft(core: dto::Draft, draft: &Draft, project: &Project) -> Answer<dto::StoryDraft> {
        let planning = &draft.planning;
        let (milestone, due_date) = (set(planning.sprint).map(sprint_id), set(planning.due));
        let points =
            set(planning.points).map(|wanted| extended::points(project, &BTreeMap::new(), Some(wanted))).transpose()?;
        let assigned_users = members(project, planning.assignees.as_deref().unwrap_or_default())?;
        let core = dto::Draft { assigned_to: assigned_users.first().copied().or(core.assigned_to), ..core };
        Ok(dto::StoryDraft { core, assigned_users, milestone, due_date, points: points.unwrap_or_default() })
    }

    fn patch(&self, core: dto::Patch, change: &Change, project: &Project) -> Answer<dto::StoryPatch> {
        let planning = &change.planning;
        let points = match planning.points {
            Choice::Keep => None,
            Choice::Clear => Some(extended::points(project, &self.points, None)?),
            Choice::Set(wanted) => Some(extended::points(project, &self.points, Some(wanted))?),
        };
        let (assigned_to, assigned_users) = match (&planning.assignees, core.assigned_to) {
            (Some(everyone), _) => {
                let everyone = members(project, everyone)?;
                (everyone.first().copied().into(), Some(everyone))
            }
            (None, dto::Change::Keep) => (dto::Change::Keep, None),
            (None, dto::Change::Clear) => (dto::Change::Clear, Some(hand_over(self, None))),
            (None, dto::Change::Set(to)) => (dto::Change::Set(to), Some(hand_over(self, Some(to)))),
        };
        Ok(dto::StoryPatch {
            core: dto::Patch { assigned_to, ..core },
            assigned_users,
            milestone: extended::changed(planning.sprint, sprint_id),
            due_date: extended::changed(planning.due, |day| day),
            points,
        })
    }

    fn own(&self, _: &Project) -> Own {
        let epics: Vec<Id> = self.epics.iter().filter_map(|epic| known_id(epic.id.0).ok()).collect();
        let order = |order: Option<i64>| order.unwrap_or_default();
        let planned = Planned {
            sprint: self.milestone.and_then(|id| known_id(id.0).ok()),
            due: self.due_date,
            points: self.total_points,
            assignees: assignees(self),
            orders: Some([order(self.backlog_order), order(self.sprint_order), order(self.kanban_order)]),
            ..Planned::default()
        };
        Own { parent: epics.first().copied(), epics, planned, ..Own::default() }
    }
}

impl Work for Task {
    const OURS: Kind = Kind::Task;

    fn filter(core: ItemFilter, query: &Query, _: &Project) -> Answer<TaskFilter> {
        let stories = query.parent.map(|id| Some(item_id(id))).into_iter().collect();
        let milestones = extended::sprints_of(query.sprint);
        Ok(TaskFilter { core, stories, milestones, order: Some(OrderBy::OLDEST_FIRST) })
    }

    fn draft(core: dto::Draft, draft: &Draft, _: &Project) -> Answer<dto::TaskDraft> {
        let (milestone, due_date) = (set(draft.planning.sprint).map(sprint_id), set(draft.planning.due));
        Ok(dto::TaskDraft { core, user_story: draft.parent.map(item_id), milestone, due_date })
    }

    fn patch(&self, core: dto::Patch, change: &Change, _: &Project) -> Answer<dto::TaskPatch> {
        let milestone = extended::changed(change.planning.sprint, sprint_id);
        let due_date = extended::changed(change.planning.due, |day| day);
        Ok(dto::TaskPatch { milestone, due_date, ..core.into() })
    }

    fn own(&self, _: &Project) -> Own {
        let planned = planned(self.milestone, self.due_date);
        Own { parent: self.user_story.and_then(|id| known_id(id.0).ok()), planned, ..Own::default() }
    }
}

impl Work for Issue {
    const OURS: Kind = Kind::Issue;

    fn filter(core: ItemFilter, query: &Query, project: &Project) -> Answer<IssueFilter> {
        let severity = query.severity.as_deref().map(|name| grades::severity(project, name)).transpose()?;
        let severities = severity.into_iter().collect();
        let milestones = extended::sprints_of(query.sprint);
        Ok(IssueFilter { core, severities, milestones, order: Some(OrderBy::OLDEST_FIRST), ..IssueFilter::default() })
    }

    fn draft(core: dto::Draft, draft: &Draft, project: &Project) -> Answer<dto::IssueDraft> {
        Ok(dto::IssueDraft {
            priority: draft.priority.map(|word| grades::priority(project, word)).transpose()?,
            severity: draft.severity.as_deref().map(|name| grades::severity(project, name)).transpose()?,
            issue_type: draft.type_.as_deref().map(|name| grades::issue_type(project, name)).transpose()?,
            milestone: set(draft.planning.sprint).map(sprint_id),
            due_date: set(draft.planning.due),
            core,
        })
    }

    fn patch(&self, core: dto::Patch, change: &Change, project: &Project) -> Answer<dto::IssuePatch> {
        Ok(dto::IssuePatch {
            priority: change.priority.map(|word| grades::priority(project, word)).transpose()?,
            severity: change.severity.as_deref().map(|name| grades::severity(project, name)).transpose()?,
            issue_type: change.type_.as_deref().map(|name| grades::issue_type(project, name)).transpose()?,
            milestone: extended::changed(change.planning.sprint, sprint_id),
            due_date: extended::changed(change.planning.due, |day| day),
            core,
        })
    }

    fn own(&self, project: &Project) -> Own {
        let severity = project.severities.iter().find(|known| Some(known.id) == self.severity);
        let type_ = project.issue_types.iter().find(|known| Some(known.id) == self.issue_type);
        Own {
            severity: severity.map(|known| known.name.clone()),
            type_: type_.map(|known| known.name.clone()),
            priority: self.priority.and_then(|id| grades::word(project, id)),
            planned: planned(self.milestone, self.due_date),
            ..Own::default()
        }
    }
}

fn planned(sprint: Option<MilestoneId>, due: Option<Date>) -> Planned {
    Planned { sprint: sprint.and_then(|id| known_id(id.0).ok()), due, ..Planned::default() }
}

/// Everyone a story is assigned to, the first one first.
fn assignees(story: &Story) -> Vec<Id> {
    let others = story.assigned_users.iter().filter(|user| Some(**user) != story.core.assigned_to);
    story.core.assigned_to.iter().chain(others).filter_map(|user| known_id(user.0).ok()).collect()
}

fn members(project: &Project, ids: &[Id]) -> Answer<Vec<UserId>> {
    ids.iter().map(|id| lookups::member(project, "assigneeIds", *id)).collect()
}

fn sprint_id(id: Id) -> MilestoneId {
    MilestoneId(id.get())
}

/// A new piece of work has nothing that could be kept or cleared.
fn set<T>(choice: Choice<T>) -> Option<T> {
    match choice {
        Choice::Set(value) => Some(value),
        Choice::Keep | Choice::Clear => None,
    }
}
