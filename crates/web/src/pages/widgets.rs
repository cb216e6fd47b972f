//! Small parts of many pages: glyphs, people, labels, bars, rows.

use app::view::{ItemView, Reference};
use maud::{Markup, html};
use model::item::ItemKind;
use model::priority::PriorityLevel;
use model::workflow::{Category, State};

use super::frame::PageContext;
use super::icons::{icon, named, small, with_class};
use super::{hue, words};

/// Length from which a label gets a tooltip, since a card may cut it off.
const LONG: usize = 16;

/// Returns whether an item is closed.
pub(super) fn is_closed(item: &ItemView) -> bool {
    item.state == State::Closed
}

/// Returns whether items of a kind lie on boards as cards: work and epics, but not the milestones and boards themselves.
pub(super) fn is_card(kind: ItemKind) -> bool {
    !matches!(kind, ItemKind::Board | ItemKind::Milestone)
}

/// Renders the glyph of a kind of item.
pub(super) fn kind(kind: ItemKind, class: &str) -> Markup {
    let name = match kind {
        ItemKind::Issue => "k-issue",
        ItemKind::Task => "k-task",
        ItemKind::Story => "k-story",
        ItemKind::Epic => "k-epic",
        ItemKind::Milestone => "k-milestone",
        ItemKind::Board => "board",
    };
    named(name, class, &words::status(kind.name()))
}

/// Returns the name of the status glyph, which is also its CSS class after `st-`.
pub(super) fn status_shape(status: &str, category: Category) -> &'static str {
    match category {
        Category::Draft => "backlog",
        Category::Todo if status == "backlog" => "backlog",
        Category::Todo => "ready",
        Category::Doing => "progress",
        Category::Review => "review",
        Category::Done => "done",
        Category::Dropped => "dropped",
    }
}

/// Renders the glyph of a status, with its name.
pub(super) fn status_glyph(status: &str, category: Category) -> Markup {
    let shape = status_shape(status, category);
    named(&format!("s-{shape}"), &format!("i st-{shape}"), &words::status(status))
}

/// Renders a status as a glyph and a name.
pub(super) fn status(status: &str, category: Category) -> Markup {
    let shape = status_shape(status, category);
    html! { span class="status" { (with_class(&format!("s-{shape}"), &format!("i st-{shape}"))) (words::status(status)) } }
}

/// Returns the name of the icon of a level of priority.
pub(super) fn priority_icon(level: PriorityLevel) -> &'static str {
    match level {
        PriorityLevel::None => "p-none",
        PriorityLevel::Low => "p-low",
        PriorityLevel::Medium => "p-medium",
        PriorityLevel::High => "p-high",
        PriorityLevel::Urgent => "p-urgent",
    }
}

/// Renders the bars of a priority.
pub(super) fn priority(priority: u8, class: &str) -> Markup {
    let level = PriorityLevel::of(priority);
    named(priority_icon(level), class, &format!("Priority: {}", level.word()))
}

/// Renders a label as a dot and text.
pub(super) fn label(look: &PageContext, text: &str) -> Markup {
    html! { span class={ "label " (look.label_hue(text)) } title=[(text.chars().count() > LONG).then_some(text)] { span { (text) } } }
}

/// Renders a person as an avatar: round with initials, or square for an agent.
pub(super) fn face(look: &PageContext, person: &str, class: &str) -> Markup {
    if !look.is_agent(person) {
        return plain_face(person, class);
    }
    agent_face(person, class)
}

/// Renders the square of an agent.
pub(super) fn agent_face(agent: &str, class: &str) -> Markup {
    let name = words::name(agent);
    html! {
        span class={ "face agent " (hue::of_person(&name)) " " (class) } title={ (name) " (agent)" } {
            (icon("agent")) span class="unseen" { (name) }
        }
    }
}

/// Renders a person with initials.
pub(super) fn plain_face(person: &str, class: &str) -> Markup {
    let name = words::name(person);
    html! {
        span class={ "face " (hue::of_person(&name)) " " (class) } title=(name) {
            span aria-hidden="true" { (words::initials(person)) }
            span class="unseen" { (name) }
        }
    }
}

/// Renders the place of a missing assignee.
pub(super) fn nobody() -> Markup {
    html! { span class="face nobody" title="Nobody" { span class="unseen" { "Nobody" } } }
}

/// Renders a person as an avatar and a name.
pub(super) fn person(look: &PageContext, person: &str) -> Markup {
    html! {
        span class="person" {
            span aria-hidden="true" { (face(look, person, "")) }
            span { (words::name(person)) }
            @if look.is_agent(person) { span class="tag" { "agent" } }
        }
    }
}

/// Renders a key that is pressed with `⌘` or `Ctrl`; the style shows the one of the reader's machine.
pub(super) fn shortcut(key: &str) -> Markup {
    html! { kbd class="js shortcut" aria-hidden="true" { span class="on-mac" { "⌘" (key) } span class="on-pc" { "Ctrl " (key) } } }
}

