//! An item in terms that both sides share, so that they can be compared: ids of the other side for statuses, people,
//! parents and sprints; texts and dates as they are; each tag a thing of its own.

use std::collections::BTreeMap;
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
    /// Whether it has a tag, so that tags added on both sides do not clash.
    Tag(String),
}

const NAMES: [(&str, Key); 13] = [
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
];

const TAG: &str = "tag:";

impl Key {
    pub(super) fn parse(name: &str) -> Option<Self> {
        if let Some(tag) = name.strip_prefix(TAG) {
            return Some(Self::Tag(tag.to_owned()));
        }
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, key)| key.clone())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Tag(tag) = self {
            return write!(f, "{TAG}{tag}");
        }
        let name = NAMES.iter().find(|(_, key)| key == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// An item, key by key. What is not there is `null`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape(BTreeMap<Key, Value>);

impl Shape {
    pub(super) fn get(&self, key: &Key) -> &Value {
        self.0.get(key).unwrap_or(&Value::Null)
    }

    pub(super) fn set(&mut self, key: Key, value: impl Into<Value>) {
        self.0.insert(key, value.into());
    }

    /// Returns every key this one or another shape has, in order.
    pub(super) fn keys_with<'a>(&'a self, other: &'a Self) -> Vec<&'a Key> {
        let mut keys: Vec<&Key> = self.0.keys().chain(other.0.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.0.iter()
    }
}

impl FromIterator<(Key, Value)> for Shape {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// Values that were the same on both sides once, by their fingerprints: enough to know which side has changed since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Base(BTreeMap<Key, String>);

impl Base {
    /// Everything in a shape is agreed on.
    pub(super) fn of(shape: &Shape) -> Self {
        let mut base = Self::default();
        for (key, value) in shape.iter() {
            base.agree(key, value);
        }
        base
    }

    /// Tells whether a value is the one agreed on. Without any agreement nothing is.
    pub(super) fn is(&self, key: &Key, value: &Value) -> bool {
        match self.0.get(key) {
            Some(known) => *known == fingerprint(value),
            // A tag that nobody had is not written down, or every item would have to list all there are not.
            None => matches!(key, Key::Tag(_)) && value.is_null() && !self.0.is_empty(),
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }

    pub(super) fn agree(&mut self, key: &Key, value: &Value) {
        if matches!(key, Key::Tag(_)) && value.is_null() {
            self.0.remove(key);
        } else {
            self.0.insert(key.clone(), fingerprint(value));
        }
    }

    /// Tells whether a shape is exactly what was agreed on.
    pub(super) fn matches(&self, shape: &Shape) -> bool {
        shape.iter().all(|(key, value)| self.is(key, value)) && self.0.keys().all(|key| self.is(key, shape.get(key)))
    }

    pub(super) fn to_value(&self) -> Value {
        self.0.iter().map(|(key, print)| (key.to_string(), Value::from(print.as_str()))).collect()
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let entries = value.as_object().into_iter().flatten();
        let read = |(name, print): (&String, &Value)| Some((Key::parse(name)?, print.as_str()?.to_owned()));
        Self(entries.filter_map(read).collect())
    }
}

/// Returns a short name of exactly this value: 48 bits, of which two values of one field of one item will not be equal
/// by chance.
fn fingerprint(value: &Value) -> String {
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, value.to_string().as_bytes()).simple().to_string();
    digest[..12].to_owned()
}
