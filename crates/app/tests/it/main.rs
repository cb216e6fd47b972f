//! Tests of the verbs on real repositories: examples, and properties that hold for every history.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod attachments;
mod batches;
mod changes;
mod charts;
mod clones;
mod columns;
mod commits;
mod doctor;
mod failures;
mod harness;
mod hubs;
mod labels;
mod links;
mod lists;
mod members;
mod numbers;
mod pages;
mod progress;
#[path = "../../../store/tests/it/random_log.rs"]
#[expect(dead_code, reason = "the tests of the store use more of it")]
mod random_log;
mod ranks;
mod ready;
mod revisions;
mod shared_entries;
mod tasks;
mod transfer;
mod undo;
mod workflows;
