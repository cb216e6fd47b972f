//! Processes that a measured program leaves running, such as a daemon: found by a variable that they inherit, so that
//! their work is counted and that none is left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::measure::run;
use super::super::talk::resident_in;

/// The variable that marks the processes of a sandbox; its value is the sandbox's folder.
pub(crate) const VARIABLE: &str = "CAIRN_BENCH_SANDBOX";

/// A tick of `/proc` is 1/100 s on every Linux, independent of the kernel's own.
const TICK_INTERVAL: Duration = Duration::from_millis(10);

/// The running processes of a sandbox.
pub(crate) struct Background {
    mark: Vec<u8>,
}

impl Background {
    pub(crate) fn of(folder: &Path) -> Self {
        Self { mark: format!("{VARIABLE}={}", folder.display()).into_bytes() }
    }

    /// Returns the CPU time that the running processes and their finished children have taken.
    pub(crate) fn cpu(&self) -> Duration {
        let stats = self.processes().into_iter().map(|process| fs::read_to_string(process.join("stat")));
        stats.filter_map(|stat| cpu_in(&stat.ok()?)).sum()
    }

    /// Returns the resident memory of the running processes in KiB.
    pub(crate) fn resident(&self) -> u64 {
        let statuses = self.processes().into_iter().map(|process| fs::read_to_string(process.join("status")));
        statuses.filter_map(|status| resident_in(&status.ok()?)).sum()
    }

    /// Ends the running processes.
    pub(crate) fn end(&self) {
        for process in self.processes() {
            let Some(id) = process.file_name().and_then(|name| name.to_str()) else { continue };
            // It may have ended by itself since it was found.
            let _ = run(Command::new("kill").arg(id));
        }
    }

    fn processes(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_marked = |folder: &PathBuf| {
            fs::read(folder.join("environ"))
                .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|variable| variable == self.mark))
        };
        entries.map(|entry| entry.path()).filter(is_marked).collect()
    }
}

/// Reads user and system time, of the process and of its finished children.
fn cpu_in(stat: &str) -> Option<Duration> {
    // The name of the program, in parentheses, may itself contain spaces and parentheses.
    let (_, after_name) = stat.rsplit_once(')')?;
    let ticks: u64 = after_name.split_whitespace().skip(11).take(4).map(|ticks| ticks.parse().unwrap_or(0)).sum();
    Some(TICK_INTERVAL * u32::try_from(ticks).ok()?)
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn times_of_the_process_and_its_children_add_up() {
        let stat = "7 (a ) b) S 1 1 1 0 -1 0 9 9 9 9 10 20 3 4 20 0 1 0 55";
        assert_eq!(cpu_in(stat), Some(Duration::from_millis(370)));
        assert_eq!(cpu_in("nonsense"), None);
        assert_eq!(resident_in("Name:\tbd\nVmRSS:\t   512 kB\n"), Some(512));
    }

    #[test]
    fn a_marked_process_is_found_and_ended() {
        let folder = std::env::temp_dir().join(format!("cairn-background-{}", std::process::id()));
        let background = Background::of(&folder);
        assert!(background.processes().is_empty());
        let mut sleep = Command::new("sleep");
        let mut sleep = sleep.arg("60").env(VARIABLE, &folder).stdout(Stdio::null()).spawn().unwrap();
        // The variable is there once the new program has begun.
        while background.resident() == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        background.end();
        assert!(!sleep.wait().unwrap().success());
        assert!(background.processes().is_empty());
    }
}
