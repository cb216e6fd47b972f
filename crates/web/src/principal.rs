//! Who sent a request.

use app::Role;
use model::person::Person;

/// Who sent a request, as the door found out. Every request that a handler sees has one among its extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Visitor {
    /// What they are called in logs: the name of their token.
    pub(crate) name: String,
    /// In whose name they change things; the person git names when nobody is.
    pub(crate) person: Option<Person>,
    /// What they may do.
    pub(crate) role: Role,
}
