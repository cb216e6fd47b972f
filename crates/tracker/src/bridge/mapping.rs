//! The mapping between both sides: converts local and remote items into the terms of `shape`, and back.
//!
//! Invariant: a pulled item converts back to the same terms; otherwise every pull would find a change.

use std::collections::{BTreeMap, BTreeSet};

use app::plan::remove_assignee;
use app::plan::set;
use jiff::civil::Date;
use model::entity::Entity;
use model::id::EntityId;
use model::item::{ASSIGNEES, Item};
use model::number::ItemNumber;
use model::op::Change;
use model::person::Person;
use model::size::Size;
use model::text::TITLE_LIMIT;
use model::workflow::State;
use serde_json::Value;
use taiga::dto::Milestone;

use super::compare::{self, Difference, Verdict};
use super::field_set::{AgreedFingerprints, FieldSet, Key};
use super::kind::BridgedKind;
use super::link::RemoteRef;
use super::people::{self, People};
use super::statuses::Statuses;
use crate::Kind;
use crate::Priority;
use crate::mapping::item::RemoteItem;
use crate::mapping::lookup_table::{LookupTable, Priorities};
use crate::mapping::points::{PointScale, size_of};

/// The data needed to convert an item into shared terms.
#[derive(Debug, Clone)]
pub(super) struct BridgeMapping {
    pub(super) remote_ref: RemoteRef,
    pub(super) statuses: BTreeMap<Kind, Statuses>,
    pub(super) severities: LookupTable,
    pub(super) types: LookupTable,
    pub(super) priorities: Priorities,
    pub(super) points: PointScale,
    pub(super) people: People,
    pub(super) ids: Ids,
}

/// The mapping between local and remote item ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids {
    there: BTreeMap<EntityId, (BridgedKind, u64)>,
    here: BTreeMap<(BridgedKind, u64), EntityId>,
    /// The locally deleted items.
    deleted: BTreeSet<EntityId>,
    /// The numbers of local items, for reports.
    references: BTreeMap<EntityId, ItemNumber>,
}

impl Ids {
    pub(super) fn add(&mut self, here: EntityId, kind: BridgedKind, there: u64) {
        self.there.insert(here, (kind, there));
        self.here.insert((kind, there), here);
    }

    /// Records the number of a local item, and whether it is deleted.
    pub(super) fn record_reference(&mut self, here: EntityId, reference: ItemNumber, is_deleted: bool) {
        self.references.insert(here, reference);
        if is_deleted {
            self.deleted.insert(here);
        }
    }

    pub(super) fn mention(&self, here: EntityId) -> String {
        self.references.get(&here).map_or_else(|| "an item that is not here".to_owned(), ItemNumber::to_string)
    }

    pub(super) fn remote(&self, here: EntityId, kind: impl Into<BridgedKind>) -> Option<u64> {
        let kind = kind.into();
        self.there.get(&here).filter(|(own, _)| *own == kind).map(|(_, id)| *id)
    }

    pub(super) fn local(&self, kind: impl Into<BridgedKind>, there: u64) -> Option<EntityId> {
        self.here.get(&(kind.into(), there)).copied()
    }
}

/// Prefix of the term for an item that is not on the server.
const ONLY_HERE: &str = "here:";

impl BridgeMapping {
    /// Terms without a server: enough to detect local changes, since those are compared by local spelling.
    pub(super) fn offline(remote_ref: RemoteRef) -> Self {
        Self {
            remote_ref,
            statuses: BTreeMap::new(),
            severities: LookupTable::default(),
            types: LookupTable::default(),
            priorities: Priorities::default(),
            points: PointScale::default(),
            people: People::default(),
            ids: Ids::default(),
        }
    }

