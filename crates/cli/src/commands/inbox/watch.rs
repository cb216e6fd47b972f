//! `cairn inbox watch`: prints inbox events as they happen.

use std::collections::HashMap;
use std::sync::mpsc;

use app::Error;
use inbox::view::MessageView;
use inbox::{Inbox, MessageFilter};
use model::message::MessageState;
use serde_json::json;

use super::print::{place, short};
use crate::output::{FAINT, GOOD, STRONG, Ui, safe, safe_block};

/// Watches until the process is killed or its output is closed.
pub(super) fn run(inbox: &Inbox, ui: &Ui) -> Result<(), Error> {
    let (sender, changes) = mpsc::channel();
    let _watch = inbox.watch(move || _ = sender.send(()))?;
    let mut known: HashMap<String, ReportedState> = HashMap::new();
    for message in inbox.list(MessageFilter::All)?.items {
        known.insert(message.id.clone(), ReportedState::of(&message));
    }
    ui.note("watching the inbox; press Ctrl-C to stop");
    while changes.recv().is_ok() {
        for message in inbox.list(MessageFilter::All)?.items {
            let before = known.insert(message.id.clone(), ReportedState::of(&message));
            if print_changes(ui, before, &message).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The reported state of a message.
#[derive(Clone, Copy, PartialEq)]
struct ReportedState {
    state: MessageState,
    n_replies: usize,
}

impl ReportedState {
    fn of(message: &MessageView) -> Self {
        Self { state: message.state, n_replies: message.replies.len() }
    }
}

/// Prints the changes of a message; fails if the output is closed.
fn print_changes(ui: &Ui, before: Option<ReportedState>, message: &MessageView) -> std::io::Result<()> {
    let now = ReportedState::of(message);
    if before == Some(now) {
        return Ok(());
    }
    if ui.json {
        return ui.try_data(&json!({"event": event(before, now), "message": message}));
    }
    let (state, id, place) = (message.state, short(message), safe(&place(message)));
    ui.try_line(&format!("{GOOD}{state}{GOOD:#} {} {STRONG}{id}{STRONG:#} on {place}", message.kind))?;
    if before.is_none() {
        ui.try_line(&safe_block(&message.comment))?;
    }
    for reply in message.replies.iter().skip(before.map_or(0, |known| known.n_replies)) {
        ui.try_line(&format!("{FAINT}{}:{FAINT:#} {}", safe(&reply.author), safe_block(&reply.body)))?;
    }
    Ok(())
}

fn event(before: Option<ReportedState>, now: ReportedState) -> &'static str {
    match before {
        Some(known) if known.n_replies < now.n_replies => "reply",
        _ => now.state.name(),
    }
}
