//! Measures a result in its output format. In the contract a token is four bytes; where a model reads the text, tokens
//! are estimated and count as four bytes each.

use model::tokens::estimate;
use serde::Serialize;

use crate::markdown;
use crate::view::{ContextView, ReadView};

/// In the contract a token is four bytes of the result.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// Measures a result, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The annotations.
    pub read: fn(&ReadView) -> usize,
    /// The result of `context`.
    pub context: fn(&ContextView) -> usize,
}

impl Measure {
    /// Measures JSON.
    pub const JSON: Self = Self { read: json, context: json };
    /// Measures JSON without empty keys, in estimated tokens.
    pub const COMPACT_JSON: Self = Self { read: compact_json, context: compact_json };
    /// Measures Markdown, in estimated tokens.
    pub const MARKDOWN: Self =
        Self { read: |view| in_bytes(&markdown::read(view)), context: |view| in_bytes(&markdown::context(view)) };
}

fn json<T: Serialize>(view: &T) -> usize {
    serde_json::to_vec(view).map_or(usize::MAX, |bytes| bytes.len())
}

fn compact_json<T: Serialize>(view: &T) -> usize {
    let compact = serde_json::to_value(view).map(|value| app::view::without_empty_keys(value).to_string());
    compact.map_or(usize::MAX, |text| in_bytes(&text))
}

/// Returns the size of a text that a model reads. An estimate may be a little low, and a budget is a promise.
fn in_bytes(text: &str) -> usize {
    const MARGIN_PERCENT: usize = 2;
    BYTES_PER_TOKEN * estimate(text) * (100 + MARGIN_PERCENT) / 100
}