    /// Converts a remote item. `parent` is its local parent: a story can be in several epics in Taiga, and while that
    /// one is among them nothing has changed.
    pub(super) fn of_remote(&self, remote: &RemoteItem, parent: Option<EntityId>) -> FieldSet {
        let kind = BridgedKind::from(remote.kind());
        let core = remote.core();
        let mut shape = FieldSet::default();
        shape.set(Key::Subject, subject(&core.subject));
        match &core.description {
            Some(text) => shape.set(Key::Description, without_nul(text)),
            // A list row does not contain it.
            None => shape.set_unknown(Key::Description),
        }
        let status = core.status.map(|id| id.0).filter(|id| self.statuses(kind).is_some_and(|known| known.has(*id)));
        shape.set(Key::Status, status);
        let username = core.assigned_to_extra_info.as_ref().map(|user| user.username.as_str());
        shape.set(Key::Assignee, core.assigned_to.map(|id| self.people.term(id.0, username)));
        shape.set(Key::Blocked, core.is_blocked.then(|| without_nul(core.blocked_note.trim())));
        for tag in core.tags.iter().map(|tag| without_nul(tag.name.trim()).to_lowercase()) {
            if !tag.is_empty() && !Priority::is_tag(&tag) {
                shape.set(Key::Tag(tag), true);
            }
        }
        if let RemoteItem::Issue(issue) = remote {
            let own = |lookup_table: &LookupTable, id: Option<u64>| id.filter(|id| lookup_table.has(*id));
            shape.set(Key::Severity, own(&self.severities, issue.severity.map(|id| id.0)));
            shape.set(Key::Type, own(&self.types, issue.issue_type.map(|id| id.0)));
            shape.set(Key::Priority, issue.priority.and_then(|id| self.priorities.canonical(id.0)));
        } else {
            let urgent = Priority::of_tags(core.tags.iter().map(|tag| tag.name.as_str()));
            shape.set(Key::Priority, urgent.map(Priority::name));
        }
        if let RemoteItem::Epic(epic) = remote {
            shape.set(Key::Color, epic.color.as_deref().and_then(hex_color));
        } else {
            shape.set(Key::Due, remote.due().map(|date| date.to_string()));
        }
        if let RemoteItem::Story(story) = remote {
            shape.set(Key::Size, story.total_points.and_then(size_of).map(Size::name));
            for user in story.assigned_users.iter().filter(|user| Some(**user) != core.assigned_to) {
                if let Some(person) = self.people.person(&user.0.into(), None) {
                    shape.set(Key::CoAssignee(people::key(&person)), user.0);
                }
            }
        }
        if has_own_sprint(kind, remote.parents().is_empty()) {
            let sprint = remote.sprint().filter(|id| self.ids.local(BridgedKind::Sprint, *id).is_some());
            shape.set(Key::Sprint, sprint);
        }
        if let Some(above) = parent_kind(kind) {
            let own = parent.and_then(|parent| self.ids.remote(parent, above));
            let mut parents = remote.parents();
            parents.retain(|id| self.ids.local(above, *id).is_some());
            let same = own.filter(|own| parents.contains(own));
            shape.set(Key::Parent, same.or_else(|| parents.into_iter().min()));
        }
        shape
    }

    pub(super) fn of_sprint(sprint: &Milestone) -> FieldSet {
        let mut shape = FieldSet::default();
        shape.set(Key::Subject, subject(&sprint.name));
        shape.set(Key::Start, sprint.estimated_start.to_string());
        shape.set(Key::Due, sprint.estimated_finish.to_string());
        shape.set(Key::Status, sprint.closed);
        shape
    }

    /// Converts a local item. Only the state of a milestone is used.
    pub(super) fn of_local(&self, kind: BridgedKind, item: &Item, state: State) -> FieldSet {
        let mut shape = FieldSet::default();
        let date = |date: Option<Date>| date.map(|date| date.to_string());
        shape.set(Key::Subject, item.title.as_str());
        if kind == BridgedKind::Sprint {
            shape.set(Key::Start, date(item.started));
            shape.set(Key::Due, date(item.due));
            shape.set(Key::Status, state == State::Closed);
            return shape;
        }
        shape.set(Key::Description, item.description.as_str());
        let status = self.statuses(kind).and_then(|known| known.id(&item.status));
        shape.set_worded(Key::Status, status, item.status.as_str());
        let assignee = item.assignee.as_ref();
        shape.set_worded(Key::Assignee, assignee.map(|person| self.people.term_of(person)), assignee.map(people::key));
        shape.set(Key::Blocked, item.blocked.as_deref().map(str::trim));
        for tag in item.labels.iter().map(|label| label.trim().to_lowercase()) {
            if !tag.is_empty() && !Priority::is_tag(&tag) {
                shape.set(Key::Tag(tag), true);
            }
        }
        if kind == Kind::Issue {
            let (severity, type_) = (item.severity.as_deref(), item.type_.as_deref());
            shape.set_worded(Key::Severity, graded(&self.severities, severity), severity);
            shape.set_worded(Key::Type, graded(&self.types, type_), type_);
            shape.set_worded(Key::Priority, self.priorities.id(item.priority), item.priority);
        } else {
            shape.set(Key::Priority, Priority::from_number(item.priority).map(Priority::name));
        }
        if kind == Kind::Epic {
            shape.set(Key::Color, item.color.as_deref().and_then(hex_color));
        } else {
            shape.set(Key::Due, date(item.due));
        }
        if kind == Kind::Story {
            for person in item.assignees.iter().filter(|person| Some(*person) != item.assignee.as_ref()) {
                // The local spelling is constant: an offline comparison does not know the user id.
                let key = Key::CoAssignee(self.people.key_of(person));
                shape.set_worded(key, self.people.term_of(person), true);
            }
            shape.set(Key::Size, item.size.map(Size::name));
        }
        if has_own_sprint(kind, item.parent.is_none()) {
            let word = item.milestone.map(|id| id.to_string());
            shape.set_worded(Key::Sprint, item.milestone.map(|id| self.reference(BridgedKind::Sprint, id)), word);
        }
        if let Some(above) = parent_kind(kind) {
            let word = item.parent.map(|id| id.to_string());
            shape.set_worded(Key::Parent, item.parent.map(|id| self.reference(above, id)), word);
        }
        shape
    }

