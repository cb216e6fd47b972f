//! Reads the project's own files, from git or the work tree. Never writes.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::gix;
use super::question::{ANSWER_TIMEOUT, Subcommand, WorkTreeSubcommand};
use super::{GitError, Repository};

/// Maximum size of a file; source files that people read are far smaller.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// The type of a path of the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkTreeEntry {
    /// A file, or anything that git treats as one.
    File,
    /// A folder.
    Folder,
    /// The path does not exist.
    Nothing,
}

impl Repository {
    /// Reads a file of the work tree by its path from the top; `None` if it does not exist. Paths that lead out of the
    /// work tree, by `..` or by a symbolic link, do not exist.
    pub fn work_tree_file(&self, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let Some(top) = self.workdir() else { return Ok(None) };
        let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || path.is_empty() {
            return Ok(None);
        }
        let file = top.join(path);
        let is_ours = || Some(fs::canonicalize(&file).ok()?.starts_with(fs::canonicalize(top).ok()?));
        let is_readable = fs::metadata(&file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_OUTPUT);
        if !is_readable || is_ours() != Some(true) {
            return Ok(None);
        }
        match fs::read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(GitError::reading(&file, source)),
        }
    }

    /// Returns the type of a path of the work tree. Files of `.git` are not part of it.
    pub fn work_tree_entry(&self, path: &str) -> WorkTreeEntry {
        let is_gits = path.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
        let Some(top) = self.workdir().filter(|_| !is_gits) else { return WorkTreeEntry::Nothing };
        match fs::metadata(top.join(path)) {
            Ok(metadata) if metadata.is_dir() => WorkTreeEntry::Folder,
            Ok(_) => WorkTreeEntry::File,
            // Git treats a dangling symbolic link as a file.
            Err(_) if fs::symlink_metadata(top.join(path)).is_ok() => WorkTreeEntry::File,
            Err(_) => WorkTreeEntry::Nothing,
        }
    }

    /// Returns whether a commit, given by any revision name, has a file.
    pub fn has_file_at(&self, commit: &str, path: &str) -> Result<bool, GitError> {
        let mut question = self.question(Subcommand::CatFile);
        let found = question.args(["-t", &format!("{commit}:{path}")]).ask_to_end(ANSWER_TIMEOUT)?;
        Ok(found.is_success() && found.stdout.trim_ascii() == b"blob")
    }

    /// Returns the files that a commit changed, or that differ between the work tree and `HEAD`, including untracked
    /// ones. Paths that are not UTF-8 are left out.
    pub fn changed_files(&self, commit: Option<&str>) -> Result<Vec<String>, GitError> {
        let (mut question, skip) = match commit {
            Some(commit) => {
                let mut show = self.question(Subcommand::Show);
                show.args(["--format=", "-m", "--first-parent", "--name-only", "--no-renames", "-z"]);
                show.args(["--end-of-options", commit, "--"]);
                (show, 0)
            }
            None if self.workdir().is_none() => return Ok(Vec::new()),
            None => {
                let mut status = self.work_tree_question(WorkTreeSubcommand::Status)?;
                status.args(["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]);
                (status, "XY ".len())
            }
        };
        let listed = question.ask(ANSWER_TIMEOUT)?;
        let listed = String::from_utf8_lossy(&listed);
        let names = listed.split('\0').filter_map(|entry| entry.get(skip..)).filter(|name| !name.is_empty());
        Ok(names.filter(|name| !name.contains(char::REPLACEMENT_CHARACTER)).map(str::to_owned).collect())
    }

    /// Reads a file at a commit, given by its full id; invalid UTF-8 is replaced. `None` if the file does not exist
    /// there.
    pub fn text_at(&self, commit: &str, path: &str) -> Result<Option<String>, GitError> {
        let mut question = self.question(Subcommand::CatFile);
        let found = question.args(["blob", &format!("{commit}:{path}")]).ask_to_end(ANSWER_TIMEOUT)?;
        Ok(found.is_success().then(|| found.text()))
    }

    /// Returns the diff of a file without context: of a commit, or of the work tree against `HEAD`.
    pub fn diff_of_file(&self, path: &str, commit: Option<&str>) -> Result<String, GitError> {
        self.diff_of_files(&[path], commit, 0)
    }

    /// Returns the diff of files with lines of context: of a commit, or of the work tree against `HEAD`.
    pub fn diff_of_files(&self, paths: &[&str], commit: Option<&str>, n_context: u32) -> Result<String, GitError> {
        const PLAIN: [&str; 4] = ["--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/"];
        let context = format!("--unified={n_context}");
        let mut question = if let Some(commit) = commit {
            let mut show = self.question(Subcommand::Show);
            // Against the first parent, which is what a person sees when looking at a merge.
            show.args(PLAIN).args([&context, "--format=", "-m", "--first-parent", "--end-of-options", commit, "--"]);
            show
        } else {
            let mut diff = self.work_tree_question(WorkTreeSubcommand::Diff)?;
            diff.args(PLAIN).args([&context, &self.head_or_nothing()?, "--"]);
            diff
        };
        Ok(String::from_utf8_lossy(&question.args(paths).ask(ANSWER_TIMEOUT)?).into_owned())
    }

    /// Resolves a revision name to a commit id.
    pub fn try_find_commit(&self, name: &str) -> Result<Option<String>, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let mut question = self.question(Subcommand::RevParse);
        let found = question.args(["--verify", "--quiet", "--end-of-options", &wanted]).ask_to_end(ANSWER_TIMEOUT)?;
        Ok(found.is_success().then(|| found.text().trim().to_owned()))
    }

    /// Returns `HEAD`, or the empty tree if there is no commit yet.
    fn head_or_nothing(&self) -> Result<String, GitError> {
        let head = self.try_find_commit("HEAD")?;
        Ok(head.unwrap_or_else(|| gix::ObjectId::empty_tree(self.format.hash).to_string()))
    }

    /// Returns the blob id of a text, like `git hash-object`.
    pub fn hash_of(&self, bytes: &[u8]) -> String {
        let hash = gix::objs::compute_hash(self.format.hash, gix::objs::Kind::Blob, bytes);
        hash.map(|id| id.to_string()).unwrap_or_default()
    }
}
