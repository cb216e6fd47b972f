//! Imports and exports through the public interface, on repositories made by the real git.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod backlog;
mod beads;
mod exports;
mod git_trackers;
mod github;
mod gitlab;
mod harness;
mod jira;
mod jsonl;
mod large;
mod markdown;
mod real_backlog;
mod real_beads;
mod round_trip;
mod source_names;
mod tables;
mod taiga;
mod todo;
mod updates;
