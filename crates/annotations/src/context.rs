//! `context`: everything that is known about a piece of code, in one result: annotations, conventions, items, messages
//! and the last commits. It answers for the working copy.

mod budget;

use std::collections::HashSet;

use anchors::Resolution;
use app::Error;
use inbox::view::MessageView;
use inbox::{Inbox, MessageFilter};
use jiff::Timestamp;
use model::message::MessageState;
use store::git::{CommitId, TreePath};
use store::index::{ItemQuery, Row};

use super::ReadQuery;
use super::find::distinct;
use super::lines_of;
use super::paths::{not_found, tree_path};
use super::source::Source;
use crate::view::{ContextCommitView, ContextView, ReadView, TouchingView};
use crate::{Annotations, MAX_MESSAGE};

/// Maximum number of commits in a result.
const MAX_COMMITS: usize = 5;
/// Maximum number of blamed commits that are read to find the last ones.
const MAX_BLAMED_COMMITS: usize = 500;
/// Maximum number of items that only name the file.
const MAX_MENTIONS: usize = 10;
/// Maximum number of resolved messages.
const MAX_RESOLVED: usize = 3;
/// An annotation costs at least about this many tokens: a budget never needs more of them.
const TOKENS_PER_REGION: usize = 15;

/// A context query.
#[derive(Debug, Clone)]
pub struct ContextQuery {
    /// The code. An absolute path inside the work tree is accepted.
    pub code: ReadQuery,
}

