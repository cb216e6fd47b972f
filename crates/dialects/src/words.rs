//! Words that every dialect has.

use app::Error;

/// Returns what went wrong and, when there is something, what to do next.
pub(crate) fn with_hint(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}\nhint: {hint}", error.message),
        None => error.message.clone(),
    }
}
