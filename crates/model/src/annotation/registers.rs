//! The fields of a note over time, for a merge that drops nothing: each field holds every value that was ever said, with
//! the newest time it was said at. The newest value stands; the others are kept as [`Earlier`] ones.
//!
//! Joining two is a union with the later time for each value, so it is commutative, associative and idempotent.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::{Earlier, Extra};

/// Fields by name, each with its values by their JSON text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Registers(BTreeMap<String, BTreeMap<String, Timed>>);

#[derive(Debug, Clone, PartialEq)]
struct Timed {
    value: Value,
    at: Timestamp,
    /// Unknown keys of the entry it was read from.
    extra: Extra,
}

impl Registers {
    /// Takes in what a note says was said earlier.
    pub(super) fn new(earlier: &[Earlier]) -> Self {
        let mut registers = Self::default();
        for one in earlier {
            let at = one.timestamp.unwrap_or(Timestamp::UNIX_EPOCH);
            registers.put(&one.field, &one.value, at, &one.extra);
        }
        registers
    }

    /// Takes in a value that stands in a note written at `at`. A value that is listed as an earlier one as well keeps
    /// the time of that entry: it stands although its note is newer.
    pub(super) fn stand(&mut self, field: &str, value: &Value, at: Timestamp) {
        let is_listed = self.0.get(field).is_some_and(|values| values.contains_key(&key(value, &Extra::new())));
        if !is_listed {
            self.put(field, value, at, &Extra::new());
        }
    }

    /// Takes in a text that stands, if there is one. An empty one says nothing.
    pub(super) fn stand_text(&mut self, field: &str, text: Option<&str>, at: Timestamp) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.stand(field, &Value::from(text), at);
        }
    }

    /// Takes in the unknown keys of an object, each as a field below `parent`.
    pub(super) fn stand_each(&mut self, parent: &str, extra: &Extra, at: Timestamp) {
        for (name, value) in extra {
            self.stand(&below(parent, name), value, at);
        }
    }

    fn put(&mut self, field: &str, value: &Value, at: Timestamp, extra: &Extra) {
        let values = self.0.entry(field.to_owned()).or_default();
        let timed = Timed { value: value.clone(), at, extra: extra.clone() };
        let kept = values.entry(key(value, extra)).or_insert(timed);
        kept.at = kept.at.max(at);
    }

    /// Adds all values of another.
    pub(super) fn join(&mut self, other: &Self) {
        for (field, values) in &other.0 {
            for timed in values.values() {
                self.put(field, &timed.value, timed.at, &timed.extra);
            }
        }
    }

    /// Returns the value that stands. It is forgotten when it is as new as its note, `at`: then only its place says when.
    pub(super) fn take(&mut self, field: &str, at: Timestamp) -> Option<Value> {
        self.take_if(field, at, |_| true)
    }

    /// Returns the text that stands; an empty one or a value of another type is none.
    pub(super) fn take_text(&mut self, field: &str, at: Timestamp) -> Option<String> {
        match self.take_if(field, at, |value| value.is_string() && !is_blank(value)) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the values that stand for the keys of an object below `parent`.
    pub(super) fn take_each(&mut self, parent: &str, names: &Extra, at: Timestamp) -> Extra {
        let value = |name: &String| Some((name.clone(), self.take(&below(parent, name), at)?));
        names.keys().filter_map(value).collect()
    }

    fn take_if(&mut self, field: &str, at: Timestamp, is_wanted: fn(&Value) -> bool) -> Option<Value> {
        let values = self.0.get_mut(field)?;
        let candidates = values.iter().filter(|(_, timed)| timed.extra.is_empty() && is_wanted(&timed.value));
        let (text, timed) = candidates.max_by_key(|(text, timed)| (!is_blank(&timed.value), timed.at, *text))?;
        let (text, value, is_as_new) = (text.clone(), timed.value.clone(), timed.at == at);
        if is_as_new {
            values.remove(&text);
        }
        Some(value)
    }

    /// Forgets a value of a field.
    pub(super) fn forget(&mut self, field: &str, value: &Value) {
        if let Some(values) = self.0.get_mut(field) {
            values.remove(&key(value, &Extra::new()));
        }
    }

    /// Returns every value that was not taken, by field and then oldest first.
    pub(super) fn into_earlier(self) -> Vec<Earlier> {
        let mut all = Vec::new();
        for (field, values) in self.0 {
            let mut values: Vec<(String, Timed)> = values.into_iter().collect();
            values.sort_by(|(a, one), (b, other)| one.at.cmp(&other.at).then_with(|| a.cmp(b)));
            all.extend(values.into_iter().map(|(_, timed)| Earlier {
                field: field.clone(),
                value: timed.value,
                timestamp: Some(timed.at),
                extra: timed.extra,
            }));
        }
        all
    }
}

/// Returns the name of a key inside an object, unlike that of any key beside the object; as in a JSON pointer, a slash
/// inside a key is written `~1`.
pub(super) fn below(parent: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    if parent.is_empty() { name } else { format!("{parent}/{name}") }
}

fn key(value: &Value, extra: &Extra) -> String {
    if extra.is_empty() { value.to_string() } else { format!("{value} {}", serde_json::json!(extra)) }
}

// Nothing said never hides something said.
fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}
