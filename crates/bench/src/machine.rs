//! The machine and the versions of a run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::measure::read;
use super::moment::date;

/// The machine and the programs, as text.
pub(crate) struct Machine {
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) memory: String,
    pub(crate) disk: String,
    pub(crate) system: String,
    pub(crate) git: String,
    pub(crate) rustc: String,
    /// Load average before the run, over one, five and fifteen minutes.
    pub(crate) load: String,
}

impl Machine {
    /// Collects the data; what cannot be determined is `unknown`.
    pub(crate) fn look(scratch: &Path) -> Self {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let model = line_of("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            date: date(u64::try_from(now.as_millis()).unwrap_or(0)),
            processor: format!("{model}, {cores} cores"),
            memory: line_of("/proc/meminfo", "MemTotal").unwrap_or_else(unknown),
            disk: disk(scratch).unwrap_or_else(unknown),
            system: answer("uname", &["-sr"]),
            git: answer("git", &["--version"]),
            rustc: answer("rustc", &["--version"]),
            load: load(),
        }
    }
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    if words.is_empty() { unknown() } else { words.join(", ") }
}

/// Returns the file system of a folder and whether its device reports itself as rotational.
fn disk(folder: &Path) -> Option<String> {
    let folder = folder.to_str()?;
    let device = last_word(&read(Command::new("df").args(["--output=source", folder])).ok()?);
    let kind = last_word(&read(Command::new("df").args(["--output=fstype", folder])).ok()?);
    let name = device.rsplit('/').next()?;
    let turns = fs::read_to_string(format!("/sys/class/block/{name}/queue/rotational"));
    let how = match turns.as_deref().map(str::trim) {
        Ok("0") => ", solid state",
        Ok("1") => ", rotating (or a virtual disk that says so)",
        _ => "",
    };
    Some(format!("{kind} on `{device}`{how}"))
}

fn last_word(text: &str) -> String {
    text.split_whitespace().last().unwrap_or_default().to_owned()
}

fn answer(program: &str, arguments: &[&str]) -> String {
    read(Command::new(program).args(arguments)).unwrap_or_else(|_| unknown())
}

fn line_of(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    value_of(&text, key)
}

fn value_of(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn unknown() -> String {
    "unknown".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_read_after_the_colon() {
        let text = "processor\t: 0\nmodel name\t: A Chip: v2\nmodel name\t: other\n";
        assert_eq!(value_of(text, "model name").as_deref(), Some("A Chip: v2"));
        assert_eq!(value_of(text, "nothing"), None);
    }
}
