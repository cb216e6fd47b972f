//! Comments: those of an item, and those that a source keeps apart.

use std::collections::HashMap;

use app::Error;
use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::imported::ImportSource;
use model::op::Change;
use model::person::Person;
use model::text::refuse_bad_body;

use super::Planner;
use crate::item::{ImportedComment, ImportedItem, LeftOut, SourceId};
use crate::report::ITS_ITEM_MISSING;
use crate::update;

/// A change with its time and its author; its operation has a fixed id if the change is a comment.
pub(super) type LaterChange = (Timestamp, Person, Option<OpId>, Change);

impl Planner<'_> {
    pub(super) fn comment_steps(&mut self, id: EntityId, item: &ImportedItem) -> Vec<LaterChange> {
        let mut steps = Vec::new();
        for (comment, op) in item.comments.iter().zip(comment_ids(&self.tool, id, &item.comments)) {
            let by = self.person(comment.author.as_ref());
            let at = comment.created.or(item.created).unwrap_or(self.now);
            steps.push((at, by, Some(op), Change::Comment { body: comment.body.clone() }));
            self.report.comments += 1;
        }
        steps
    }

    pub(super) fn add_comment(&mut self, item: &str, comment: &ImportedComment) -> Result<(), Error> {
        // An empty text would delete the comment.
        if comment.body.is_empty() {
            return Ok(());
        }
        let id = ImportSource::entity(&self.tool, item);
        let op = comment_id(&self.tool, id, comment, 0);
        refuse_bad_body("comment", &comment.body)?;
        let at = comment.created.unwrap_or(self.now);
        let change = if self.catalog.contains(id) {
            Some((Change::Comment { body: comment.body.clone() }, Some(op)))
        } else if self.context.index.item(id)?.is_some() {
            let known = update::KnownItem::of(id, self.context.index.ops(id)?, &self.tool);
            let change = known.comment(op, &comment.body);
            if change.is_some() {
                let (before, again) = known.last_change(self.now);
                self.commented.entry(id).or_insert((before, again, at)).2 = at;
            }
            change
        } else if self.others.has(id) {
            Some((Change::Comment { body: comment.body.clone() }, Some(op)))
        } else {
            let which = model::text::escape_line(item);
            self.report.leave_out(LeftOut::new("comment", ITS_ITEM_MISSING, which));
            None
        };
        if let Some((change, op)) = change {
            let by = self.person(comment.author.as_ref());
            self.push(self.step(id, change, at, by, op));
            self.report.comments += 1;
            self.report.own_comments += 1;
        }
        Ok(())
    }

    // A comment that is older than the last change must not become the time of the last change.
    pub(super) fn keep_updated(&mut self) {
        for (id, (before, again, last)) in std::mem::take(&mut self.commented) {
            if before > last {
                self.push(self.unmarked(id, again, before));
            }
        }
    }
}

/// Returns the ids of the operations of an item's comments, the same in every clone and in every import.
pub(super) fn comment_ids(tool: &str, item: EntityId, comments: &[ImportedComment]) -> Vec<OpId> {
    // Not the place among all comments: of the others, one may be deleted in the source.
    let mut n_at: HashMap<Option<Timestamp>, usize> = HashMap::new();
    let ids = comments.iter().map(|comment| {
        let n = n_at.entry(comment.created).or_default();
        *n += 1;
        comment_id(tool, item, comment, *n - 1)
    });
    ids.collect()
}

fn comment_id(tool: &str, item: EntityId, comment: &ImportedComment, n: usize) -> OpId {
    match &comment.id {
        SourceId::Own(id) => OpId::new(uuid::Uuid::from_bytes(*id.as_bytes())),
        SourceId::Of(id) => ImportSource::comment(tool, &item.to_string(), id),
        // Without an id, its time tells it from the others, and its place among those of the same time.
        SourceId::None => {
            let at = comment.created.map_or_else(String::new, |at| at.to_string());
            ImportSource::comment(tool, &item.to_string(), &format!("{n}:{at}"))
        }
    }
}
