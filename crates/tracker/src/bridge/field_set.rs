//! An item in the terms that both sides share, so that they can be compared: remote ids for statuses, people, parents
//! and sprints; texts and dates as they are; each tag as a separate key.
//!
//! An agreed value is stored as a pair: the remote value, and the local value in local terms. So a side counts as
//! changed only if its own value changed: a status that is renamed or remapped in Taiga is a change of neither side.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;
use uuid::Uuid;

/// A property of an item that is compared between the sides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Subject,
    Description,
    Status,
    Assignee,
    Priority,
    Severity,
    Type,
    Blocked,
    Start,
    Due,
    Color,
    Parent,
    Sprint,
    /// Points of a story in Taiga, its size here.
    Size,
    /// Whether the item has a tag; one key per tag, so that tags added on both sides do not conflict.
    Tag(String),
    /// A further assignee of a story, by local name; the value is the Taiga user. One key per person, like a tag.
    CoAssignee(String),
}

const NAMES: [(&str, Key); 14] = [
    ("subject", Key::Subject),
    ("description", Key::Description),
    ("status", Key::Status),
    ("assignee", Key::Assignee),
    ("priority", Key::Priority),
    ("severity", Key::Severity),
    ("type", Key::Type),
    ("blocked", Key::Blocked),
    ("start", Key::Start),
    ("due", Key::Due),
    ("colour", Key::Color),
    ("parent", Key::Parent),
    ("sprint", Key::Sprint),
    ("size", Key::Size),
];

const TAG: &str = "tag:";
const CO_ASSIGNEE: &str = "assigned:";

impl Key {
    pub(super) fn parse(name: &str) -> Option<Self> {
        if let Some(tag) = name.strip_prefix(TAG) {
            return Some(Self::Tag(tag.to_owned()));
        }
        if let Some(person) = name.strip_prefix(CO_ASSIGNEE) {
            return Some(Self::CoAssignee(person.to_owned()));
        }
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, key)| key.clone())
    }
}

impl Key {
    /// Returns the field name in reports.
    pub(super) fn shown(&self) -> String {
        if matches!(self, Self::CoAssignee(_)) { "assignees".to_owned() } else { self.to_string() }
    }

