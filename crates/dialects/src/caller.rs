//! The caller of a tool.

use mcp::Call;
use model::person::Person;

/// Returns the author for a call's changes; `None` means git's user.
pub(crate) fn actor(call: &Call) -> Option<Person> {
    call.caller().and_then(|caller| caller.acts_as.as_deref()).map(Person::parse)
}
