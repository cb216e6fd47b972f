//! The parameters of each tool. Each is defined once; all are short, since every client sends their schema to its
//! model.

use tracker::{Kind, Priority};

use super::parameters::{Parameter, ParameterType, Parameters};

/// The range of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The contract only.
    Contract,
    /// With Taiga features beyond it.
    Extended,
}

const FROM_STATUSES: &str = "from get_statuses";
const FROM_MEMBERS: &str = "from get_members";
const FROM_SPRINTS: &str = "from list_sprints; null is the backlog";

/// Maximum length of a description or a comment, in characters.
const MAX_BODY: usize = 100_000;

/// Paging only.
pub(super) fn window() -> Parameters {
    Parameters::new(paging(), &[])
}

/// A project by id or by slug.
pub(super) fn project() -> Parameters {
    let slug = ParameterType::Text { is_required: true, max: None };
    Parameters::new(vec![id("projectId"), Parameter::new("projectSlug", slug)], &[]).of_project()
}

/// A reference to one work item.
pub(super) fn one() -> Parameters {
    Parameters::new(vec![id("id")], &["id"])
}

pub(super) fn entity() -> Parameters {
    Parameters::new(vec![entities()], &["entity"])
}

pub(super) fn list(kind: Kind, shape: Shape) -> Parameters {
    Parameters::new(filters(kind, shape), &[])
}

/// A filter with a required query.
pub(super) fn search(kind: Kind, shape: Shape) -> Parameters {
    Parameters::new(filters(kind, shape), &["query"])
}

/// A new work item.
pub(super) fn create(kind: Kind, shape: Shape) -> Parameters {
    let mut properties = Vec::new();
    let mut required = vec!["subject"];
    match kind {
        Kind::Task => {
            properties.push(id("userStoryId"));
            required.insert(0, "userStoryId");
        }
        Kind::Story => properties.push(id_or_null("epicId")),
        Kind::Epic | Kind::Issue => {}
    }
    properties.extend(common(kind));
    properties.extend(planned(kind, shape));
    Parameters::new(properties, &required)
}

/// Changes to a work item: at least one field.
pub(super) fn update(kind: Kind, shape: Shape) -> Parameters {
    let mut properties = vec![id("id")];
    properties.extend(common(kind));
    properties.push(id("statusId").described(FROM_STATUSES));
    properties.push(blocked());
    if kind == Kind::Story {
        properties.push(id_or_null("epicId"));
    }
    properties.extend(planned(kind, shape));
    if shape == Shape::Extended {
        properties.push(id("version").described("as it was read; if it changed since, nothing is written"));
    }
    Parameters::new(properties, &["id"]).of_change()
}

fn common(kind: Kind) -> Vec<Parameter> {
    let body = ParameterType::Text { is_required: false, max: Some(MAX_BODY) };
    let mut properties = vec![
        text("subject", 200),
        Parameter::new("description", body).described("Markdown"),
        id_or_null("assignedToId").described(FROM_MEMBERS),
        tags(),
    ];
    match kind {
        Kind::Epic => properties.push(Parameter::new("color", ParameterType::Color)),
        Kind::Story | Kind::Task => properties.push(priority()),
        Kind::Issue => properties.extend([priority(), text("severity", 40), text("type", 40)]),
    }
    properties
}

/// The planning fields beyond the contract.
fn planned(kind: Kind, shape: Shape) -> Vec<Parameter> {
    if shape == Shape::Contract || kind == Kind::Epic {
        return Vec::new();
    }
    let mut properties =
        vec![id_or_null("milestoneId").described(FROM_SPRINTS), nullable("dueDate", ParameterType::Day)];
    if kind == Kind::Story {
        properties.push(nullable("points", ParameterType::Number));
        properties.push(ids("assigneeIds").described("everyone it is assigned to, the first one first"));
    }
    properties
}

pub(super) fn comment() -> Parameters {
    let body = ParameterType::Text { is_required: true, max: Some(MAX_BODY) };
    let text = Parameter::new("text", body).described("Markdown");
    Parameters::new(vec![entities(), id("id"), text], &["entity", "id", "text"])
}

