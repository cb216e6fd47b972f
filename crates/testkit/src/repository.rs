//! Temporary git repositories, made and inspected by the real `git` program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The format of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// `sha1` or `sha256`.
    pub hash: &'static str,
    /// `files` or `reftable`.
    pub refs: &'static str,
    /// Without a work tree.
    pub bare: bool,
}

impl Layout {
    /// The default of `git init`.
    pub const PLAIN: Layout = Layout { hash: "sha1", refs: "files", bare: false };

    /// The default, bare.
    pub const BARE: Layout = Layout { bare: true, ..Layout::PLAIN };

    /// All combinations.
    pub fn all() -> Vec<Layout> {
        let mut layouts = Vec::new();
        for hash in ["sha1", "sha256"] {
            for refs in ["files", "reftable"] {
                layouts.extend([false, true].map(|bare| Layout { hash, refs, bare }));
            }
        }
        layouts
    }
}

/// A repository in a temporary directory, removed when dropped.
#[derive(Debug)]
pub struct TestRepository {
    directory: TempDir,
    path: PathBuf,
}

impl TestRepository {
    /// Creates a repository of the default format.
    pub fn new() -> Self {
        Self::with(Layout::PLAIN)
    }

    /// Creates a repository of a format, called `project`, or `project.git` if bare.
    ///
    /// Its own configuration has an identity and disables signing and automatic packing.
    pub fn with(layout: Layout) -> Self {
        Self::within(TempDir::new().expect("a temporary directory"), layout)
    }

    /// Creates a repository in memory, where the system supports it: for tests that write much and do not test disks.
    pub fn in_memory(layout: Layout) -> Self {
        let in_memory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        Self::within(in_memory.expect("a temporary directory"), layout)
    }

    fn within(directory: TempDir, layout: Layout) -> Self {
        let root = directory.path().canonicalize().expect("it exists");
        let path = root.join(if layout.bare { "project.git" } else { "project" });
        let hash = format!("--object-format={}", layout.hash);
        let refs = format!("--ref-format={}", layout.refs);
        let target = path.to_str().expect("temporary paths are UTF-8");
        let mut arguments = vec!["init", "--quiet", "--initial-branch=main", &hash, &refs];
        arguments.extend(layout.bare.then_some("--bare"));
        arguments.push(target);
        git_in(&root, &arguments);
        let repository = Self { directory, path };
        repository.configure();
        repository
    }

    /// Clones this repository next to itself, with options for `git clone`, and returns the clone's path.
    pub fn clone_beside(&self, name: &str, options: &[&str]) -> PathBuf {
        let target = self.directory_path().join(name);
        // Git ignores options such as `--depth` for plain paths.
        let source = format!("file://{}", self.path.display());
        let mut arguments = vec!["clone", "--quiet"];
        arguments.extend(options);
        arguments.extend([source.as_str(), target.to_str().expect("temporary paths are UTF-8")]);
        git_in(&self.directory_path(), &arguments);
        configure(&target);
        target
    }

    /// Returns the top of the work tree, or the git directory of a bare repository.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the git directory.
    pub fn git_dir(&self) -> PathBuf {
        let dot_git = self.path.join(".git");
        if dot_git.exists() { dot_git } else { self.path.clone() }
    }

    /// Returns the parent directory of the repository, where a test may create more.
    pub fn directory_path(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it exists")
    }

    /// Runs git here and returns its output, without the final line break.
    pub fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.path, arguments)
    }

    /// Runs git here, whatever its exit status.
    pub fn try_git(&self, arguments: &[&str]) -> Output {
        git_command(&self.path, arguments).output().expect("git runs")
    }

    fn configure(&self) {
        configure(&self.path);
    }
}

impl Default for TestRepository {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs git in a directory and returns its output; fails the test with git's error message.
pub fn git_in(directory: &Path, arguments: &[&str]) -> String {
    let output = git_command(directory, arguments).output().expect("git runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?} in {}: {stderr}", directory.display());
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Runs git in a directory with standard input, and returns its output.
pub fn git_with_input(directory: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut command = git_command(directory, arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git runs");
    child.stdin.take().expect("it was asked for").write_all(input).expect("git reads it all");
    let output = child.wait_with_output().expect("it was started");
    assert!(output.status.success(), "git {arguments:?} in {}", directory.display());
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Writes a commit object unchecked and returns its id. No ref points at it.
pub fn write_commit(directory: &Path, tree: &str, parents: &[&str], message: &[u8]) -> String {
    let mut bytes = format!("tree {tree}\n").into_bytes();
    for parent in parents {
        bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
    }
    for role in ["author", "committer"] {
        bytes.extend_from_slice(format!("{role} Mallory <mallory@example.com> 1767225600 +0000\n").as_bytes());
    }
    bytes.push(b'\n');
    bytes.extend_from_slice(message);
    git_with_input(directory, &["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], &bytes)
}

fn configure(path: &Path) {
    let settings = [
        ("user.name", "Ada Lovelace"),
        ("user.email", "ada@example.com"),
        ("commit.gpgsign", "false"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
    ];
    for (key, value) in settings {
        git_in(path, &["config", key, value]);
    }
}

fn git_command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(directory);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .env("LC_ALL", "C");
    command
}
