//! The authenticated sender of a request.

use app::Role;
use model::person::Person;

/// The authenticated sender of a request. Every request that a handler sees has one in its extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Principal {
    /// The name of the token, for logs.
    pub(crate) name: String,
    /// The author of changes; git's user without one.
    pub(crate) person: Option<Person>,
    pub(crate) role: Role,
}
