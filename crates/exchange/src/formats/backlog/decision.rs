//! Decisions of Backlog.md: a title, a status and the sections Context, Decision, Consequences and Alternatives.

use std::fmt::Write as _;

use app::Error;

use super::{Fields, squeezed};
use crate::item::{ImportedDecision, LeftOut, Record};

/// Reads a decision. One that is only proposed, or holds no more, is left out.
pub(super) fn read(fields: &Fields<'_>, body: &str) -> Result<Record, Error> {
    let (id, title) = (fields.required("id")?, fields.required("title")?);
    let status = fields.text("status").unwrap_or_default().to_lowercase();
    let left_out = |why| Ok(Record::LeftOut(LeftOut::new("decision", why, format!("{id}: {title}"))));
    let mut sections = sections(body);
    let place = sections.iter().position(|(heading, _)| heading == "Decision").unwrap_or(0);
    let decided = sections.remove(place).1;
    let (first, rest) = decided.split_once("\n\n").unwrap_or((&decided, ""));
    let said = if first.is_empty() { title.clone() } else { format!("{title}: {first}") };
    let text = match status.as_str() {
        "" | "proposed" | "draft" | "pending" => return left_out("nobody has decided it yet"),
        "superseded" | "deprecated" | "obsolete" => return left_out("it does not hold any more"),
        "rejected" | "declined" => format!("Rejected: {said}"),
        _ => said,
    };
    let mut parts = vec![rest.trim().to_owned()];
    parts.extend(sections.into_iter().map(|(heading, text)| match (heading.as_str(), text.as_str()) {
        ("", _) | (_, "") => text,
        _ => format!("{heading}: {text}"),
    }));
    parts.extend(fields.day("date")?.map(|day| format!("Decided on {day}.")));
    parts.retain(|part| !part.is_empty());
    let reasoning = parts.join("\n\n");
    let reasoning = (!reasoning.is_empty()).then_some(reasoning);
    Ok(Record::Decision(ImportedDecision { name: format!("backlog {id}"), text, reasoning }))
}

/// Splits a text at its headings of the second level; the text before the first has an empty one.
fn sections(body: &str) -> Vec<(String, String)> {
    let mut sections = vec![(String::new(), String::new())];
    for line in body.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(heading), _) => sections.push((heading.trim().to_owned(), String::new())),
            (None, Some((_, text))) => drop(writeln!(text, "{line}")),
            (None, None) => {}
        }
    }
    sections.into_iter().map(|(heading, text)| (heading, squeezed(&text))).collect()
}
