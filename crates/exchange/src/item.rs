//! What a reader makes of a source: one typed shape for all formats. It has the source's values, not yet Cairn's.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use model::item::ItemKind;
use model::label::LabelDefinition;
use serde_json::Value;

use crate::scope::Scope;

/// One thing that a reader found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Record {
    Item(Box<ImportedItem>),
    /// A comment that the source keeps apart from its item.
    Comment {
        /// The item's id in the source.
        item: String,
        comment: ImportedComment,
    },
    /// A label that the source declares, with its color and description.
    Label(LabelDefinition),
    /// A decision, which is not work but holds for the code.
    Decision(ImportedDecision),
    /// Something that is not imported.
    LeftOut(LeftOut),
}

/// A decision of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDecision {
    /// Its name, with the tool: `backlog decision-1`.
    pub name: String,
    /// What was decided.
    pub text: String,
    /// Why, and what follows from it.
    pub reasoning: Option<String>,
}

/// An item of a source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImportedItem {
    pub(crate) id: SourceId,
    /// Its number, kept if it is free here.
    pub(crate) number: Option<u64>,
    /// The address of its page.
    pub(crate) url: Option<String>,
    /// What it becomes here.
    pub(crate) kind: ItemKind,
    pub(crate) title: String,
    /// Markdown.
    pub(crate) description: String,
    pub(crate) status: ImportedStatus,
    /// From 0 (none) to 10 (highest).
    pub(crate) priority: Option<u8>,
    /// The priority as the source writes it; empty if it is written as here.
    pub(crate) priority_there: String,
    /// `small`, `medium`, `large` or `xlarge`.
    pub(crate) size: Option<String>,
    /// How bad it is.
    pub(crate) severity: Option<String>,
    /// What sort it is: bug, feature, ….
    pub(crate) type_: Option<String>,
    pub(crate) labels: Vec<String>,
    /// What the source says of these labels; a source that has colors has them at each item.
    pub(crate) label_definitions: Vec<LabelDefinition>,
    pub(crate) author: Option<ImportedPerson>,
    /// Who closed it.
    pub(crate) closed_by: Option<ImportedPerson>,
    /// Who works on it, the primary assignee first.
    pub(crate) assignees: Vec<ImportedPerson>,
    /// When it was created.
    pub(crate) created: Option<Timestamp>,
    /// When it was last changed.
    pub(crate) updated: Option<Timestamp>,
    /// When it was closed.
    pub(crate) closed: Option<Timestamp>,
    /// When work began.
    pub(crate) started: Option<Date>,
    /// When it should be finished.
    pub(crate) expected: Option<Date>,
    /// When it was finished, if the source has only the day.
    pub(crate) completed: Option<Date>,
    /// When it must be finished.
    pub(crate) due: Option<Date>,
    /// The milestone it belongs to.
    pub(crate) milestone: Option<Target>,
    /// The board it lies on.
    pub(crate) board: Option<Target>,
    /// The item it is a part of.
    pub(crate) parent: Option<Target>,
    /// Items that wait for it.
    pub(crate) blocks: Vec<Target>,
    /// Items that it waits for.
    pub(crate) blocked_by: Vec<Target>,
    /// Related items.
    pub(crate) relates: Vec<Target>,
    /// Code it is about: `path` or `path:anchor`.
    pub(crate) touches: Vec<String>,
    /// Why it is blocked; empty if the source gives no reason.
    pub(crate) blocked: Option<String>,
    /// Whether someone agreed that it should be done.
    pub(crate) approved: bool,
    /// `#rrggbb`.
    pub(crate) color: Option<String>,
    /// Its rank, in the form that Cairn itself writes.
    pub(crate) rank: Option<String>,
    /// Whether it was deleted.
    pub(crate) deleted: bool,
    /// The comments, in any order.
    pub(crate) comments: Vec<ImportedComment>,
    /// Fields that Cairn has no place for.
    pub(crate) extra: BTreeMap<String, Value>,
    /// The source it was imported from before, for items that Cairn itself exported.
    pub(crate) imported: Option<Value>,
    /// What of it is not imported.
    pub(crate) left_out: Vec<LeftOut>,
    /// Which values the source speaks about.
    pub(crate) scope: Scope,
    /// How many comments it has, if the source only counts them here.
    pub(crate) n_comments: u64,
    /// Where it is in the input, for messages: `line 3`, `tasks/task-1.md`.
    pub(crate) place: String,
}

/// The id of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SourceId {
    /// An id of the source.
    Of(String),
    /// The UUID of an item that Cairn itself exported.
    Own(model::id::EntityId),
    /// The source gives none: each import creates another item.
    None,
}

/// A reference to another item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// By its id in the source.
    Id(String),
    /// By its UUID, as Cairn itself exports it.
    Own(model::id::EntityId),
    /// As a person writes it: an id of the source, a title, or what names an item of this project.
    Text(String),
}

