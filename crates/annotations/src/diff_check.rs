//! `cairn check`: the annotations, items and remarks that a change touches. Annotations are read at the commit before
//! the change, so that exactly those of the changed lines are found, and again after it, to see which of them still
//! hold.

use std::collections::HashSet;

use app::Error;
use inbox::view::MessageView;
use inbox::{Inbox, MessageFilter};
use model::annotation::Lines;
use store::git::{ChangedSpan, CommitId, DiffHunk, DiffSource, FileHunks};
use store::index::Row;

use super::changed::touched;
use super::overlap;
use super::place::Code;
use crate::view::{DiffCheckView, FindingKind, FindingView, RegionView};
use crate::{Annotations, ReadQuery};

/// Annotations of one file that are looked at.
const MAX_REGIONS: usize = 500;
/// Changed functions of one file whose dependents are looked up.
const MAX_SYMBOLS: usize = 50;

/// The change to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedChange {
    /// `A..B`: from A to B; `A...B`: from their merge base to B; `A`: from the merge base of A and `HEAD` to `HEAD`.
    Range(String),
    /// What is staged.
    Staged,
    /// What is not committed.
    WorkTree,
}

impl Annotations<'_> {
    /// Returns the constraints, outdated annotations, dependents, open items and unresolved messages that a change
    /// touches.
    pub fn check_change(&self, inbox: &Inbox, change: &CheckedChange) -> Result<DiffCheckView, Error> {
        let repository = self.store().repository();
        let source = self.diff_source(change)?;
        let (base, tip) = match source {
            DiffSource::Commits { base, tip } => (base, Some(tip)),
            _ => (self.query_commit()?.head, None),
        };
        let written = match tip {
            Some(tip) => repository.commits_lost(&[tip], &[base])?.into_iter().collect(),
            None => HashSet::new(),
        };
        let messages = inbox.list(MessageFilter::Unresolved)?.items;
        let files = repository.diff_hunks(&source)?;
        let checker = Checker { before: self.at(base), base, after: tip.map(|tip| self.at(tip)), written, messages };
        let mut findings = Vec::new();
        for file in files.iter().filter(|file| !file.hunks.is_empty()) {
            findings.extend(checker.check(file)?);
        }
        findings.sort_by(|a, b| (&a.file, a.kind, a.line, &a.text).cmp(&(&b.file, b.kind, b.line, &b.text)));
        findings.dedup();
        let warnings = self.warnings(&tip.unwrap_or(base), &[])?;
        let tip = tip.map(|tip| tip.to_string());
        Ok(DiffCheckView { base: base.to_string(), tip, n_files: files.len(), findings, warnings })
    }

    fn diff_source(&self, change: &CheckedChange) -> Result<DiffSource, Error> {
        let repository = self.store().repository();
        let range = match change {
            CheckedChange::Staged | CheckedChange::WorkTree if repository.workdir().is_none() => {
                return Err(Error::invalid("this repository is bare: it has no changes that are not committed")
                    .hint("name the commits to check, such as `cairn check main`"));
            }
            CheckedChange::Staged => return Ok(DiffSource::Staged),
            CheckedChange::WorkTree => return Ok(DiffSource::WorkTree),
            CheckedChange::Range(range) => range,
        };
        // As in git, an omitted side is `HEAD`.
        let name = |text| Some(text).filter(|text: &&str| !text.is_empty());
        if let Some((from, to)) = range.split_once("...") {
            return self.since_merge_base(name(from), name(to));
        }
        if let Some((from, to)) = range.split_once("..") {
            let (base, tip) = (self.commit_named(name(from))?, self.commit_named(name(to))?);
            return Ok(DiffSource::Commits { base, tip });
        }
        self.since_merge_base(Some(range), None)
    }

    fn since_merge_base(&self, from: Option<&str>, to: Option<&str>) -> Result<DiffSource, Error> {
        let (from, tip) = (self.commit_named(from)?, self.commit_named(to)?);
        let base = self.store().repository().only_merge_base(from, tip)?.unwrap_or(from);
        Ok(DiffSource::Commits { base, tip })
    }
}

struct Checker<'a> {
    before: Annotations<'a>,
    base: CommitId,
    /// `None` if the change is not committed.
    after: Option<Annotations<'a>>,
    /// The commits of the change.
    written: HashSet<CommitId>,
    messages: Vec<MessageView>,
}

