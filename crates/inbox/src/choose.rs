//! Chooses the file and lines of a remark.

use std::collections::HashSet;
use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

use app::Error;
use model::diff::{self, DiffLine, FileDiff};
use model::message::{Lines, Side};
use model::value_error::ValueError;
use serde::Serialize;
use store::git::WorkTreeEntry;
use store::spool::LineMark;

use super::{Inbox, code};

/// Maximum number of lines offered: more than anyone scrolls through.
const MAX_OFFERED: usize = 20_000;

/// The lines of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineChoice {
    /// The whole file.
    #[default]
    WholeFile,
    /// These lines.
    Lines(Side, Lines),
}

/// A line to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedLineView {
    /// The value for `--line`.
    pub line: String,
    /// Its text.
    pub text: String,
}

impl fmt::Display for RemarkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.commit {
            Some(commit) => write!(f, "{commit}:{}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

impl LineChoice {
    /// Returns the choice of a line of a diff.
    pub(super) fn of(line: &DiffLine) -> Option<Self> {
        Lines::new(line.number, line.number).map(|lines| Self::Lines(line.side(), lines))
    }
}

impl FromStr for LineChoice {
    type Err = ValueError;

    /// Parses `all`, `42`, `42-57` or `old:42`.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let text = text.trim();
        if matches!(text, "" | "all") {
            return Ok(Self::WholeFile);
        }
        match text.strip_prefix("old:") {
            Some(lines) => Ok(Self::Lines(Side::Old, lines.parse()?)),
            None => Ok(Self::Lines(Side::New, text.parse()?)),
        }
    }
}

impl fmt::Display for LineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeFile => f.write_str("all"),
            Self::Lines(Side::New, lines) => lines.fmt(f),
            Self::Lines(Side::Old, lines) => write!(f, "old:{lines}"),
        }
    }
}

/// A file to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFileView {
    /// The value for `--file`: a path, or a commit's id, a colon and a path.
    pub file: String,
}

/// The file of a remark, and its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemarkFile {
    /// The file, relative to the repository root.
    pub(super) file: String,
    /// The commit's id; `None` for the work tree.
    pub(super) commit: Option<String>,
}

impl RemarkFile {
    /// Takes a path as given, relative to the root.
    pub(super) fn as_given(file: &str) -> Self {
        Self { file: file.trim_start_matches("./").to_owned(), commit: None }
    }
}

impl Inbox {
    /// Returns files to choose from: those of `first` that exist, then those changed by a commit or, without one, in
    /// the work tree.
    pub fn files(&self, commit: Option<&str>, first: &[String]) -> Result<Vec<ChangedFileView>, Error> {
        let mut files = Vec::new();
        for given in first {
            files.extend(self.choose(given, None).ok().map(|chosen| chosen.to_string()));
        }
        let commit = commit.map(|name| self.commit(name)).transpose()?;
        for file in self.repository.changed_files(commit.as_deref())? {
            files.push(RemarkFile { file, commit: commit.clone() }.to_string());
        }
        let mut known = HashSet::new();
        files.retain(|file| known.insert(file.clone()));
        if files.is_empty() {
            let what =
                commit.map_or_else(|| "there are no changed files".to_owned(), |id| format!("`{id}` changes no files"));
            return Err(Error::not_found(what));
        }
        Ok(files.into_iter().map(|file| ChangedFileView { file }).collect())
    }

    /// Returns the changed lines of a file, in a commit or in the work tree, with the whole file first. A file without
    /// changes offers all its lines. A marked line comes before the others.
    pub fn lines(&self, file: &str, commit: Option<&str>) -> Result<Vec<ChangedLineView>, Error> {
        let RemarkFile { file, commit } = self.choose(file, commit)?;
        let mut lines = vec![ChangedLineView { line: "all".to_owned(), text: "the whole file".to_owned() }];
        if commit.is_none() {
            lines.extend(self.marked(&file)?);
        }
        let n_before = lines.len();
        let diff = self.repository.diff_of_file(&file, commit.as_deref())?;
        for changed in diff::parse(&diff).iter().flat_map(FileDiff::changed) {
            let Some(line) = LineChoice::of(changed) else { continue };
            lines.push(ChangedLineView { line: line.to_string(), text: changed.text.clone() });
        }
        if lines.len() == n_before {
            match &commit {
                Some(id) => self.check_is_changed(id, &file)?,
                None => lines.extend(self.all_lines(&file)?),
            }
        }
        lines.truncate(MAX_OFFERED);
        Ok(lines)
    }

