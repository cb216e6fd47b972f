//! The MCP server of the built binary over stdio: the guarantees of all dialects, and the `mile` contract.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod agents;
mod batch;
mod bench;
mod cairn;
mod client;
mod contract;
mod crowd;
mod doctor;
mod framing;
mod http;
#[cfg(unix)]
mod in_flight;
mod install;
mod lazygit;
mod lifecycle;
mod load;
mod mile_seed;
mod offer;
mod quicksilver;
mod recorded;
mod session;
mod taiga;
mod twins;
mod ultragit;