impl Checker<'_> {
    fn check(&self, file: &FileHunks) -> Result<Vec<FindingView>, Error> {
        let mut findings = Vec::new();
        let mut symbols = Vec::new();
        if let Some(old) = &file.old {
            symbols = self.changed_symbols(old, &file.hunks)?;
            findings.extend(self.annotation_findings(file, old)?);
            findings.extend(self.dependent_findings(file, old, &symbols)?);
        }
        findings.extend(self.item_findings(file, &symbols)?);
        findings.extend(self.messages.iter().filter(|message| names(file).any(|name| name == message.file)).map(
            |message| FindingView {
                line: message.lines.map(|lines| lines.start),
                anchor: message.anchor.clone(),
                text: message.comment.lines().next().unwrap_or_default().to_owned(),
                message: Some(message.id.clone()),
                ..finding(FindingKind::Remark, file)
            },
        ));
        Ok(findings)
    }

    /// Returns the names of the functions and types with changed lines, at the base.
    fn changed_symbols(&self, old: &str, hunks: &[DiffHunk]) -> Result<Vec<String>, Error> {
        let Some(source) = Code::at(self.before, self.base).file(old)? else { return Ok(Vec::new()) };
        let spans: Vec<ChangedSpan> = hunks.iter().map(|hunk| hunk.old).collect();
        Ok(touched(&source, &spans).into_iter().take(MAX_SYMBOLS).map(|symbol| symbol.name.clone()).collect())
    }

    fn annotation_findings(&self, file: &FileHunks, old: &str) -> Result<Vec<FindingView>, Error> {
        let mut findings = Vec::new();
        let regions = regions_of(&self.before, old)?;
        let later = match (&self.after, &file.new) {
            (Some(after), Some(new)) if !regions.is_empty() => regions_of(after, new)?,
            _ => Vec::new(),
        };
        for region in &regions {
            let Some(now) = region.code.now.as_ref().filter(|now| now.file == old) else { continue };
            let lines = Lines { start: now.lines.start, end: now.lines.end };
            let Some(hunk) = file.hunks.iter().find(|hunk| touches(hunk, lines)) else { continue };
            let of_region = |kind, text: String| FindingView {
                line: file.new.as_ref().map(|_| hunk.new.start.max(1)),
                anchor: now.anchor.clone(),
                text,
                commit: Some(region.commit.clone()),
                ..finding(kind, file)
            };
            let constraints = region.constraints.iter();
            findings.extend(constraints.map(|one| of_region(FindingKind::Constraint, one.text.clone())));
            if !self.still_holds(region, &later) {
                findings.push(of_region(FindingKind::Stale, region.intent.clone()));
            }
        }
        Ok(findings)
    }

    /// Returns whether an annotation describes the code after the change: the code is as it was, or the change has an
    /// annotation of its own for it.
    fn still_holds(&self, region: &RegionView, later: &[RegionView]) -> bool {
        let is_same_code = |other: &&RegionView| other.ast_anchor.name == region.ast_anchor.name;
        later.iter().filter(is_same_code).any(|other| {
            let is_new = other.commit.parse().is_ok_and(|commit: CommitId| self.written.contains(&commit));
            is_new || (other.commit == region.commit && other.code.status.is_unchanged())
        })
    }

    fn dependent_findings(&self, file: &FileHunks, old: &str, symbols: &[String]) -> Result<Vec<FindingView>, Error> {
        let mut findings = Vec::new();
        for symbol in symbols {
            for one in self.before.dependents(old, Some(symbol))?.dependents {
                findings.push(FindingView {
                    anchor: Some(symbol.clone()),
                    text: format!("{}:{} assumes: {}", one.file, one.anchor, one.nature),
                    commit: Some(one.commit),
                    ..finding(FindingKind::Dependent, file)
                });
            }
        }
        Ok(findings)
    }

    fn item_findings(&self, file: &FileHunks, symbols: &[String]) -> Result<Vec<FindingView>, Error> {
        let mut findings = Vec::new();
        for name in names(file) {
            for row in self.before.index().touching(name)? {
                if let Some(place) = touched_place(&row, name, symbols) {
                    let anchor = place.split_once(':').map(|(_, anchor)| anchor.to_owned());
                    let (text, item) = (row.item.title.clone(), Some(row.number));
                    findings.push(FindingView { anchor, text, item, ..finding(FindingKind::Item, file) });
                }
            }
        }
        Ok(findings)
    }
}

/// Returns the code of a file that an item is about, if it was changed: `path` or `path:anchor`.
fn touched_place<'r>(row: &'r Row, file: &str, symbols: &[String]) -> Option<&'r str> {
    let is_changed = |anchor: &str| {
        let tail = format!("::{anchor}");
        symbols.iter().any(|symbol| symbol == anchor || symbol.ends_with(&tail))
    };
    let is_touched = |place: &&String| match place.split_once(':') {
        None => *place == file,
        Some((path, anchor)) => path == file && is_changed(anchor),
    };
    row.item.touches.iter().find(is_touched).map(String::as_str)
}

/// Returns the annotations of a file.
fn regions_of(annotations: &Annotations<'_>, file: &str) -> Result<Vec<RegionView>, Error> {
    let query = ReadQuery { depth: 0, max_regions: MAX_REGIONS, ..ReadQuery::new(file) };
    match annotations.read(&query) {
        Ok(view) => Ok(view.regions),
        // A submodule or a symbolic link is part of a diff, and has no code.
        Err(error) if error.kind == app::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Returns whether a hunk changes lines of a range, or inserts between two of them.
fn touches(hunk: &DiffHunk, lines: Lines) -> bool {
    let ChangedSpan { start, count } = hunk.old;
    match count {
        0 => lines.start <= start && start < lines.end,
        _ => overlap(Lines { start, end: start + count - 1 }, lines),
    }
}

fn names(file: &FileHunks) -> impl Iterator<Item = &str> {
    let old = file.old.as_deref().filter(|old| Some(*old) != file.new.as_deref());
    file.new.as_deref().into_iter().chain(old)
}

fn finding(kind: FindingKind, file: &FileHunks) -> FindingView {
    let path = names(file).next().unwrap_or_default().to_owned();
    FindingView {
        kind,
        file: path,
        line: None,
        anchor: None,
        text: String::new(),
        commit: None,
        item: None,
        message: None,
    }
}