    /// Returns the remote id of a local item; `null` if it is deleted on both sides.
    fn reference(&self, kind: BridgedKind, id: EntityId) -> Value {
        match self.ids.remote(id, kind) {
            Some(there) => there.into(),
            None if self.ids.deleted.contains(&id) => Value::Null,
            None => format!("{ONLY_HERE}{id}").into(),
        }
    }

    /// Returns the local spelling of a remote value, as `of_local` will give it after the pull.
    pub(super) fn word(&self, kind: BridgedKind, key: &Key, value: &Value, name: Option<&str>) -> Value {
        match key {
            Key::Assignee => self.people.person(value, name).as_ref().map(people::key).into(),
            Key::Priority if kind != Kind::Issue => value.clone(),
            Key::CoAssignee(_) if !value.is_null() => true.into(),
            Key::Status if kind == BridgedKind::Sprint => value.clone(),
            Key::Status | Key::Severity | Key::Type | Key::Priority | Key::Parent | Key::Sprint => {
                self.field(kind, key, value, name).map_or(Value::Null, |(_, word)| word)
            }
            _ => value.clone(),
        }
    }

    /// Returns the differences for a pull. A local status can correspond to the remote one by an earlier name, or only
    /// by category: if it is unchanged here and was renamed or moved in Taiga, the remote change is applied.
    pub(super) fn differences(
        &self,
        kind: BridgedKind,
        base: &AgreedFingerprints,
        local: &FieldSet,
        remote: &FieldSet,
        name: Option<&str>,
    ) -> Vec<Difference> {
        let mut differences = compare::compare(base, local, remote);
        for key in [Key::Status, Key::Severity, Key::Type] {
            let (own, value) = (local.word(&key), remote.get(&key));
            let is_same = local.get(&key) == value && !value.is_null() && kind != BridgedKind::Sprint;
            if !is_same || !base.is_here(&key, local) || *own == self.word(kind, &key, value, name) {
                continue;
            }
            let is_former = |name: &str| self.statuses(kind).is_some_and(|statuses| statuses.is_former(name));
            let is_renamed = key == Key::Status && own.as_str().is_some_and(is_former);
            if is_renamed || !base.is_there(&key, value) {
                let (local, remote) = (value.clone(), value.clone());
                differences.push(Difference { key, verdict: Verdict::Remote, local, remote });
            }
        }
        differences
    }

    /// Returns the base after both sides agree on the remote values.
    pub(super) fn agree_on(
        &self,
        kind: impl Into<BridgedKind>,
        remote: &FieldSet,
        name: Option<&str>,
    ) -> AgreedFingerprints {
        let (kind, mut base) = (kind.into(), AgreedFingerprints::default());
        for (key, value) in remote.iter() {
            base.agree(key, value, &self.word(kind, key, value, name));
        }
        base
    }

    pub(super) fn statuses(&self, kind: BridgedKind) -> Option<&Statuses> {
        self.statuses.get(&kind.work()?)
    }

