//! Messages in the contract's own words.

use app::view::MessageView;

/// What is answered when nothing waits.
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
    let mut text = format!("File: {}\n", message.file);
    if let Some(lines) = message.lines {
        text.push_str(&format!("Line: {lines}\n"));
    }
    text.push_str(&format!("Comment: {}\n", message.comment));
    for note in notes(message) {
        text.push_str(&format!("Note: {note}\n"));
    }
    text.push('\n');
    text.push_str(wish(message.kind));
    text
}

/// What the contract has no words for, and the reader must know.
fn notes(message: &MessageView) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(message.warning());
    if message.side == "old" {
        notes.push("these lines were removed by the change under review".to_owned());
    }
    if message.again {
        notes.push("this message may have been delivered before".to_owned());
    }
    notes
}

fn wish(kind: &str) -> &'static str {
    match kind {
        "question" => "Please answer this question.",
        "note" => "Please keep this in mind.",
        _ => "Please improve this code.",
    }
}
