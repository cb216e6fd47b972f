//! The request log on stderr, one line per request.

use std::sync::Arc;

use clap::ValueEnum;
use web::{AnsweredRequest, Log};

use crate::output::{note, safe};

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// For programs: an object for each request.
    Json,
    /// For people.
    Text,
}

impl Form {
    pub(super) fn log(self) -> Log {
        Arc::new(move |answered| match self {
            Self::Json => note(&serde_json::to_string(answered).unwrap_or_default()),
            Self::Text => note(&in_words(answered)),
        })
    }
}

fn in_words(answered: &AnsweredRequest) -> String {
    let AnsweredRequest { at, trace, method, path, status, ms, who, .. } = answered;
    let who = who.as_deref().map_or_else(|| "-".to_owned(), safe);
    format!("{at} {method} {} {status} {ms:.1} ms {who} {trace}", safe(path))
}
