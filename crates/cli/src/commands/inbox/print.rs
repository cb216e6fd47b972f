//! Prints messages.

use anstyle::Style;
use app::Error;
use inbox::view::{InboxView, MessageView};
use inbox::{ChangedFileView, ChangedLineView, Inbox, MenuEntryView, MessageFilter};
use model::message::{MessageState, Side};
use model::text::counted;

use crate::output::{Column, FAINT, GOOD, NOTABLE, STRONG, Table, Ui, safe, safe_block};

/// Prints a changed message.
pub(super) fn changed_message(ui: &Ui, verb: &str, message: &MessageView) {
    if ui.json {
        ui.data(message);
        return;
    }
    let (kind, id, place) = (message.kind, short(message), place(message));
    ui.line(&format!("{GOOD}{verb}{GOOD:#} {kind} {STRONG}{id}{STRONG:#} on {}", safe(&place)));
}

/// Prints messages that were sent together.
pub(super) fn submitted(ui: &Ui, inbox: &InboxView) {
    if ui.json {
        ui.data(inbox);
        return;
    }
    if inbox.items.is_empty() {
        ui.note("no drafts; `cairn inbox draft` creates one");
    }
    for message in &inbox.items {
        changed_message(ui, "sent", message);
    }
}

/// Prints messages, one line each.
pub(super) fn list(ui: &Ui, inbox: &InboxView) {
    if ui.json {
        ui.data(inbox);
        return;
    }
    if inbox.items.is_empty() {
        ui.note("no messages; `cairn inbox send` sends one");
        return;
    }
    let mut table = Table::new(&[
        Column::fixed("ID"),
        Column::fixed("STATE"),
        Column::fixed("KIND"),
        Column::gives_way("WHERE", 16, 40),
        Column::main("COMMENT"),
    ]);
    for message in &inbox.items {
        let plain = |text: String| (text, Style::new());
        let style = if message.state == MessageState::Resolved { FAINT } else { STRONG };
        let comment = message.comment.lines().next().unwrap_or_default().to_owned();
        table.row(vec![
            (short(message), style),
            plain(message.state.to_string()),
            plain(message.kind.to_string()),
            plain(place(message)),
            plain(comment),
        ]);
    }
    ui.print(&table.render());
}

/// Prints files that are not valid messages.
pub(super) fn unreadable(ui: &Ui, paths: &[String]) {
    for path in paths {
        ui.note(&format!("{NOTABLE}warning:{NOTABLE:#} skipped `{}`: not a message", safe(path)));
    }
}

/// Prints a whole message.
pub(super) fn message(ui: &Ui, message: &MessageView) {
    if ui.json {
        ui.data(message);
        return;
    }
    let (kind, id, state) = (message.kind, short(message), message.state);
    ui.line(&format!("{STRONG}{kind} {id}{STRONG:#} ({state}) on {}", safe(&place(message))));
    ui.line(&format!("{FAINT}{} at {}{FAINT:#}", safe(&message.author), safe(&message.at)));
    if let Some(warning) = message.warning() {
        ui.line(&format!("{NOTABLE}{}{NOTABLE:#}", safe(&warning)));
    }
    if let Some(excerpt) = &message.excerpt {
        ui.line(&indented(excerpt, "  | "));
    }
    ui.line(&format!("\n{}", safe_block(&message.comment)));
    for reply in &message.replies {
        let settles = if reply.resolves { ", settled" } else { "" };
        ui.line(&format!("\n{FAINT}{} at {}{settles}{FAINT:#}", safe(&reply.author), safe(&reply.at)));
        if !reply.body.is_empty() {
            ui.line(&indented(&reply.body, "  "));
        }
    }
}

/// Prints the delivered messages; fails if the output cannot be written.
pub(super) fn checked(ui: &Ui, messages: &[MessageView]) -> std::io::Result<()> {
    if ui.json {
        return ui.try_data(&InboxView { items: messages.to_vec(), total: messages.len() });
    }
    ui.try_line(&safe_block(&dialects::lazygit::text(messages)))
}

/// Prints files to choose from, one line each.
pub(super) fn files(ui: &Ui, files: &[ChangedFileView]) {
    if ui.json {
        ui.data(&files);
        return;
    }
    for file in files {
        ui.line(&safe(&file.file));
    }
}

/// Prints lines to choose from: the value for `--line`, a colon, the text of the line.
pub(super) fn lines(ui: &Ui, lines: &[ChangedLineView]) {
    if ui.json {
        ui.data(&lines);
        return;
    }
    for line in lines {
        ui.line(&format!("{}: {}", line.line, safe(line.text.trim_end())));
    }
}

/// Prints the entries of a menu, and one more for the drafts.
pub(super) fn menu(ui: &Ui, entries: &[MenuEntryView], n_drafts: usize) {
    if ui.json {
        ui.data(&entries);
        return;
    }
    // A tab or a line end in a file name would break the columns.
    for entry in entries.iter().filter(|entry| !entry.at.contains(char::is_control)) {
        ui.line(&format!("{}\t{}\t{}", entry.at, entry.sign, safe(&label(entry))));
    }
    if n_drafts > 0 {
        let drafts = counted(n_drafts, "draft");
        ui.line(&format!("drafts\t\tsend {drafts} (leave the comment empty)"));
    }
}

fn label(entry: &MenuEntryView) -> String {
    let MenuEntryView { file, line, sign, text, .. } = entry;
    let place = if file.is_empty() || line.is_empty() { format!("{file}{line}") } else { format!("{file}:{line}") };
    format!("{place:>4} {sign}{}", text.trim_end())
}

/// Returns the number of the user's drafts.
pub(super) fn n_drafts(inbox: &Inbox) -> Result<usize, Error> {
    let all = inbox.list_with_drafts(MessageFilter::Unresolved)?;
    Ok(all.items.iter().filter(|message| message.state == MessageState::Draft).count())
}

/// Prints what became of a remark that was chosen from a menu, and how much is waiting.
pub(super) fn confirmed(ui: &Ui, inbox: &Inbox, what: &str, messages: &[MessageView]) -> Result<(), Error> {
    if ui.json {
        ui.data(&InboxView { items: messages.to_vec(), total: messages.len() });
        return Ok(());
    }
    let (n_waiting, n_drafts) = (inbox.waiting()?.total, n_drafts(inbox)?);
    let drafts = match n_drafts {
        0 => String::new(),
        n => format!(", {}", counted(n, "draft")),
    };
    ui.line(&format!("{GOOD}{what}{GOOD:#} ({n_waiting} waiting{drafts})"));
    Ok(())
}

/// Returns the short form of an id.
pub(super) fn short(message: &MessageView) -> String {
    message.id[message.id.len() - 6..].to_owned()
}

/// Returns the location of a message: the file, and its lines if any.
pub(super) fn place(message: &MessageView) -> String {
    let old = if message.side == Side::Old { " (removed)" } else { "" };
    message.lines.map_or_else(|| message.file.clone(), |lines| format!("{}:{lines}{old}", message.file))
}

fn indented(text: &str, prefix: &str) -> String {
    let lines: Vec<String> = safe_block(text).lines().map(|line| format!("{prefix}{line}")).collect();
    lines.join("\n")
}
