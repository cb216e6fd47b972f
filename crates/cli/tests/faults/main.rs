//! Failing system calls, and many processes at once: every result is correct or an error, and no acknowledged write is
//! lost. Short by default; `CAIRN_SOAK_MINUTES` makes it long.

#![expect(clippy::unwrap_used, reason = "a failed test says where")]
#![cfg(unix)]

mod converging;
mod failover;
mod folder;
mod history;
mod injected;
mod linearizable;
mod memory;
mod rebuilt;
mod scenario;
mod servers;
mod serving;
mod shim;

use std::time::Duration;

/// Returns the time limit of a test: `usual` seconds, or the minutes of a soak test, in which all tests run in
/// parallel.
fn time_to_run(usual: u64) -> Duration {
    let minutes = std::env::var("CAIRN_SOAK_MINUTES").ok().and_then(|text| text.parse::<u64>().ok());
    minutes.map_or(Duration::from_secs(usual), |minutes| Duration::from_secs(minutes * 60))
}
