//! Replaces what differs between two runs by names, and names by what they stand for: an answer's `<id 3>` can be used
//! in a later request. Everything else of an answer stays byte for byte.

use jiff::{Timestamp, tz::TimeZone};

/// The time of the commits that the fixtures make.
const FIXED_TIME: &str = "2026-01-01T00:00:00Z";

/// Marks inside of a word: of a UUID, a time, an address.
const MARKS: [char; 3] = ['-', ':', '.'];

/// The values seen so far, in the order of their names.
#[derive(Default)]
pub(super) struct Normalizer {
    fixed: Vec<(String, &'static str)>,
    ids: Vec<String>,
    hashes: Vec<String>,
    cursors: Vec<String>,
}

impl Normalizer {
    /// Names a value that is known from the start, such as a folder.
    pub(super) fn name(&mut self, value: &str, name: &'static str) {
        self.fixed.push((value.to_owned(), name));
    }

    /// Replaces the values of an answer by their names.
    pub(super) fn normalize(&mut self, answer: &str) -> String {
        let mut text = answer.to_owned();
        for (value, name) in &self.fixed {
            text = text.replace(value, name);
        }
        text = self.normalize_cursors(&without_size(&text));
        let mut normalized = String::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            normalized.push_str(&self.normalize_word(word));
            let separator = after.chars().take_while(|c| !is_word(*c)).map(char::len_utf8).sum();
            normalized.push_str(&after[..separator]);
            rest = &after[separator..];
        }
        normalized
    }

    /// Replaces names in a request by the values that they stand for.
    pub(super) fn expand(&self, request: &str) -> String {
        let mut text = request.to_owned();
        for (kind, values) in [("id", &self.ids), ("hash", &self.hashes), ("cursor", &self.cursors)] {
            for (n, value) in values.iter().enumerate() {
                text = text.replace(&format!("<{kind} {}>", n + 1), value);
            }
        }
        for (value, name) in &self.fixed {
            text = text.replace(name, value);
        }
        text
    }

    fn normalize_word(&mut self, word: &str) -> String {
        let (start, word) = word.split_at(word.len() - word.trim_start_matches(MARKS).len());
        let (word, mark) = word.split_at(word.trim_end_matches(MARKS).len());
        let hex = word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        // Versions of items are numbers made from such a hash.
        let is_version = word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_hash = is_version || hex && has_digit && matches!(word.len(), 12 | 16 | 40 | 64);
        let normalized = if let Some(name) = self.part_of_known(word) {
            name
        } else if is_uuid(word) {
            numbered("id", &mut self.ids, word)
        } else if is_hash {
            numbered("hash", &mut self.hashes, word)
        } else if is_time(word) && word != FIXED_TIME {
            "<time>".to_owned()
        } else if is_date(word) && is_today(word) {
            "<today>".to_owned()
        } else {
            word.to_owned()
        };
        format!("{start}{normalized}{mark}")
    }

    /// Names the end of a known id, or the beginning of a known hash, as texts for people show them.
    fn part_of_known(&self, word: &str) -> Option<String> {
        let id = || self.ids.iter().position(|id| word.len() == 6 && id.ends_with(word));
        let hash = || self.hashes.iter().position(|hash| matches!(word.len(), 8 | 10) && hash.starts_with(word));
        let id = id().map(|n| format!("<end of id {}>", n + 1));
        id.or_else(|| hash().map(|n| format!("<start of hash {}>", n + 1)))
    }

    /// Cursors are opaque texts that contain ids and times.
    fn normalize_cursors(&mut self, text: &str) -> String {
        let mut normalized = String::new();
        let mut rest = text;
        let keys = [
            "next page: cursor ",
            "nextCursor\":\"",
            "next_cursor\":\"",
            "nextCursor\\\":\\\"",
            "next_cursor\\\":\\\"",
        ];
        while let Some((at, key)) = keys.iter().filter_map(|key| Some((rest.find(key)?, *key))).min() {
            let (before, after) = rest.split_at(at + key.len());
            let end = after.find(['"', '\\']).unwrap_or(after.len());
            normalized.push_str(before);
            normalized.push_str(&numbered("cursor", &mut self.cursors, &after[..end]));
            rest = &after[end..];
        }
        normalized + rest
    }
}

/// The size of the index depends on when SQLite wrote its journal back.
fn without_size(text: &str) -> String {
    match text.split_once("\"indexBytes\":") {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}\"indexBytes\":<bytes>{rest}")
        }
        None => text.to_owned(),
    }
}

fn numbered(kind: &str, values: &mut Vec<String>, value: &str) -> String {
    let n = values.iter().position(|known| known == value).unwrap_or_else(|| {
        values.push(value.to_owned());
        values.len() - 1
    });
    format!("<{kind} {}>", n + 1)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || MARKS.contains(&c)
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.matches('-').count() == 4
        && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_time(word: &str) -> bool {
    word.len() >= "2026-01-31T00:00:00".len() && word.as_bytes()[10] == b'T' && is_date(&word[..10])
}

fn is_date(word: &str) -> bool {
    word.len() == 10 && word.parse::<jiff::civil::Date>().is_ok()
}

// Yesterday too: midnight may pass between a request and this comparison.
fn is_today(word: &str) -> bool {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    [Some(today), today.yesterday().ok()].iter().flatten().any(|day| day.to_string() == word)
}