    /// Returns the local field and value for a remote value; `None` for tags, and for values that the server does not
    /// provide.
    pub(super) fn field(
        &self,
        kind: BridgedKind,
        key: &Key,
        value: &Value,
        name: Option<&str>,
    ) -> Option<(&'static str, Value)> {
        let id = value.as_u64();
        let field = match key {
            Key::Subject => ("title", value.clone()),
            Key::Description => ("description", none_if_empty(value)),
            Key::Status if kind == BridgedKind::Sprint => {
                ("status", if *value == true { "closed" } else { "open" }.into())
            }
            Key::Status => ("status", self.statuses(kind)?.name(id?)?.into()),
            Key::Assignee => ("assignee", self.people.person(value, name).map(|person| person.to_string()).into()),
            Key::Priority if kind == Kind::Issue => ("priority", self.priorities.number(id?)?.into()),
            Key::Priority => ("priority", value.as_str().and_then(Priority::try_parse).map(Priority::number).into()),
            Key::Severity => ("severity", self.severities.name(id?)?.into()),
            Key::Type => ("type", self.types.name(id?)?.into()),
            // A reason, or only the fact.
            Key::Blocked if value.as_str() == Some("") => ("blocked", true.into()),
            Key::Blocked => ("blocked", value.clone()),
            Key::Start => ("started", value.clone()),
            Key::Due => ("due", value.clone()),
            Key::Size => ("size", value.clone()),
            Key::Color => ("colour", value.clone()),
            Key::Parent => ("parent", self.local_id(parent_kind(kind)?, id)),
            Key::Sprint => ("milestone", self.local_id(BridgedKind::Sprint, id)),
            Key::Tag(_) | Key::CoAssignee(_) => return None,
        };
        Some(field)
    }

    fn local_id(&self, kind: BridgedKind, id: Option<u64>) -> Value {
        id.and_then(|id| self.ids.local(kind, id)).map(|id| id.to_string()).into()
    }

    /// Returns the local changes that apply a remote value.
    pub(super) fn changes(
        &self,
        kind: BridgedKind,
        entity: &Entity,
        key: &Key,
        value: &Value,
        name: Option<&str>,
    ) -> Vec<Change> {
        if let Key::Tag(tag) = key {
            return if value.is_null() { removals(entity, tag) } else { vec![addition(tag)] };
        }
        if let Key::CoAssignee(key) = key {
            return self.co_assignee_changes(entity, key, value);
        }
        self.field(kind, key, value, name).map(|(field, value)| set(field, value)).into_iter().collect()
    }

    fn co_assignee_changes(&self, entity: &Entity, key: &str, value: &Value) -> Vec<Change> {
        if let Some(person) = self.people.person(value, None) {
            return vec![Change::Add { field: ASSIGNEES.to_owned(), value: person.to_string() }];
        }
        let members = entity.set_members(ASSIGNEES).into_iter().map(Person::parse);
        let theirs = members.filter(|person| self.people.key_of(person) == key);
        theirs.flat_map(|person| remove_assignee(entity, &person)).collect()
    }

    /// Returns why a value cannot be sent; `None` if it can. `is_coming` returns whether an item will exist on the
    /// server in time.
    pub(super) fn unsendable(
        &self,
        kind: BridgedKind,
        key: &Key,
        value: &Value,
        is_coming: impl Fn(EntityId) -> bool,
    ) -> Option<String> {
        let text = value.as_str().unwrap_or_default();
        match key {
            Key::Assignee => match value {
                Value::Number(id) if !id.as_u64().is_some_and(|id| self.people.is_member(id)) => {
                    Some("the assignee is no longer a member of the project there".to_owned())
                }
                Value::String(who) => Some(format!("`{who}` is not a member of the project there")),
                _ => None,
            },
            Key::CoAssignee(_) if value.is_string() => Some(format!("`{text}` is not a member of the project there")),
            Key::Severity if value.is_string() => {
                Some(format!("the project there has no severity `{text}`; it has {}", self.severities.names()))
            }
            Key::Type if value.is_string() => {
                Some(format!("the project there has no type `{text}`; it has {}", self.types.names()))
            }
            Key::Tag(tag) if tag.contains(',') => {
                Some(format!("the label `{tag}` contains a comma, which no tag there may"))
            }
            Key::Size if self.points.for_size(&BTreeMap::new(), value.as_str().and_then(Size::from_name)).is_none() => {
                Some(match value {
                    Value::Null => "the project there has no value for a story without points".to_owned(),
                    _ => format!("the scale of points there has none for the size `{text}`"),
                })
            }
            Key::Color if value.is_null() => Some("an epic there always has a color".to_owned()),
            Key::Parent | Key::Sprint => {
                let here = text.strip_prefix(ONLY_HERE).and_then(|id| id.parse().ok());
                here.filter(|id| !is_coming(*id)).map(|_| match (key, kind) {
                    (Key::Sprint, _) => "its milestone is not a sprint there".to_owned(),
                    (_, BridgedKind::Work(Kind::Story)) => "its parent is not an epic there".to_owned(),
                    _ => "its parent is not a story there".to_owned(),
                })
            }
            _ => None,
        }
    }