pub(super) fn card() -> Parameters {
    let board = one_of("board", vec!["backlog", "kanban"])
        .default("backlog")
        .described("of a user story; one that is in a sprint moves there instead of in the backlog");
    Parameters::new(vec![entities(), id("id"), id("beforeId"), id("afterId"), board], &["entity", "id"])
}

/// A list of comments.
pub(super) fn comments() -> Parameters {
    let mut properties = vec![entities(), id("id")];
    properties.extend(paging());
    Parameters::new(properties, &["entity", "id"])
}

pub(super) fn new_sprint() -> Parameters {
    Parameters::new(vec![text("name", 200), day("start"), day("finish")], &["name", "start", "finish"])
}

/// Changes to a sprint.
pub(super) fn sprint() -> Parameters {
    let properties = vec![id("id"), text("name", 200), day("start"), day("finish"), boolean("isClosed")];
    Parameters::new(properties, &["id"]).of_change()
}

/// No arguments.
pub(super) fn nothing() -> Parameters {
    Parameters::new(Vec::new(), &[])
}

fn filters(kind: Kind, shape: Shape) -> Vec<Parameter> {
    let any_text = ParameterType::Text { is_required: false, max: None };
    let mut properties = vec![
        text("query", 200),
        tags(),
        one_of("match", vec!["any", "all"]).default("any").described("how many of tags"),
        ids("statusIds").described(FROM_STATUSES),
        ids("assigneeIds").described(FROM_MEMBERS),
        boolean("unassigned"),
        Parameter::new("modifiedSince", any_text).described("YYYY-MM-DD or RFC 3339"),
    ];
    match kind {
        Kind::Story => properties.push(id("epicId")),
        Kind::Task => properties.push(id("userStoryId")),
        Kind::Issue => properties.push(text("severity", 40)),
        Kind::Epic => {}
    }
    if shape == Shape::Extended && kind != Kind::Epic {
        properties.push(id_or_null("milestoneId").described(FROM_SPRINTS));
    }
    if shape == Shape::Extended && kind == Kind::Story {
        let orders = one_of("orderBy", vec!["created", "backlog", "sprint", "kanban"]).default("created");
        properties.push(orders.described("backlog, sprint and kanban are the orders people drag cards into"));
    }
    properties.extend(paging());
    properties
}

fn paging() -> Vec<Parameter> {
    let (offset, limit) =
        (ParameterType::Integer { min: 0, max: None }, ParameterType::Integer { min: 1, max: Some(200) });
    vec![Parameter::new("offset", offset).default(0), Parameter::new("limit", limit).default(50)]
}

fn entities() -> Parameter {
    one_of("entity", vec!["epic", "user_story", "task", "issue"])
}

fn one_of(name: &'static str, names: Vec<&'static str>) -> Parameter {
    Parameter::new(name, ParameterType::OneOf(names))
}

fn nullable(name: &'static str, type_: ParameterType) -> Parameter {
    Parameter::new(name, ParameterType::Nullable(Box::new(type_)))
}

fn boolean(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterType::Boolean)
}

fn day(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterType::Day)
}

fn id(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterType::ID)
}

fn id_or_null(name: &'static str) -> Parameter {
    nullable(name, ParameterType::ID)
}

fn ids(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterType::List { of: Box::new(ParameterType::ID), max: 100 })
}

fn line(max: usize) -> ParameterType {
    ParameterType::Text { is_required: true, max: Some(max) }
}

fn text(name: &'static str, max: usize) -> Parameter {
    Parameter::new(name, line(max))
}

fn tags() -> Parameter {
    Parameter::new("tags", ParameterType::List { of: Box::new(line(40)), max: 32 })
}

fn priority() -> Parameter {
    one_of("priority", Priority::ALL.map(Priority::name).to_vec())
}

fn blocked() -> Parameter {
    let reason = ParameterType::Text { is_required: false, max: Some(500) };
    let properties = vec![boolean("isBlocked"), Parameter::new("reason", reason)];
    Parameter::new("blocked", ParameterType::Object { properties, required: vec!["isBlocked"] })
}
