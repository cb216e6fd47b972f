//! The home page: what to do now. A project without items gets three ways to begin.

use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, Project};
use axum::response::Response;
use inbox::MessageFilter;
use inbox::view::{InboxView, MessageView};
use jiff::ToSpan;
use maud::{Markup, html};
use model::item::ItemKind;
use model::workflow::Category;

use super::address::encoded;
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, with_class};
use super::request::PageRequest;
use super::{epics, feed, onboarding, review, widgets, words};

const WORK: [ItemKind; 4] = [ItemKind::Issue, ItemKind::Task, ItemKind::Story, ItemKind::Epic];
/// Rows of a panel.
const MAX_ROWS: usize = 8;
const MAX_READY: usize = 6;
const MAX_EVENTS: usize = 12;
const MAX_MESSAGES: usize = 3;

/// `/`.
pub(super) async fn show(request: PageRequest) -> Response {
    let inbox = request
        .shared
        .inbox(|inbox| inbox.list(MessageFilter::Unresolved))
        .await
        .map(|inbox: InboxView| inbox.items)
        .unwrap_or_default();
    request.answer(move |project, look| page(project, look, &inbox)).await
}

fn page(project: &Project, look: &PageContext, messages: &[MessageView]) -> Result<Page, Error> {
    let everything = project.list(&ListOptions { limit: Some(0), all: true, ..ListOptions::default() })?;
    if everything.total == 0 {
        return Ok(Page::new("Home", "home", Here::Home, first_run(look, project)));
    }
    let (mine, due) = (mine(project)?, due_soon(project, look)?);
    let n_late = list(project, format!("due < {}", look.today), &[], 0)?.1;
    let all_due = format!("/all/list?filter={}", encoded(&due_filter(look)));
    let ready = project.ready(Some(MAX_READY))?;
    let body = html! {
        div class="page" {
            div class="pad" {
                (greeting(project, look, n_late, due.1.saturating_sub(n_late)))
                div class="home" {
                    div {
                        (my_work(look, &mine.0, mine.1))
                        @if !due.0.is_empty() { (panel("Late and due soon", due.1, Some((&all_due, "See all")), &widgets::rows(look, &due.0))) }
                        (panel("Ready to take", ready.total, Some(("/all/list", "See all work")), &html! {
                            @if ready.items.is_empty() { p class="nothing" { "Nothing is ready. Items in the status Ready that nothing blocks appear here." } }
                            (widgets::rows(look, &ready.items))
                        }))
                    }
                    div {
                        (inbox_panel(look, messages))
                        (milestones(project, look)?)
                        section class="panel" aria-labelledby="activity" {
                            header { h3 id="activity" { "Activity" } }
                            ol { (feed::activity(look, &project.feed(MAX_EVENTS)?)) }
                        }
                    }
                }
            }
        }
    };
    Ok(Page::new("Home", "home", Here::Home, body))
}

fn greeting(project: &Project, look: &PageContext, n_late: u64, n_soon: u64) -> Markup {
    let name = project.me().map(|person| person.short().to_owned()).unwrap_or_default();
    let first = name.split(' ').next().unwrap_or_default();
    let summary = match (n_late, n_soon) {
        (0, 0) => "Nothing is late, and nothing is due this week.".to_owned(),
        (0, n) => format!("Nothing is late; {} due this week.", is_or_are(n)),
        (n, 0) => format!("{} late.", is_or_are(n)),
        (late, soon) => format!("{} late, and {} due this week.", is_or_are(late), is_or_are(soon)),
    };
    html! {
        div class="greeting" {
            div { h2 { "Hello" @if !first.is_empty() { ", " (first) } } p { (summary) } }
            @if look.may_write() { div class="end" { (onboarding::import_button()) (onboarding::agent_button()) } }
        }
    }
}

fn is_or_are(n: u64) -> String {
    if n == 1 { "1 item is".to_owned() } else { format!("{n} items are") }
}

fn panel(title: &str, n: u64, link: Option<(&str, &str)>, rows: &Markup) -> Markup {
    let id = title.to_lowercase().replace(' ', "-");
    html! {
        section class="panel" aria-labelledby=(id) {
            header {
                h3 id=(id) { (title) } span class="count" { (n) }
                @if let Some((path, text)) = link { span class="end" { a class="button ghost small" href=(path) { (text) } } }
            }
            (rows)
        }
    }
}

fn list(project: &Project, filter: String, sort: &[&str], limit: usize) -> Result<(Vec<ItemView>, u64), Error> {
    let found = project.list(&ListOptions {
        kinds: WORK.to_vec(),
        filter: Some(filter),
        sort: sort.iter().map(|key| (*key).to_owned()).collect(),
        limit: Some(limit),
        ..ListOptions::default()
    })?;
    Ok((found.items, found.total))
}

