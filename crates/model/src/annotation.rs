//! Annotations: why code is as it is. A note belongs to one commit and has one region per piece of code.
//!
//! These are the values; their bytes in git are `store::format::annotation`. Fields of newer writers are kept in
//! `extra` and must never be dropped. The keys of values in `extra` must be sorted (`Value::sort_all_objects`), so that
//! equal notes have equal bytes.

mod merge;
mod registers;
mod squash;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

pub use merge::merge;
pub use squash::squash;

/// Unknown fields, by key.
pub type Extra = BTreeMap<String, Value>;

/// Makes an open enum: the words that a contract fixes, and a variant for all others.
macro_rules! open_words {
    ($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$word_about])* $word,)*
            /// A word of a newer version, kept as it is.
            Other(String),
        }

        impl $name {
            /// Returns the word as written.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$word => $text,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($text => Self::$word,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

open_words! {
    /// The source of a note's knowledge.
    ContextLevel {
        /// Inferred from the diff alone.
        Inferred = "inferred",
        /// Given by the author of the change.
        Enhanced = "enhanced",
    }
}

open_words! {
    /// The source of a constraint. An author's takes precedence over an inferred one.
    Source {
        /// Inferred from the code.
        Inferred = "inferred",
        /// Stated by the author.
        Author = "author",
    }
}

open_words! {
    /// How a note came to its commit.
    Operation {
        /// Written for this commit.
        Initial = "initial",
        /// Combined from the notes of squashed commits.
        Squash = "squash",
        /// Carried over from the commit that this one replaces.
        Amend = "amend",
    }
}

open_words! {
    /// The kind of a correction.
    CorrectionKind {
        /// Flags something as wrong.
        Flag = "flag",
        /// Corrects the text of a field.
        Correct = "correct",
        /// Withdraws the whole region, or one text of a field.
        Supersede = "supersede",
    }
}

open_words! {
    /// The kind of a region.
    AnnotationKind {
        /// Why code is as it is.
        Reason = "reason",
        /// What was tried and rejected.
        DeadEnd = "dead_end",
        /// A rule for all code below a folder.
        Convention = "convention",
    }
}

/// The note of one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The annotated commit, in hexadecimal.
    pub commit: String,
    /// Time of writing, if the note has it.
    pub timestamp: Option<Timestamp>,
    /// The task that the commit was made for.
    pub task: Option<String>,
    /// Summary of the change, one sentence.
    pub summary: String,
    /// The source of its knowledge.
    pub context_level: ContextLevel,
    /// The regions.
    pub regions: Vec<Region>,
    /// Remarks about several regions; their shape is up to the writer.
    pub cross_cutting: Vec<Value>,
    /// How it came to its commit.
    pub provenance: Provenance,
    /// Earlier values of its fields.
    pub earlier: Vec<EarlierValue>,
    /// Unknown fields.
    pub extra: Extra,
}

/// The part of a note about one piece of code.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Path at the note's commit, relative to the top of the repository.
    pub file: String,
    /// The symbol; empty if only lines are meant.
    pub anchor: Anchor,
    /// Lines at the note's commit.
    pub lines: Option<Lines>,
    /// Time of writing, if it differs from the note's: after a merge or a squash. Use [`Note::time_of`].
    pub timestamp: Option<Timestamp>,
    /// Source of knowledge, if it differs from the note's. Use [`Note::context_of`].
    pub context_level: Option<ContextLevel>,
    /// The kind of region.
    pub kind: AnnotationKind,
    /// Last day of validity. Use [`Region::last_day`].
    pub until: Option<Date>,
    /// Purpose of the code; for a dead end what was tried, for a convention the rule.
    pub intent: String,
    /// Why it is done this way; for a dead end why it was rejected.
    pub reasoning: Option<String>,
    /// What must stay true.
    pub constraints: Vec<Constraint>,
    /// What it assumes about other code.
    pub semantic_dependencies: Vec<Dependency>,
    /// What may go wrong.
    pub risk_notes: Option<String>,
    /// Tags for search.
    pub tags: Vec<String>,
    /// Other annotations to read with it.
    pub related_annotations: Vec<RelatedAnnotation>,
    /// Corrections that were added later.
    pub corrections: Vec<Correction>,
    /// Earlier values of its fields. Use [`Region::earlier_texts`] for those that were replaced.
    pub earlier: Vec<EarlierValue>,
    /// Unknown fields.
    pub extra: Extra,
}

