//! Why a text has no symbols.

use crate::{Language, MAX_BYTES};

/// Why a text was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseRefusal {
    /// The language is supported, but this build does not include its grammar.
    #[error("this build cannot read {language}: build it with `--features all-languages`")]
    NotBuiltIn {
        /// The language.
        language: Language,
    },
    /// The text is longer than [`MAX_BYTES`].
    #[error("the text has {bytes} bytes, symbols are looked for up to {MAX_BYTES}")]
    TooLarge {
        /// Size of the text.
        bytes: usize,
    },
    /// Parsing took too long: the text is hardly code of its language.
    #[error("the text takes too much work to read: it is hardly code of its language")]
    TooMuchWork,
}
