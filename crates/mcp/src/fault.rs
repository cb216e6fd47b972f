//! Why a handler failed. The dialect maps each kind to a code and a placement.

use crate::question::{Capability, Questions};

/// Why a call failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The arguments are missing or have the wrong type.
    Undecodable(String),
    /// The arguments have the right types but invalid values.
    Invalid(String),
    /// The arguments refer to something that does not exist.
    Missing(String),
    /// The operation itself failed.
    Failed(String),
    /// A failure with a code of the dialect; always reported as a protocol error.
    Coded(i32, String),
    /// The client lacks a required capability.
    Unable(Capability),
    /// Not a failure: the client must answer questions first and then repeat the call. Made by
    /// [`Call::ask`](crate::Call::ask); handlers return it with `?`.
    NeedsInput(Box<Questions>),
}

impl Fault {
    /// Returns the text for the caller.
    pub fn message(&self) -> &str {
        match self {
            Self::Undecodable(message)
            | Self::Invalid(message)
            | Self::Missing(message)
            | Self::Failed(message)
            | Self::Coded(_, message) => message,
            Self::Unable(capability) => capability.lack(),
            Self::NeedsInput(_) => "the client has to answer a question first",
        }
    }
}
