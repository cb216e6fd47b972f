//! Measures a result in its output format. In the contract a token is four bytes.

use app::view::MessageView;
use serde::Serialize;

use crate::view::{ReadView, TouchingView};

/// In the contract a token is four bytes of the result.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// Measures a result and its parts, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The annotations.
    pub read: fn(&ReadView) -> usize,
    /// An item.
    pub item: fn(&TouchingView) -> usize,
    /// A message.
    pub message: fn(&MessageView) -> usize,
}

impl Measure {
    /// Measures JSON.
    pub const JSON: Self = Self { read: json, item: json, message: json };
}

fn json<T: Serialize>(view: &T) -> usize {
    serde_json::to_vec(view).map_or(usize::MAX, |bytes| bytes.len())
}
