//! The epics: their colors for chips, and the page with the progress of each.

use std::collections::HashMap;

use app::verb::{CategoryCounts, ListOptions, SharesById};
use app::view::{ItemView, ListView, Reference};
use app::{Error, Project};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::ToSpan;
use jiff::civil::Date;
use maud::{Markup, html};
use model::item::ItemKind;

use super::address::encoded;
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, tiny, with_class};
use super::request::PageRequest;
use super::{card, chart, hue, widgets, words};

/// Maximum number of epics with a color, and on the page.
const MAX_EPICS: usize = 500;
/// Sub-items of an epic on the page.
const MAX_SUB_ITEMS: usize = 20;
/// Weeks in the line of what was done.
const N_WEEKS: i32 = 7;

/// All epics by id.
pub(super) struct Epics(HashMap<String, ItemView>);

impl Epics {
    pub(super) fn read(project: &Project) -> Result<Self, Error> {
        let items = list(project)?;
        Ok(Self(items.into_iter().map(|item| (item.id.clone(), item)).collect()))
    }

    pub(super) fn try_find(&self, id: &str) -> Option<&ItemView> {
        self.0.get(id)
    }

    /// Returns the color of a parent, if it is an epic that has one.
    pub(super) fn color(&self, parent: &Reference) -> Option<&str> {
        self.0.get(&parent.id)?.color.as_deref()
    }

    /// Renders the chip of a parent: an epic in its hue, any other item neutral.
    pub(super) fn chip(&self, parent: &Reference) -> Option<Markup> {
        parent.number?;
        let hue = self.0.get(&parent.id).map_or(hue::NEUTRAL, |epic| hue::of(epic.color.as_deref()));
        let glyph = if parent.kind == Some(ItemKind::Epic) { "k-epic" } else { "arrow-r" };
        Some(
            html! { span class={ "epic " (hue) } title=(parent.title) { (tiny(glyph)) span class="truncate" { (parent.title) } } },
        )
    }
}

/// Returns all epics, closed ones too.
fn list(project: &Project) -> Result<Vec<ItemView>, Error> {
    let sort = vec!["rank".to_owned()];
    let kinds = vec![ItemKind::Epic];
    Ok(project.list(&ListOptions { kinds, sort, limit: Some(MAX_EPICS), all: true, ..ListOptions::default() })?.items)
}

/// `/epics`.
pub(super) async fn show(request: PageRequest) -> Response {
    request.answer(page).await
}

const CHOICES: [(&str, &str); 3] = [("open", "Open"), ("done", "Done"), ("all", "All")];

fn page(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let all = list(project)?;
    let wanted = look.query.text("show").unwrap_or("open");
    let shown = |item: &&ItemView| match wanted {
        "done" => widgets::is_closed(item),
        "all" => true,
        _ => !widgets::is_closed(item),
    };
    let (shares, paces) = (project.shares_by_parent()?, paces(project, look.today)?);
    let n_closed = all.iter().filter(|item| widgets::is_closed(item)).count();
    let counts = [all.len() - n_closed, n_closed, all.len()];
    let heading = html! {
        h1 { (icon("k-epic")) span class="title" { "Epics" } }
        div class="switch" role="group" aria-label="Which epics" {
            @for ((value, name), n) in CHOICES.iter().zip(counts) {
                a href={ "/epics?show=" (value) } aria-current=[(*value == wanted).then_some("true")] { (name) " " span class="count" { (n) } }
            }
        }
    };
    let epics = Epics(all.iter().map(|item| (item.id.clone(), item.clone())).collect());
    let shown: Vec<&ItemView> = all.iter().filter(shown).collect();
    let body = html! {
        div class="page" {
            @if shown.is_empty() { (nothing(look)) } @else {
                div class="epics-head" aria-hidden="true" {
                    span {} span { "Epic" } span { "Progress" } span class="col-ready" { "To do" } span class="col-pace" { "Done a week" } span class="col-milestone" { "Milestone" } span class="col-target" { "Target" } span {}
                }
                ul class="epics" {
                    @for epic in shown { (one(project, look, &epics, epic, &shares, paces.get(&epic.id))?) }
                    @if wanted != "done" {
                        (without_epic(project, look, &epics, &shares.get("").copied().unwrap_or_default(), paces.get(""))?)
                    }
                }
                (legend())
            }
        }
    };
    Ok(Page { title: "Epics".to_owned(), here: Here::Epics, status: StatusCode::OK, heading, body })
}

