//! The fields of an item: read-only, or editable with write access.

use app::verb::ListOptions;
use app::view::{ItemView, MemberView, Reference};
use app::{Error, Project};
use jiff::civil::Date;
use maud::{Markup, html};
use model::item::ItemKind;
use model::size::Size;

use crate::pages::frame::PageContext;
use crate::pages::{widgets, words};

/// Maximum number of boards, milestones or people in a select list.
const OFFERED: usize = 200;

/// Renders all fields.
pub(super) fn aside(project: &Project, look: &PageContext, item: &ItemView, may_write: bool) -> Result<Markup, Error> {
    let statuses = project.workflows(Some(item.kind))?.into_iter().flat_map(|workflow| workflow.statuses);
    let statuses: Vec<(String, String)> =
        statuses.map(|status| (status.name.clone(), words::status(&status.name))).collect();
    let people = if may_write { project.members()? } else { Vec::new() };
    let (size, reason) = (item.size.map(Size::name), item.blocked.reason.as_deref());
    let (status, priority) = (html! { (words::status(&item.status)) }, html! { (item.priority) });
    Ok(html! {
        aside class="fields" id="fields" tabindex="-1" aria-label="Fields" {
            dl {
                (row("Status", &status, &choice("status", &item.status, &with_own(&item.status, statuses)), may_write))
                (row("Assignee", &assignee(item), &person(item, &people), may_write))
                (row("Priority", &priority, &choice("priority", &item.priority.to_string(), &priorities()), may_write))
                (row("Size", &optional(size), &choice("size", size.unwrap_or_default(), &sizes()), may_write))
                (labels(item, may_write))
                (pointing(project, "Milestone", ItemKind::Milestone, item.milestone.as_ref(), may_write)?)
                @if item.kind != ItemKind::Board { (pointing(project, "Board", ItemKind::Board, item.board.as_ref(), may_write)?) }
                (date("Due", "due", item.due, may_write))
                (date("Expected", "expected", item.expected, may_write))
                (date("Started", "started", item.started, may_write))
                (date("Completed", "completed", item.completed, may_write))
                (row("Blocked by", &optional(reason), &line("blocked", reason, "Nothing outside"), may_write))
                @if let Some(kind) = &item.type_ { dt { "Type" } dd { (kind) } }
                @if let Some(severity) = &item.severity { dt { "Severity" } dd { (severity) } }
                dt { "Author" } dd { (widgets::person(&item.author)) }
                dt { "Created" } dd { (words::ago(look.now, item.created)) }
                dt { "Changed" } dd { (words::ago(look.now, item.updated)) }
            }
            @if may_write { button type="button" class="plain danger js" data-delete=(item.id) { "Delete this " (item.kind) } }
        }
    })
}

/// Renders a field as text, or as a control if it is editable and scripts run.
fn row(title: &str, text: &Markup, control: &Markup, may_write: bool) -> Markup {
    html! {
        dt { (title) }
        dd {
            @if may_write { span class="no-js" { (text) } span class="js control" { (control) } } @else { (text) }
        }
    }
}

fn choice(field: &str, current: &str, all: &[(String, String)]) -> Markup {
    html! {
        select data-field=(field) aria-label=(words::status(field)) {
            @for (value, text) in all { option value=(value) selected[value == current] { (text) } }
        }
    }
}

fn line(field: &str, current: Option<&str>, placeholder: &str) -> Markup {
    html! {
        input data-field=(field) value=(current.unwrap_or_default()) placeholder=(placeholder) aria-label=(words::status(field)) autocomplete="off";
    }
}

fn date(title: &str, field: &str, current: Option<Date>, may_write: bool) -> Markup {
    let control = html! { input type="date" data-field=(field) value=[current] aria-label=(title); };
    let text = html! { @if let Some(day) = current { (words::day(day)) } @else { (nothing()) } };
    row(title, &text, &control, may_write)
}

fn assignee(item: &ItemView) -> Markup {
    html! { @if let Some(who) = &item.assignee { (widgets::person(who)) } @else { (nothing()) } }
}

fn person(item: &ItemView, people: &[MemberView]) -> Markup {
    html! {
        input data-field="assignee" value=(item.assignee.as_deref().map(words::name).unwrap_or_default()) list="people"
            placeholder="Nobody" aria-label="Assignee" autocomplete="off";
        datalist id="people" {
            option value="me" {}
            @for one in people.iter().take(OFFERED) { option value=(if one.name.is_empty() { &one.email } else { &one.name }) {} }
        }
    }
}

fn labels(item: &ItemView, may_write: bool) -> Markup {
    html! {
        dt { "Labels" }
        dd class="labels" {
            @if item.labels.is_empty() { span class={ @if may_write { "no-js" } } { (nothing()) } }
            @for label in &item.labels {
                span class="held" {
                    (widgets::label(label))
                    @if may_write {
                        button type="button" class="take-away js" data-unlabel=(label) aria-label={ "Remove the label " (label) } { "×" }
                    }
                }
            }
            @if may_write {
                form class="js add" id="add-label" data-label {
                    input name="label" placeholder="Add a label" aria-label="Add a label" autocomplete="off" required;
                }
            }
        }
    }
}

fn pointing(
    project: &Project,
    title: &str,
    kind: ItemKind,
    current: Option<&Reference>,
    may_write: bool,
) -> Result<Markup, Error> {
    let text = html! { @if let Some(other) = current { (widgets::reference(other)) } @else { (nothing()) } };
    if !may_write {
        return Ok(row(title, &text, &html! {}, false));
    }
    let sort = vec!["number".to_owned()];
    let options = ListOptions { kinds: vec![kind], sort, limit: Some(OFFERED), ..ListOptions::default() };
    let mut all = vec![(String::new(), "None".to_owned())];
    all.extend(project.list(&options)?.items.into_iter().map(|one| (one.id, one.title)));
    let own = current.map(|other| other.id.clone()).unwrap_or_default();
    // The current value stays selectable even if it is closed and therefore not in the list.
    if let Some(other) = current.filter(|other| !all.iter().any(|(id, _)| *id == other.id)) {
        all.push((other.id.clone(), other.title.clone()));
    }
    Ok(row(title, &text, &choice(kind.name(), &own, &all), true))
}

fn with_own(own: &str, mut all: Vec<(String, String)>) -> Vec<(String, String)> {
    if !all.iter().any(|(name, _)| name == own) {
        all.push((own.to_owned(), words::status(own)));
    }
    all
}

fn priorities() -> Vec<(String, String)> {
    (0..=10_u8).map(|n| (n.to_string(), if n == 0 { "None".to_owned() } else { n.to_string() })).collect()
}

fn sizes() -> Vec<(String, String)> {
    let named = ["small", "medium", "large", "xlarge"].map(|size| (size.to_owned(), words::status(size)));
    std::iter::once((String::new(), "None".to_owned())).chain(named).collect()
}

fn optional(text: Option<&str>) -> Markup {
    html! { @if let Some(text) = text { (text) } @else { (nothing()) } }
}

fn nothing() -> Markup {
    html! { span class="quiet" { "None" } }
}