    /// Formats a value for people: names instead of ids.
    pub(super) fn show(&self, kind: BridgedKind, key: &Key, value: &Value) -> Value {
        let shown = match (key, value) {
            (_, Value::Null) => None,
            (Key::Status, Value::Number(id)) => {
                id.as_u64().and_then(|id| self.statuses(kind)?.name(id)).map(Value::from)
            }
            (Key::Assignee | Key::CoAssignee(_), _) => {
                self.people.person(value, None).map(|person| person.short().into())
            }
            (Key::Severity, Value::Number(id)) => id.as_u64().and_then(|id| self.severities.name(id)).map(Value::from),
            (Key::Type, Value::Number(id)) => id.as_u64().and_then(|id| self.types.name(id)).map(Value::from),
            (Key::Priority, Value::Number(id)) => {
                id.as_u64().and_then(|id| self.priorities.number(id)).map(Value::from)
            }
            (Key::Parent, Value::Number(id)) => {
                parent_kind(kind).zip(id.as_u64()).map(|(above, id)| self.mention_there(above, id).into())
            }
            (Key::Sprint, Value::Number(id)) => {
                id.as_u64().map(|id| self.mention_there(BridgedKind::Sprint, id).into())
            }
            (Key::Parent | Key::Sprint, Value::String(text)) => {
                let id = text.strip_prefix(ONLY_HERE).and_then(|id| id.parse().ok());
                id.map(|id| self.ids.mention(id).into())
            }
            _ => None,
        };
        shown.unwrap_or_else(|| value.clone())
    }
}

impl BridgeMapping {
    pub(super) fn mention_there(&self, kind: BridgedKind, id: u64) -> String {
        let here = self.ids.local(kind, id);
        here.map_or_else(|| format!("a {} that is not here", kind.name()), |here| self.ids.mention(here))
    }
}

/// Returns whether an item has its own sprint: a task with a story is in the story's sprint.
fn has_own_sprint(kind: BridgedKind, is_alone: bool) -> bool {
    match kind.work() {
        Some(Kind::Story | Kind::Issue) => true,
        Some(Kind::Task) => is_alone,
        Some(Kind::Epic) | None => false,
    }
}

/// Returns the kind of parent in Taiga.
pub(super) fn parent_kind(kind: BridgedKind) -> Option<BridgedKind> {
    match kind {
        BridgedKind::Work(Kind::Story) => Some(Kind::Epic.into()),
        BridgedKind::Work(Kind::Task) => Some(Kind::Story.into()),
        BridgedKind::Work(Kind::Epic | Kind::Issue) | BridgedKind::Sprint => None,
    }
}

/// Returns the displayed name of an assignee who is not a project member.
pub(super) fn assignee_name(remote: &RemoteItem) -> Option<&str> {
    let info = remote.core().assigned_to_extra_info.as_ref()?;
    info.full_name_display.as_deref().filter(|name| !name.is_empty()).or(Some(&info.username))
}

/// Returns the creator of an item.
pub(super) fn owner(people: &People, remote: &RemoteItem) -> Option<Person> {
    let core = remote.core();
    let info = core.owner_extra_info.as_ref();
    let term = people.term(core.owner?.0, info.map(|info| info.username.as_str()));
    people.person(&term, info.and_then(|info| info.full_name_display.as_deref()))
}

/// Parses `#rrggbb`; Taiga accepts any text as a color.
pub(super) fn hex_color(text: &str) -> Option<String> {
    let digits = text.trim().strip_prefix('#')?;
    let is_hex = digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_hex.then(|| format!("#{}", digits.to_lowercase()))
}

/// Joins a subject into one line, as titles require.
fn subject(text: &str) -> String {
    let line: Vec<&str> = text.split(['\n', '\r', '\0']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let line: String = line.join(" ").chars().take(TITLE_LIMIT).collect();
    let line = line.trim();
    if line.is_empty() { "(no subject)".to_owned() } else { line.to_owned() }
}

/// Removes NUL characters, which texts may not contain.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

fn graded(lookup_table: &LookupTable, word: Option<&str>) -> Value {
    match lookup_table.id(word) {
        Some(id) => id.into(),
        // Unknown on the server: it can be compared, but not sent.
        None => word.into(),
    }
}

fn none_if_empty(value: &Value) -> Value {
    if value.as_str() == Some("") { Value::Null } else { value.clone() }
}

fn addition(tag: &str) -> Change {
    Change::Add { field: "labels".to_owned(), value: tag.to_owned() }
}

fn removals(entity: &Entity, tag: &str) -> Vec<Change> {
    let labels = entity.set_members("labels").into_iter().filter(|label| label.trim().to_lowercase() == tag);
    let remove = |label: &str| {
        let seen = entity.tags("labels", label);
        Change::Remove { field: "labels".to_owned(), value: label.to_owned(), seen }
    };
    labels.map(remove).collect()
}