impl Annotations<'_> {
    /// Returns the context of code. A budget leaves parts out; it never makes the query fail.
    pub fn context(&self, inbox: &Inbox, query: &ContextQuery) -> Result<ContextView, Error> {
        let code = ReadQuery { path: self.in_repository(&query.code.path)?, ..query.code.clone() };
        let path = tree_path(&code.path)?;
        let names = self.names_of(&path)?;
        let code = Self::for_budget(self.in_work_tree(code, &path)?);
        let mut annotations = self.grouped_annotations(&code, &path)?;
        annotations.query.anchor.clone_from(&query.code.anchor);
        let (messages, resolved) = messages(inbox, &names)?;
        let mut view = ContextView {
            annotations,
            conventions: self.conventions(&path.to_string())?,
            items: self.items_about(&names)?,
            messages,
            resolved,
            commits: self.last_commits(&code, &path)?,
            trimmed: None,
        };
        if let Some(max_tokens) = code.max_tokens {
            budget::fit(&mut view, max_tokens, &code.measure);
        }
        Ok(view)
    }

    /// Asks for as many annotations as the budget can hold.
    fn for_budget(code: ReadQuery) -> ReadQuery {
        let fitting = code.max_tokens.map_or(0, |tokens| tokens / TOKENS_PER_REGION);
        ReadQuery { max_regions: code.max_regions.max(fitting), ..code }
    }

    /// Replaces a name that only the working copy has by its lines there, which are then mapped to the newest commit: an
    /// uncommitted rename does not hide what is known.
    fn in_work_tree(&self, code: ReadQuery, path: &TreePath) -> Result<ReadQuery, Error> {
        let (Some(anchor), Some(head)) = (code.anchor.as_deref(), self.store().repository().head()?) else {
            return Ok(code);
        };
        let file = path.to_string();
        let Some(source) = self.source(&head, &file)? else { return Ok(code) };
        self.load_symbols(&source);
        let is_committed = !matches!(anchors::resolve(source.symbols(), anchor), Resolution::Lost { .. });
        let Some(bytes) = self.store().repository().work_tree_file(&file)?.filter(|_| !is_committed) else {
            return Ok(code);
        };
        let edited = Source::new(&file, String::from_utf8_lossy(&bytes).into_owned());
        let Resolution::Found { symbol, .. } = anchors::resolve(edited.symbols(), anchor) else { return Ok(code) };
        let lines = lines_of(symbol);
        Ok(ReadQuery { anchor: None, lines: Some(format!("{}:{}", lines.start, lines.end)), ..code })
    }

    /// Returns the name of a file, and its earlier names unless another file has them now.
    fn names_of(&self, path: &TreePath) -> Result<Vec<String>, Error> {
        let mut names = vec![path.to_string()];
        let Some(head) = self.store().repository().head()? else { return Ok(names) };
        for name in self.store().lineage(&head, path)?.former_names() {
            if self.source(&head, name)?.is_none() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Returns whether the newest commit has a path.
    fn is_committed(&self, path: &TreePath) -> Result<bool, Error> {
        match self.store().repository().head()? {
            Some(head) => Ok(self.look_at(&head, path)?.is_some()),
            None => Ok(false),
        }
    }

    /// Reads the annotations, grouped by text. A file that is not committed yet has none.
    fn grouped_annotations(&self, query: &ReadQuery, path: &TreePath) -> Result<ReadView, Error> {
        if self.is_committed(path)? {
            return self.read_grouped(query);
        }
        let file = path.to_string();
        if self.store().repository().work_tree_file(&file)?.is_none() {
            return Err(not_found(&query.path));
        }
        let note = format!("{file} is not committed yet, so nothing is recorded about its code.");
        Ok(ReadView::empty(&file, query.anchor.as_deref(), query.depth, note))
    }

    /// Returns the open items about a file: those linked to it, then those whose texts name it.
    fn items_about(&self, names: &[String]) -> Result<Vec<TouchingView>, Error> {
        let mut rows: Vec<Row> = Vec::new();
        for name in names {
            rows.extend(self.index().touching(name)?);
        }
        let mut seen = HashSet::new();
        rows.retain(|row| seen.insert(row.item.id));
        let mut n_left = MAX_MENTIONS;
        for name in names {
            let query = ItemQuery { words: Some(name), limit: Some(2 * MAX_MENTIONS), ..ItemQuery::default() };
            for row in self.index().list(&query)?.rows {
                if n_left > 0 && self.is_mentioned(&row, name)? && seen.insert(row.item.id) {
                    n_left -= 1;
                    rows.push(row);
                }
            }
        }
        Ok(rows.into_iter().map(touching).collect())
    }

    /// Returns whether a text of an item has the name of a file: the search ignores punctuation.
    fn is_mentioned(&self, row: &Row, name: &str) -> Result<bool, Error> {
        if row.item.title.contains(name) || row.item.description.contains(name) {
            return Ok(true);
        }
        let comments = self.index().entity(row.item.id)?.map(|entity| entity.comments()).unwrap_or_default();
        Ok(comments.iter().any(|comment| comment.body.contains(name)))
    }

    /// Returns the last commits that changed the lines.
    fn last_commits(&self, code: &ReadQuery, path: &TreePath) -> Result<Vec<ContextCommitView>, Error> {
        let Some(head) = self.store().repository().head()? else { return Ok(Vec::new()) };
        if !self.is_committed(path)? {
            return Ok(Vec::new());
        }
        let scope = self.scope(head, &path.to_string(), code.anchor.as_deref(), code.lines.as_deref())?;
        let blamed = distinct(&self.store().blame(&head, &scope.path, &scope.spans)?);
        let mut commits = Vec::new();
        for id in blamed.iter().take(MAX_BLAMED_COMMITS) {
            let (time, commit) = self.commit_view(id)?;
            commits.push((time, *id, commit));
        }
        commits.sort_by_key(|(time, ..)| std::cmp::Reverse(*time));
        // A rebase gives many commits the same time.
        for same in commits.chunk_by_mut(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            let ids: Vec<CommitId> = same.iter().map(|(_, id, _)| *id).collect();
            let order =
                self.store().repository().newest_of_one_time(&ids, same[0].0).map_err(store::StoreError::from)?;
            same.sort_by_key(|(_, id, _)| order.iter().position(|known| known == id));
        }
        Ok(commits.into_iter().take(MAX_COMMITS).map(|(.., commit)| commit).collect())
    }

    /// Returns a commit with its time.
    fn commit_view(&self, id: &CommitId) -> Result<(i64, ContextCommitView), Error> {
        let commit = self.store().repository().read_commit(id, MAX_MESSAGE).map_err(store::StoreError::from)?;
        let message = String::from_utf8_lossy(&commit.message);
        let day = Timestamp::from_second(commit.committer_time).unwrap_or_default();
        let view = ContextCommitView {
            commit: id.to_string(),
            date: day.strftime("%Y-%m-%d").to_string(),
            author: commit.author.name.clone(),
            subject: message.lines().next().unwrap_or_default().trim().to_owned(),
        };
        Ok((commit.committer_time, view))
    }
}

/// Returns the unresolved messages about a file, unread ones first, and the resolved ones if there are no others.
fn messages(inbox: &Inbox, names: &[String]) -> Result<(Vec<MessageView>, Vec<MessageView>), Error> {
    let all = inbox.list(MessageFilter::All)?.items.into_iter().filter(|message| names.contains(&message.file));
    let (mut resolved, mut open): (Vec<_>, Vec<_>) = all.partition(|message| message.state == MessageState::Resolved);
    open.sort_by_key(|message| message.state != MessageState::Sent);
    let n_old = if open.is_empty() { resolved.len().saturating_sub(MAX_RESOLVED) } else { resolved.len() };
    Ok((open, resolved.split_off(n_old)))
}

fn touching(row: Row) -> TouchingView {
    TouchingView {
        number: row.number,
        kind: row.item.kind.name().to_owned(),
        title: row.item.title,
        status: row.item.status,
        touches: row.item.touches.into_iter().collect(),
    }
}
