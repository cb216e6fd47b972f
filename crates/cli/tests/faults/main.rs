//! Failing system calls, and many processes at once: whatever goes wrong, an answer is true or an error, and nothing that was
//! acknowledged is lost. Short by default; `CAIRN_SOAK_MINUTES` makes it long.

#![expect(clippy::unwrap_used, reason = "a failed test says where")]
#![cfg(unix)]

mod history;
mod injected;
mod linearizable;
mod memory;
mod rebuilt;
mod scenario;
mod shim;

use std::time::Duration;

/// Returns how long a test may go on: `usual` seconds, or its share of a soak.
fn time_to_run(usual: u64) -> Duration {
    soak_minutes().map_or(Duration::from_secs(usual), |minutes| Duration::from_secs_f64(minutes * 60.0 / 3.0))
}

/// Returns how many minutes the person wants to spend, if they said so.
fn soak_minutes() -> Option<f64> {
    std::env::var("CAIRN_SOAK_MINUTES").ok()?.parse().ok()
}
