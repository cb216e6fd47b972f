//! How long an answer is, in the form in which it is printed. A token, for the contract, is four bytes.

use app::view::MessageView;
use serde::Serialize;

use crate::view::{ReadView, TouchingView};

/// A token, for the contract, is four bytes of the answer.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// Measures an answer and its parts, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// What is known about code.
    pub read: fn(&ReadView) -> usize,
    /// Work that is to be done.
    pub item: fn(&TouchingView) -> usize,
    /// What a person said.
    pub message: fn(&MessageView) -> usize,
}

impl Measure {
    /// The answer as JSON.
    pub const JSON: Self = Self { read: json, item: json, message: json };
}

fn json<T: Serialize>(view: &T) -> usize {
    serde_json::to_vec(view).map_or(usize::MAX, |bytes| bytes.len())
}
