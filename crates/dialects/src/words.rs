//! Words that every dialect has.

use app::Error;
use jiff::Timestamp;

/// Returns what went wrong and, when there is something, what to do next.
pub(crate) fn with_hint(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}\nhint: {hint}", error.message),
        None => error.message.clone(),
    }
}

/// Writes a moment with whole seconds, as the contracts show them.
pub(crate) fn to_the_second(moment: &Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
