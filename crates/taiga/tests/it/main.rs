//! The client against a Taiga in memory, over real HTTP.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod harness;

mod certificates;
mod conflicts;
mod fidelity;
mod items;
mod limits;
mod network;
mod paging;
mod projects;
mod requests;
mod secrets;
mod silent;
mod tokens;