/// Returns the number of items done per week by the id of the epic, oldest week first; under the empty id those without one.
fn paces(project: &Project, today: Date) -> Result<HashMap<String, Vec<u64>>, Error> {
    let first = today.checked_sub((7 * N_WEEKS - 1).days()).unwrap_or(today);
    let mut paces: HashMap<String, Vec<u64>> = HashMap::new();
    for item in project.finished_since(first)? {
        let week = usize::try_from(words::days_until(first, item.completed) / 7).unwrap_or(0);
        let weeks = paces
            .entry(item.parent.unwrap_or_default())
            .or_insert_with(|| vec![0; usize::try_from(N_WEEKS).unwrap_or(0)]);
        if let Some(n) = weeks.get_mut(week) {
            *n += 1;
        }
    }
    Ok(paces)
}

fn nothing(look: &PageContext) -> Markup {
    html! {
        div class="empty" {
            div {
                (with_class("logo", "i art"))
                h2 { "No epics here" }
                p { "An epic holds the items that lead to one larger result, and shows how far they are." }
                @if look.may_write() { button type="button" class="button primary js" data-act="new" data-kind="epic" { (icon("plus")) "New epic" } }
            }
        }
    }
}

fn one(
    project: &Project,
    look: &PageContext,
    epics: &Epics,
    epic: &ItemView,
    shares: &SharesById,
    pace: Option<&Vec<u64>>,
) -> Result<Markup, Error> {
    let counts = shares.get(&epic.id).copied().unwrap_or_default();
    let open = open_items(project, Vec::new(), format!("parent == \"{}\"", epic.id))?;
    let first_line = epic.description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let due_class = |due| if widgets::is_closed(epic) { "" } else { words::Urgency::of(look.today, due).class() };
    Ok(html! {
        li id={ "epic-" (epic.number) } {
            div class="epic-row" {
                span {}
                span class="epic-name" {
                    span class={ "epic-glyph " (hue::of(epic.color.as_deref())) } { (icon("k-epic")) }
                    span {
                        b { a href=(widgets::home(epic)) data-item=(epic.number) { (epic.title) } " " span class="number" { "#" (epic.number) } }
                        small { (first_line) }
                    }
                }
                (share(&counts))
                span class="col-ready secondary" { (counts.todo) span class="unseen" { " to do" } }
                span class={ "col-pace " (hue::of(epic.color.as_deref())) } { @if let Some(weeks) = pace { (chart::sparkline(weeks)) } }
                span class="col-milestone secondary truncate" { @if let Some(milestone) = &epic.milestone { (milestone.title) } }
                span class="col-target" { @if let Some(due) = epic.due { span class=(due_class(due).trim()) { (words::day(look.today, due)) } } }
                span class="col-face" { @if let Some(who) = &epic.assignee { (widgets::face(look, who, "")) } @else { (widgets::nobody()) } }
            }
            details {
                summary class="icon-button small" aria-label={ "Sub-items of " (epic.title) } { (icon("chev-r")) }
                ol { @for item in &open.items { (card::row(look, epics, item)) } }
                @if look.may_write() {
                    form class="sub-new js" id={ "sub-new-" (epic.number) } data-new="" data-parent=(epic.id) {
                        (icon("plus"))
                        input name="title" placeholder="Add a sub-item" aria-label={ "Title of a new sub-item of " (epic.title) } autocomplete="off" required;
                        @if open.total > open.items.len() as u64 { span class="quiet" { (open.total - open.items.len() as u64) " more" } }
                    }
                }
            }
        }
    })
}

