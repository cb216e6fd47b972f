//! The dialects, called directly without a server.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]
#![expect(clippy::needless_pass_by_value, reason = "tests read best with the arguments of tools written in place")]

mod cairn;
mod taiga;
