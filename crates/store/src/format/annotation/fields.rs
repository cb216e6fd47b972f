//! Takes a JSON object apart, key by key. Keys that were not taken can be kept as unknown fields.
//!
//! A value stays unparsed text until its key is taken: a note can have tens of thousands of regions, and a tree of all its
//! values costs several times as much as parsing the fields.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use model::annotation::Extra;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::BadNote;

/// The keys of an object that have not been taken.
pub(super) struct Fields<'a> {
    keys: Keys<'a>,
    path: Path<'a>,
}

/// The place of a value in the document; formatted only for an error.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Document,
    Key(&'a Path<'a>, &'a str),
    Element(&'a Path<'a>, &'a str, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => formatter.write_str("the document"),
            Self::Key(Self::Document, key) => formatter.write_str(key),
            Self::Key(parent, key) => write!(formatter, "{parent}.{key}"),
            Self::Element(Self::Document, key, n) => write!(formatter, "{key}[{n}]"),
            Self::Element(parent, key, n) => write!(formatter, "{parent}.{key}[{n}]"),
        }
    }
}

impl<'a> Fields<'a> {
    pub(super) fn of(value: &'a RawValue, path: Path<'a>) -> Result<Self, BadNote> {
        if !value.get().starts_with('{') {
            return Err(wrong(path, "must be an object"));
        }
        Ok(Self { keys: parse(value)?, path })
    }

    /// Takes an optional string.
    pub(super) fn try_text(&mut self, key: &str) -> Result<Option<String>, BadNote> {
        match self.take(key) {
            None => Ok(None),
            Some(value) if value.get().starts_with('"') => parse(value).map(Some),
            Some(_) => Err(self.wrong(key, "must be text")),
        }
    }

    /// Takes a required string.
    pub(super) fn text(&mut self, key: &str) -> Result<String, BadNote> {
        self.try_text(key)?.ok_or_else(|| self.wrong(key, "is missing"))
    }

    /// Takes a value of an open enum; the default if it is missing.
    pub(super) fn word<T: for<'w> From<&'w str>>(&mut self, key: &str, default: T) -> Result<T, BadNote> {
        Ok(self.try_text(key)?.map_or(default, |word| T::from(word.as_str())))
    }

    pub(super) fn try_time(&mut self, key: &str) -> Result<Option<Timestamp>, BadNote> {
        let text = self.try_text(key)?;
        let parsed = text.map(|text| text.parse().map_err(|_| self.wrong(key, "must be an RFC 3339 time")));
        parsed.transpose()
    }

    pub(super) fn try_date(&mut self, key: &str) -> Result<Option<Date>, BadNote> {
        let text = self.try_text(key)?;
        text.map(|text| text.parse().map_err(|_| self.wrong(key, "must be a date (YYYY-MM-DD)"))).transpose()
    }

    pub(super) fn try_boolean(&mut self, key: &str) -> Result<Option<bool>, BadNote> {
        match self.take(key).map(RawValue::get) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(self.wrong(key, "must be true or false")),
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Result<u32, BadNote> {
        let number = self.take(key).and_then(|value| serde_json::from_str(value.get()).ok());
        number.ok_or_else(|| self.wrong(key, "must be a line number"))
    }

    /// Takes any value, with its keys sorted; null if it is missing.
    pub(super) fn value(&mut self, key: &str) -> Result<Value, BadNote> {
        Ok(self.take(key).map(sorted).transpose()?.unwrap_or_default())
    }

    /// Takes an optional object, parsed by `read`.
    pub(super) fn try_object<T>(
        &mut self,
        key: &str,
        read: impl Fn(Fields<'_>) -> Result<T, BadNote>,
    ) -> Result<Option<T>, BadNote> {
        let value = self.take(key);
        value.map(|value| read(Fields::of(value, Path::Key(&self.path, key))?)).transpose()
    }

    /// Takes a list; empty if it is missing.
    pub(super) fn list(&mut self, key: &str) -> Result<Vec<&'a RawValue>, BadNote> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(value) if value.get().starts_with('[') => parse(value),
            Some(_) => Err(self.wrong(key, "must be a list")),
        }
    }

    /// Takes a list of objects, each parsed by `read`.
    pub(super) fn objects<T>(
        &mut self,
        key: &str,
        read: impl Fn(Fields<'_>) -> Result<T, BadNote>,
    ) -> Result<Vec<T>, BadNote> {
        self.objects_by(key, |_| None, read)
    }

    /// Takes a list of objects: each is read by `quick`, or by `read` if that returns nothing.
    pub(super) fn objects_by<T>(
        &mut self,
        key: &str,
        quick: impl Fn(&RawValue) -> Option<T>,
        read: impl Fn(Fields<'_>) -> Result<T, BadNote>,
    ) -> Result<Vec<T>, BadNote> {
        let values = self.list(key)?.into_iter().enumerate();
        let slow = |n, value| read(Fields::of(value, Path::Element(&self.path, key, n))?);
        values.map(|(n, value)| quick(value).map_or_else(|| slow(n, value), Ok)).collect()
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, BadNote> {
        let mut texts = Vec::new();
        for value in self.list(key)? {
            if !value.get().starts_with('"') {
                return Err(self.wrong(key, "must be a list of texts"));
            }
            texts.push(parse(value)?);
        }
        Ok(texts)
    }

    /// Returns the remaining keys, sorted at every depth.
    pub(super) fn rest(self) -> Result<Extra, BadNote> {
        self.keys.0.into_iter().map(|(key, value)| Ok((key.into_owned(), sorted(value)?))).collect()
    }

    // A null value counts as missing. The last of duplicate keys wins. One pass, since an object of a hostile note can repeat a
    // key a million times.
    fn take(&mut self, key: &str) -> Option<&'a RawValue> {
        let mut taken = None;
        self.keys.0.retain(|(name, value)| {
            let is_taken = name == key;
            taken = if is_taken { Some(*value) } else { taken };
            !is_taken
        });
        taken.filter(|value| value.get() != "null")
    }

    fn wrong(&self, key: &str, problem: &'static str) -> BadNote {
        wrong(Path::Key(&self.path, key), problem)
    }
}

/// The keys of an object in document order, with duplicates.
struct Keys<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Keys<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Keys<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<'de>, A::Error> {
                let mut keys = Vec::with_capacity(N_KEYS);
                while let Some((Key(key), value)) = map.next_entry()? {
                    keys.push((key, value));
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// The usual number of keys of a region.
const N_KEYS: usize = 12;

/// A key, borrowed unless it contains escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns a value with the keys of its objects sorted.
pub(super) fn sorted(value: &RawValue) -> Result<Value, BadNote> {
    let mut value: Value = parse(value)?;
    value.sort_all_objects();
    Ok(value)
}

// Checks escapes and depth; the rest of the syntax was checked when the document was split.
fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, BadNote> {
    serde_json::from_str(value.get()).map_err(|error| BadNote::NotJson(error.to_string()))
}

fn wrong(path: Path<'_>, problem: &'static str) -> BadNote {
    BadNote::Shape { path: path.to_string(), problem }
}
