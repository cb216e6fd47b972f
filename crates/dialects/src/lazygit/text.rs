//! Formats messages as the contract specifies.

use inbox::view::MessageView;
use model::message::{MessageKind, Side};

/// The result without pending messages.
const NOTHING: &str = "No new messages from lazygit";

/// Returns messages as one text, oldest first.
pub fn text(messages: &[MessageView]) -> String {
    if messages.is_empty() {
        return NOTHING.to_owned();
    }
    let texts: Vec<String> = messages.iter().map(one).collect();
    texts.join(&format!("\n{}\n", "-".repeat(50)))
}

fn one(message: &MessageView) -> String {
    let mut lines = vec![format!("File: {}", message.file)];
    lines.extend(message.lines.map(|lines| format!("Line: {lines}")));
    lines.push(format!("Comment: {}", message.comment));
    lines.extend(notes(message).into_iter().map(|note| format!("Note: {note}")));
    lines.extend([String::new(), instruction(message.kind).to_owned()]);
    lines.join("\n")
}

/// Information that the contract has no field for.
fn notes(message: &MessageView) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(message.warning());
    if message.side == Side::Old {
        notes.push("these lines were removed by the change under review".to_owned());
    }
    if message.again {
        notes.push("this message may have been delivered before".to_owned());
    }
    notes
}

fn instruction(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Question => "Please answer this question.",
        MessageKind::Note => "Please keep this in mind.",
        MessageKind::Fix => "Please improve this code.",
    }
}
