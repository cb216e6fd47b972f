//! Takes a JSON object apart, key by key. Keys that were not taken can be kept as unknown fields.

use jiff::Timestamp;
use jiff::civil::Date;
use model::annotation::Extra;
use serde_json::{Map, Value};

use super::BadNote;

/// The keys of an object that have not been taken.
pub(super) struct Fields {
    keys: Map<String, Value>,
    path: String,
}

impl Fields {
    pub(super) fn of(value: Value, path: &str) -> Result<Self, BadNote> {
        match value {
            Value::Object(keys) => Ok(Self { keys, path: path.to_owned() }),
            _ => Err(wrong(path, "no object")),
        }
    }

    /// Takes an optional string.
    pub(super) fn try_text(&mut self, key: &str) -> Result<Option<String>, BadNote> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "no text")),
        }
    }

    /// Takes a required string.
    pub(super) fn text(&mut self, key: &str) -> Result<String, BadNote> {
        self.try_text(key)?.ok_or_else(|| self.wrong(key, "missing"))
    }

    /// Takes a value of an open enum; the default if it is missing.
    pub(super) fn word<T: for<'a> From<&'a str>>(&mut self, key: &str, default: T) -> Result<T, BadNote> {
        Ok(self.try_text(key)?.map_or(default, |word| T::from(word.as_str())))
    }

    pub(super) fn try_time(&mut self, key: &str) -> Result<Option<Timestamp>, BadNote> {
        let text = self.try_text(key)?;
        let parsed = text.map(|text| text.parse().map_err(|_| self.wrong(key, "no RFC 3339 time")));
        parsed.transpose()
    }

    pub(super) fn try_date(&mut self, key: &str) -> Result<Option<Date>, BadNote> {
        let text = self.try_text(key)?;
        text.map(|text| text.parse().map_err(|_| self.wrong(key, "no date (YYYY-MM-DD)"))).transpose()
    }

    pub(super) fn try_boolean(&mut self, key: &str) -> Result<Option<bool>, BadNote> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(answer)) => Ok(Some(answer)),
            Some(_) => Err(self.wrong(key, "neither true nor false")),
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Result<u32, BadNote> {
        let number = self.take(key).as_ref().and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.wrong(key, "no line number"))
    }

    /// Takes any value, with its keys sorted; null if it is missing.
    pub(super) fn value(&mut self, key: &str) -> Value {
        self.keys.remove(key).map(sorted).unwrap_or_default()
    }

    /// Takes an optional object.
    pub(super) fn try_object(&mut self, key: &str) -> Result<Option<Fields>, BadNote> {
        let path = self.path_of(key);
        self.take(key).map(|value| Fields::of(value, &path)).transpose()
    }

    /// Takes a list; empty if it is missing.
    pub(super) fn list(&mut self, key: &str) -> Result<Vec<Value>, BadNote> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(self.wrong(key, "no list")),
        }
    }

    /// Takes a list of objects, each parsed by `read`.
    pub(super) fn objects<T>(
        &mut self,
        key: &str,
        read: impl Fn(Fields) -> Result<T, BadNote>,
    ) -> Result<Vec<T>, BadNote> {
        let values = self.list(key)?.into_iter().enumerate();
        values.map(|(n, value)| read(Fields::of(value, &format!("{}[{n}]", self.path_of(key)))?)).collect()
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, BadNote> {
        let mut texts = Vec::new();
        for value in self.list(key)? {
            let Value::String(text) = value else { return Err(self.wrong(key, "no list of texts")) };
            texts.push(text);
        }
        Ok(texts)
    }

    /// Returns the remaining keys, sorted at every depth.
    pub(super) fn rest(self) -> Extra {
        self.keys.into_iter().map(|(key, value)| (key, sorted(value))).collect()
    }

    // A null value counts as missing.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.keys.remove(key).filter(|value| !value.is_null())
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn wrong(&self, key: &str, problem: &'static str) -> BadNote {
        wrong(&self.path_of(key), problem)
    }
}

/// Returns a value with the keys of its objects sorted.
pub(super) fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

fn wrong(path: &str, problem: &'static str) -> BadNote {
    BadNote::Shape { path: if path.is_empty() { "the document".to_owned() } else { path.to_owned() }, problem }
}
