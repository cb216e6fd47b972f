//! Elements that a list has several times. Its pages are asked for one after the other: what is created meanwhile moves the
//! last element of a page to the next one, which has it again.

use std::collections::HashSet;

use crate::item::{ImportedItem, LeftOut, Record, SourceId};

const WHY: &str = "the pages of the list overlap; the first one counts";

/// The elements of a list so far.
#[derive(Debug, Default)]
pub(super) struct RepeatedElements {
    items: HashSet<String>,
    /// Comments, by the ids of their items and their own.
    comments: HashSet<(String, String)>,
}

impl RepeatedElements {
    /// Returns the record of an item, or of what is left out if the list had the item before.
    pub(super) fn check_item(&mut self, item: ImportedItem) -> Record {
        match &item.id {
            SourceId::Of(id) if !self.items.insert(id.clone()) => {
                Record::LeftOut(LeftOut::new("repeated issue", WHY, model::text::escape_line(id)))
            }
            _ => Record::Item(Box::new(item)),
        }
    }

    /// Returns the record of a comment, or of what is left out if the list had the comment before.
    pub(super) fn check_comment(&mut self, record: Record) -> Record {
        match &record {
            Record::Comment { item, comment } if self.is_known(item, &comment.id) => {
                Record::LeftOut(LeftOut::new("repeated comment", WHY, model::text::escape_line(item)))
            }
            _ => record,
        }
    }

    fn is_known(&mut self, item: &str, comment: &SourceId) -> bool {
        let SourceId::Of(id) = comment else { return false };
        !self.comments.insert((item.to_owned(), id.clone()))
    }
}
