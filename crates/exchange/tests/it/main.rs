//! Imports and exports through the public interface, on repositories made by the real git.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod backlog;
mod beads;
mod encodings;
mod exports;
mod git_trackers;
mod github;
mod gitlab;
mod harness;
mod jira;
mod jira_cloud;
mod jsonl;
mod large;
mod markdown;
mod own_files;
mod real_backlog;
mod real_beads;
mod real_shapes;
mod round_trip;
mod several_files;
mod source_names;
mod tables;
mod taiga;
mod todo;
mod updates;
