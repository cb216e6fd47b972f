//! Why a text was not read.

use crate::{Language, MAX_BYTES};

/// Why there are no symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The language is known, but its grammar is no part of this program.
    #[error("this build cannot read {language}: build it with `--features all-languages`")]
    NotBuiltIn {
        /// The language.
        language: Language,
    },
    /// The text is longer than [`MAX_BYTES`].
    #[error("the text has {bytes} bytes, symbols are looked for up to {MAX_BYTES}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// The text is so far from its language that reading it was given up.
    #[error("the text takes too much work to read: it is hardly code of its language")]
    TooMuchWork,
}
