//! The mapping between both sides: converts local and remote items into the fields of `field_set`, and back.
//!
//! Invariant: a pulled item converts back to the same fields; otherwise every pull would find a change.

mod explain;
mod ids;
mod local_changes;

use std::collections::BTreeMap;

use jiff::civil::Date;
use model::id::EntityId;
use model::item::Item;
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
pub(super) use ids::Ids;

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
        let mut fields = FieldSet::default();
        fields.set(Key::Subject, subject(&core.subject));
        match &core.description {
            Some(text) => fields.set(Key::Description, without_nul(text)),
            // A list row does not contain it.
            None => fields.set_unknown(Key::Description),
        }
        let status = core.status.map(|id| id.0).filter(|id| self.statuses(kind).is_some_and(|known| known.has(*id)));
        fields.set(Key::Status, status);
        let username = core.assigned_to_extra_info.as_ref().map(|user| user.username.as_str());
        fields.set(Key::Assignee, core.assigned_to.map(|id| self.people.term(id.0, username)));
        fields.set(Key::Blocked, core.is_blocked.then(|| without_nul(core.blocked_note.trim())));
        for tag in core.tags.iter().map(|tag| without_nul(tag.name.trim()).to_lowercase()) {
            if !tag.is_empty() && !Priority::is_tag(&tag) {
                fields.set(Key::Tag(tag), true);
            }
        }
        if let RemoteItem::Issue(issue) = remote {
            let own = |lookup_table: &LookupTable, id: Option<u64>| id.filter(|id| lookup_table.has(*id));
            fields.set(Key::Severity, own(&self.severities, issue.severity.map(|id| id.0)));
            fields.set(Key::Type, own(&self.types, issue.issue_type.map(|id| id.0)));
            fields.set(Key::Priority, issue.priority.and_then(|id| self.priorities.canonical(id.0)));
        } else {
            let urgent = Priority::of_tags(core.tags.iter().map(|tag| tag.name.as_str()));
            fields.set(Key::Priority, urgent.map(Priority::name));
        }
        if let RemoteItem::Epic(epic) = remote {
            fields.set(Key::Color, epic.color.as_deref().and_then(hex_color));
        } else {
            fields.set(Key::Due, remote.due().map(|date| date.to_string()));
        }
        if let RemoteItem::Story(story) = remote {
            fields.set(Key::Size, story.total_points.and_then(size_of).map(Size::name));
            for user in story.assigned_users.iter().filter(|user| Some(**user) != core.assigned_to) {
                if let Some(person) = self.people.person(&user.0.into(), None) {
                    fields.set(Key::CoAssignee(people::key(&person)), user.0);
                }
            }
        }
        if has_own_sprint(kind, remote.parents().is_empty()) {
            let sprint = remote.sprint().filter(|id| self.ids.local(BridgedKind::Sprint, *id).is_some());
            fields.set(Key::Sprint, sprint);
        }
        if let Some(above) = parent_kind(kind) {
            let own = parent.and_then(|parent| self.ids.remote(parent, above));
            let mut parents = remote.parents();
            parents.retain(|id| self.ids.local(above, *id).is_some());
            let same = own.filter(|own| parents.contains(own));
            fields.set(Key::Parent, same.or_else(|| parents.into_iter().min()));
        }
        fields
    }

    pub(super) fn of_sprint(sprint: &Milestone) -> FieldSet {
        let mut fields = FieldSet::default();
        fields.set(Key::Subject, subject(&sprint.name));
        fields.set(Key::Start, sprint.estimated_start.to_string());
        fields.set(Key::Due, sprint.estimated_finish.to_string());
        fields.set(Key::Status, sprint.closed);
        fields
    }

    /// Converts a local item. Only the state of a milestone is used.
    pub(super) fn of_local(&self, kind: BridgedKind, item: &Item, state: State) -> FieldSet {
        let mut fields = FieldSet::default();
        let date = |date: Option<Date>| date.map(|date| date.to_string());
        fields.set(Key::Subject, item.title.as_str());
        if kind == BridgedKind::Sprint {
            fields.set(Key::Start, date(item.started));
            fields.set(Key::Due, date(item.due));
            fields.set(Key::Status, state == State::Closed);
            return fields;
        }
        fields.set(Key::Description, item.description.as_str());
        let status = self.statuses(kind).and_then(|known| known.id(&item.status));
        fields.set_worded(Key::Status, status, item.status.as_str());
        let assignee = item.assignee.as_ref();
        fields.set_worded(Key::Assignee, assignee.map(|person| self.people.term_of(person)), assignee.map(people::key));
        fields.set(Key::Blocked, item.blocked.as_deref().map(str::trim));
        for tag in item.labels.iter().map(|label| label.trim().to_lowercase()) {
            if !tag.is_empty() && !Priority::is_tag(&tag) {
                fields.set(Key::Tag(tag), true);
            }
        }
        if kind == Kind::Issue {
            let (severity, type_) = (item.severity.as_deref(), item.type_.as_deref());
            fields.set_worded(Key::Severity, graded(&self.severities, severity), severity);
            fields.set_worded(Key::Type, graded(&self.types, type_), type_);
            fields.set_worded(Key::Priority, self.priorities.id(item.priority), item.priority);
        } else {
            fields.set(Key::Priority, Priority::from_number(item.priority).map(Priority::name));
        }
        if kind == Kind::Epic {
            fields.set(Key::Color, item.color.as_deref().and_then(hex_color));
        } else {
            fields.set(Key::Due, date(item.due));
        }
        if kind == Kind::Story {
            for person in item.assignees.iter().filter(|person| Some(*person) != item.assignee.as_ref()) {
                // The local spelling is constant: an offline comparison does not know the user id.
                let key = Key::CoAssignee(self.people.key_of(person));
                fields.set_worded(key, self.people.term_of(person), true);
            }
            fields.set(Key::Size, item.size.map(Size::name));
        }
        if has_own_sprint(kind, item.parent.is_none()) {
            let word = item.milestone.map(|id| id.to_string());
            fields.set_worded(Key::Sprint, item.milestone.map(|id| self.reference(BridgedKind::Sprint, id)), word);
        }
        if let Some(above) = parent_kind(kind) {
            let word = item.parent.map(|id| id.to_string());
            fields.set_worded(Key::Parent, item.parent.map(|id| self.reference(above, id)), word);
        }
        fields
    }

    /// Returns the remote id of a local item; `null` if it is deleted on both sides.
    fn reference(&self, kind: BridgedKind, id: EntityId) -> Value {
        match self.ids.remote(id, kind) {
            Some(there) => there.into(),
            None if self.ids.is_deleted(id) => Value::Null,
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
