//! Annotations: why code is as it is. One note belongs to one commit and says it region by region.
//!
//! These are the values; how they stand in git is `store::format::annotation`. What a newer writer added is carried in
//! `extra` and must never be dropped. Whoever makes a value sorts the keys of what is in `extra` (`Value::sort_all_objects`),
//! so that equal notes are equal bytes.

mod merge;
mod registers;
mod squash;

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

pub use merge::merge;
pub use squash::squash;

/// What this version does not know of a part of a note, by key.
pub type Extra = BTreeMap<String, Value>;

/// Makes an enum of the words a contract fixes that also carries every other word it meets.
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
            /// Returns the word as it is written.
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
    /// Who knew what the note says.
    ContextLevel {
        /// Guessed from the change alone.
        Inferred = "inferred",
        /// Told by whoever made the change.
        Enhanced = "enhanced",
    }
}

open_words! {
    /// Where a constraint comes from. An author's outranks a guess.
    Source {
        /// Guessed from the code.
        Inferred = "inferred",
        /// Said by the author.
        Author = "author",
    }
}

open_words! {
    /// How a note came to its commit.
    Operation {
        /// Written for it.
        Initial = "initial",
        /// Made of the notes of commits that were squashed into it.
        Squash = "squash",
        /// Carried over from the commit it replaces.
        Amend = "amend",
    }
}

open_words! {
    /// What a correction does.
    CorrectionKind {
        /// Says that something is wrong.
        Flag = "flag",
        /// Says what is right instead.
        Correct = "correct",
        /// Says that it no longer holds: all of it, or one text of a field.
        Supersede = "supersede",
    }
}

open_words! {
    /// What sort of knowledge a region is.
    AnnotationKind {
        /// Why code is as it is.
        Reason = "reason",
        /// What was tried and rejected.
        DeadEnd = "dead_end",
        /// What holds for all code below a folder.
        Convention = "convention",
    }
}

/// The note of one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The commit it is about, in hexadecimal.
    pub commit: String,
    /// When it was written, if it says so.
    pub timestamp: Option<Timestamp>,
    /// The work it was done for.
    pub task: Option<String>,
    /// The change in a sentence.
    pub summary: String,
    /// Who knew what it says.
    pub context_level: ContextLevel,
    /// What it says, region by region.
    pub regions: Vec<Region>,
    /// What concerns several regions at once; its shape is the writer's own.
    pub cross_cutting: Vec<Value>,
    /// How it came to its commit.
    pub provenance: Provenance,
    /// What its fields said before.
    pub earlier: Vec<Earlier>,
    /// What this version does not know.
    pub extra: Extra,
}

/// What a note says about one piece of code.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The file at the note's commit, relative to the top of the repository.
    pub file: String,
    /// The function or type, empty when only lines are meant.
    pub anchor: Anchor,
    /// The lines at the note's commit.
    pub lines: Option<Lines>,
    /// When it was written, when that is not when the note was: after a merge or a squash. Use [`Note::time_of`].
    pub timestamp: Option<Timestamp>,
    /// Who knew it, when that is not what the note says. Use [`Note::context_of`].
    pub context_level: Option<ContextLevel>,
    /// What sort of knowledge it is.
    pub kind: AnnotationKind,
    /// The last day it is meant for. Use [`Region::last_day`].
    pub until: Option<Date>,
    /// What the code is for; of a dead end what was tried, of a convention what holds.
    pub intent: String,
    /// Why it is done this way; of a dead end why it was rejected.
    pub reasoning: Option<String>,
    /// What must stay true.
    pub constraints: Vec<Constraint>,
    /// What it assumes about other code.
    pub semantic_dependencies: Vec<Dependency>,
    /// What may go wrong.
    pub risk_notes: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Other annotations to read with it.
    pub related_annotations: Vec<Related>,
    /// What others said about it later.
    pub corrections: Vec<Correction>,
    /// What its fields said before. Use [`Region::earlier_texts`] for what no longer stands.
    pub earlier: Vec<Earlier>,
    /// What this version does not know.
    pub extra: Extra,
}

/// A value that a field of a note or a region had. One that still stands is listed when it is older than its region.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    /// The key; keys inside an object are joined by a slash, as in `ast_anchor/signature`.
    pub field: String,
    /// What it said.
    pub value: Value,
    /// When that was said last.
    pub timestamp: Option<Timestamp>,
    /// What this version does not know.
    pub extra: Extra,
}

/// The name of a piece of code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Anchor {
    /// What it is: `function`, `struct`, …
    pub kind: String,
    /// Its qualified name.
    pub name: String,
    /// Its first line or lines.
    pub signature: Option<String>,
    /// What this version does not know.
    pub extra: Extra,
}

/// Lines from the first to the last, both included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// The first.
    pub start: u32,
    /// The last.
    pub end: u32,
}

/// Something that must stay true.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// What.
    pub text: String,
    /// Who says so.
    pub source: Source,
    /// What this version does not know.
    pub extra: Extra,
}

