//! Why a tool did not do what it was asked. Which code or shape each of these has is the dialect's to say.

use crate::question::{Capability, Questions};

/// Why a call failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The arguments are missing or have the wrong type.
    Undecodable(String),
    /// The arguments are well formed and make no sense.
    Invalid(String),
    /// What was named does not exist.
    Missing(String),
    /// The work itself failed.
    Failed(String),
    /// Something for which the dialect has a code of its own; always an error of the protocol.
    Coded(i32, String),
    /// The client cannot do what this needs of it.
    Unable(Capability),
    /// Not a failure: the call goes on when the client has answered, and begins anew with the answers. Made by
    /// [`Call::ask`](crate::Call::ask), to be handed on with `?`.
    NeedsInput(Box<Questions>),
}

impl Fault {
    /// Returns what to tell the caller.
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
