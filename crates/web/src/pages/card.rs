//! A card of a board, and the row of a list: the same facts in two shapes, with the same hooks for the script.

use app::view::ItemView;
use maud::{Markup, html};
use model::text::counted;
use model::workflow::State;

use super::display::CardPart;
use super::epics::Epics;
use super::frame::PageContext;
use super::icons::{icon, small, with_class};
use super::{widgets, words};

/// Labels on a card at most.
const MAX_LABELS: usize = 2;

/// Renders a card with its epic.
pub(super) fn card(look: &PageContext, epics: &Epics, item: &ItemView) -> Markup {
    render(look, item, epic_of(look, epics, item))
}

/// Renders a card in the lane of its epic, where each card would repeat it.
pub(super) fn card_without_epic(look: &PageContext, item: &ItemView) -> Markup {
    render(look, item, None)
}

fn epic_of(look: &PageContext, epics: &Epics, item: &ItemView) -> Option<Markup> {
    item.parent.as_ref().filter(|_| look.shows(CardPart::Epic)).and_then(|parent| epics.chip(parent))
}

fn render(look: &PageContext, item: &ItemView, epic: Option<Markup>) -> Markup {
    let has_foot = epic.is_some() || !labels_of(look, item).is_empty();
    let facts = facts(look, item);
    html! {
        li class={ "card" @if widgets::is_closed(item) { " closed" } } id={ "card-" (item.number) }
            data-number=(item.number) data-status=(item.status) data-revision=(item.revision) {
            (select(look, item))
            div class="card-top" {
                (widgets::kind(item.kind, "i s"))
                @if look.shows(CardPart::Number) { span class="number" { "#" (item.number) } }
                (blocked(item))
                @if !has_foot { (facts) }
                span class="end" {
                    // How urgent finished work was no longer matters.
                    @if item.priority > 0 && !widgets::is_closed(item) && look.shows(CardPart::Priority) { (widgets::priority(item.priority, "i s")) }
                    @if let Some(who) = assignee_of(look, item) { (widgets::face(look, who, "")) }
                }
            }
            a class="card-title" href={ "/item/" (item.number) } data-item=(item.number) draggable="false" { (item.title) }
            @if has_foot {
                div class="card-foot" {
                    span class="labels" {
                        @if let Some(epic) = epic { (epic) }
                        (labels(look, item))
                    }
                    (facts)
                }
            }
            @if look.may_write() { (quick_actions(item.number)) }
        }
    }
}

/// Renders a row of a list.
pub(super) fn row(look: &PageContext, epics: &Epics, item: &ItemView) -> Markup {
    let (done, total) = widgets::checklist(&item.description);
    let due_class = |due| if widgets::is_closed(item) { "" } else { words::Urgency::of(look.today, due).class() };
    html! {
        li class={ "card list-row" @if widgets::is_closed(item) { " closed" } } id={ "card-" (item.number) }
            data-number=(item.number) data-status=(item.status) data-revision=(item.revision) {
            @if look.may_write() { (select(look, item)) } @else { span {} }
            @if look.shows(CardPart::Priority) { (widgets::priority(item.priority, "i priority")) } @else { span class="priority" {} }
            (widgets::status_glyph(&item.status, item.category))
            span class="number" { @if look.shows(CardPart::Number) { (item.name()) } }
            (widgets::kind(item.kind, "i kind"))
            span class="title" {
                a class="card-title-link" href=(widgets::home(item)) data-item=(item.number) draggable="false" { (item.title) }
                (blocked(item))
                @if look.shows(CardPart::Counts) {
                    @if total > 0 { span class="meta" { (small("checklist")) (done) "/" (total) } }
                    @if item.comment_count > 0 { (comments(item.comment_count)) }
                }
            }
            span class="end" { (labels(look, item)) }
            span class="parent" { @if let Some(chip) = epic_of(look, epics, item) { (chip) } }
            @if let Some(due) = item.due.filter(|_| look.shows(CardPart::Due)) { span class={ "meta" (due_class(due)) } { (words::day(look.today, due)) } } @else { span class="meta" {} }
            @if let Some(who) = assignee_of(look, item) { (widgets::face(look, who, "")) } @else { span {} }
        }
    }
}

fn assignee_of<'a>(look: &PageContext, item: &'a ItemView) -> Option<&'a String> {
    item.assignee.as_ref().filter(|_| look.shows(CardPart::Assignee))
}

fn labels_of<'a>(look: &PageContext, item: &'a ItemView) -> &'a [String] {
    if look.shows(CardPart::Labels) { &item.labels } else { &[] }
}

fn labels(look: &PageContext, item: &ItemView) -> Markup {
    let all = labels_of(look, item);
    let (shown, more) = all.split_at(all.len().min(MAX_LABELS));
    html! {
        @for label in shown { (widgets::label(look, label)) }
        @if !more.is_empty() { span class="count" title=(more.join(", ")) { "+" (more.len()) } }
    }
}

/// Returns the number of open items that block an item.
fn n_blockers(item: &ItemView) -> usize {
    item.blocked_by.iter().filter(|other| other.state != Some(State::Closed)).count()
}

fn blocked(item: &ItemView) -> Markup {
    let n_blockers = n_blockers(item);
    if widgets::is_closed(item) || (!item.blocked.is && n_blockers == 0) {
        return html! {};
    }
    let names: Vec<String> = item
        .blocked_by
        .iter()
        .filter(|other| other.state != Some(State::Closed))
        .map(app::view::Reference::name)
        .collect();
    let by = item.blocked.reason.clone().unwrap_or_else(|| names.join(", "));
    let title = if by.is_empty() { "Blocked".to_owned() } else { format!("Blocked by {by}") };
    html! { span class="meta late" title=(title) { (small("blocked")) "Blocked" } }
}

fn facts(look: &PageContext, item: &ItemView) -> Markup {
    let (done, total) = widgets::checklist(&item.description);
    html! {
        span class="facts" {
            @if look.shows(CardPart::Due) { (widgets::due(look, item)) }
            @if look.shows(CardPart::Counts) {
                @if total > 0 {
                    span class={ "meta" @if done == total { " good" } } title={ (done) " of " (total) " tasks done" } { (small("checklist")) (done) "/" (total) }
                }
                @if !item.attachments.is_empty() {
                    span class="meta" title=(counted(item.attachments.len(), "attachment")) { (small("attachment")) (item.attachments.len()) }
                }
                @if item.comment_count > 0 { (comments(item.comment_count)) }
            }
        }
    }
}

fn comments(n: u64) -> Markup {
    html! { span class="meta" title=(counted(n, "comment")) { (small("comment")) (n) } }
}

fn select(look: &PageContext, item: &ItemView) -> Markup {
    html! {
        @if look.may_write() {
            button type="button" class="select js" data-act="select" aria-label={ "Select #" (item.number) } aria-pressed="false" tabindex="-1" {
                span class="tick" { (with_class("check", "i")) }
            }
        }
    }
}

// Over the card while the pointer is on it; keys reach the same actions.
fn quick_actions(number: u64) -> Markup {
    let action = |act: &str, glyph: &str, name: &str| {
        html! {
            button type="button" class="icon-button small" data-act=(act) aria-label={ (name) " #" (number) } title=(name) tabindex="-1" { (icon(glyph)) }
        }
    };
    html! {
        div class="quick js" {
            (action("assignee", "user", "Assign"))
            (action("label", "tag", "Label"))
            (action("move", "arrow-r", "Move"))
            (action("more", "more", "More for"))
        }
    }
}
