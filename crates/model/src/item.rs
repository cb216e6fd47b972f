//! A piece of work: an entity of one of the item kinds, with typed fields.
//!
//! Reading never fails: a field with a value of the wrong type stays in `extra`, like unknown fields, so that it is
//! kept and can be shown.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use crate::comment::Comment;
use crate::entity::Entity;
use crate::id::EntityId;
use crate::link::{LinkKind, is_commit_id};
use crate::member::Member;
use crate::names::{names, unknown};
use crate::person::Person;
use crate::rank::Rank;
use crate::size::Size;
use crate::value_error::ValueError;

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// A problem or a question.
    Issue,
    /// A task.
    Task,
    /// A user story.
    Story,
    /// A group of stories.
    Epic,
    /// A date or a release that work is planned for.
    Milestone,
    /// A board with columns of items.
    Board,
}

names!(ItemKind: Issue = "issue", Task = "task", Story = "story", Epic = "epic", Milestone = "milestone", Board = "board");

impl ItemKind {
    /// Returns the name with its article: `an issue`, `a task`.
    pub fn with_article(self) -> String {
        let article = if matches!(self, Self::Issue | Self::Epic) { "an" } else { "a" };
        format!("{article} {}", self.name())
    }

    /// Returns whether it is work that one person can do, rather than a collection of other items.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Issue | Self::Task | Self::Story)
    }
}

impl FromStr for ItemKind {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wanted = text.to_lowercase();
        let is_wanted = |kind: &Self| kind.name() == wanted || plural(kind.name()) == wanted;
        Self::ALL.into_iter().find(is_wanted).ok_or_else(|| unknown("kind", text, Self::ALL.map(Self::name)))
    }
}

fn plural(name: &str) -> String {
    name.strip_suffix('y').map_or_else(|| format!("{name}s"), |stem| format!("{stem}ies"))
}

/// An item with all its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Unique id, never reused.
    pub id: EntityId,
    /// The kind.
    pub kind: ItemKind,
    /// Title, one line.
    pub title: String,
    /// Markdown; may be empty.
    pub description: String,
    /// A status of the kind's workflow.
    pub status: String,
    /// Sorted.
    pub labels: Vec<String>,
    /// The primary assignee.
    pub assignee: Option<Person>,
    /// All assignees, the primary one first.
    pub assignees: Vec<Person>,
    /// The author.
    pub author: Person,
    /// 0 (none) to 10 (highest).
    pub priority: u8,
    /// Size.
    pub size: Option<Size>,
    /// Severity, in the team's words.
    pub severity: Option<String>,
    /// Type within its kind, such as `bug`.
    pub type_: Option<String>,
    /// Its board.
    pub board: Option<EntityId>,
    /// Its milestone.
    pub milestone: Option<EntityId>,
    /// Its parent.
    pub parent: Option<EntityId>,
    /// Items that this one blocks.
    pub blocks: Vec<EntityId>,
    /// Related items.
    pub relates: Vec<EntityId>,
    /// Code it is about, as `path` or `path:anchor`.
    pub touches: Vec<String>,
    /// Commits that someone linked, by full id.
    pub commits: Vec<String>,
    /// Commits whose messages closed it, by full id; each closes it only once.
    pub closed_by: Vec<String>,
    /// Why it is blocked, if something outside of the tracker blocks it; empty without a reason.
    pub blocked: Option<String>,
    /// Whether it was approved.
    pub approved: bool,
    /// Start date.
    pub started: Option<Date>,
    /// Expected completion date.
    pub expected: Option<Date>,
    /// Completion date.
    pub completed: Option<Date>,
    /// Due date.
    pub due: Option<Date>,
    /// `#rrggbb`.
    pub color: Option<String>,
    /// Its rank in the order of cards, once it was moved.
    pub rank: Option<Rank>,
    /// Oldest first.
    pub comments: Vec<Comment>,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Whether a tombstone hides it.
    pub deleted: bool,
    /// A short hash of this state.
    pub revision: String,
    /// Unknown fields and sets, and those with invalid values.
    pub extra: BTreeMap<String, Value>,
}

