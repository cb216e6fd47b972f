//! Tests of the store on real repositories, checked by the real `git`.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod annotation_format;
mod code_history;
mod failover;
mod format_golden;
mod format_round_trip;
mod git_credential;
mod git_discover;
mod git_environment;
mod git_failures;
mod git_questions;
mod git_read;
mod git_refs;
mod git_remote;
mod git_support;
mod git_write;
mod git_writers;
mod group_commit;
mod inbox_format;
mod index_annotations;
mod index_filter;
mod index_flipped_bits;
mod index_hostile;
mod index_journal;
mod index_outlines;
mod index_rebuild;
mod intents;
mod notes_support;
mod notes_sync;
mod notes_tree;
mod number_settling;
mod power_failure;
mod random_log;
mod random_notes;
mod shared_database;
mod shared_lost_history;
mod shared_power_failure;
mod shared_refs;
mod shared_support;
mod spool;
mod write_sequence;
