//! The inbox: remarks about code between people and agents, beside the code they are about.

mod snippet;

use axum::http::StatusCode;
use axum::response::Response;
use inbox::view::{CodeStatus, MessageView, ReplyView};
use inbox::{CodeSnippet, MessageFilter};
use maud::{Markup, html};
use model::message::{MessageKind, MessageState};

use super::frame::{Here, Page, PageContext};
use super::icons::{icon, small};
use super::request::PageRequest;
use super::{markdown, widgets, words};

/// Maximum number of messages, newest first.
const MAX_MESSAGES: usize = 100;

/// `/review`.
pub(super) async fn show(request: PageRequest) -> Response {
    let choice = Choice::of(request.query.text("show"));
    let filter = if choice == Choice::All { MessageFilter::All } else { MessageFilter::Unresolved };
    let asked = request.query.text("message").map(str::to_owned);
    let read = request.shared.inbox(move |inbox| {
        let mut messages = inbox.list(filter)?.items;
        messages.retain(|message| choice.wants(message));
        messages.reverse();
        let current = chosen(&messages, asked.as_deref());
        let snippet = current.and_then(|message| inbox.snippet(message));
        Ok((messages, snippet))
    });
    let found = read.await;
    request
        .answer(move |_, look| {
            let (messages, snippet) = found.clone()?;
            Ok(page(look, choice, &messages, snippet.as_ref()))
        })
        .await
}

/// Returns the message whose thread is shown: the one that was asked for, or the newest.
fn chosen<'a>(messages: &'a [MessageView], asked: Option<&str>) -> Option<&'a MessageView> {
    messages.iter().find(|message| Some(message.id.as_str()) == asked).or(messages.first())
}

/// Which messages are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Open,
    Unread,
    All,
}

const CHOICES: [(Choice, &str, &str); 3] =
    [(Choice::Open, "open", "Open"), (Choice::Unread, "unread", "Unread"), (Choice::All, "all", "All")];

impl Choice {
    fn of(wanted: Option<&str>) -> Self {
        CHOICES.iter().find(|(_, name, _)| Some(*name) == wanted).map_or(Self::Open, |(choice, ..)| *choice)
    }

    fn wants(self, message: &MessageView) -> bool {
        self != Self::Unread || message.state == MessageState::Sent
    }
}

fn page(look: &PageContext, choice: Choice, messages: &[MessageView], snippet: Option<&CodeSnippet>) -> Page {
    let asked = look.query.text("message");
    let is_writing = look.query.text("message") == Some("new") && look.may_write();
    let current = chosen(messages, asked);
    let heading = html! {
        h1 { (icon("inbox")) span class="title" { "Inbox" } }
        nav class="switch" aria-label="Which messages" {
            @for (one, name, words) in CHOICES {
                a href={ "/review?show=" (name) } aria-current=[(one == choice).then_some("page")] { (words) }
            }
        }
        @if look.may_write() { a class="button ghost js wide" href="/review?message=new" { (icon("plus")) "Remark" } }
    };
    let body = html! {
        div class={ "inbox review" @if asked.is_none() { " picked-first" } } {
            div class="inbox-list" {
                @if messages.is_empty() { p class="nothing" { "No messages" } }
                @for message in messages.iter().take(MAX_MESSAGES) {
                    (list_entry(look, message, current.filter(|_| !is_writing).map(|current| current.id.as_str())))
                }
                @if messages.len() > MAX_MESSAGES { p class="nothing" { (messages.len() - MAX_MESSAGES) " older; " code { "cairn inbox list --all" } " shows them" } }
            }
            @if is_writing { (form()) } @else if let Some(message) = current { (thread(look, message, snippet)) } @else { (nothing(look)) }
        }
    };
    Page { title: "Inbox".to_owned(), here: Here::Inbox, status: StatusCode::OK, heading, body }
}

/// Renders a message in a list, as a link to its thread; `current` is the id of the message that the page shows.
pub(super) fn list_entry(look: &PageContext, message: &MessageView, current: Option<&str>) -> Markup {
    let is_current = current == Some(message.id.as_str());
    let newest = message.replies.last();
    let (who, at, text) = newest
        .map_or((&message.author, &message.at, &message.comment), |reply| (&reply.author, &reply.at, &reply.body));
    html! {
        a class={ "message" @if message.state == MessageState::Sent { " unread" } } href={ "/review?message=" (message.id) } aria-current=[is_current.then_some("true")] {
            (widgets::face(look, who, "d28"))
            span {
                span class="head" {
                    b { (words::name(who)) }
                    @if look.is_agent(who) { span class="tag" { "agent" } }
                    (kind_tag(message)) (when(look, at))
                }
                p { (markdown::first_line(text)) }
                span class="place" { (place(message)) @if let Some(anchor) = &message.anchor { " · " (anchor) } }
            }
        }
    }
}

fn kind_tag(message: &MessageView) -> Markup {
    let (class, word) = match (message.state, message.kind) {
        (MessageState::Resolved, _) => ("tag good", "Resolved"),
        (MessageState::Answered, _) => ("tag good", "Answered"),
        (_, MessageKind::Question) => ("tag question", "Question"),
        (_, MessageKind::Fix) => ("tag warning", "Change"),
        (_, MessageKind::Note) => ("tag", "Note"),
    };
    html! { span class=(class) { (word) } }
}