impl Item {
    /// Reads an item from its entity; `None` if the entity is not an item or its creation has not arrived.
    pub fn from_entity(entity: &Entity) -> Option<Self> {
        let creation = entity.creation()?;
        let kind = ItemKind::ALL.into_iter().find(|kind| kind.name() == creation.kind)?;
        let mut fields = Fields::of(entity);
        let assignee = fields.text("assignee").map(|text| Person::parse(&text));
        let others = fields.set(ASSIGNEES);
        Some(Self {
            id: entity.id,
            kind,
            title: fields.text("title").unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
            status: fields.text("status").unwrap_or_default(),
            labels: fields.set("labels"),
            assignees: all_assignees(assignee.as_ref(), &others),
            assignee,
            author: creation.by.clone(),
            priority: fields.priority(),
            size: fields.size(),
            severity: fields.text("severity"),
            type_: fields.text("type"),
            board: fields.parsed("board"),
            milestone: fields.parsed("milestone"),
            parent: fields.parsed("parent"),
            blocks: fields.links(LinkKind::Blocks),
            relates: fields.links(LinkKind::Relates),
            touches: fields.set("touches"),
            commits: fields.commits(LinkKind::Commits.name()),
            closed_by: fields.commits(CLOSED_BY),
            blocked: fields.blocked(),
            approved: fields.flag("approved"),
            started: fields.date("started"),
            expected: fields.date("expected"),
            completed: fields.date("completed"),
            due: fields.date("due"),
            color: fields.text("colour"),
            rank: fields.parsed("rank"),
            comments: entity.comments(),
            created: creation.at,
            updated: entity.last_change().map_or(creation.at, |(at, _)| at),
            deleted: entity.is_deleted(),
            revision: entity.revision(),
            extra: fields.rest(),
        })
    }
}

/// The set of assignees other than the primary one.
pub const ASSIGNEES: &str = "assignees";

/// The set of commits whose messages closed the item.
pub const CLOSED_BY: &str = "closedBy";

/// Returns all assignees without duplicates: the primary one, then the others by name.
pub fn all_assignees(assignee: Option<&Person>, others: &[String]) -> Vec<Person> {
    let mut everyone: Vec<Person> = assignee.cloned().into_iter().collect();
    for other in others.iter().map(|text| Person::parse(text)) {
        let is_known = |known: &Person| Member::id_of(known) == Member::id_of(&other);
        if !other.short().is_empty() && !everyone.iter().any(is_known) {
            everyone.push(other);
        }
    }
    everyone
}

/// Reads fields one by one and tracks which were understood.
struct Fields<'a> {
    entity: &'a Entity,
    /// A list, not a map: an item has about ten fields, and an index build reads them for every item.
    unread: Vec<(&'a str, &'a Value)>,
    read_sets: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    fn of(entity: &'a Entity) -> Self {
        Self { entity, unread: entity.values().collect(), read_sets: Vec::with_capacity(8) }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.unread.iter().position(|(unread, _)| *unread == name)
    }

    /// Takes the value of a field if `read` understands it; otherwise the field stays unread.
    fn take<T>(&mut self, name: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Option<T> {
        let place = self.place(name)?;
        let value = read(self.unread[place].1)?;
        self.unread.swap_remove(place);
        Some(value)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let text = self.take(name, Value::as_str)?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn parsed<T: FromStr>(&mut self, name: &str) -> Option<T> {
        self.take(name, |value| value.as_str()?.parse().ok())
    }

    // An empty text is a cleared size; an unknown one stays in `extra`.
    fn size(&mut self) -> Option<Size> {
        self.take("size", |value| (value.as_str() == Some("")).then_some(()));
        self.parsed("size")
    }

    // Only plain `YYYY-MM-DD`: other forms of a date would not sort as text, which the index relies on.
    fn date(&mut self, name: &str) -> Option<Date> {
        let is_plain = |text: &&str| text.len() == 10 && text.is_ascii() && !text.starts_with('-');
        self.take(name, |value| value.as_str().filter(is_plain)?.parse().ok())
    }

    fn flag(&mut self, name: &str) -> bool {
        self.take(name, Value::as_bool).unwrap_or(false)
    }

    // A reason, or just `true`.
    fn blocked(&mut self) -> Option<String> {
        let is_true = self.take("blocked", |value| (*value == Value::Bool(true)).then(String::new));
        is_true.or_else(|| self.text("blocked"))
    }

    fn priority(&mut self) -> u8 {
        let read = |value: &Value| u8::try_from(value.as_u64()?).ok().filter(|value| *value <= 10);
        self.take("priority", read).unwrap_or(0)
    }

    fn set(&mut self, name: &'static str) -> Vec<String> {
        self.read_sets.push(name);
        self.entity.set_members(name).into_iter().map(str::to_owned).collect()
    }

    fn links(&mut self, kind: LinkKind) -> Vec<EntityId> {
        self.set(kind.name()).iter().filter_map(|text| text.parse().ok()).collect()
    }

    fn commits(&mut self, name: &'static str) -> Vec<String> {
        self.set(name).into_iter().filter(|text| is_commit_id(text)).collect()
    }

    fn rest(self) -> BTreeMap<String, Value> {
        let mut rest: BTreeMap<String, Value> =
            self.unread.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
        for name in self.entity.set_names().filter(|name| !self.read_sets.contains(name)) {
            let members = self.entity.set_members(name);
            if !members.is_empty() {
                rest.entry(name.to_owned()).or_insert_with(|| members.into());
            }
        }
        rest
    }
}
