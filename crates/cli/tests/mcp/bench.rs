//! A repository, a home folder and the program, for tests of client settings.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::{Cairn, Layout, Ran, TestRepository};

/// A user's environment with a repository.
pub(crate) struct Bench {
    pub(crate) repository: TestRepository,
    pub(crate) cairn: Cairn,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Layout::PLAIN)
    }

    pub(crate) fn with(layout: Layout) -> Self {
        let repository = TestRepository::with(layout);
        let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), repository.path());
        Self { repository, cairn }
    }

    /// Returns the canonical path of the repository.
    pub(crate) fn root(&self) -> PathBuf {
        self.repository.path().canonicalize().expect("it exists")
    }

    /// Returns the home folder, which also contains the settings.
    pub(crate) fn home(&self) -> PathBuf {
        self.cairn.gitconfig().parent().expect("a file is in a folder").to_owned()
    }

    /// Runs `cairn mcp install` with these arguments; it must succeed.
    #[track_caller]
    pub(crate) fn install(&self, words: &str) -> Ran {
        self.cairn.ok(&install_words(words))
    }

    /// Runs `cairn mcp install` with these arguments; it must fail.
    #[track_caller]
    pub(crate) fn refuse(&self, words: &str) -> Ran {
        let ran = self.cairn.run(&install_words(words));
        assert!(!ran.status.success() && ran.stdout.is_empty(), "{ran}");
        ran
    }

    /// Replaces the placeholders of paths.
    pub(crate) fn filled(&self, text: &str) -> String {
        text.replace("PROGRAM", env!("CARGO_BIN_EXE_cairn")).replace("ROOT", self.root().to_str().expect("UTF-8"))
    }
}

/// Splits the arguments and prepends `mcp install`.
pub(crate) fn install_words(words: &str) -> Vec<&str> {
    ["mcp", "install"].into_iter().chain(words.split_whitespace()).collect()
}

/// Returns the text of a file.
#[track_caller]
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a file, and creates its folder.
pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("it can be made");
    fs::write(path, text).expect("it can be written");
}
