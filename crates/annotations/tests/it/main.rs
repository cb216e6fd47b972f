//! Annotations on real repositories.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod annotations;
#[path = "../../../app/tests/it/harness.rs"]
#[expect(dead_code, reason = "the tests of the verbs use more of it")]
mod harness;
mod hooks;
