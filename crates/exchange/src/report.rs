//! What an import did, or would do: the JSON shape of `cairn import`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::item::{ImportedDecision, LeftOut};

/// Why a reference or a comment is left out whose item is neither here nor in the input.
pub(crate) const OTHER_ITEM_MISSING: &str = "the other item was not imported";
/// The same of a comment.
pub(crate) const ITS_ITEM_MISSING: &str = "its item was not imported";

fn is_open_reference(why: &str) -> bool {
    why == OTHER_ITEM_MISSING || why == ITS_ITEM_MISSING
}

/// Maximum number of different values that are listed for one field; a source with free text has no end of them.
const MAX_VALUES: usize = 50;

/// What an import did, or, with `dryRun`, would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportView {
    /// The format.
    pub format: String,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Items created.
    pub created: usize,
    /// Items updated.
    pub updated: usize,
    /// Items that had nothing new.
    pub unchanged: usize,
    /// Comments added or edited.
    pub comments: usize,
    /// Operations of an export that were added; 0 for other formats.
    pub operations: usize,
    /// Operations of an export that the log had already.
    pub known: usize,
    /// Labels declared, with their colors.
    pub labels: usize,
    /// Decisions written as annotations of the repository.
    pub decisions: usize,
    /// What became of the source's values.
    pub mapped: Vec<MappedView>,
    /// What was not imported.
    pub left_out: Vec<LeftOutView>,
}

/// What became of a value of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MappedView {
    /// The field: `kind`, `status`, `priority`, `person`, ….
    pub field: String,
    /// The value in the source.
    pub from: String,
    /// The value here.
    pub to: String,
    /// How many items have it.
    pub count: usize,
}

/// Something that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutView {
    /// What: `attachment`, `pull request`, ….
    pub what: String,
    /// Why.
    pub why: String,
    /// How many.
    pub count: usize,
    /// The first of them.
    pub example: String,
}

impl ImportView {
    /// Counts decisions that cannot be written as annotations.
    pub fn leave_out_decisions(&mut self, decisions: &[ImportedDecision], why: &str) {
        if let [first, ..] = decisions {
            let (what, example) = ("decision".to_owned(), first.name.clone());
            self.left_out.push(LeftOutView { what, why: why.to_owned(), count: decisions.len(), example });
        }
    }
}

/// Counts while an import runs.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) created: usize,
    pub(crate) updated: usize,
    pub(crate) unchanged: usize,
    pub(crate) comments: usize,
    pub(crate) operations: usize,
    pub(crate) known: usize,
    pub(crate) labels: usize,
    /// The names of these labels.
    pub(crate) declared: Vec<String>,
    pub(crate) decisions: Vec<ImportedDecision>,
    /// Comments that items only count, and that are not here.
    counted_comments: usize,
    /// The first of these items.
    commented_item: String,
    /// Comments that came apart from their items.
    pub(crate) own_comments: usize,
    /// By field, value in the source and value here.
    mapped: BTreeMap<&'static str, BTreeMap<String, BTreeMap<String, usize>>>,
    left_out: BTreeMap<(Cow<'static, str>, &'static str), (usize, String)>,
}

impl Report {
    /// Counts the values that a value of the source was mapped to.
    pub(crate) fn map(&mut self, field: &'static str, from: &str, to: &str) {
        let values = self.mapped.entry(field).or_default();
        // Looked up by reference first: nearly every value is known already.
        if let Some(count) = values.get_mut(from).and_then(|known| known.get_mut(to)) {
            *count += 1;
        } else if values.len() < MAX_VALUES {
            values.entry(from.to_owned()).or_default().insert(to.to_owned(), 1);
        }
    }

    /// Adds the counts of another file.
    pub(crate) fn add(&mut self, other: Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.comments += other.comments;
        self.operations += other.operations;
        self.known += other.known;
        self.labels += other.labels;
        self.decisions.extend(other.decisions);
        self.count_comments(other.counted_comments, &other.commented_item);
        self.own_comments += other.own_comments;
        for (field, values) in other.mapped {
            let known = self.mapped.entry(field).or_default();
            for (from, to) in values {
                let known = known.entry(from).or_default();
                for (to, count) in to {
                    *known.entry(to).or_default() += count;
                }
            }
        }
        for (key, (count, example)) in other.left_out {
            self.left_out.entry(key).or_insert((0, example)).0 += count;
        }
    }

    /// Counts something that is not imported.
    pub(crate) fn leave_out(&mut self, left: LeftOut) {
        let (count, _) = self.left_out.entry((left.what, left.why)).or_insert((0, left.which));
        *count += left.count;
    }

    /// Returns whether something refers to what was not there yet: a later file may have it.
    pub(crate) fn has_open_references(&self) -> bool {
        self.left_out.keys().any(|(_, why)| is_open_reference(why))
    }

    /// Takes over what a second pass over the same file found: references that a later file resolved are not left out, and
    /// their comments are imported. Everything else was counted by the first pass.
    pub(crate) fn settle(&mut self, second: Self) {
        self.left_out.retain(|(_, why), _| !is_open_reference(why));
        self.left_out.extend(second.left_out.into_iter().filter(|((_, why), _)| is_open_reference(why)));
        self.comments += second.comments;
    }

    /// Counts comments of an item that are not in its file.
    pub(crate) fn count_comments(&mut self, n_comments: usize, item: &str) {
        self.counted_comments += n_comments;
        if self.commented_item.is_empty() {
            self.commented_item = model::text::escape_line(item);
        }
    }

    /// Reports the comments that the source only counts and no file of the import has.
    pub(crate) fn leave_out_missing_comments(&mut self) {
        let n_missing = self.counted_comments.saturating_sub(self.own_comments);
        if n_missing > 0 {
            let why = "the file has only their number; a file of comments has them";
            let which = self.commented_item.clone();
            self.leave_out(LeftOut { count: n_missing, ..LeftOut::new("comment", why, which) });
        }
    }

    pub(crate) fn into_view(self, format: &str, dry_run: bool) -> ImportView {
        let mut mapped = Vec::new();
        for (field, values) in self.mapped {
            for (from, known) in values {
                let view = |(to, count)| MappedView { field: field.to_owned(), from: from.clone(), to, count };
                mapped.extend(known.into_iter().map(view));
            }
        }
        let left_out = self.left_out.into_iter().map(|((what, why), (count, example))| LeftOutView {
            what: what.into_owned(),
            why: why.to_owned(),
            count,
            example,
        });
        ImportView {
            format: format.to_owned(),
            dry_run,
            created: self.created,
            updated: self.updated,
            unchanged: self.unchanged,
            comments: self.comments,
            operations: self.operations,
            known: self.known,
            labels: self.labels,
            decisions: 0,
            mapped,
            left_out: left_out.collect(),
        }
    }
}
