//! Why a text was refused as a value: one error for everything that a caller types and this crate parses.

use crate::text::{BODY_LIMIT, TITLE_LIMIT};

/// An invalid value, with what is allowed instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message describes its variant")]
pub enum ValueError {
    #[error("unknown {what} `{text}` (expected: {expected})")]
    UnknownName { what: &'static str, text: String, expected: String },
    #[error("unknown priority `{0}` (expected: urgent, high, medium, low, none, or 0 to 10)")]
    Priority(String),
    #[error("invalid color `{0}`; six hexadecimal digits such as #36b37e")]
    Color(String),
    #[error("invalid value `{text}` for {name} (expected: yes or no)")]
    Flag { name: String, text: String },
    #[error("invalid date `{text}` for {name}: no such day")]
    NoSuchDay { name: String, text: String },
    #[error("invalid date `{text}` for {name}; write YYYY-MM-DD, today or tomorrow")]
    Date { name: String, text: String },
    #[error("`{0}` is not a number such as `5`, `milestone/5`, `board/5` or `person/5`")]
    ItemNumber(String),
    #[error("invalid line range `{0}`; write `42` or `42-57`, counted from 1")]
    Lines(String),
    #[error("`{0}` is not a rank")]
    Rank(String),
    #[error("unknown sort order `{order}`; write `{field}:asc` or `{field}:desc`")]
    SortOrder { field: String, order: String },
    #[error("cannot sort by `{field}`{}", suggestion(*.nearest))]
    SortField { field: String, nearest: Option<&'static str> },
    #[error("`{0}` must be a path inside the repository, relative to its root")]
    Path(String),
    #[error("the {name} is empty")]
    Empty { name: String },
    #[error("the {name} contains a NUL character")]
    Nul { name: String },
    #[error("the {name} must be one line; put longer text into the description")]
    SeveralLines { name: String },
    #[error("the {name} has {length} characters; at most {TITLE_LIMIT} are allowed")]
    LongLine { name: String, length: usize },
    #[error("the {name} has {length} bytes; at most {BODY_LIMIT} are allowed")]
    LongBody { name: String, length: usize },
    #[error("the label `{0}` contains a comma, which separates labels; give them one by one")]
    CommaInLabel(String),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}
