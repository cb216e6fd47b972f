//! An item in terms that both sides share, so that they can be compared: ids of the other side for statuses, people,
//! parents and sprints; texts and dates as they are; each tag a thing of its own.
//!
//! What was agreed on is kept as a pair: the value there, and the value here in this side's own words. So a side has changed
//! something only if its own value did: a status that is renamed or remapped there is no change of either.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;
use uuid::Uuid;

/// One thing about an item that can be the same or different on the two sides.
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
    Colour,
    Parent,
    Sprint,
    /// Points of a story there, its size here.
    Size,
    /// Whether it has a tag, so that tags added on both sides do not clash.
    Tag(String),
    /// Who else works on a story, by what the person is called here; the value is the user there. Each is a thing of its own, like a tag.
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
    ("colour", Key::Colour),
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
    /// Returns what people call it.
    pub(super) fn shown(&self) -> String {
        if matches!(self, Self::CoAssignee(_)) { "assignees".to_owned() } else { self.to_string() }
    }

    /// Tells whether it is one of many that are written down only where they are.
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

/// An item, key by key. What is not there is `null`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape {
    values: BTreeMap<Key, Value>,
    /// How this side words values that the shared terms word differently.
    words: BTreeMap<Key, Value>,
    /// What was not read, and so can be neither compared nor agreed on.
    unknown: BTreeSet<Key>,
}

impl Shape {
    pub(super) fn get(&self, key: &Key) -> &Value {
        self.values.get(key).unwrap_or(&Value::Null)
    }

    pub(super) fn set(&mut self, key: Key, value: impl Into<Value>) {
        self.values.insert(key, value.into());
    }

    /// Sets a value together with this side's own word for it.
    pub(super) fn set_worded(&mut self, key: Key, value: impl Into<Value>, word: impl Into<Value>) {
        self.words.insert(key.clone(), word.into());
        self.values.insert(key, value.into());
    }

    /// Returns this side's own word for a value.
    pub(super) fn word(&self, key: &Key) -> &Value {
        self.words.get(key).unwrap_or_else(|| self.get(key))
    }

    /// Says that something was not read.
    pub(super) fn set_unknown(&mut self, key: Key) {
        self.unknown.insert(key);
    }

    /// Returns every key that this one or another shape has and that both know, in order.
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

impl FromIterator<(Key, Value)> for Shape {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(pairs: I) -> Self {
        Self { values: pairs.into_iter().collect(), ..Self::default() }
    }
}

/// Values that were the same on both sides once, by their fingerprints: enough to know which side has changed since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Base(BTreeMap<Key, Agreed>);

/// One value that was the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Agreed {
    /// The value there.
    there: String,
    /// The value in this side's own words, where these differ.
    here: Option<String>,
}

impl Base {
    /// Everything in a shape of this side is agreed on.
    pub(super) fn of(shape: &Shape) -> Self {
        let mut base = Self::default();
        for (key, value) in shape.iter() {
            base.agree(key, value, shape.word(key));
        }
        base
    }

    /// Tells whether the other side still has the value agreed on. Without any agreement nothing is.
    pub(super) fn is_there(&self, key: &Key, value: &Value) -> bool {
        match self.0.get(key) {
            Some(known) => known.there == fingerprint(value),
            None => self.is_absent_by_default(key, value),
        }
    }

    /// Tells whether this side still has the value agreed on.
    pub(super) fn is_here(&self, key: &Key, shape: &Shape) -> bool {
        match self.0.get(key) {
            Some(Agreed { here: Some(here), .. }) => *here == fingerprint(shape.word(key)),
            Some(Agreed { there, here: None }) => *there == fingerprint(shape.get(key)),
            None => self.is_absent_by_default(key, shape.get(key)),
        }
    }

    // A tag that nobody had is not written down, or every item would have to list all there are not. Sizes and the sprints of
    // tasks came later than the first links, which say nothing about them.
    fn is_absent_by_default(&self, key: &Key, value: &Value) -> bool {
        let may_be_absent = key.is_member() || matches!(key, Key::Size | Key::Sprint);
        may_be_absent && value.is_null() && !self.0.is_empty()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }

    /// Agrees on a value, which this side words in its own way.
    pub(super) fn agree(&mut self, key: &Key, value: &Value, word: &Value) {
        if key.is_member() && value.is_null() {
            self.0.remove(key);
            return;
        }
        let (there, here) = (fingerprint(value), fingerprint(word));
        let here = (here != there).then_some(here);
        self.0.insert(key.clone(), Agreed { there, here });
    }

    /// Tells whether this side has exactly what was agreed on.
    pub(super) fn matches_here(&self, shape: &Shape) -> bool {
        self.all_keys(shape).all(|key| self.is_here(key, shape))
    }

    /// Tells whether the other side has exactly what was agreed on, as far as it was read.
    pub(super) fn matches_there(&self, shape: &Shape) -> bool {
        self.all_keys(shape).filter(|key| shape.knows(key)).all(|key| self.is_there(key, shape.get(key)))
    }

    fn all_keys<'a>(&'a self, shape: &'a Shape) -> impl Iterator<Item = &'a Key> {
        self.0.keys().chain(shape.iter().map(|(key, _)| key))
    }

    pub(super) fn to_value(&self) -> Value {
        let written = |agreed: &Agreed| match &agreed.here {
            None => Value::from(agreed.there.as_str()),
            Some(here) => Value::from(vec![agreed.there.as_str(), here.as_str()]),
        };
        self.0.iter().map(|(key, agreed)| (key.to_string(), written(agreed))).collect()
    }

    /// Reads what was agreed on: a fingerprint, or one for each side.
    pub(super) fn from_value(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let agreed = |value: &Value| match value {
            Value::Array(pair) => Some(Agreed { there: text(pair.first()?)?, here: Some(text(pair.get(1)?)?) }),
            value => Some(Agreed { there: text(value)?, here: None }),
        };
        let entries = value.as_object().into_iter().flatten();
        Self(entries.filter_map(|(name, value)| Some((Key::parse(name)?, agreed(value)?))).collect())
    }
}

/// Returns a short name of exactly this value: 48 bits, of which two values of one field of one item will not be equal
/// by chance.
fn fingerprint(value: &Value) -> String {
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, value.to_string().as_bytes()).simple().to_string();
    digest[..12].to_owned()
}