fn open_items(project: &Project, kinds: Vec<ItemKind>, filter: String) -> Result<ListView, Error> {
    let (filter, sort) = (Some(filter), vec!["rank".to_owned()]);
    project.list(&ListOptions { kinds, filter, sort, limit: Some(MAX_SUB_ITEMS), ..ListOptions::default() })
}

/// Renders the row of the items without an epic; nothing if all have one.
fn without_epic(
    project: &Project,
    look: &PageContext,
    epics: &Epics,
    counts: &CategoryCounts,
    pace: Option<&Vec<u64>>,
) -> Result<Markup, Error> {
    let kinds = vec![ItemKind::Issue, ItemKind::Task, ItemKind::Story];
    let open = open_items(project, kinds, "parent == none".to_owned())?;
    if open.items.is_empty() {
        return Ok(html! {});
    }
    let all = format!("/all/list?filter={}", encoded("parent == none"));
    Ok(html! {
        li id="epic-none" {
            div class="epic-row" {
                span {}
                span class="epic-name" {
                    span class={ "epic-glyph " (hue::NEUTRAL) } { (icon("k-task")) }
                    span { b { a href=(all) { "Items without an epic" } } small { "Small repairs and chores" } }
                }
                (share(counts))
                span class="col-ready secondary" { (counts.todo) span class="unseen" { " to do" } }
                span class={ "col-pace " (hue::NEUTRAL) } { @if let Some(weeks) = pace { (chart::sparkline(weeks)) } }
            }
            details {
                summary class="icon-button small" aria-label="Items without an epic" { (icon("chev-r")) }
                ol { @for item in &open.items { (card::row(look, epics, item)) } }
                @if open.total > open.items.len() as u64 {
                    p class="sub-new" { a class="link" href=(all) { (open.total - open.items.len() as u64) " more" } }
                }
            }
        }
    })
}

/// Renders the shares of an epic or milestone, with the share of finished items.
pub(super) fn share(counts: &CategoryCounts) -> Markup {
    let total = counts.total();
    let text = share_text(counts);
    html! {
        span class="share" {
            (bar(counts))
            b { @if total > 0 { (counts.done * 100 / total) " %" } @else { "–" } }
            small { (text) }
        }
    }
}

/// Renders the bar of the shares alone.
pub(super) fn bar(counts: &CategoryCounts) -> Markup {
    let shares = [("done", counts.done), ("review", counts.review), ("progress", counts.doing)];
    widgets::bar(&shares, counts.total(), &share_text(counts))
}

fn share_text(counts: &CategoryCounts) -> String {
    let parts =
        [(counts.done, "done"), (counts.review, "in review"), (counts.doing, "in progress"), (counts.todo, "to do")];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
    if parts.is_empty() { "no items yet".to_owned() } else { parts.join(" · ") }
}

fn legend() -> Markup {
    html! {
        ul class="legend pad-legend" aria-label="Colors" {
            @for (class, name) in [("st-done", "Done"), ("st-review", "Review"), ("st-progress", "In progress"), ("st-backlog", "To do")] {
                li { span class={ "swatch " (class) } {} (name) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_a_text() {
        let counts = CategoryCounts { todo: 2, doing: 0, review: 1, done: 1, dropped: 5 };
        insta::assert_snapshot!(share(&counts).into_string(), @r#"<span class="share"><svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="1 done · 1 in review · 2 to do"><rect class="done" x="0" y="0" width="250" height="10"></rect><rect class="review" x="250" y="0" width="250" height="10"></rect><line x1="250" x2="250" y1="0" y2="10"></line></svg><b>25 %</b><small>1 done · 1 in review · 2 to do</small></span>"#);
        insta::assert_snapshot!(share(&CategoryCounts::default()).into_string(), @r#"<span class="share"><svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="no items yet"></svg><b>–</b><small>no items yet</small></span>"#);
    }
}
