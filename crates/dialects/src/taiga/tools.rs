//! The 29 tools, in the contract's order, and those beyond it. A tool is one row: its name, effect, arguments, and the
//! call of the tracker.

use mcp::{Effect, Tool};
use serde_json::Value;
use tracker::{Entry, Kind, Tracker};

use super::arguments::Arguments;
use super::envelope::serve;
use super::refusal::Refusal;
use super::schemas::{self, Shape};
use super::shapes;
use super::state::TaigaState;

macro_rules! tool {
    ($shape:expr, $name:literal, $title:literal, $effect:ident, $toolset:literal, $description:literal, $input:expr,
     $act:expr) => {
        Tool {
            name: $name,
            title: $title,
            description: $description,
            input: || ($input)().schema(),
            output: None,
            effect: Effect::$effect,
            toolset: $toolset,
            call: |state, given, call| serve(state, &($input)(), $name, &given, call, $act),
        }
    };
}

/// The contract's tools in a shape, followed by others.
macro_rules! catalogue {
    ($shape:expr $(, $more:expr)* $(,)?) => {
        &[
        tool!(
            $shape,
            "taiga.list_projects",
            "List projects",
            Reads,
            "projects",
            "Lists the projects you can work on.",
            schemas::window,
            |tracker, given| {
                let window = given.window()?;
                Ok(shapes::page(&tracker.projects(window)?, window, shapes::project))
            }
        ),
        tool!(
            $shape,
            "taiga.set_active_project",
            "Set the active project",
            Sets,
            "projects",
            "Makes a project the one that the other tools work on.",
            schemas::project,
            |tracker, given| Ok(shapes::activated(&tracker.activate(&given.project()?)?))
        ),
        tool!(
            $shape,
            "taiga.get_project",
            "Get a project",
            Reads,
            "projects",
            "Returns a project, active or not.",
            schemas::project,
            |tracker, given| Ok(shapes::project(&tracker.project(&given.project()?)?))
        ),
        tool!(
            $shape,
            "taiga.list_epics",
            "List epics",
            Reads,
            "epics",
            "Lists epics, without descriptions; all filters must match.",
            || schemas::list(Kind::Epic, $shape),
            |tracker, given| list(tracker, Kind::Epic, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.get_epic",
            "Get an epic",
            Reads,
            "epics",
            "Returns an epic with its description.",
            schemas::one,
            |tracker, given| get(tracker, Kind::Epic, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.create_epic",
            "Create an epic",
            Writes,
            "epics",
            "Creates an epic and returns it.",
            || schemas::create(Kind::Epic, $shape),
            |tracker, given| create(tracker, Kind::Epic, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.update_epic",
            "Update an epic",
            Sets,
            "epics",
            "Changes the given fields of an epic; tags replace all tags.",
            || schemas::update(Kind::Epic, $shape),
            |tracker, given| update(tracker, Kind::Epic, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.delete_epic",
            "Delete an epic",
            Destroys,
            "epics",
            "Deletes an epic; its stories stay.",
            schemas::one,
            |tracker, given| delete(tracker, Kind::Epic, given)
        ),
        tool!(
            $shape,
            "taiga.list_user_stories",
            "List user stories",
            Reads,
            "stories",
            "Lists user stories, without descriptions; all filters must match.",
            || schemas::list(Kind::Story, $shape),
            |tracker, given| list(tracker, Kind::Story, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.get_user_story",
            "Get a user story",
            Reads,
            "stories",
            "Returns a user story with its description.",
            schemas::one,
            |tracker, given| get(tracker, Kind::Story, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.create_user_story",
            "Create a user story",
            Writes,
            "stories",
            "Creates a user story, in an epic if one is given, and returns it.",
            || schemas::create(Kind::Story, $shape),
            |tracker, given| create(tracker, Kind::Story, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.update_user_story",
            "Update a user story",
            Sets,
            "stories",
            "Changes the given fields of a user story; tags replace all tags, epicId null takes it out of its epic.",
            || schemas::update(Kind::Story, $shape),
            |tracker, given| update(tracker, Kind::Story, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.delete_user_story",
            "Delete a user story",
            Destroys,
            "stories",
            "Deletes a user story and all of its tasks.",
            schemas::one,
            |tracker, given| delete(tracker, Kind::Story, given)
        ),
        tool!(
            $shape,
            "taiga.list_tasks",
            "List tasks",
            Reads,
            "tasks",
            "Lists tasks, without descriptions; all filters must match.",
            || schemas::list(Kind::Task, $shape),
            |tracker, given| list(tracker, Kind::Task, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.get_task",
            "Get a task",
            Reads,
            "tasks",
            "Returns a task with its description.",
            schemas::one,
            |tracker, given| get(tracker, Kind::Task, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.create_task",
            "Create a task",
            Writes,
            "tasks",
            "Creates a task of a user story and returns it.",
            || schemas::create(Kind::Task, $shape),
            |tracker, given| create(tracker, Kind::Task, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.update_task",
            "Update a task",
            Sets,
            "tasks",
            "Changes the given fields of a task; tags replace all tags.",
            || schemas::update(Kind::Task, $shape),
            |tracker, given| update(tracker, Kind::Task, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.delete_task",
            "Delete a task",
            Destroys,
            "tasks",
            "Deletes a task.",
            schemas::one,
            |tracker, given| delete(tracker, Kind::Task, given)
        ),
        tool!(
            $shape,
            "taiga.list_issues",
            "List issues",
            Reads,
            "issues",
            "Lists issues, without descriptions; all filters must match.",
            || schemas::list(Kind::Issue, $shape),
            |tracker, given| list(tracker, Kind::Issue, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.get_issue",
            "Get an issue",
            Reads,
            "issues",
            "Returns an issue with its description.",
            schemas::one,
            |tracker, given| get(tracker, Kind::Issue, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.create_issue",
            "Create an issue",
            Writes,
            "issues",
            "Creates an issue and returns it; severity and type are names.",
            || schemas::create(Kind::Issue, $shape),
            |tracker, given| create(tracker, Kind::Issue, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.update_issue",
            "Update an issue",
            Sets,
            "issues",
            "Changes the given fields of an issue; tags replace all tags.",
            || schemas::update(Kind::Issue, $shape),
            |tracker, given| update(tracker, Kind::Issue, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.delete_issue",
            "Delete an issue",
            Destroys,
            "issues",
            "Deletes an issue.",
            schemas::one,
            |tracker, given| delete(tracker, Kind::Issue, given)
        ),
        tool!(
            $shape,
            "taiga.search_user_stories",
            "Search user stories",
            Reads,
            "stories",
            "Finds user stories that have all words of query.",
            || schemas::search(Kind::Story, $shape),
            |tracker, given| list(tracker, Kind::Story, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.search_epics",
            "Search epics",
            Reads,
            "epics",
            "Finds epics that have all words of query.",
            || schemas::search(Kind::Epic, $shape),
            |tracker, given| list(tracker, Kind::Epic, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.search_tasks",
            "Search tasks",
            Reads,
            "tasks",
            "Finds tasks that have all words of query.",
            || schemas::search(Kind::Task, $shape),
            |tracker, given| list(tracker, Kind::Task, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.search_issues",
            "Search issues",
            Reads,
            "issues",
            "Finds issues that have all words of query.",
            || schemas::search(Kind::Issue, $shape),
            |tracker, given| list(tracker, Kind::Issue, given, $shape)
        ),
        tool!(
            $shape,
            "taiga.get_statuses",
            "Get statuses",
            Reads,
            "projects",
            "Lists the statuses of a kind of work, in order; their ids are what statusId takes.",
            schemas::entity,
            |tracker, given| Ok(shapes::stages(&tracker.stages(given.entity()?)?))
        ),
        tool!(
            $shape,
            "taiga.get_members",
            "Get members",
            Reads,
            "projects",
            "Lists the people of the project; their ids are what assignedToId takes.",
            schemas::window,
            |tracker, given| {
                let window = given.window()?;
                Ok(shapes::page(&tracker.people(window)?, window, shapes::person))
            }
        ),
            $($more),*
        ]
    };
}

pub(super) const TOOLS: &[Tool<TaigaState>] = catalogue!(Shape::Contract);

/// The contract's tools and those beyond it.
pub(super) const EXTENDED_TOOLS: &[Tool<TaigaState>] = catalogue!(
    Shape::Extended,
    tool!(
        Shape::Extended,
        "taiga.list_sprints",
        "List sprints",
        Reads,
        "extended",
        "Lists the sprints of the project; their ids are what milestoneId takes.",
        schemas::nothing,
        |tracker, _| {
            let items: Vec<Value> = tracker.sprints()?.iter().map(shapes::sprint).collect();
            Ok(serde_json::json!({"items": items}))
        }
    ),
    tool!(
        Shape::Extended,
        "taiga.create_sprint",
        "Create a sprint",
        Writes,
        "extended",
        "Creates a sprint and returns it.",
        schemas::new_sprint,
        |tracker, given| Ok(shapes::sprint(&tracker.create_sprint(&given.sprint_draft()?)?))
    ),
    tool!(
        Shape::Extended,
        "taiga.update_sprint",
        "Update a sprint",
        Sets,
        "extended",
        "Changes the given fields of a sprint; isClosed closes or reopens it.",
        schemas::sprint,
        |tracker, given| Ok(shapes::sprint(&tracker.update_sprint(given.id()?, &given.sprint_change()?)?))
    ),
    tool!(
        Shape::Extended,
        "taiga.list_comments",
        "List comments",
        Reads,
        "extended",
        "Lists the comments on a piece of work, oldest first.",
        schemas::comments,
        |tracker, given| {
            let window = given.window()?;
            let page = tracker.comments(given.entity()?, given.id()?, window)?;
            Ok(shapes::page(&page, window, shapes::comment))
        }
    ),
    tool!(
        Shape::Extended,
        "taiga.add_comment",
        "Add a comment",
        Writes,
        "extended",
        "Adds a comment to a piece of work and returns it.",
        schemas::comment,
        |tracker, given| {
            Ok(shapes::comment(&tracker.add_comment(given.entity()?, given.id()?, &given.comment()?)?))
        }
    ),
    tool!(
        Shape::Extended,
        "taiga.move_card",
        "Move a card",
        Sets,
        "extended",
        "Moves an epic, a user story or a task before or after another of the same list; to the top without one.",
        schemas::card,
        |tracker, given| Ok(shapes::extended(&tracker.move_card(given.entity()?, given.id()?, &given.card()?)?))
    ),
);

fn list(tracker: &dyn Tracker, kind: Kind, given: &Arguments<'_>, shape: Shape) -> Result<Value, Refusal> {
    let window = given.window()?;
    Ok(shapes::page(&tracker.list(kind, &given.query()?, window)?, window, |work| shown(work, shape)))
}

fn get(tracker: &dyn Tracker, kind: Kind, given: &Arguments<'_>, shape: Shape) -> Result<Value, Refusal> {
    let id = given.id()?;
    let work = shown(&tracker.find(kind, id)?, shape);
    match shape {
        Shape::Contract => Ok(work),
        Shape::Extended => Ok(shapes::with_details(work, &tracker.details(kind, id)?)),
    }
}

fn create(tracker: &dyn Tracker, kind: Kind, given: &Arguments<'_>, shape: Shape) -> Result<Value, Refusal> {
    Ok(shown(&tracker.create(kind, &given.draft()?)?, shape))
}

fn update(tracker: &dyn Tracker, kind: Kind, given: &Arguments<'_>, shape: Shape) -> Result<Value, Refusal> {
    Ok(shown(&tracker.update(kind, given.id()?, &given.change()?)?, shape))
}

fn shown(work: &Entry, shape: Shape) -> Value {
    match shape {
        Shape::Contract => shapes::entry(work),
        Shape::Extended => shapes::extended(work),
    }
}

fn delete(tracker: &dyn Tracker, kind: Kind, given: &Arguments<'_>) -> Result<Value, Refusal> {
    let id = given.id()?;
    tracker.delete(kind, id)?;
    Ok(shapes::deleted(id))
}
