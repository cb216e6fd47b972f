//! The values that the pickers of the board offer: statuses, people, labels, epics, milestones, boards.

use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, Project};
use model::item::ItemKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};
use crate::pages::hue_of;

/// Maximum number of epics, milestones and boards.
const MAX_ITEMS: usize = 500;

/// The values that fields of work items can have.
#[derive(Serialize, JsonSchema)]
pub(super) struct ChoicesView {
    /// Statuses of work items, in the order of boards.
    statuses: Vec<StatusChoice>,
    /// People who belong to the project or are named by an item.
    people: Vec<PersonChoice>,
    /// Labels that the team declared, and those in use.
    labels: Vec<LabelChoice>,
    /// Open epics.
    epics: Vec<ItemChoice>,
    /// Open milestones.
    milestones: Vec<ItemChoice>,
    /// Open boards.
    boards: Vec<ItemChoice>,
}

/// A status.
#[derive(Serialize, JsonSchema)]
struct StatusChoice {
    name: String,
    #[schemars(with = "String")]
    category: &'static str,
    closed: bool,
}

/// A label.
#[derive(Serialize, JsonSchema)]
struct LabelChoice {
    name: String,
    /// `#rrggbb`, or null.
    color: Option<String>,
    /// The hue of the board that is nearest to the color: `rose`, `orange`, …, or `none`.
    hue: &'static str,
    /// When to use it.
    about: String,
}

/// A person.
#[derive(Serialize, JsonSchema)]
struct PersonChoice {
    /// `Name <email>`.
    person: String,
    name: String,
    /// Whether the person's role says that it is an agent.
    agent: bool,
}

/// An item that others can belong to.
#[derive(Serialize, JsonSchema)]
struct ItemChoice {
    id: String,
    number: u64,
    title: String,
    /// `#rrggbb`, or null.
    color: Option<String>,
}

pub(super) async fn show(served: ApiState, request: ApiRequest) -> HandlerResult {
    reply::tagged(&request.headers, &served.shared.read(choices).await?)
}

fn choices(project: &Project) -> Result<ChoicesView, Error> {
    let columns = project.columns(&app::verb::ColumnsOptions::default())?.columns;
    let statuses = columns.into_iter().map(|column| StatusChoice {
        name: column.status,
        category: column.category.name(),
        closed: column.closed,
    });
    let people = project.members()?.into_iter().map(|member| PersonChoice {
        person: format!("{} <{}>", member.name, member.email),
        name: if member.name.is_empty() { member.email } else { member.name },
        agent: member.role.to_lowercase().contains("agent"),
    });
    Ok(ChoicesView {
        statuses: statuses.collect(),
        people: people.collect(),
        labels: labels(project)?,
        epics: items(project, ItemKind::Epic)?,
        milestones: items(project, ItemKind::Milestone)?,
        boards: items(project, ItemKind::Board)?,
    })
}

// Labels that nobody declared are still offered if items have them: removing one needs it in the list.
fn labels(project: &Project) -> Result<Vec<LabelChoice>, Error> {
    let labels = project.labels()?.into_iter();
    let choice = |label: app::view::LabelView| LabelChoice {
        hue: hue_of(label.color.as_deref()),
        name: label.name,
        color: label.color,
        about: label.about,
    };
    Ok(labels.map(choice).collect())
}

fn items(project: &Project, kind: ItemKind) -> Result<Vec<ItemChoice>, Error> {
    let sort = vec!["rank".to_owned()];
    let options = ListOptions { kinds: vec![kind], sort, limit: Some(MAX_ITEMS), ..ListOptions::default() };
    let choice = |item: ItemView| ItemChoice { id: item.id, number: item.number, title: item.title, color: item.color };
    Ok(project.list(&options)?.items.into_iter().map(choice).collect())
}