    /// Returns whether this is one of many keys that are stored only if present.
    fn is_member(&self) -> bool {
        matches!(self, Self::Tag(_) | Self::CoAssignee(_))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::CoAssignee(person) = self {
            return write!(f, "{CO_ASSIGNEE}{person}");
        }
        if let Self::Tag(tag) = self {
            return write!(f, "{TAG}{tag}");
        }
        let name = NAMES.iter().find(|(_, key)| key == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// An item as key-value pairs. Absent values are `null`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FieldSet {
    values: BTreeMap<Key, Value>,
    /// Local spellings of values that differ from the shared terms.
    words: BTreeMap<Key, Value>,
    /// Keys that were not read, and can be neither compared nor agreed on.
    unknown: BTreeSet<Key>,
}

impl FieldSet {
    pub(super) fn get(&self, key: &Key) -> &Value {
        self.values.get(key).unwrap_or(&Value::Null)
    }

    pub(super) fn set(&mut self, key: Key, value: impl Into<Value>) {
        self.values.insert(key, value.into());
    }

    /// Sets a value together with its local spelling.
    pub(super) fn set_worded(&mut self, key: Key, value: impl Into<Value>, word: impl Into<Value>) {
        self.words.insert(key.clone(), word.into());
        self.values.insert(key, value.into());
    }

    /// Returns the local spelling of a value.
    pub(super) fn word(&self, key: &Key) -> &Value {
        self.words.get(key).unwrap_or_else(|| self.get(key))
    }

    /// Marks a key as not read.
    pub(super) fn set_unknown(&mut self, key: Key) {
        self.unknown.insert(key);
    }

    /// Returns the keys of both shapes that both know, sorted.
    pub(super) fn keys_with<'a>(&'a self, other: &'a Self) -> Vec<&'a Key> {
        let mut keys: Vec<&Key> = self.values.keys().chain(other.values.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| self.knows(key) && other.knows(key));
        keys
    }

    pub(super) fn knows(&self, key: &Key) -> bool {
        !self.unknown.contains(key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.values.iter()
    }
}

impl FromIterator<(Key, Value)> for FieldSet {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(pairs: I) -> Self {
        Self { values: pairs.into_iter().collect(), ..Self::default() }
    }
}

/// Fingerprints of the agreed values: enough to detect which side changed since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct AgreedFingerprints(BTreeMap<Key, AgreedValue>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct AgreedValue {
    /// Fingerprint of the remote value.
    there: String,
    /// Fingerprint of the local spelling, if it differs.
    here: Option<String>,
}

impl AgreedFingerprints {
    /// Agrees on all values of a local shape.
    pub(super) fn of(shape: &FieldSet) -> Self {
        let mut base = Self::default();
        for (key, value) in shape.iter() {
            base.agree(key, value, shape.word(key));
        }
        base
    }

    /// Returns whether the remote value is still the agreed one; `false` without an agreed value.
    pub(super) fn is_there(&self, key: &Key, value: &Value) -> bool {
        match self.0.get(key) {
            Some(known) => known.there == fingerprint(value),
            None => self.is_absent_by_default(key, value),
        }
    }

    /// Returns whether the local value is still the agreed one.
    pub(super) fn is_here(&self, key: &Key, shape: &FieldSet) -> bool {
        match self.0.get(key) {
            Some(AgreedValue { here: Some(here), .. }) => *here == fingerprint(shape.word(key)),
            Some(AgreedValue { there, here: None }) => *there == fingerprint(shape.get(key)),
            None => self.is_absent_by_default(key, shape.get(key)),
        }
    }

    // Absent tags are not stored, or every item would have to list all tags it lacks. Sizes and the sprints of tasks
    // are missing from the oldest links.
    fn is_absent_by_default(&self, key: &Key, value: &Value) -> bool {
        let may_be_absent = key.is_member() || matches!(key, Key::Size | Key::Sprint);
        may_be_absent && value.is_null() && !self.0.is_empty()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }

    /// Stores an agreed value with its local spelling.
    pub(super) fn agree(&mut self, key: &Key, value: &Value, word: &Value) {
        if key.is_member() && value.is_null() {
            self.0.remove(key);
            return;
        }
        let (there, here) = (fingerprint(value), fingerprint(word));
        let here = (here != there).then_some(here);
        self.0.insert(key.clone(), AgreedValue { there, here });
    }

    /// Returns whether all local values are the agreed ones.
    pub(super) fn matches_here(&self, shape: &FieldSet) -> bool {
        self.all_keys(shape).all(|key| self.is_here(key, shape))
    }

    /// Returns whether all remote values that were read are the agreed ones.
    pub(super) fn matches_there(&self, shape: &FieldSet) -> bool {
        self.all_keys(shape).filter(|key| shape.knows(key)).all(|key| self.is_there(key, shape.get(key)))
    }

    fn all_keys<'a>(&'a self, shape: &'a FieldSet) -> impl Iterator<Item = &'a Key> {
        self.0.keys().chain(shape.iter().map(|(key, _)| key))
    }

    pub(super) fn to_value(&self) -> Value {
        let written = |agreed: &AgreedValue| match &agreed.here {
            None => Value::from(agreed.there.as_str()),
            Some(here) => Value::from(vec![agreed.there.as_str(), here.as_str()]),
        };
        self.0.iter().map(|(key, agreed)| (key.to_string(), written(agreed))).collect()
    }

    /// Parses the agreed values: one fingerprint, or one per side.
    pub(super) fn from_value(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let agreed = |value: &Value| match value {
            Value::Array(pair) => Some(AgreedValue { there: text(pair.first()?)?, here: Some(text(pair.get(1)?)?) }),
            value => Some(AgreedValue { there: text(value)?, here: None }),
        };
        let entries = value.as_object().into_iter().flatten();
        Self(entries.filter_map(|(name, value)| Some((Key::parse(name)?, agreed(value)?))).collect())
    }
}

/// Returns a 48-bit fingerprint of a value; long enough for the values of one field of one item not to collide by
/// chance.
fn fingerprint(value: &Value) -> String {
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, value.to_string().as_bytes()).simple().to_string();
    digest[..12].to_owned()
}
