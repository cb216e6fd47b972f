//! Choosing a file and the lines of it that a remark is about.

use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

use model::diff;
use model::message::{Lines, Side};
use serde::Serialize;

use super::{Inbox, code};
use crate::error::Error;

/// The most lines that are offered to choose from.
const MOST_OFFERED: usize = 1_000;

/// Which lines a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineChoice {
    /// All of the file.
    #[default]
    WholeFile,
    /// These.
    Lines(Side, Lines),
}

/// A line to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedLineView {
    /// What `--line` takes for it.
    pub line: String,
    /// What it says.
    pub text: String,
}

impl FromStr for LineChoice {
    type Err = String;

    /// Reads `all`, `42`, `42-57` or `old:42`.
    fn from_str(text: &str) -> Result<Self, String> {
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

impl Inbox {
    /// Returns the changed lines of a file, the whole file first: what a commit changed, or the work tree. A file that git
    /// does not know yet offers all its lines.
    pub fn lines(&self, file: &str, commit: Option<&str>) -> Result<Vec<ChangedLineView>, Error> {
        let file = self.file(file)?;
        let mut lines = vec![ChangedLineView { line: "all".to_owned(), text: "the whole file".to_owned() }];
        let diff = self.repository.diff_of_file(&file, commit)?;
        for changed in diff::parse(&diff).into_iter().flat_map(|file| file.lines) {
            let Some(span) = Lines::new(changed.number, changed.number) else { continue };
            let line = LineChoice::Lines(changed.side, span).to_string();
            lines.push(ChangedLineView { line, text: changed.text });
        }
        if lines.len() == 1 && commit.is_none() {
            let text = code::text(&self.repository, &file, None, Side::New)?.unwrap_or_default();
            let all =
                text.lines().zip(1..).map(|(text, n)| ChangedLineView { line: n.to_string(), text: text.to_owned() });
            lines.extend(all);
        }
        lines.truncate(MOST_OFFERED);
        Ok(lines)
    }

    /// Returns the name of a file from the top of the repository. A name from the top is taken as it is; an absolute one
    /// must lead into the work tree.
    pub(super) fn file(&self, given: &str) -> Result<String, Error> {
        let outside = || Error::invalid(format!("`{}` is not in this repository", model::text::escape_line(given)));
        let given = given.trim_end_matches('/');
        let path = Path::new(given);
        let inner = match (path.is_absolute(), self.repository.workdir()) {
            (true, Some(top)) => path.strip_prefix(top).map_err(|_| outside())?,
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
        if parts.is_empty() {
            return Err(Error::invalid("no file was named").hint("give one with `--file`"));
        }
        Ok(parts.join("/"))
    }
}