/// An earlier value of a field of a note or a region. A current value is listed too if it is older than its region.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierValue {
    /// The key; nested keys are joined by a slash, as in `ast_anchor/signature`.
    pub field: String,
    /// The value.
    pub value: Value,
    /// Time at which it was last stated.
    pub timestamp: Option<Timestamp>,
    /// Unknown fields.
    pub extra: Extra,
}

/// The name of a piece of code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Anchor {
    /// Kind of symbol: `function`, `struct`, …
    pub kind: String,
    /// Qualified name.
    pub name: String,
    /// Signature.
    pub signature: Option<String>,
    /// Unknown fields.
    pub extra: Extra,
}

/// A range of lines, both ends included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

/// An invariant of the code.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Text of the constraint.
    pub text: String,
    /// Source of the constraint.
    pub source: Source,
    /// Unknown fields.
    pub extra: Extra,
}

/// An assumption about other code.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// File of the other code.
    pub file: String,
    /// Anchor of the other code.
    pub anchor: String,
    /// What is assumed.
    pub nature: String,
    /// Unknown fields.
    pub extra: Extra,
}

/// A reference to another annotation.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedAnnotation {
    /// The annotated commit.
    pub commit: String,
    /// Anchor of the region.
    pub anchor: String,
    /// How the two are related.
    pub relationship: String,
    /// Unknown fields.
    pub extra: Extra,
}

/// A correction that somebody added to a region later.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// Unique id, by which clones deduplicate it. Empty if the writer gave none.
    pub id: String,
    /// Kind of correction.
    pub kind: CorrectionKind,
    /// The field that it is about, if any.
    pub field: Option<String>,
    /// Text of the correction.
    pub text: String,
    /// Author.
    pub author: String,
    /// Time of writing.
    pub timestamp: Option<Timestamp>,
    /// Unknown fields.
    pub extra: Extra,
}

/// How a note came to its commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// The operation.
    pub operation: Operation,
    /// The commits whose notes were combined into it.
    pub derived_from: Vec<String>,
    /// Whether everything in those notes is still in it.
    pub original_annotations_preserved: bool,
    /// Description of what was left out or combined.
    pub synthesis_notes: Option<String>,
    /// Unknown fields.
    pub extra: Extra,
}

impl Default for Provenance {
    fn default() -> Self {
        Self {
            operation: Operation::Initial,
            derived_from: Vec::new(),
            original_annotations_preserved: true,
            synthesis_notes: None,
            extra: Extra::new(),
        }
    }
}

impl Note {
    /// An empty note, written for its commit.
    pub fn new(commit: &str, at: Timestamp, context_level: ContextLevel) -> Self {
        Self {
            commit: commit.to_owned(),
            timestamp: Some(at),
            task: None,
            summary: String::new(),
            context_level,
            regions: Vec::new(),
            cross_cutting: Vec::new(),
            provenance: Provenance::default(),
            earlier: Vec::new(),
            extra: Extra::new(),
        }
    }

    /// Returns the time at which a region of this note was written.
    pub fn time_of(&self, region: &Region) -> Option<Timestamp> {
        region.timestamp.or(self.timestamp)
    }

    /// Returns the lines of a region at `commit`; `None` also if they are lines of another commit. Git itself copies
    /// notes to rewritten commits unchanged (`notes.rewriteRef`), where the code may have moved.
    pub fn lines_at(&self, commit: &str, region: &Region) -> Option<Lines> {
        region.lines.filter(|_| !self.is_copied_to(commit))
    }

    /// Returns whether the note, or a part of it, was written for another commit. A note that Cairn carried names its
    /// new commit.
    fn is_copied_to(&self, commit: &str) -> bool {
        let is_foreign = !self.commit.is_empty() && !commit.starts_with(&self.commit);
        is_foreign || self.provenance.derived_from.iter().any(|part| part == commit)
    }

    /// Returns the source of knowledge of a region of this note.
    pub fn context_of<'a>(&'a self, region: &'a Region) -> &'a ContextLevel {
        region.context_level.as_ref().unwrap_or(&self.context_level)
    }
}

