//! Failing system calls, and many processes at once: whatever goes wrong, an answer is true or an error, and nothing that was
//! acknowledged is lost. Short by default; `CAIRN_SOAK_MINUTES` makes it long.

#![expect(clippy::unwrap_used, reason = "a failed test says where")]
#![cfg(unix)]

mod converging;
mod folder;
mod history;
mod injected;
mod linearizable;
mod memory;
mod rebuilt;
mod scenario;
mod shim;

use std::time::Duration;

/// Returns how long a test may go on: `usual` seconds, or the minutes of a soak, in which all tests run side by side.
fn time_to_run(usual: u64) -> Duration {
    let minutes = std::env::var("CAIRN_SOAK_MINUTES").ok().and_then(|text| text.parse::<u64>().ok());
    minutes.map_or(Duration::from_secs(usual), |minutes| Duration::from_secs(minutes * 60))
}
