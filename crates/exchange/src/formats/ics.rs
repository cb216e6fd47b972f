//! The due dates of open items as a calendar (RFC 5545), a whole day each.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::export::{Exported, text, texts};

/// The beginning of the calendar.
pub(crate) const BEGIN: &str =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Cairn//cairn export ics//EN\r\nCALSCALE:GREGORIAN\r\n";
pub(crate) const END: &str = "END:VCALENDAR\r\n";

/// Maximum length of a line, in bytes.
const MAX_LINE: usize = 75;

/// Returns the event of an item; `None` if it is closed or has no due date.
pub(crate) fn event(item: &Exported) -> Option<String> {
    let due: Date = text(item, "due").parse().ok()?;
    if text(item, "state") == "closed" {
        return None;
    }
    let next = due.checked_add(1.day()).ok()?;
    let number = item.get("number").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let stamp: String = text(item, "updated").chars().take(19).filter(char::is_ascii_alphanumeric).collect();
    let mut lines = vec![
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}@cairn", text(item, "id")),
        format!("DTSTAMP:{stamp}Z"),
        format!("DTSTART;VALUE=DATE:{}", due.strftime("%Y%m%d")),
        format!("DTEND;VALUE=DATE:{}", next.strftime("%Y%m%d")),
        format!("SUMMARY:{}", escape(&format!("{} #{number}: {}", text(item, "kind"), text(item, "title")))),
    ];
    let description = text(item, "description");
    if !description.is_empty() {
        lines.push(format!("DESCRIPTION:{}", escape(description)));
    }
    let labels: Vec<String> = texts(item, "labels").into_iter().map(escape).collect();
    if !labels.is_empty() {
        lines.push(format!("CATEGORIES:{}", labels.join(",")));
    }
    lines.push("END:VEVENT".to_owned());
    Some(lines.iter().map(|line| fold(line)).collect())
}

fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,");
    text.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n").chars().filter(|c| *c == '\t' || !c.is_control()).collect()
}

/// Breaks a long line; the rest begins with a space. No character is split.
fn fold(line: &str) -> String {
    let mut folded = String::new();
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > MAX_LINE {
            folded.push_str("\r\n ");
            length = 1;
        }
        folded.push(c);
        length += c.len_utf8();
    }
    folded + "\r\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn due_item_is_an_event_of_one_day() {
        let item = json!({"id": "x", "kind": "task", "number": 5, "title": "Pay; now", "due": "2026-12-31", "state": "open",
            "updated": "2026-01-02T03:04:05.678Z", "description": "a\n\tb\u{7}", "labels": ["x,y", "z"]});
        let event = event(item.as_object().unwrap()).unwrap();
        let expected = "BEGIN:VEVENT\r\nUID:x@cairn\r\nDTSTAMP:20260102T030405Z\r\nDTSTART;VALUE=DATE:20261231\r\n\
            DTEND;VALUE=DATE:20270101\r\nSUMMARY:task #5: Pay\\; now\r\nDESCRIPTION:a\\n\tb\r\nCATEGORIES:x\\,y,z\r\nEND:VEVENT\r\n";
        assert_eq!(event, expected);
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let folded = fold(&"é".repeat(100));
        assert!(folded.split("\r\n").all(|line| line.len() <= MAX_LINE));
        assert_eq!(folded.replace("\r\n ", "").trim_end(), "é".repeat(100));
    }
}
