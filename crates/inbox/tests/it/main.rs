//! Tests of the inbox on real repositories.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod choosing;
mod messages;
