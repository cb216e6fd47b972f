//! Who calls a tool.

use mcp::Call;
use model::person::Person;

/// Returns the author of a call's changes; git's user without one.
pub(crate) fn actor(call: &Call) -> Option<Person> {
    call.caller().and_then(|caller| caller.acts_as.as_deref()).map(Person::parse)
}
