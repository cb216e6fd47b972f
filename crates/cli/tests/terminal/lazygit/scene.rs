//! A repository, a home folder with settings for lazygit, and both programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Cairn, Ran, TestRepository};

use crate::terminal::{self, Terminal};

/// A name with characters that are special in shells, templates and regular expressions.
pub(crate) const NAME: &str = "w \"b\" $c `d` \\e 'f' {{g}} é.txt";

/// The folder of a lazygit to test with, or the reason why there is none.
fn lazygit_folder() -> Result<PathBuf, String> {
    if !terminal::has_program("tmux", "-V") {
        return Err("there is no `tmux` here; install it".to_owned());
    }
    let runs = |folder: &Path| {
        Command::new(folder.join("lazygit")).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let mut folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    folders.extend(fs::read_dir(tools).into_iter().flatten().flatten().map(|entry| entry.path().join("bin")));
    let found = folders.into_iter().filter(|folder| folder.join("lazygit").is_file()).find(|folder| runs(folder));
    found.ok_or_else(|| "there is no `lazygit` here; `cargo xtask ci --only test` installs it".to_owned())
}

pub(crate) struct Scene {
    pub(crate) repository: TestRepository,
    home: TempDir,
    path: String,
    cairn: Cairn,
}

impl Scene {
    /// Creates a scene; `None`, with a note, if there is no lazygit.
    pub(crate) fn new() -> Option<Self> {
        Self::with_program(Path::new(env!("CARGO_BIN_EXE_cairn")))
    }

    /// Creates a scene with another program file.
    pub(crate) fn with_program(program: &Path) -> Option<Self> {
        let lazygit = match lazygit_folder() {
            Ok(folder) => folder,
            Err(why) => {
                testkit::skip(&why);
                return None;
            }
        };
        let rest = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{rest}", lazygit.display());
        let repository = TestRepository::new();
        let cairn = Cairn::new(program.to_str().unwrap(), repository.path());
        let scene = Self { repository, home: tempfile::tempdir().unwrap(), path, cairn };
        scene.write_history();
        fs::create_dir_all(scene.settings().parent().unwrap()).unwrap();
        fs::write(scene.settings(), "# mine\ndisableStartupPopups: true\ngui:\n  showFileTree: false\n").unwrap();
        Some(scene)
    }

    /// Two commits, then a change in the work tree.
    fn write_history(&self) {
        let file = self.repository.path().join(NAME);
        fs::write(&file, "one\ntwo\nthree\n").unwrap();
        self.repository.git(&["add", "."]);
        self.repository.git(&["commit", "--quiet", "--message=first"]);
        fs::write(self.repository.path().join("b c.txt"), "alpha\nbeta\n").unwrap();
        self.repository.git(&["add", "."]);
        self.repository.git(&["commit", "--quiet", "--message=second $(touch pwned)"]);
        fs::write(&file, "one\nTWO $(touch pwned) `x` {{y}}\nthree\nfour\n").unwrap();
    }

    /// Lets lazygit show folders.
    pub(crate) fn show_file_tree(&self) {
        fs::write(self.settings(), "disableStartupPopups: true\n").unwrap();
    }

    /// Adds a file in a folder, and deletes another one there.
    pub(crate) fn change_folder(&self) {
        let folder = self.repository.path().join("src");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("old.txt"), "gone\n").unwrap();
        self.repository.git(&["add", "src"]);
        self.repository.git(&["commit", "--quiet", "--message=third"]);
        fs::remove_file(folder.join("old.txt")).unwrap();
        fs::write(folder.join("new.txt"), "here\n").unwrap();
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.home.path().join("lazygit/config.yml")
    }

    /// Runs our program as the user would.
    pub(crate) fn cairn(&self, arguments: &[&str]) -> Ran {
        let mut command = self.cairn.command(arguments);
        command.envs(self.environment());
        Ran::of(command.spawn().unwrap())
    }

    #[track_caller]
    pub(crate) fn install(&self, arguments: &[&str]) {
        let ran = self.cairn(&[&["lazygit", "install"], arguments].concat());
        assert!(ran.status.success() && ran.stderr.is_empty(), "{ran}");
    }

    /// Starts lazygit and waits until it shows the changed file.
    pub(crate) fn lazygit(&self, name: &str) -> Terminal {
        self.lazygit_showing(name, "+four")
    }

    /// Starts lazygit and waits until it shows a text.
    pub(crate) fn lazygit_showing(&self, name: &str, text: &str) -> Terminal {
        let environment: Vec<_> = self.environment().into_iter().collect();
        let terminal = Terminal::start(name, self.repository.path(), &environment, &["lazygit"]);
        terminal.wait_for(text);
        terminal
    }

    /// Returns the messages of the inbox.
    pub(crate) fn messages(&self) -> Vec<Value> {
        self.cairn(&["inbox", "list", "--json"]).json()["items"].as_array().unwrap().clone()
    }

    /// Checks that no typed text was executed.
    #[track_caller]
    pub(crate) fn assert_nothing_was_run(&self) {
        let entries = fs::read_dir(self.repository.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let strange: Vec<_> =
            entries.filter(|name| ![".git", NAME, "b c.txt"].contains(&name.to_str().unwrap())).collect();
        assert!(strange.is_empty(), "{strange:?}");
    }

    fn environment(&self) -> [(&'static str, String); 8] {
        let home = self.home.path().display().to_string();
        [
            ("PATH", self.path.clone()),
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.clone()),
            ("XDG_STATE_HOME", home),
            ("GIT_CONFIG_GLOBAL", self.cairn.gitconfig().display().to_string()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
        ]
    }
}
