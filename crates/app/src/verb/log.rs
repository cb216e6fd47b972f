//! The history of one item, by operation, or of the project, by commit.

use jiff::Timestamp;
use model::attachment::{Attachment, FIELD_PREFIX};
use model::field::Field;
use model::item::{ASSIGNEES, CLOSED_BY};
use model::item_ref::ItemRef;
use model::op::{Change, Op};
use model::text::counted;
use serde_json::Value;
use store::Extent;
use store::git::LogLine;
use store::index::Row;

use crate::error::Error;
use crate::project::{Project, shortened};
use crate::view::{EntryView, LogView, OpView, reference};

/// Operations of a commit that become sentences; the subject of a larger one, such as an import, says more.
const MAX_DESCRIBED: usize = 40;

impl Project {
    /// Returns the history of one item, deleted or not, oldest first.
    pub fn log_of(&self, item: &ItemRef) -> Result<LogView, Error> {
        let row = self.find(item)?;
        let ops = self.index().ops(row.item.id)?;
        let operations: Vec<OpView> = ops.iter().map(|op| self.op_view(&row, op)).collect();
        Ok(LogView { item: Some(reference(&row)), total: operations.len(), operations, entries: Vec::new() })
    }

    /// Returns the newest entries of the project's log.
    pub fn log(&self, limit: usize) -> Result<LogView, Error> {
        let (total, lines) = match self.index().tip()? {
            Some(tip) => self.store.repository().log_between(None, tip, limit)?,
            None => (0, Vec::new()),
        };
        Ok(LogView { item: None, operations: Vec::new(), entries: self.entry_views(lines)?, total })
    }

    /// Converts log lines.
    pub(super) fn entry_views(&self, lines: Vec<LogLine>) -> Result<Vec<EntryView>, Error> {
        lines.into_iter().map(|line| self.entry_view(line)).collect()
    }

    fn entry_view(&self, line: LogLine) -> Result<EntryView, Error> {
        let ops = match line.id.parse() {
            Ok(commit) => self.store.operations_of(commit, Extent::Message)?,
            Err(_) => Vec::new(),
        };
        Ok(EntryView {
            sentences: if ops.len() <= MAX_DESCRIBED { self.sentences(&ops)? } else { Vec::new() },
            commit: line.id,
            at: Timestamp::from_second(line.seconds).unwrap_or_default(),
            by: line.author,
            text: line.subject,
        })
    }

    fn op_view(&self, row: &Row, op: &Op) -> OpView {
        OpView {
            id: op.stamp.id.to_string(),
            at: op.at,
            by: op.by.to_string(),
            imported: op.imported.as_deref().map(str::to_owned),
            kind: store::format::v1::name(&op.change).to_owned(),
            text: self.describe(row, op),
        }
    }

    /// Describes an operation of an item that was named before.
    fn describe(&self, row: &Row, op: &Op) -> String {
        match &op.change {
            Change::Create { kind, fields, .. } => {
                format!("created the {kind} {}", fields.get("title").map_or_else(String::new, format_value))
            }
            Change::Set { field, value } if field.starts_with(FIELD_PREFIX) => attachment(field, value),
            Change::Set { field, value } if field == "description" && !value.is_null() => {
                let n_lines = value.as_str().map_or(0, |text| text.lines().count());
                format!("edited its description ({})", counted(n_lines, "line"))
            }
            Change::Set { field, value } if field == "completed" && !value.is_null() => {
                format!("set its completion date to {}", format_value(value))
            }
            Change::Set { field, .. } if field == "completed" => "removed its completion date".to_owned(),
            Change::Set { field, .. } if field == "rank" => "moved it in the order of cards".to_owned(),
            Change::Set { field, value } if is_extra(field) => {
                format!("set its field {} to {}", shortened(field), self.shown_value(value))
            }
            Change::Add { field, value } if is_unknown_set(field) => {
                format!("added {} to its field {}", self.named(value), shortened(field))
            }
            Change::Remove { field, value, .. } if is_unknown_set(field) => {
                format!("removed {} from its field {}", self.named(value), shortened(field))
            }
            Change::Comment { body } => format!("commented: {}", first_line(body)),
            Change::EditComment { body, .. } if !body.is_empty() => format!("edited a comment: {}", first_line(body)),
            Change::Renumber { number, .. } => format!("gave it the number #{number}"),
            Change::Unknown { kind } => format!("changed it in a way this version does not know: {}", shortened(kind)),
            _ => self.event(row, op).map_or_else(|| "changed it".to_owned(), |event| event.text_about_it()),
        }
    }

    fn shown_value(&self, value: &Value) -> String {
        value.as_str().map_or_else(|| format_value(value), |text| self.named(text))
    }

    // Shows the id of an item as its number.
    fn named(&self, text: &str) -> String {
        let row = text.parse().ok().and_then(|id| self.index().item(id).ok().flatten());
        row.map_or_else(|| shortened(text), |row| row.reference().to_string())
    }
}

fn attachment(field: &str, value: &Value) -> String {
    match Attachment::from_field(field, value) {
        Some(attachment) => format!("attached `{}`", shortened(&attachment.name)),
        None => "removed an attachment".to_owned(),
    }
}

fn format_value(value: &Value) -> String {
    value.as_str().map_or_else(|| shortened(&value.to_string()), shortened)
}

fn first_line(text: &str) -> String {
    shortened(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

/// Sets that `feed` has words for.
fn is_unknown_set(field: &str) -> bool {
    let known = ["labels", "blocks", "relates", "touches", "commits"];
    !known.contains(&field) && field != ASSIGNEES && field != CLOSED_BY
}

fn is_extra(field: &str) -> bool {
    Field::try_find(field).is_none()
}
