//! What was said about an item, and what happened to it.

use app::view::{ItemView, LogView};
use maud::{Markup, html};

use super::byline;
use crate::pages::frame::Look;
use crate::pages::{dress, markdown, mention, words};

/// How much of a long history is shown, the newest first.
const SHOWN: usize = 200;

/// Shows the comments, and room for one more.
pub(super) fn comments(look: &Look, item: &ItemView, may_write: bool) -> Markup {
    let comments = item.comments.as_deref().unwrap_or_default();
    html! {
        section class="talk" aria-labelledby="comments" {
            h2 id="comments" { "Comments" }
            @if comments.is_empty() { p class="quiet" { "Nothing was said yet." } }
            ol {
                @for comment in comments {
                    li class="comment" id={ "comment-" (comment.id) } {
                        (byline(look, &comment.author, comment.created))
                        div class="prose" { (markdown::html(&comment.body)) }
                        @if !comment.former.is_empty() { p class="quiet" { "edited" } }
                    }
                }
            }
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

/// Shows what happened, newest first.
pub(super) fn history(look: &Look, log: &LogView) -> Markup {
    html! {
        details class="history" id="history" {
            summary { "History " span class="count" { (log.total) } }
            ol class="diary" {
                @for op in log.operations.iter().rev().take(SHOWN) {
                    li { (dress::face(&op.by)) " " span { (mention::linked(&op.text)) } " " span class="quiet" { (words::ago(look.now, op.at)) } }
                }
            }
            @if log.total > SHOWN { p class="quiet" { (log.total - SHOWN) " older; " code { "cairn log" } " shows them" } }
        }
    }
}