/// What one piece of code assumes about another.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// The other's file.
    pub file: String,
    /// The other's name.
    pub anchor: String,
    /// What is assumed.
    pub nature: String,
    /// What this version does not know.
    pub extra: Extra,
}

/// Another annotation to read.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    /// The commit whose note it is in.
    pub commit: String,
    /// Which of its regions.
    pub anchor: String,
    /// How the two are related.
    pub relationship: String,
    /// What this version does not know.
    pub extra: Extra,
}

/// What someone said later about a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// Its name for life, by which clones know it as one. Empty in notes of writers that give none.
    pub id: String,
    /// What it does.
    pub kind: CorrectionKind,
    /// Which field of the region is meant, if one is.
    pub field: Option<String>,
    /// What is said.
    pub text: String,
    /// By whom.
    pub author: String,
    /// When.
    pub timestamp: Option<Timestamp>,
    /// What this version does not know.
    pub extra: Extra,
}

/// How a note came to its commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// By what.
    pub operation: Operation,
    /// The commits whose notes went into it.
    pub derived_from: Vec<String>,
    /// Whether everything those notes said is still in it.
    pub original_annotations_preserved: bool,
    /// What was left out or put together, in words.
    pub synthesis_notes: Option<String>,
    /// What this version does not know.
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
    /// Makes an empty note, written for its commit.
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

    /// Returns when a region of this note was written.
    pub fn time_of(&self, region: &Region) -> Option<Timestamp> {
        region.timestamp.or(self.timestamp)
    }

    /// Returns the lines of a region at `commit`, whose note this is; `None` also when they are those of another commit. Git
    /// itself copies notes to rewritten commits as they are (`notes.rewriteRef`), where the code may have moved.
    pub fn lines_at(&self, commit: &str, region: &Region) -> Option<Lines> {
        region.lines.filter(|_| !self.is_copied_to(commit))
    }

    /// Tells whether it, or a part of it, was written for another commit. A note that was carried names its new commit.
    fn is_copied_to(&self, commit: &str) -> bool {
        let is_foreign = !self.commit.is_empty() && !commit.starts_with(&self.commit);
        is_foreign || self.provenance.derived_from.iter().any(|part| part == commit)
    }

    /// Returns who knew what a region of this note says.
    pub fn context_of<'a>(&'a self, region: &'a Region) -> &'a ContextLevel {
        region.context_level.as_ref().unwrap_or(&self.context_level)
    }
}

impl Region {
    /// Makes a region that says only what the code is for.
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

    /// Returns what a field said before and no longer says, oldest first.
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

    /// Returns what tells it from other regions of the same code: one reason is told of a piece of code, but each dead end
    /// and each convention is a statement of its own.
    pub(crate) fn statement(&self) -> (&str, &str) {
        let is_reason = self.kind == AnnotationKind::Reason;
        (self.kind.as_str(), if is_reason { "" } else { &self.intent })
    }

    /// Tells whether all of it, as written at `written`, was superseded. What is said of it after that stands again.
    pub fn is_superseded(&self, written: Option<Timestamp>) -> bool {
        let mut all_of_it = self.superseding().filter(|one| one.field.is_none());
        all_of_it.any(|one| one.timestamp >= written)
    }

    /// Tells whether a text of one of its fields was withdrawn.
    pub fn is_withdrawn(&self, field: &str, text: &str) -> bool {
        self.superseding().any(|one| one.field.as_deref() == Some(field) && one.text == text)
    }

    /// Returns its last day, if the newest that is said of the code names one. A day that only an earlier statement named
    /// does not count: what is said after it stands again.
    pub fn last_day(&self) -> Option<Date> {
        let is_earlier = |until: &Date| {
            let day = until.to_string();
            self.earlier.iter().any(|one| one.field == "until" && one.value.as_str() == Some(&day))
        };
        self.until.filter(|until| !is_earlier(until))
    }

    /// Tells whether its last day has passed.
    pub fn is_expired(&self, today: Date) -> bool {
        self.last_day().is_some_and(|last| last < today)
    }

    /// Returns the region without what was withdrawn from it.
    #[must_use]
    pub fn without_withdrawn(&self) -> Self {
        let mut region = self.clone();
        region.constraints.retain(|one| !self.is_withdrawn("constraints", &one.text));
        region.reasoning = region.reasoning.filter(|text| !self.is_withdrawn("reasoning", text));
        region.risk_notes = region.risk_notes.filter(|text| !self.is_withdrawn("risk_notes", text));
        region
    }

    fn superseding(&self) -> impl Iterator<Item = &Correction> {
        self.corrections.iter().filter(|one| one.kind == CorrectionKind::Supersede)
    }

    /// Returns how many flags were raised on it.
    pub fn n_flags(&self) -> usize {
        self.corrections.iter().filter(|correction| correction.kind == CorrectionKind::Flag).count()
    }
}

/// Tells whether two names mean the same: equal, or one the end of the other, with fewer owners in front.
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
