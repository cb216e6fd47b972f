//! The project's own files, as git or the work tree has them: read, never written.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::question::{ANSWER_TIMEOUT, Subcommand, WorkTreeSubcommand};
use super::{GitError, Repository};

/// The longest file that is read; no source file that people read is near it.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// What the work tree has under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkTreeEntry {
    /// A file, or something that git takes for one.
    File,
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
}

impl Repository {
    /// Reads a file of the work tree, named from its top; `None` when there is none. Names that lead out of the work tree
    /// name nothing, be it by `..` or by a link.
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

    /// Tells what the work tree has under a name. Git's own files are no part of it.
    pub fn work_tree_entry(&self, path: &str) -> WorkTreeEntry {
        let is_gits = path.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
        let Some(top) = self.workdir().filter(|_| !is_gits) else { return WorkTreeEntry::Nothing };
        match fs::metadata(top.join(path)) {
            Ok(metadata) if metadata.is_dir() => WorkTreeEntry::Folder,
            Ok(_) => WorkTreeEntry::File,
            // A link that leads nowhere is a file to git.
            Err(_) if fs::symlink_metadata(top.join(path)).is_ok() => WorkTreeEntry::File,
            Err(_) => WorkTreeEntry::Nothing,
        }
    }

    /// Tells whether a commit has a file, whatever git calls the commit.
    pub fn has_file_at(&self, commit: &str, path: &str) -> Result<bool, GitError> {
        let mut question = self.question(Subcommand::CatFile);
        let found = question.args(["-t", &format!("{commit}:{path}")]).ask_to_end(ANSWER_TIMEOUT)?;
        Ok(found.is_success() && found.stdout.trim_ascii() == b"blob")
    }

    /// Returns the names of files that a commit changed, or that differ in the work tree from `HEAD`, new ones among
    /// them. Names that are not UTF-8 are left out.
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

    /// Reads a file as a commit has it, named by the commit's full id; bytes that are not UTF-8 are replaced. `None` when
    /// the commit has no such file.
    pub fn text_at(&self, commit: &str, path: &str) -> Result<Option<String>, GitError> {
        let mut question = self.question(Subcommand::CatFile);
        let found = question.args(["blob", &format!("{commit}:{path}")]).ask_to_end(ANSWER_TIMEOUT)?;
        Ok(found.is_success().then(|| found.text()))
    }

    /// Returns what changed in a file, as a diff without context: by a commit, or in the work tree since `HEAD`.
    pub fn diff_of_file(&self, path: &str, commit: Option<&str>) -> Result<String, GitError> {
        const PLAIN: [&str; 4] = ["--no-color", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/"];
        let mut question = if let Some(commit) = commit {
            let mut show = self.question(Subcommand::Show);
            // Against its first parent, which is what a person sees who looks at a merge.
            show.args(PLAIN).args(["--format=", "-m", "--first-parent", "--end-of-options", commit, "--", path]);
            show
        } else {
            let mut diff = self.work_tree_question(WorkTreeSubcommand::Diff)?;
            diff.args(PLAIN).args([&self.head_or_nothing()?, "--", path]);
            diff
        };
        Ok(String::from_utf8_lossy(&question.ask(ANSWER_TIMEOUT)?).into_owned())
    }

    /// Returns the id of a commit that a person names.
    pub fn try_find_commit(&self, name: &str) -> Result<Option<String>, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let mut question = self.question(Subcommand::RevParse);
        let found = question.args(["--verify", "--quiet", "--end-of-options", &wanted]).ask_to_end(ANSWER_TIMEOUT)?;
        Ok(found.is_success().then(|| found.text().trim().to_owned()))
    }

    /// Names `HEAD`, or the empty tree while there is no commit.
    fn head_or_nothing(&self) -> Result<String, GitError> {
        let head = self.try_find_commit("HEAD")?;
        Ok(head.unwrap_or_else(|| gix::ObjectId::empty_tree(self.format.hash).to_string()))
    }

    /// Returns what `git hash-object` says of a text.
    pub fn hash_of(&self, bytes: &[u8]) -> String {
        let hash = gix::objs::compute_hash(self.format.hash, gix::objs::Kind::Blob, bytes);
        hash.map(|id| id.to_string()).unwrap_or_default()
    }
}
