//! Multi-value registers for a merge that drops nothing: each field holds every value it ever had, with the newest time
//! it was stated. The newest value is current; the others are kept as [`EarlierValue`] ones.
//!
//! Joining two is a union with the later time for each value, so it is commutative, associative and idempotent.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::{EarlierValue, Extra};

/// Fields by name, each with its values by their JSON text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Registers(BTreeMap<String, BTreeMap<String, TimedValue>>);

#[derive(Debug, Clone, PartialEq)]
struct TimedValue {
    value: Value,
    at: Timestamp,
    /// Unknown keys of the entry that it was read from.
    extra: Extra,
}

impl Registers {
    /// Adds the earlier values of a note.
    pub(super) fn new(earlier: &[EarlierValue]) -> Self {
        let mut registers = Self::default();
        for one in earlier {
            let at = one.timestamp.unwrap_or(Timestamp::UNIX_EPOCH);
            registers.put(&one.field, &one.value, at, &one.extra);
        }
        registers
    }

    /// Adds a current value of a note written at `at`. If the value is also listed as an earlier one, that entry's time
    /// counts: it is current although its note is newer.
    pub(super) fn add_current(&mut self, field: &str, value: &Value, at: Timestamp) {
        let is_listed = self.0.get(field).is_some_and(|values| values.contains_key(&key(value, &Extra::new())));
        if !is_listed {
            self.put(field, value, at, &Extra::new());
        }
    }

    /// Adds a current text, unless it is missing or empty.
    pub(super) fn add_current_text(&mut self, field: &str, text: Option<&str>, at: Timestamp) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.add_current(field, &Value::from(text), at);
        }
    }

    /// Adds the unknown keys of an object, each as a field below `parent`.
    pub(super) fn add_current_keys(&mut self, parent: &str, extra: &Extra, at: Timestamp) {
        for (name, value) in extra {
            self.add_current(&below(parent, name), value, at);
        }
    }

    fn put(&mut self, field: &str, value: &Value, at: Timestamp, extra: &Extra) {
        let values = self.0.entry(field.to_owned()).or_default();
        let timed = TimedValue { value: value.clone(), at, extra: extra.clone() };
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

    /// Returns the current value. It is removed from the register if it is as new as its note, `at`: then the note's
    /// time is its time.
    pub(super) fn take(&mut self, field: &str, at: Timestamp) -> Option<Value> {
        self.take_if(field, at, |_| true)
    }

    /// Returns the current text; an empty one or a value of another type does not count.
    pub(super) fn take_text(&mut self, field: &str, at: Timestamp) -> Option<String> {
        match self.take_if(field, at, |value| value.is_string() && !is_blank(value)) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the current values of the keys of an object below `parent`.
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

    /// Removes a value of a field.
    pub(super) fn remove(&mut self, field: &str, value: &Value) {
        if let Some(values) = self.0.get_mut(field) {
            values.remove(&key(value, &Extra::new()));
        }
    }

    /// Returns all values that were not taken, by field, then oldest first.
    pub(super) fn into_earlier(self) -> Vec<EarlierValue> {
        let mut all = Vec::new();
        for (field, values) in self.0 {
            let mut values: Vec<(String, TimedValue)> = values.into_iter().collect();
            values.sort_by(|(a, one), (b, other)| one.at.cmp(&other.at).then_with(|| a.cmp(b)));
            all.extend(values.into_iter().map(|(_, timed)| EarlierValue {
                field: field.clone(),
                value: timed.value,
                timestamp: Some(timed.at),
                extra: timed.extra,
            }));
        }
        all
    }
}

/// Returns the name of a nested key, distinct from all keys next to the object; as in a JSON pointer, a slash inside a
/// key is written `~1`.
pub(super) fn below(parent: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    if parent.is_empty() { name } else { format!("{parent}/{name}") }
}

fn key(value: &Value, extra: &Extra) -> String {
    if extra.is_empty() { value.to_string() } else { format!("{value} {}", serde_json::json!(extra)) }
}

// An empty value never hides a nonempty one.
fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}
