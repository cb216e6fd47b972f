//! The history of one item, by operation, or of the project, by commit.

use jiff::Timestamp;
use model::attachment::{Attachment, FIELD_PREFIX};
use model::item_ref::ItemRef;
use model::op::{Change, Op};
use serde_json::Value;
use store::git::LogLine;

use crate::error::Error;
use crate::project::{Project, shortened};
use crate::view::{EntryView, LogView, OpView, reference};

impl Project {
    /// Returns the history of one item, deleted or not, oldest first.
    pub fn log_of(&self, item: &ItemRef) -> Result<LogView, Error> {
        let row = self.find(item)?;
        let operations: Vec<OpView> = self.index().ops(row.item.id)?.iter().map(|op| self.op_view(op)).collect();
        Ok(LogView { item: Some(reference(&row)), total: operations.len(), operations, entries: Vec::new() })
    }

    /// Returns the newest entries of the project's log.
    pub fn log(&self, limit: usize) -> Result<LogView, Error> {
        let (total, lines) = match self.index().tip()? {
            Some(tip) => self.store.repository().log_between(None, tip, limit)?,
            None => (0, Vec::new()),
        };
        Ok(LogView { item: None, operations: Vec::new(), entries: lines.into_iter().map(entry_view).collect(), total })
    }

    fn op_view(&self, op: &Op) -> OpView {
        OpView {
            id: op.stamp.id.to_string(),
            at: op.at,
            by: op.by.to_string(),
            imported: op.imported.as_deref().map(str::to_owned),
            kind: store::format::v1::name(&op.change).to_owned(),
            text: self.describe(&op.change),
        }
    }

    fn describe(&self, change: &Change) -> String {
        match change {
            Change::Create { kind, fields, .. } => {
                format!("created the {kind} `{}`", fields.get("title").map_or_else(String::new, shown))
            }
            Change::Set { field, value } if field.starts_with(FIELD_PREFIX) => attachment(field, value),
            Change::Set { field, value } if value.is_null() => format!("cleared {field}"),
            Change::Set { field, value } if field == "description" => {
                let n_lines = value.as_str().map_or(0, |text| text.lines().count());
                format!("wrote the description ({n_lines} lines)")
            }
            Change::Set { field, value } => format!("set {field} to `{}`", self.shown_value(value)),
            Change::Add { field, value } => format!("added `{}` to {field}", self.named(value)),
            Change::Remove { field, value, .. } => format!("removed `{}` from {field}", self.named(value)),
            Change::Comment { body } => format!("commented: {}", first_line(body)),
            Change::EditComment { body, .. } => format!("edited a comment: {}", first_line(body)),
            Change::Delete => "deleted it".to_owned(),
            Change::Restore => "brought it back".to_owned(),
            Change::Renumber { number, .. } => format!("gave it the number #{number}"),
            Change::Unknown { kind } => format!("did something this version does not know: {}", shortened(kind)),
        }
    }

    fn shown_value(&self, value: &Value) -> String {
        value.as_str().map_or_else(|| shown(value), |text| self.named(text))
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

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| shortened(&value.to_string()), shortened)
}

fn first_line(text: &str) -> String {
    shortened(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

/// Converts a log line.
pub(super) fn entry_view(line: LogLine) -> EntryView {
    EntryView {
        commit: line.id,
        at: Timestamp::from_second(line.seconds).unwrap_or_default(),
        by: line.author,
        text: line.subject,
    }
}
