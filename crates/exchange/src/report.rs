//! What an import did, or would do: the JSON shape of `cairn import`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::item::{ImportedDecision, LeftOut};

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
    pub(crate) decisions: Vec<ImportedDecision>,
    /// By field, value in the source and value here.
    mapped: BTreeMap<&'static str, BTreeMap<String, BTreeMap<String, usize>>>,
    left_out: BTreeMap<(&'static str, &'static str), (usize, String)>,
}

impl Report {
    /// Counts what a value of the source became.
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
        *count += 1;
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
            what: what.to_owned(),
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
