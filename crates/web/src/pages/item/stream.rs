//! Comments and activity of an item in one stream, oldest first, and the editor for a new comment.

use app::view::{CommentView, EventView};
use jiff::Timestamp;
use maud::{Markup, html};

use super::{Edit, byline, conflict, save_or_not, tools};
use crate::pages::frame::PageContext;
use crate::pages::icons::icon;
use crate::pages::markdown::{self, Tasks};
use crate::pages::{feed, widgets, words};

/// Maximum number of entries, the newest.
const MAX_ENTRIES: usize = 200;

enum Entry<'a> {
    Comment(&'a CommentView),
    Event(&'a EventView),
}

impl Entry<'_> {
    fn at(&self) -> Timestamp {
        match self {
            Self::Comment(comment) => comment.created,
            Self::Event(event) => event.at,
        }
    }
}

/// Renders the stream.
pub(super) fn section(look: &PageContext, edit: &Edit<'_>, events: &[EventView]) -> Markup {
    let comments = edit.item.comments.as_deref().unwrap_or_default().iter().map(Entry::Comment);
    let events = events.iter().filter(|event| event.verb != "commented on").map(Entry::Event);
    let mut entries: Vec<Entry<'_>> = comments.chain(events).collect();
    entries.sort_by_key(Entry::at);
    let n_hidden = entries.len().saturating_sub(MAX_ENTRIES);
    html! {
        section class="section" aria-labelledby="activity" {
            header {
                h2 id="activity" { "Activity" } span class="count" { (entries.len()) }
                @if edit.item.comments.as_ref().is_some_and(|all| !all.is_empty()) { (choice()) }
            }
            @if n_hidden > 0 { p class="quiet" { (n_hidden) " older entries; " code { "cairn log" } " shows them" } }
            ol class="stream" {
                @for entry in &entries[n_hidden..] {
                    @match entry { Entry::Comment(comment) => (said(look, edit, comment)), Entry::Event(event) => (happened(look, event)) }
                }
            }
        }
    }
}

/// Renders the choice between all entries and comments. The style follows the inputs, so it needs no script.
fn choice() -> Markup {
    html! {
        span class="switch end" role="radiogroup" aria-label="Entries that are shown" {
            @for (id, name) in [("entries-all", "All"), ("entries-comments", "Comments")] {
                label { input type="radio" name="entries" id=(id) checked[id == "entries-all"]; span { (name) } }
            }
        }
    }
}

fn happened(look: &PageContext, event: &EventView) -> Markup {
    html! {
        li class="event" {
            span class="point" { (feed::icon_of(event)) }
            span { (feed::on_item(event)) " · " (words::ago(look.now, event.at)) }
        }
    }
}

fn said(look: &PageContext, edit: &Edit<'_>, comment: &CommentView) -> Markup {
    html! {
        li class={ "comment editable" @if look.is_agent(&comment.author) { " agent" } } id={ "comment-" (comment.id) } {
            (widgets::face(look, &comment.author, "d24"))
            div class="box" {
                header {
                    (byline(look, &comment.author, comment.created))
                    @if edit.may_write && !comment.body.is_empty() {
                        button type="button" class="icon-button small js" data-act="edit" data-target={ "comment-" (comment.id) }
                            aria-label={ "Edit the comment of " (words::name(&comment.author)) } title="Edit" { (icon("more")) }
                    }
                }
                div class="shown prose" {
                    @if comment.body.is_empty() { p class="quiet" { "This comment was removed." } }
                    (markdown::of_item(&look.people, &edit.item.id, &comment.body, Tasks::Fixed))
                }
                @if edit.may_write { (edit_form(edit, comment)) }
                @if !comment.former.is_empty() { (former(look, comment)) }
            }
        }
    }
}

fn edit_form(edit: &Edit<'_>, comment: &CommentView) -> Markup {
    html! {
        form class="editor edit-form js" id={ "edit-" (comment.id) } hidden data-save={ "comments/" (comment.id) } data-original=(comment.body)
            data-revision=(edit.item.revision) data-seen=(edit.n_seen) {
            textarea name="text" rows="5" aria-label="Comment, in Markdown" required { "\n" (comment.body) }
            (tools(&html! {
                button type="button" class="button ghost small" data-act="delete-comment" { "Delete" }
                (save_or_not())
            }))
            (conflict())
        }
    }
}

/// Renders earlier versions of a comment.
fn former(look: &PageContext, comment: &CommentView) -> Markup {
    html! {
        details class="former" {
            summary { "Edited" }
            @for text in comment.former.iter().rev() {
                blockquote { p { (byline(look, &text.author, text.at)) } div class="prose" { (markdown::html(&look.people, &text.body)) } }
            }
        }
    }
}

/// Renders the editor for a new comment.
pub(super) fn composer() -> Markup {
    let send = html! { button type="submit" class="button primary small" { "Comment" (widgets::shortcut("↵")) } };
    html! {
        div class="dock js" {
            form class="editor" id="composer" data-comment {
                textarea name="text" rows="2" aria-label="Comment, in Markdown" placeholder="Comment" required {}
                (tools(&send))
            }
        }
    }
}
