//! Converts client errors of a request for one object.

use taiga::{Error, ErrorKind};

use crate::failure::{Failure, Subject};

/// Converts an error; `NotFound` names the object.
pub(super) fn about(error: Error, what: Subject) -> Failure {
    if error.kind == ErrorKind::NotFound { Failure::not_found(what) } else { error.into() }
}
