//! The records of the first pass over an input, kept for the second one if they are few: parsing an input again takes as
//! long as planning it.

use serde_json::Value;

use crate::formats::ImportFormat;
use crate::item::{ImportedItem, Record};

/// Maximum memory of the records, as estimated. A larger input is read again, so that memory does not grow with it.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Memory of a value, a label or a reference besides its text: the parts of a string, a place in a list or map, and what the
/// allocator adds.
const VALUE_OVERHEAD: usize = 96;

/// The records that were read, or nothing once they were too many.
#[derive(Debug)]
pub(crate) struct KeptRecords {
    records: Option<Vec<Record>>,
    n_bytes: usize,
}

impl KeptRecords {
    /// Keeps the records of formats with one item per line. The other readers add their position to the errors of the second
    /// pass, so they must run again.
    pub(crate) fn of_format(format: ImportFormat) -> Self {
        Self { records: matches!(format, ImportFormat::Jsonl | ImportFormat::Beads).then(Vec::new), n_bytes: 0 }
    }

    /// Adds a record, or drops all of them if they are too many.
    pub(crate) fn add(&mut self, record: Record) {
        let Some(records) = &mut self.records else { return };
        self.n_bytes += memory(&record);
        if self.n_bytes <= MAX_BYTES {
            records.push(record);
        } else {
            self.records = None;
        }
    }

    /// Returns all records of the input; `None` if it must be read again.
    pub(crate) fn into_all(self) -> Option<Vec<Record>> {
        self.records
    }
}

/// Estimates the memory of a record.
fn memory(record: &Record) -> usize {
    size_of::<Record>()
        + match record {
            Record::Item(item) => size_of::<ImportedItem>() + texts(item),
            Record::Comment { item, comment } => item.len() + comment.body.len() + 2 * VALUE_OVERHEAD,
            Record::Label(label) => label.name.len() + label.about.len() + VALUE_OVERHEAD,
            Record::Decision(decision) => {
                decision.text.len() + decision.reasoning.as_ref().map_or(0, String::len) + VALUE_OVERHEAD
            }
            Record::LeftOut(left) => left.which.len() + VALUE_OVERHEAD,
        }
}

fn texts(item: &ImportedItem) -> usize {
    let comments = item.comments.iter().map(|comment| comment.body.len() + 4 * VALUE_OVERHEAD);
    let extra = item.extra.iter().map(|(name, value)| name.len() + value_memory(value));
    let n_references = item.blocks.len() + item.blocked_by.len() + item.relates.len() + item.touches.len();
    let n_others = item.labels.len() + item.label_definitions.len() + item.assignees.len() + item.left_out.len();
    item.title.len()
        + item.description.len()
        + (n_references + n_others) * VALUE_OVERHEAD
        + comments.chain(extra).sum::<usize>()
        + item.imported.as_ref().map_or(0, value_memory)
}

fn value_memory(value: &Value) -> usize {
    VALUE_OVERHEAD
        + match value {
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(value_memory).sum(),
            Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + value_memory(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}

#[cfg(test)]
mod tests {
    use model::item::ItemKind;

    use crate::item::SourceId;

    use super::*;

    fn record(n_bytes: usize) -> Record {
        let mut item = ImportedItem::new("line 1", SourceId::None, ItemKind::Issue, "A title");
        item.extra.insert("note".to_owned(), Value::from(vec!["x".repeat(n_bytes)]));
        Record::Item(Box::new(item))
    }

    #[test]
    fn few_records_are_kept_in_their_order() {
        let mut kept = KeptRecords::of_format(ImportFormat::Jsonl);
        kept.add(record(1));
        kept.add(record(2));
        assert_eq!(kept.into_all(), Some(vec![record(1), record(2)]));
    }

    #[test]
    fn too_many_records_are_read_again() {
        let mut kept = KeptRecords::of_format(ImportFormat::Jsonl);
        for n_bytes in [MAX_BYTES / 2, MAX_BYTES / 2, 1] {
            kept.add(record(n_bytes));
        }
        assert_eq!(kept.into_all(), None);
    }

    #[test]
    fn reader_that_places_errors_runs_twice() {
        let mut kept = KeptRecords::of_format(ImportFormat::Github);
        kept.add(record(1));
        assert_eq!(kept.into_all(), None);
    }
}