impl Region {
    /// A region with only the purpose of the code.
    pub fn new(file: &str, name: &str, intent: &str) -> Self {
        Self {
            file: file.to_owned(),
            anchor: Anchor { name: name.to_owned(), ..Anchor::default() },
            lines: None,
            timestamp: None,
            context_level: None,
            kind: AnnotationKind::Reason,
            until: None,
            intent: intent.to_owned(),
            reasoning: None,
            constraints: Vec::new(),
            semantic_dependencies: Vec::new(),
            risk_notes: None,
            tags: Vec::new(),
            related_annotations: Vec::new(),
            corrections: Vec::new(),
            earlier: Vec::new(),
            extra: Extra::new(),
        }
    }

    /// Returns the earlier texts of a field that were replaced, oldest first.
    pub fn earlier_texts<'a>(&'a self, field: &'a str) -> impl Iterator<Item = (&'a str, Option<Timestamp>)> {
        let standing = match field {
            "intent" => Some(self.intent.as_str()),
            "reasoning" => self.reasoning.as_deref(),
            "risk_notes" => self.risk_notes.as_deref(),
            _ => None,
        };
        let of_field = self.earlier.iter().filter(move |one| one.field == field);
        let texts = of_field.filter_map(|one| Some((one.value.as_str()?, one.timestamp)));
        texts.filter(move |(text, _)| Some(*text) != standing)
    }

    /// Returns what distinguishes regions of the same code: there is one reason per piece of code, but each dead end
    /// and each convention is a separate statement.
    pub(crate) fn statement(&self) -> (&str, &str) {
        let is_reason = self.kind == AnnotationKind::Reason;
        (self.kind.as_str(), if is_reason { "" } else { &self.intent })
    }

    /// Returns whether the whole region, as written at `written`, was superseded. A later statement about the code is
    /// valid again.
    pub fn is_superseded(&self, written: Option<Timestamp>) -> bool {
        let mut all_of_it = self.superseding().filter(|one| one.field.is_none());
        all_of_it.any(|one| one.timestamp >= written)
    }

    /// Returns whether a text of one of its fields was withdrawn.
    pub fn is_withdrawn(&self, field: &str, text: &str) -> bool {
        self.superseding().any(|one| one.field.as_deref() == Some(field) && one.text == text)
    }

    /// Returns the last day of validity, if the newest statement sets one. A day that only an earlier statement set
    /// does not count.
    pub fn last_day(&self) -> Option<Date> {
        let is_earlier = |until: &Date| {
            let day = until.to_string();
            self.earlier.iter().any(|one| one.field == "until" && one.value.as_str() == Some(&day))
        };
        self.until.filter(|until| !is_earlier(until))
    }

    /// Returns whether its last day has passed.
    pub fn is_expired(&self, today: Date) -> bool {
        self.last_day().is_some_and(|last| last < today)
    }

    /// Returns the region without withdrawn texts; a copy only if there are any.
    #[must_use]
    pub fn without_withdrawn(&self) -> Cow<'_, Self> {
        if self.superseding().next().is_none() {
            return Cow::Borrowed(self);
        }
        let mut region = self.clone();
        region.constraints.retain(|one| !self.is_withdrawn("constraints", &one.text));
        region.reasoning = region.reasoning.filter(|text| !self.is_withdrawn("reasoning", text));
        region.risk_notes = region.risk_notes.filter(|text| !self.is_withdrawn("risk_notes", text));
        Cow::Owned(region)
    }

    fn superseding(&self) -> impl Iterator<Item = &Correction> {
        self.corrections.iter().filter(|one| one.kind == CorrectionKind::Supersede)
    }

    /// Returns the number of flags.
    pub fn n_flags(&self) -> usize {
        self.corrections.iter().filter(|correction| correction.kind == CorrectionKind::Flag).count()
    }
}

/// Returns whether two names are equal, or one is a suffix of the other with fewer owners.
pub fn is_same_name(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with("::") || rest.ends_with('.'))
    };
    ends(one, other) || ends(other, one)
}

impl fmt::Display for Lines {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.start, self.end)
    }
}
