//! The `lazygit` program: its version, its settings folder, and whether it accepts settings.
//!
//! It is only started where it cannot open a terminal: to print something, or outside any repository, where it reads
//! its settings and exits.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::commands::Schema;
use crate::clients::program;

/// The oldest version whose templates have the field name that we use for the selected commit.
const MIN_VERSION: (u32, u32) = (0, 44);

/// Maximum run time; usually a few hundredths of a second.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);

/// Settings with which it exits at once outside a repository, whatever the user's settings are.
const GIVE_UP: &str = "notARepository: quit\ndisableStartupPopups: true\n";

#[derive(Debug)]
pub(crate) struct Lazygit {
    path: PathBuf,
    /// Its version; empty if unknown.
    pub(crate) version: String,
}

impl Lazygit {
    /// Finds lazygit on the `PATH`.
    pub(crate) fn find() -> Option<Self> {
        let unknown = Self { path: program::find("lazygit")?, version: String::new() };
        let output = unknown.output_of(&["--version"])?;
        Some(Self { version: version(&output).unwrap_or_default().to_owned(), ..unknown })
    }

    /// Returns whether it is too old for our commands. An unknown version counts as new.
    pub(crate) fn is_too_old(&self) -> bool {
        self.is_before(MIN_VERSION)
    }

    /// Returns what its settings can say. An unknown version counts as new.
    pub(crate) fn schema(&self) -> Schema {
        match self {
            old if old.is_before((0, 51)) => Schema::V44,
            old if old.is_before((0, 66)) => Schema::V51,
            _ => Schema::V66,
        }
    }

    fn is_before(&self, version: (u32, u32)) -> bool {
        let mut parts = self.version.split('.').map_while(|part| part.parse::<u32>().ok());
        parts.next().zip(parts.next()).is_some_and(|own| own < version)
    }

    /// Returns its settings folder.
    pub(crate) fn config_folder(&self) -> Option<PathBuf> {
        let output = self.output_of(&["--print-config-dir"])?;
        let folder = PathBuf::from(output.trim());
        folder.is_absolute().then_some(folder)
    }

    /// Returns its default settings.
    pub(crate) fn defaults(&self) -> Option<String> {
        self.output_of(&["--config"])
    }

    fn output_of(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new(&self.path).args(arguments).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Lets lazygit read settings; returns its message if it rejects them.
    pub(crate) fn check(&self, settings: &str) -> Result<(), String> {
        let cannot = |error: std::io::Error| format!("it cannot be started: {error}");
        let scratch = tempfile::Builder::new().prefix("cairn-lazygit-").tempdir().map_err(cannot)?;
        let (own, last) = (scratch.path().join("config.yml"), scratch.path().join("last.yml"));
        fs::write(&last, GIVE_UP).and_then(|()| fs::write(&own, settings)).map_err(cannot)?;
        let without = self.give_up(scratch.path(), &[&last])?;
        let with = self.give_up(scratch.path(), &[&own, &last])?;
        if last_line(&with) == last_line(&without) {
            return Ok(());
        }
        Err(with.replace(&own.display().to_string(), "config.yml").trim().to_owned())
    }

    /// Starts it outside any repository and returns its output.
    fn give_up(&self, scratch: &Path, settings: &[&Path]) -> Result<String, String> {
        let nowhere = scratch.join("nowhere");
        fs::create_dir_all(&nowhere).map_err(|error| error.to_string())?;
        let files: Vec<String> = settings.iter().map(|path| path.display().to_string()).collect();
        let mut command = Command::new(&self.path);
        command.arg("--use-config-file").arg(files.join(",")).current_dir(&nowhere);
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "LG_CONFIG_FILE"] {
            command.env_remove(variable);
        }
        // Keeps the user's own state file untouched.
        command.env("GIT_CEILING_DIRECTORIES", scratch).env("TERM", "dumb").env("XDG_STATE_HOME", scratch);
        run(&mut command)
    }
}

/// Runs a program with a time limit; returns its output.
fn run(command: &mut Command) -> Result<String, String> {
    let (mut reader, writer) = std::io::pipe().map_err(|error| error.to_string())?;
    let errors = writer.try_clone().map_err(|error| error.to_string())?;
    let child = command.stdin(Stdio::null()).stdout(writer).stderr(errors).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    // The command holds the write end of the pipe: until it is dropped, reading would not end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if began.elapsed() < VERSION_TIMEOUT => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it did not exit in time".to_owned());
            }
        }
    }
    let mut output = Vec::new();
    reader.read_to_end(&mut output).map_err(|error| error.to_string())?;
    Ok(without_times(&String::from_utf8_lossy(&output)))
}

/// Removes the timestamps at the start of lines: `2026/11/16 02:04:06 `.
fn without_times(text: &str) -> String {
    let plain = |line: &str| -> String {
        let is_time = |head: &str| head.chars().all(|c| c.is_ascii_digit() || "/: ".contains(c)) && head.contains(':');
        match line.split_at_checked("2026/11/16 02:04:06 ".len()) {
            Some((head, rest)) if is_time(head) => rest.to_owned(),
            _ => line.to_owned(),
        }
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().next_back().unwrap_or_default()
}

/// Parses `commit=…, version=0.66.2, os=…`.
fn version(output: &str) -> Option<&str> {
    output.split(", ").find_map(|part| part.trim().strip_prefix("version="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lazygit(version: &str) -> Lazygit {
        Lazygit { path: PathBuf::new(), version: version.to_owned() }
    }

    #[test]
    fn versions_are_read_and_compared() {
        assert_eq!(version("commit=pypi, build date=, version=0.66.2, os=linux, git version=2.47.3\n"), Some("0.66.2"));
        assert_eq!(version("lazygit"), None);
        assert!(lazygit("0.40.2").is_too_old());
        assert!(!lazygit("0.44.1").is_too_old());
        assert!(!lazygit("1.0").is_too_old());
        assert_eq!(lazygit("0.50.0").schema(), Schema::V44);
        assert_eq!(lazygit("0.51.1").schema(), Schema::V51);
        assert_eq!(lazygit("0.66.2").schema(), Schema::V66);
        assert!(!lazygit("unversioned").is_too_old() && !lazygit("").is_too_old());
    }

    #[test]
    fn program_errors_are_compared_without_times() {
        assert_eq!(without_times("2026/11/16 02:04:06 The config\nis bad"), "The config\nis bad");
        assert_eq!(last_line(&without_times("migrated\nError: x\n")), "Error: x");
    }
}
