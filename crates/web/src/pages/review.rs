//! The review page: messages of the inbox about code.

use app::inbox::MessageFilter;
use app::view::{InboxView, MessageView, ReplyView};
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use model::message::MessageState;

use super::address::Asked;
use super::frame::{Here, Page, PageContext, answer};
use super::{markdown, widgets, words};
use crate::principal::Principal;
use crate::shared::Shared;

/// Maximum number of messages, newest first.
const SHOWN: usize = 100;

/// `/review`.
pub(super) async fn show(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    asked: Asked,
) -> Response {
    let choice = Choice::of(&asked);
    let filter = if choice == Choice::All { MessageFilter::All } else { MessageFilter::Unresolved };
    let found = shared.inbox(move |inbox| inbox.list(filter)).await;
    answer(shared, principal, move |_, look| Ok(page(look, choice, found.clone()?))).await
}

/// Which messages are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Open,
    Unread,
    All,
}

const CHOICES: [(Choice, &str, &str); 3] =
    [(Choice::Open, "open", "Open"), (Choice::Unread, "unread", "Not read yet"), (Choice::All, "all", "All")];

impl Choice {
    fn of(asked: &Asked) -> Self {
        let wanted = asked.text("show");
        CHOICES.iter().find(|(_, name, _)| Some(*name) == wanted).map_or(Self::Open, |(choice, ..)| *choice)
    }

    fn wants(self, message: &MessageView) -> bool {
        self != Self::Unread || message.state == MessageState::Sent
    }
}

fn page(look: &PageContext, choice: Choice, inbox: InboxView) -> Page {
    let messages: Vec<MessageView> = inbox.items.into_iter().rev().filter(|message| choice.wants(message)).collect();
    let body = html! { div class="reading" {
        div class="board-top" {
            h1 { "Review" }
            nav class="tabs" aria-label="Which messages" {
                ul {
                    @for (one, name, words) in CHOICES {
                        li { a href={ "/review?show=" (name) } aria-current=[(one == choice).then_some("page")] { (words) } }
                    }
                }
            }
        }
        @if look.may_write() { (form()) }
        @if messages.is_empty() { p class="quiet" { "Nothing here." } }
        ol class="review" { @for message in messages.iter().take(SHOWN) { (shown(look, message)) } }
        @if messages.len() > SHOWN { p class="quiet" { (messages.len() - SHOWN) " older; " code { "cairn inbox list --all" } " shows them" } }
    } };
    Page::new("Review", Here::Review, body)
}

fn form() -> Markup {
    html! {
        details class="panel edit js" id="write" {
            summary { "Say something about code" }
            form class="message-form" id="message-form" data-message {
                div {
                    label { "File" input name="file" placeholder="src/login.rs" autocomplete="off" required; }
                    label { "Lines" input name="lines" placeholder="42 or 42-57, or none" autocomplete="off"; }
                    label { "What is wanted" select name="kind" { option value="fix" { "Fix this" } option value="question" { "Answer this" } option value="note" { "Know this" } } }
                }
                label { "Comment" textarea name="comment" rows="4" required {} }
                div class="choices" {
                    button type="submit" class="primary" { "Send" }
                    button type="button" data-cancel { "Cancel" }
                }
            }
        }
    }
}

fn shown(look: &PageContext, message: &MessageView) -> Markup {
    let place = message.lines.map_or_else(|| message.file.clone(), |lines| format!("{}:{lines}", message.file));
    html! {
        li class="comment" id={ "message-" (message.id) } {
            p class="byline" {
                (widgets::person(&message.author)) " " span class="quiet" { (when(look, &message.at)) }
                span class="label tint-7" { (message.kind) } span class={ "label " (tint(message.state)) } { (message.state) }
            }
            p { code { (place) } @if let Some(anchor) = &message.anchor { " in " code { (anchor) } } }
            @if let Some(warning) = message.warning() { p class="mistake" { (warning) } }
            @if let Some(excerpt) = &message.excerpt { pre class="excerpt" tabindex="0" { (excerpt) } }
            div class="prose" { (markdown::html(&message.comment)) }
            @for reply in &message.replies { (answered(look, reply)) }
            @if look.may_write() && message.state != MessageState::Resolved { (answer_form(message, &place)) }
        }
    }
}

fn answer_form(message: &MessageView, place: &str) -> Markup {
    html! {
        details class="edit js" {
            summary aria-label={ "Answer or settle what was said about " (place) } { "Answer or settle" }
            form id={ "answer-" (message.id) } data-reply=(message.id) {
                textarea name="text" rows="3" aria-label="Answer, in Markdown" placeholder="In Markdown. Whoever settles it may leave this empty." {}
                div class="choices" {
                    button type="submit" class="primary" { "Answer" }
                    button type="submit" name="resolves" value="yes" { "Settle it" }
                    button type="button" class="plain" data-cancel { "Cancel" }
                }
            }
        }
    }
}

fn answered(look: &PageContext, reply: &ReplyView) -> Markup {
    html! {
        blockquote {
            p class="byline" { (widgets::person(&reply.author)) " " span class="quiet" { (when(look, &reply.at)) @if reply.resolves { " · settled it" } } }
            div class="prose" { (markdown::html(&reply.body)) }
        }
    }
}

fn when(look: &PageContext, at: &str) -> Markup {
    at.parse().map_or_else(|_| html! { (at) }, |at| words::ago(look.now, at))
}

fn tint(state: MessageState) -> &'static str {
    match state {
        MessageState::Sent => "tint-4",
        MessageState::Answered | MessageState::Resolved => "tint-1",
        MessageState::Delivered => "tint-0",
        MessageState::Draft => "tint-7",
    }
}
