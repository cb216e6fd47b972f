//! The menu of places to comment on: the diff of a file, a folder, a commit or the whole work tree, line by line.
//!
//! For programs that can show a menu but cannot say where the cursor is, such as lazygit: each entry names the file and
//! the line in one word, so that one choice is enough.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use app::Error;
use model::diff::{self, DiffLine, FileDiff, LineOrigin};
use model::value_error::ValueError;
use serde::Serialize;
use store::git::WorkTreeEntry;

use super::{Inbox, LineChoice};

/// Lines of context around a change, as git shows them.
const N_CONTEXT: u32 = 3;

/// Maximum number of entries: more than anyone scrolls through.
const MAX_ENTRIES: usize = 5_000;

/// The file and the lines of a remark in one word: `42:src/main.rs`, `old:42:src/main.rs`, `all:COMMIT:src/main.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemarkPlace {
    /// The lines.
    pub lines: LineChoice,
    /// The file, as a remark names it.
    pub file: String,
}

impl fmt::Display for RemarkPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.lines, self.file)
    }
}

impl FromStr for RemarkPlace {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let n_old = if text.starts_with("old:") { "old:".len() } else { 0 };
        let end = text[n_old..].find(':').map_or(text.len(), |end| end + n_old);
        let lines = text[..end].parse()?;
        Ok(Self { lines, file: text.get(end + 1..).unwrap_or_default().to_owned() })
    }
}

/// Which files a menu is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MenuScope {
    /// Files and folders, each as `PATH` or `COMMIT:PATH`; the first ones come first.
    pub places: Vec<String>,
    /// A commit; the work tree without one.
    pub commit: Option<String>,
    /// Whether the other changed files follow.
    pub rest: bool,
}

/// An entry of the menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MenuEntryView {
    /// The value for `--at`.
    pub at: String,
    /// The file, behind a short commit if the menu is about several; empty if it has only one file.
    pub file: String,
    /// The line as the diff numbers it; empty for the whole file.
    pub line: String,
    /// `+`, `-`, a space for context, or empty for the whole file.
    pub sign: &'static str,
    /// The text of the line.
    pub text: String,
}

/// The files of a menu from the same commit, or from the work tree.
struct Group {
    commit: Option<String>,
    files: Vec<String>,
}

impl Inbox {
    /// Returns the entries of a menu. The first one is the line that was marked, else the first changed line.
    pub fn menu(&self, scope: &MenuScope) -> Result<Vec<MenuEntryView>, Error> {
        let groups = self.groups(scope)?;
        let n_files: usize = groups.iter().map(|group| group.files.len()).sum();
        let is_mixed = groups.iter().any(|group| group.commit != groups[0].commit);
        let mut entries = Vec::new();
        for group in &groups {
            let mut of_group = self.entries_of(group)?;
            if let (true, Some(commit)) = (is_mixed, &group.commit) {
                for entry in &mut of_group {
                    entry.file = format!("{} {}", &commit[..8], entry.file);
                }
            }
            entries.extend(of_group);
        }
        if entries.is_empty() {
            return Err(Error::not_found("there are no changed files"));
        }
        if n_files == 1 {
            for entry in &mut entries {
                entry.file.clear();
            }
        }
        entries.truncate(MAX_ENTRIES);
        Ok(entries)
    }

    fn groups(&self, scope: &MenuScope) -> Result<Vec<Group>, Error> {
        let commit = scope.commit.as_deref().map(|name| self.commit(name)).transpose()?;
        let mut groups: Vec<Group> = Vec::new();
        let mut known = HashSet::new();
        let mut push = |commit: Option<String>, files: Vec<String>| {
            let new = files.into_iter().filter(|file| known.insert((commit.clone(), file.clone()))).collect();
            groups.push(Group { commit, files: new });
        };
        for place in &scope.places {
            let (of, path) = match place.split_once(':') {
                Some((name, path)) if commit.is_none() && !name.is_empty() => {
                    match self.repository.try_find_commit(name)? {
                        Some(id) => (Some(id), path),
                        None => (None, place.as_str()),
                    }
                }
                _ => (commit.clone(), place.as_str()),
            };
            push(of.clone(), self.files_at(of.as_deref(), path)?);
        }
        if scope.rest || scope.places.is_empty() {
            push(commit.clone(), self.repository.changed_files(commit.as_deref())?);
        }
        Ok(groups)
    }

