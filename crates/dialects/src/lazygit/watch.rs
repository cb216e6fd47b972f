//! Telling clients at once that a person has said something.

use std::collections::HashSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use app::inbox::LazyInbox;
use app::view::MessageView;
use mcp::{List, LogLevel, LogMessage, Notifier, Watch};
use serde_json::json;

use super::messages::URI;

pub(super) const WATCH: Watch<LazyInbox> = Watch { run, lists: &[List::Resources] };

/// How long the end of the server may go unnoticed here, and how long a repository that cannot be watched is left alone.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

fn run(inbox: &LazyInbox, notifier: &Notifier) {
    while !notifier.is_closed() {
        // There may be no repository here yet; each call says so, and this looks again.
        if watch(inbox, notifier).is_err() {
            std::thread::sleep(RETRY_INTERVAL);
        }
    }
}

fn watch(inbox: &LazyInbox, notifier: &Notifier) -> Result<(), app::Error> {
    let inbox = inbox.get()?;
    let (sender, changes) = mpsc::channel();
    // What came before the watch began may have come after a client subscribed: it is news to that one.
    let _ = sender.send(());
    let _watch = inbox.watch(move || _ = sender.send(()))?;
    let mut known: HashSet<String> = HashSet::new();
    while !notifier.is_closed() {
        match changes.recv_timeout(RETRY_INTERVAL) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let waiting = inbox.waiting()?.items;
        let now = ids(&waiting);
        if now != known {
            notifier.resource_changed(URI);
            waiting.iter().filter(|message| !known.contains(&message.id)).for_each(|message| tell(notifier, message));
            known = now;
        }
    }
    Ok(())
}

fn tell(notifier: &Notifier, message: &MessageView) {
    let line = message.lines.map(|lines| lines.to_string());
    let data = json!({"file": message.file, "line": line});
    let message = LogMessage {
        logger: Some("lazygit".to_owned()),
        message: Some("New message from lazygit".to_owned()),
        ..LogMessage::new(LogLevel::Info, data)
    };
    notifier.log_about(URI, message);
}

fn ids(messages: &[MessageView]) -> HashSet<String> {
    messages.iter().map(|message| message.id.clone()).collect()
}