/// The status of an item in its source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ImportedStatus {
    /// Its name; empty if the source has only open and closed.
    pub(crate) name: String,
    /// Whether the item is closed there; `None` if only the name of the status is known.
    pub(crate) closed: Option<bool>,
    /// The source's own word for what a status of this name means, such as the category of Jira; empty if it has none.
    pub(crate) meaning: String,
}

/// A person as a source names one. Any part may be empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct ImportedPerson {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) username: String,
}

/// A comment of a source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImportedComment {
    /// Its id, unique in its item.
    pub(crate) id: SourceId,
    pub(crate) author: Option<ImportedPerson>,
    /// When it was written.
    pub(crate) created: Option<Timestamp>,
    /// Markdown.
    pub(crate) body: String,
}

/// Something that is not imported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeftOut {
    /// What: `attachment`, `pull request`, ….
    pub(crate) what: Cow<'static, str>,
    pub(crate) why: &'static str,
    pub(crate) which: String,
    /// How many there are; `which` is the first.
    pub(crate) count: usize,
}

impl LeftOut {
    /// Creates one.
    pub(crate) fn new(what: impl Into<Cow<'static, str>>, why: &'static str, which: impl Into<String>) -> Self {
        Self { what: what.into(), why, which: which.into(), count: 1 }
    }
}

impl ImportedItem {
    /// Creates an item with an id, a kind and a title.
    pub(crate) fn new(place: impl Into<String>, id: SourceId, kind: ItemKind, title: impl Into<String>) -> Self {
        Self {
            id,
            number: None,
            url: None,
            kind,
            title: title.into(),
            description: String::new(),
            status: ImportedStatus::default(),
            priority: None,
            priority_there: String::new(),
            size: None,
            severity: None,
            type_: None,
            labels: Vec::new(),
            label_definitions: Vec::new(),
            author: None,
            closed_by: None,
            assignees: Vec::new(),
            created: None,
            updated: None,
            closed: None,
            started: None,
            expected: None,
            completed: None,
            due: None,
            milestone: None,
            board: None,
            parent: None,
            blocks: Vec::new(),
            blocked_by: Vec::new(),
            relates: Vec::new(),
            touches: Vec::new(),
            blocked: None,
            approved: false,
            color: None,
            rank: None,
            deleted: false,
            comments: Vec::new(),
            extra: BTreeMap::new(),
            imported: None,
            left_out: Vec::new(),
            scope: Scope::All,
            n_comments: 0,
            place: place.into(),
        }
    }

    /// Sets the priority that a word of the source means, or notes that it means none here.
    pub(crate) fn set_priority(&mut self, there: &str, here: Option<u8>) {
        there.trim().clone_into(&mut self.priority_there);
        self.priority = here;
        if here.is_none() && !self.priority_there.is_empty() {
            let which = model::text::escape_line(there);
            self.leave_out("priority", "no priority here has this meaning", which);
        }
    }

    /// Returns whether the input names it by the UUID of an item of Cairn.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.id, SourceId::Own(_))
    }

    /// Returns everyone whom the item names.
    pub(crate) fn people(&self) -> impl Iterator<Item = &ImportedPerson> {
        let authors = self.comments.iter().filter_map(|comment| comment.author.as_ref());
        self.author.iter().chain(&self.closed_by).chain(&self.assignees).chain(authors)
    }

    /// Notes a part of the item that is not imported.
    pub(crate) fn leave_out(&mut self, what: &'static str, why: &'static str, which: impl Into<String>) {
        self.left_out.push(LeftOut::new(what, why, which));
    }
}

impl ImportedStatus {
    /// A status that has a name only.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), closed: None, meaning: String::new() }
    }

    /// A status of a source that says whether the item is closed.
    pub(crate) fn known(name: impl Into<String>, closed: bool) -> Self {
        Self { name: name.into(), closed: Some(closed), meaning: String::new() }
    }
}

impl Default for ImportedStatus {
    fn default() -> Self {
        Self::named("")
    }
}

impl ImportedPerson {
    /// A person of whom only the user name is known.
    pub(crate) fn of_username(username: &str) -> Self {
        Self { username: username.trim().trim_start_matches('@').to_owned(), ..Self::default() }
    }

    /// Parses `Name <email>`, an e-mail address, `@user` or a name.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        if text.starts_with('@') {
            return Self::of_username(text);
        }
        let person = model::person::Person::parse(text);
        Self { name: person.name().to_owned(), email: person.email().to_owned(), username: String::new() }
    }

    /// Returns the name to show: the first part that is known.
    pub(crate) fn shown(&self) -> &str {
        [&self.name, &self.username, &self.email].into_iter().find(|part| !part.is_empty()).map_or("", String::as_str)
    }

    /// Returns the person, unless nothing is known.
    pub(crate) fn known(self) -> Option<Self> {
        (!self.shown().is_empty()).then_some(self)
    }
}
