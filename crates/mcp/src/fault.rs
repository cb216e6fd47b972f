//! Why a tool did not do what it was asked. Which code or shape each of these has is the dialect's to say.

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The arguments are missing or have the wrong type.
    Undecodable(String),
    /// The arguments are well formed and make no sense.
    Invalid(String),
    /// The work itself failed.
    Failed(String),
}

impl Fault {
    /// Returns what to tell the caller.
    pub fn message(&self) -> &str {
        match self {
            Self::Undecodable(message) | Self::Invalid(message) | Self::Failed(message) => message,
        }
    }
}