/// Renders a link to another item.
pub(super) fn reference(other: &Reference) -> Markup {
    let Some(number) = other.number else {
        return html! { span { "an item that is not in this clone" } };
    };
    html! {
        a class="link" href=(address(other.kind, number)) data-item=(number) { span class="number" { (other.name()) } " " (other.title) }
    }
}

/// A share of a bar, with its CSS class.
pub(super) type Share = (&'static str, u64);

/// Renders a bar of shares; the text says the same.
pub(super) fn bar(shares: &[Share], total: u64, text: &str) -> Markup {
    let mut start = 0;
    let mut parts = Vec::new();
    for (class, n) in shares.iter().filter(|(_, n)| *n > 0) {
        let width = n * 1000 / total.max(1);
        parts.push((start, width, class));
        start += width;
    }
    html! {
        svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label=(text) {
            @for (start, width, class) in &parts { rect class=(class) x=(start) y="0" width=(width) height="10" {} }
            // Lines keep their width where the bar is stretched.
            @for (start, ..) in parts.iter().skip(1) { line x1=(start) x2=(start) y1="0" y2="10" {} }
        }
    }
}

/// Renders a due date with its urgency; a closed item is not late.
pub(super) fn due(look: &PageContext, item: &ItemView) -> Markup {
    let Some(due) = item.due else { return html! {} };
    let class = if is_closed(item) { "" } else { words::Urgency::of(look.today, due).class() };
    let title = if is_closed(item) { "Due".to_owned() } else { format!("Due {}", words::until(look.today, due)) };
    html! { span class={ "meta" (class) } title=(title) { (small("due")) (words::day(look.today, due)) } }
}

/// Renders items as rows of a panel.
pub(super) fn rows(look: &PageContext, items: &[ItemView]) -> Markup {
    html! { ul class="rows" { @for item in items { (row(look, item)) } } }
}

fn row(look: &PageContext, item: &ItemView) -> Markup {
    let (done, total) = checklist(&item.description);
    html! {
        li class={ "row" @if is_closed(item) { " closed" } } {
            (priority(item.priority, "i"))
            (status_glyph(&item.status, item.category))
            span class="number" { (item.name()) }
            a class="title" href=(home(item)) data-item=[opens_sheet(item)] { (item.title) }
            @if total > 0 { span class="meta" { (small("checklist")) (done) "/" (total) } }
            (due(look, item))
            @if let Some(who) = &item.assignee { (face(look, who, "")) } @else { (nobody()) }
        }
    }
}

/// Returns the number of an item that the script can open as a sheet.
pub(super) fn opens_sheet(item: &ItemView) -> Option<u64> {
    is_card(item.kind).then_some(item.number)
}

/// Returns how many tasks of the lists in a text are done, and how many there are.
pub(super) fn checklist(text: &str) -> (usize, usize) {
    let marks = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start().strip_prefix('[')?;
        let mark = rest.chars().next().filter(|_| rest.get(1..).is_some_and(|rest| rest.starts_with("] ")))?;
        matches!(mark, ' ' | 'x' | 'X').then_some(mark != ' ')
    });
    marks.fold((0, 0), |(done, total), is_done| (done + usize::from(is_done), total + 1))
}

/// Returns the URL of an item's page.
pub(super) fn home(item: &ItemView) -> String {
    address(Some(item.kind), item.number)
}

/// Returns the URL of the page with all fields of an item. Boards and milestones have another page under their number,
/// so theirs is found by id.
pub(super) fn fields_page(item: &ItemView) -> String {
    if is_card(item.kind) { format!("/item/{}", item.number) } else { format!("/item/{}", item.id) }
}

/// Returns the URL of the page of a kind of item. Numbers are unique only within their space, and each space has its own
/// path.
pub(super) fn address(kind: Option<ItemKind>, number: u64) -> String {
    match kind {
        Some(ItemKind::Board) => format!("/board/{number}"),
        Some(ItemKind::Milestone) => format!("/milestone/{number}"),
        _ => format!("/item/{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_text_with_the_color_of_the_team() {
        let look = PageContext::example(app::Role::Reader, crate::pages::address::Asked::default());
        let labels = ["<b>", "bug", "other"].map(|name| label(&look, name).into_string());
        insta::assert_snapshot!(labels.join("\n"), @r#"
        <span class="label h-none"><span>&lt;b&gt;</span></span>
        <span class="label h-rose"><span>bug</span></span>
        <span class="label h-none"><span>other</span></span>
        "#);
    }

    #[test]
    fn an_item_that_is_not_here_is_no_link() {
        let absent = Reference { id: "x".into(), kind: None, number: None, title: String::new(), state: None };
        insta::assert_snapshot!(reference(&absent).into_string(), @"<span>an item that is not in this clone</span>");
    }

    #[test]
    fn tasks_of_lists_are_counted() {
        assert_eq!(checklist("- [x] a\n  * [ ] b\n- [X] c\n- [] d\n[x] e\n- [x]f"), (2, 3));
        assert_eq!(checklist(""), (0, 0));
    }
}