    /// Stores a line of a file in the work tree, to offer it first.
    pub fn mark(&self, file: &str, line: u32) -> Result<(), Error> {
        let RemarkFile { file, .. } = self.choose(file, None)?;
        Ok(self.spool.set_mark(&LineMark { file, line })?)
    }

    pub(super) fn marked(&self, file: &str) -> Result<Option<ChangedLineView>, Error> {
        let Some(mark) = self.spool.mark().filter(|mark| mark.file == file) else { return Ok(None) };
        let lines = self.all_lines(file)?;
        let marked = lines.into_iter().find(|line| line.line == mark.line.to_string());
        Ok(marked.map(|line| ChangedLineView { text: format!("{}  (where you were)", line.text), ..line }))
    }

    pub(super) fn all_lines(&self, file: &str) -> Result<Vec<ChangedLineView>, Error> {
        let text = code::text(&self.repository, file, None, Side::New)?.unwrap_or_default();
        let view = |(text, n): (&str, u32)| ChangedLineView { line: n.to_string(), text: text.to_owned() };
        Ok(text.lines().zip(1..).map(view).collect())
    }

    // A changed file without changed lines is fine: its mode, its name, or binary content changed. An unchanged file is
    // an error: the caller shows another commit than it thinks.
    fn check_is_changed(&self, id: &str, file: &str) -> Result<(), Error> {
        if self.repository.changed_files(Some(id))?.iter().any(|changed| changed == file) {
            return Ok(());
        }
        let (id, file) = (&id[..id.len().min(12)], model::text::escape_line(file));
        Err(Error::not_found(format!("commit `{id}` does not change `{file}`"))
            .hint("`cairn inbox files --commit COMMIT` says what it changes"))
    }

    /// Resolves a file: in the work tree, in the given commit, or in a commit named before a colon.
    pub(super) fn choose(&self, given: &str, commit: Option<&str>) -> Result<RemarkFile, Error> {
        if let (None, Some((name, path))) = (commit, given.split_once(':'))
            && !name.is_empty()
            && !self.is_in_work_tree(given).unwrap_or(false)
            && let Some(commit) = self.repository.try_find_commit(name)?
        {
            return self.choose(path, Some(&commit));
        }
        let file = self.file(given)?;
        let commit = commit.map(|name| self.commit(name)).transpose()?;
        let exists = match &commit {
            Some(id) => self.is_in_commit(id, &file)?,
            None => self.is_in_work_tree(&file)? || self.repository.has_file_at("HEAD", &file)?,
        };
        if exists {
            return Ok(RemarkFile { file, commit });
        }
        let place = commit.map_or_else(|| "here".to_owned(), |id| format!("in commit `{}`", &id[..id.len().min(12)]));
        Err(Error::not_found(format!("file not found: `{}` {place}", model::text::escape_line(&file)))
            .hint("name it from here or from the top of the repository"))
    }

    fn is_in_work_tree(&self, given: &str) -> Result<bool, Error> {
        let file = self.file(given)?;
        match self.repository.work_tree_entry(&file) {
            WorkTreeEntry::File => Ok(true),
            WorkTreeEntry::Nothing => Ok(false),
            WorkTreeEntry::Folder => {
                Err(Error::invalid(format!("`{}` is a folder", model::text::escape_line(&file)))
                    .hint("name a file in it"))
            }
        }
    }

    /// Returns whether a commit contains or deletes a file.
    fn is_in_commit(&self, id: &str, file: &str) -> Result<bool, Error> {
        Ok(self.repository.has_file_at(id, file)? || self.repository.has_file_at(&format!("{id}^"), file)?)
    }

    /// Returns the path of a file relative to the repository root. A relative path is taken as is; an absolute one must
    /// be in the work tree.
    pub(super) fn file(&self, given: &str) -> Result<String, Error> {
        let outside = || Error::invalid(format!("`{}` is not in this repository", model::text::escape_line(given)));
        let given = given.trim_end_matches('/');
        let path = Path::new(given);
        let inner = match (path.is_absolute(), self.repository.workdir()) {
            (true, Some(top)) => {
                let real = top.canonicalize().unwrap_or_else(|_| top.to_owned());
                path.strip_prefix(top).or_else(|_| path.strip_prefix(real)).map_err(|_| outside())?
            }
            (true, None) => return Err(outside()),
            (false, _) => path,
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in inner.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => parts.push(name.to_str().ok_or_else(outside)?),
                _ => return Err(outside()),
            }
        }
        match parts.as_slice() {
            [] if given.is_empty() => Err(Error::invalid("no file was named").hint("give one with `--file`")),
            [] => Err(Error::invalid(format!("`{given}` is a folder")).hint("name a file in it")),
            parts => Ok(parts.join("/")),
        }
    }
}
