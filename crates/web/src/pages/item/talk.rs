//! The comments and the history of an item.

use app::view::{CommentView, ItemView, LogView};
use maud::{Markup, html};

use super::{byline, save_or_not};
use crate::pages::frame::PageContext;
use crate::pages::{markdown, mention, widgets, words};

/// Maximum number of history entries, newest first.
const SHOWN: usize = 200;

/// Renders the comments and the form for a new one.
pub(super) fn comments(look: &PageContext, item: &ItemView, log: &LogView, may_write: bool) -> Markup {
    let comments = item.comments.as_deref().unwrap_or_default();
    html! {
        section class="talk" aria-labelledby="comments" {
            h2 id="comments" { "Comments" }
            @if comments.is_empty() { p class="quiet" { "Nothing was said yet." } }
            ol { @for comment in comments { (shown(look, item, log, comment, may_write)) } }
            @if may_write {
                form class="say js" id="say" data-comment {
                    label for="say-text" class="unseen" { "Say something" }
                    textarea id="say-text" name="text" rows="3" placeholder="Say something, in Markdown. Ctrl+Enter sends it." required {}
                    button type="submit" class="primary" { "Comment" }
                }
            }
        }
    }
}

fn shown(look: &PageContext, item: &ItemView, log: &LogView, comment: &CommentView, may_write: bool) -> Markup {
    html! {
        li class="comment editable" id={ "comment-" (comment.id) } {
            (byline(look, &comment.author, comment.created))
            div class="shown prose" { (markdown::html(&comment.body)) }
            @if may_write { (edit(item, log, comment)) }
            @if !comment.former.is_empty() { (former(look, comment)) }
        }
    }
}

fn edit(item: &ItemView, log: &LogView, comment: &CommentView) -> Markup {
    let name = words::name(&comment.author);
    html! {
        details class="edit js" {
            summary aria-label={ "Edit the comment of " (name) } { "Edit" }
            form id={ "edit-" (comment.id) } data-save={ "comments/" (comment.id) } data-original=(comment.body)
                data-revision=(item.revision) data-seen=(log.total) {
                textarea name="text" rows="5" aria-label="Comment, in Markdown" required { "\n" (comment.body) }
                (save_or_not())
            }
        }
    }
}

/// Renders earlier versions of a comment.
fn former(look: &PageContext, comment: &CommentView) -> Markup {
    html! {
        details class="former" {
            summary class="quiet" { "Edited" }
            @for text in comment.former.iter().rev() {
                blockquote { (byline(look, &text.author, text.at)) div class="prose" { (markdown::html(&text.body)) } }
            }
        }
    }
}

/// Renders the history, newest first.
pub(super) fn history(look: &PageContext, log: &LogView) -> Markup {
    html! {
        details class="history" id="history" {
            summary { "History " span class="count" { (log.total) } }
            ol class="diary" {
                @for op in log.operations.iter().rev().take(SHOWN) {
                    li { (widgets::face(&op.by)) " " span { (mention::linked(&op.text)) } " " span class="quiet" { (words::ago(look.now, op.at)) } }
                }
            }
            @if log.total > SHOWN { p class="quiet" { (log.total - SHOWN) " older; " code { "cairn log" } " shows them" } }
        }
    }
}