    /// Returns a file, or the changed files of a folder.
    fn files_at(&self, commit: Option<&str>, path: &str) -> Result<Vec<String>, Error> {
        let is_top = matches!(path.trim_start_matches("./").trim_end_matches('/'), "" | ".");
        let changed = self.repository.changed_files(commit)?;
        if is_top {
            return Ok(changed);
        }
        let folder = self.file(path)?;
        let inside = |file: &String| file.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'));
        let files: Vec<String> = changed.into_iter().filter(inside).collect();
        if !files.is_empty() {
            return Ok(files);
        }
        if commit.is_none() && self.repository.work_tree_entry(&folder) == WorkTreeEntry::Folder {
            return Err(Error::not_found(format!("no changed files in `{}`", model::text::escape_line(path))));
        }
        Ok(vec![self.choose(&folder, commit)?.file])
    }

    fn entries_of(&self, group: &Group) -> Result<Vec<MenuEntryView>, Error> {
        if group.files.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<&str> = group.files.iter().map(String::as_str).collect();
        let diffs = diff::parse(&self.repository.diff_of_files(&paths, group.commit.as_deref(), N_CONTEXT)?);
        let mut entries = Vec::new();
        for file in &group.files {
            let entry = EntryMaker { file, commit: group.commit.as_deref() };
            if group.commit.is_none() {
                entries.extend(self.marked(file)?.and_then(|line| entry.numbered(&line.line, line.text, " ")));
            }
            match diffs.iter().find(|diff| diff.path() == file) {
                Some(diff) => entries.extend(entry.of_diff(diff)),
                // An untracked file, or one without changes.
                None if group.commit.is_none() => {
                    let lines = self.all_lines(file)?.into_iter();
                    entries.extend(lines.filter_map(|line| entry.numbered(&line.line, line.text, " ")));
                }
                None => {}
            }
            entries.push(entry.whole());
        }
        Ok(entries)
    }
}

struct EntryMaker<'a> {
    file: &'a str,
    commit: Option<&'a str>,
}

impl EntryMaker<'_> {
    /// Returns the lines of a diff, from the first changed one; the context before it comes last.
    fn of_diff(&self, diff: &FileDiff) -> Vec<MenuEntryView> {
        let n_before = diff.lines.iter().take_while(|line| line.origin == LineOrigin::Context).count();
        let (before, rest) = diff.lines.split_at(n_before);
        rest.iter().chain(before).filter_map(|line| self.of_line(line)).collect()
    }

    fn of_line(&self, line: &DiffLine) -> Option<MenuEntryView> {
        let sign = match line.origin {
            LineOrigin::Added => "+",
            LineOrigin::Removed => "-",
            LineOrigin::Context => " ",
        };
        Some(self.entry(LineChoice::of(line)?, line.number.to_string(), sign, line.text.clone()))
    }

    fn numbered(&self, line: &str, text: String, sign: &'static str) -> Option<MenuEntryView> {
        Some(self.entry(line.parse().ok()?, line.to_owned(), sign, text))
    }

    fn whole(&self) -> MenuEntryView {
        self.entry(LineChoice::WholeFile, String::new(), "", "the whole file".to_owned())
    }

    fn entry(&self, lines: LineChoice, line: String, sign: &'static str, text: String) -> MenuEntryView {
        let file = self.commit.map_or_else(|| self.file.to_owned(), |commit| format!("{commit}:{}", self.file));
        MenuEntryView { at: RemarkPlace { lines, file }.to_string(), file: self.file.to_owned(), line, sign, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_is_written_and_read_again() {
        for text in ["42:src/a.rs", "old:42:a:b.rs", "all:0123abc:src/a.rs", "4-7:c d.rs", "all:"] {
            let spot: RemarkPlace = text.parse().unwrap();
            assert_eq!(spot.to_string(), text);
        }
        assert_eq!("42:a:b".parse::<RemarkPlace>().unwrap().file, "a:b");
        assert!("x:a.rs".parse::<RemarkPlace>().is_err());
    }
}
