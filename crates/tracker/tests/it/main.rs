//! The bridge between this repository and Taiga, against a fake server that replays recorded responses.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod bridge;
#[path = "../../../app/tests/it/harness.rs"]
#[expect(dead_code, reason = "the tests of the verbs use more of it")]
mod harness;
