//! Text helpers of all dialects.

use app::Error;
use jiff::Timestamp;

/// Returns the message and, if there is one, the hint.
pub(crate) fn with_hint(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}\nhint: {hint}", error.message),
        None => error.message.clone(),
    }
}

/// Returns the message and, if there is one, the hint in tools and arguments.
pub(crate) fn with_tool_hint(error: &Error) -> String {
    match error.hint_for_tools() {
        Some(hint) => format!("{}\nhint: {hint}", error.message),
        None => error.message.clone(),
    }
}

/// Formats a timestamp with whole seconds, as the contracts specify.
pub(crate) fn to_the_second(moment: &Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
