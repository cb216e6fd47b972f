//! A terminal for tests: tmux, on its own socket.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Timeout for a change of the screen; a loaded machine may need seconds.
const SCREEN_TIMEOUT: Duration = Duration::from_mins(1);

/// Returns whether a program runs here. `version` is the argument that makes it print its version and exit.
pub(crate) fn has_program(name: &str, version: &str) -> bool {
    Command::new(name).arg(version).output().is_ok_and(|output| output.status.success())
}

/// A terminal running a program, killed on drop.
pub(crate) struct Terminal {
    folder: TempDir,
    name: String,
}

impl Terminal {
    /// Starts a program. `name` is the file name of the screen dump after a failure.
    pub(crate) fn start(name: &str, folder: &Path, environment: &[(&str, String)], words: &[&str]) -> Self {
        let terminal = Self { folder: tempfile::tempdir().unwrap(), name: name.to_owned() };
        let mut command = terminal.tmux();
        command.args(["new-session", "-d", "-x", "160", "-y", "50", "-c"]).arg(folder).arg("env");
        command.args(environment.iter().map(|(name, value)| format!("{name}={value}")));
        let output = command.args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        terminal
    }

    /// Presses keys, by their tmux names.
    pub(crate) fn press(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// Types a text.
    pub(crate) fn type_text(&self, text: &str) {
        self.run(&["send-keys", "-l", "--", text]);
    }

    /// Changes the size of the terminal.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.run(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Returns the process id of the program with this name that the terminal's first process started.
    pub(crate) fn child_named(&self, name: &str) -> String {
        let output = self.run(&["display-message", "-p", "#{pane_pid}"]);
        let parent = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let output = Command::new("ps").args(["-o", "pid=,comm=", "--ppid", &parent]).output().unwrap();
        let listed = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = listed.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{listed}"));
        line.split_whitespace().next().unwrap().to_owned()
    }

    /// Waits until the screen shows a text, and returns the screen.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("`{text}` is shown"), |screen| screen.contains(text).then(|| screen.to_owned()))
    }

    /// Waits until a check of the screen succeeds.
    #[track_caller]
    pub(crate) fn wait_until<T>(&self, what: &str, question: impl Fn(&str) -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if let Some(answer) = question(&screen) {
                return answer;
            }
            if began.elapsed() > SCREEN_TIMEOUT {
                let kept = self.keep(&screen);
                panic!("waited in vain until {what}; the screen is in {}:\n{screen}", kept.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the screen with its color codes.
    pub(crate) fn colored_screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p", "-e"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn keep(&self, screen: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screens");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{}.txt", self.name));
        std::fs::write(&file, screen).unwrap();
        file
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.tmux().args(arguments).output().unwrap()
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-u").arg("-S").arg(self.folder.path().join("socket")).args(["-f", "/dev/null"]);
        command.env("LC_ALL", "C.UTF-8").env_remove("TMUX");
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
    }
}