fn place(message: &MessageView) -> String {
    message.lines.map_or_else(|| message.file.clone(), |lines| format!("{}:{lines}", message.file))
}

fn thread(look: &PageContext, message: &MessageView, code: Option<&CodeSnippet>) -> Markup {
    html! {
        section class="thread" aria-labelledby="thread-title" {
            header {
                div {
                    h2 id="thread-title" { (markdown::first_line(&message.comment)) }
                    p {
                        code { (place(message)) }
                        @if let Some(anchor) = &message.anchor { " in " code { (anchor) } }
                        @if let Some(commit) = &message.commit { " · about " code { (commit.get(..8).unwrap_or(commit)) } }
                        " · " (code_state(message))
                    }
                }
                @if look.may_write() && message.state != MessageState::Resolved {
                    form class="end js" id={ "resolve-" (message.id) } data-reply=(message.id) {
                        input type="hidden" name="text" value="";
                        button type="submit" class="button" name="resolves" value="yes" { (icon("check")) "Resolve" kbd class="js" aria-hidden="true" { "E" } }
                    }
                }
            }
            div class="thread-body" {
                div {
                    // That the lines are gone is in the heading already.
                    @if let Some(warning) = message.warning().filter(|_| !is_gone(message)) { p class="notice" { (warning) } }
                    (snippet::render(message, code))
                }
                div class="talk" {
                    (said(look, &message.author, &message.at, &message.comment, &html! {}))
                    @for reply in &message.replies { (answered(look, reply)) }
                    @if look.may_write() && message.state != MessageState::Resolved { (answer_form(message)) }
                }
            }
        }
    }
}

fn is_gone(message: &MessageView) -> bool {
    message.code.as_ref().is_some_and(|code| code.status == CodeStatus::Gone)
}

fn code_state(message: &MessageView) -> Markup {
    let status = message.code.as_ref().map(|code| code.status);
    let (class, glyph, text) = match status {
        Some(CodeStatus::Here) => ("state-tag", "check", "code unchanged"),
        Some(CodeStatus::Moved) => ("state-tag", "check", "code moved"),
        Some(CodeStatus::Changed) => ("state-tag stale", "clock", "code changed since"),
        Some(CodeStatus::Gone) => ("state-tag stale", "clock", "code is gone"),
        None => return html! { span { "code not compared" } },
    };
    html! { span class=(class) { (small(glyph)) (text) } }
}

fn nothing(look: &PageContext) -> Markup {
    html! {
        div class="empty" {
            div {
                (super::icons::with_class("logo", "i art"))
                h2 { "Nothing to answer" }
                p { "Remarks on code, from people and agents, appear here, beside the code they are about." }
                @if look.may_write() { (super::onboarding::agent_button()) }
            }
        }
    }
}

fn said(look: &PageContext, who: &str, at: &str, text: &str, tag: &Markup) -> Markup {
    html! {
        div class={ "comment" @if look.is_agent(who) { " agent" } } {
            (widgets::face(look, who, "d24"))
            div class="box" {
                header { b { (words::name(who)) } @if look.is_agent(who) { span class="tag" { "agent" } } (when(look, at)) (tag) }
                div class="prose" { (markdown::html(&look.people, text)) }
            }
        }
    }
}

fn answered(look: &PageContext, reply: &ReplyView) -> Markup {
    let tag = html! { @if reply.resolves { span class="tag good" { "resolved it" } } };
    said(look, &reply.author, &reply.at, &reply.body, &tag)
}

fn answer_form(message: &MessageView) -> Markup {
    html! {
        form class="editor js" id={ "answer-" (message.id) } data-reply=(message.id) {
            textarea name="text" rows="3" aria-label="Answer, in Markdown" placeholder="Answer" required {}
            div class="tools" { span class="end" { button type="submit" class="button primary small" { "Send" (widgets::shortcut("↵")) } } }
        }
    }
}

fn form() -> Markup {
    html! {
        form class="message-form js" id="message-form" data-message {
            h2 { "A remark on code" }
            p class="secondary" { "It is delivered to the agent or person who changes this code next, and appears beside it." }
            div class="row2" {
                label { span { "File" } input class="field" name="file" placeholder="src/login.rs" autocomplete="off" required; }
                label { span { "Lines" } input class="field" name="lines" placeholder="42-57" autocomplete="off"; }
            }
            fieldset {
                legend { "Kind" }
                span class="switch" {
                    @for (value, name) in [("fix", "Change"), ("question", "Question"), ("note", "Note")] {
                        label { input type="radio" name="kind" value=(value) checked[value == "fix"]; span { (name) } }
                    }
                }
            }
            label { span { "Comment" } textarea class="field" name="comment" rows="6" placeholder="In Markdown" required {} }
            div class="choices" { button type="submit" class="button primary" { "Send" (widgets::shortcut("↵")) } a class="button" href="/review" { "Cancel" } }
        }
    }
}

fn when(look: &PageContext, at: &str) -> Markup {
    at.parse().map_or_else(|_| html! { time { (at) } }, |at| words::ago_short(look.now, at))
}