fn mine(project: &Project) -> Result<(Vec<ItemView>, u64), Error> {
    if project.me().is_err() {
        return Ok((Vec::new(), 0));
    }
    list(project, "assignee == me".to_owned(), &["priority:desc", "rank"], 2 * MAX_ROWS)
}

/// Returns the first items of what is late or due within a week, for anyone, and the number of all.
fn due_soon(project: &Project, look: &PageContext) -> Result<(Vec<ItemView>, u64), Error> {
    list(project, due_filter(look), &["due", "priority:desc"], MAX_ROWS)
}

fn due_filter(look: &PageContext) -> String {
    format!("due <= {}", look.today.checked_add(7.days()).unwrap_or(look.today))
}

fn my_work(look: &PageContext, items: &[ItemView], total: u64) -> Markup {
    let (now, next): (Vec<ItemView>, Vec<ItemView>) =
        items.iter().cloned().partition(|item| matches!(item.category, Category::Doing | Category::Review));
    let rows = html! {
        @if items.is_empty() { p class="nothing" { "Nothing is assigned to you." } }
        @if !now.is_empty() { p class="group-name" { "In progress" } (widgets::rows(look, &now)) }
        @if !next.is_empty() { p class="group-name" { "Next" } (widgets::rows(look, &next[..next.len().min(MAX_ROWS)])) }
    };
    panel("My work", total, Some(("/mine", "Open as list")), &rows)
}

fn inbox_panel(look: &PageContext, messages: &[MessageView]) -> Markup {
    html! {
        section class="panel" aria-labelledby="inbox" {
            header {
                (icon("inbox")) h3 id="inbox" { "Inbox" }
                span class="count" { (messages.len()) " open" }
                span class="end" { a class="button ghost small" href="/review" { "Open" } }
            }
            @if messages.is_empty() { p class="nothing" { "Remarks on code, from people and agents, appear here." } }
            @for message in messages.iter().rev().take(MAX_MESSAGES) { (review::list_entry(look, message, None)) }
        }
    }
}

fn milestones(project: &Project, look: &PageContext) -> Result<Markup, Error> {
    let options = ListOptions {
        kinds: vec![ItemKind::Milestone],
        sort: vec!["due".to_owned(), "number".to_owned()],
        limit: Some(MAX_ROWS),
        ..ListOptions::default()
    };
    let items = project.list(&options)?.items;
    let shares = project.shares_by_milestone()?;
    Ok(html! {
        section class="panel" aria-labelledby="milestones" {
            header { (icon("k-milestone")) h3 id="milestones" { "Milestones" } span class="end" { a class="button ghost small" href="/milestones" { "Open" } } }
            @if items.is_empty() { p class="nothing" { "A milestone shows whether a date will be met." } }
            @for item in &items { (milestone_row(look, item, &shares.get(&item.id).copied().unwrap_or_default())) }
        }
    })
}

/// Renders a milestone with its progress.
pub(super) fn milestone_row(look: &PageContext, item: &ItemView, counts: &app::verb::CategoryCounts) -> Markup {
    let class =
        item.due.filter(|_| !widgets::is_closed(item)).map_or("", |due| words::Urgency::of(look.today, due).class());
    html! {
        div class="milestone-row" {
            div class="head" {
                a href={ "/milestone/" (item.number) } { (item.title) }
                @if widgets::is_closed(item) { span class="tag good" { "Closed" } }
                @else if let Some(due) = item.due { span class=(class.trim()) { (words::until(look.today, due)) } }
                @else { span class="quiet" { "no date" } }
            }
            (epics::bar(counts))
            div class="foot" {
                span { @if counts.total() > 0 { (counts.done) " of " (counts.total()) " done" } @else { "No items yet" } }
                @if let Some(due) = item.due { span { "due " (words::day(look.today, due)) } }
            }
        }
    }
}

fn first_run(look: &PageContext, project: &Project) -> Markup {
    html! {
        div class="empty" {
            div {
                (with_class("logo", "i art"))
                h2 { "Nothing in " (project.name()) " yet" }
                p { "Work, notes on code and review live in this repository, next to the code. Begin with one item; the rest can come later." }
                @if look.may_write() {
                    div class="ways" {
                        button type="button" class="way first js" data-act="new" { (icon("plus")) b { "New item" } small { "A task, an issue, a story or an epic" } }
                        (onboarding::import_way())
                        (onboarding::agent_way())
                    }
                }
            }
        }
    }
}
