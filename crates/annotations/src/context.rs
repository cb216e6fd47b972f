//! `context`: annotations, items and messages about a piece of code in one result.

use std::collections::HashSet;

use app::Error;
use app::inbox::{Inbox, MessageFilter};
use app::view::MessageView;
use store::git::TreePath;

use super::ReadQuery;
use super::measure::BYTES_PER_TOKEN;
use super::paths::{not_found, tree_path};
use super::trim::trim;
use crate::Annotations;
use crate::view::{ContextTrimmedView, ContextView, ReadView, TouchingView};

/// The shares of the budget for items and for messages.
const SHARE_OF_WORK: usize = 4;

/// A context query.
#[derive(Debug, Clone)]
pub struct ContextQuery {
    /// The code.
    pub code: ReadQuery,
}

impl Annotations<'_> {
    /// Returns the annotations, open items and messages about code. A budget leaves parts out; it never makes the query
    /// fail.
    pub fn context(&self, inbox: &Inbox, query: &ContextQuery) -> Result<ContextView, Error> {
        let path = tree_path(&query.code.path)?;
        let names = self.names_of(&path)?;
        let mut items: Vec<TouchingView> = Vec::new();
        let mut seen = HashSet::new();
        for name in &names {
            let touching = self.index().touching(name)?.into_iter().map(touching);
            items.extend(touching.filter(|item| seen.insert((item.kind.clone(), item.number))));
        }
        let messages: Vec<MessageView> = inbox
            .list(MessageFilter::Unresolved)?
            .items
            .into_iter()
            .filter(|message| names.contains(&message.file))
            .collect();
        let annotations = self.grouped_annotations(&query.code, &path)?;
        let conventions = self.conventions(&path.to_string())?;
        let mut view = ContextView { annotations, conventions, items, messages, trimmed: None };
        if let Some(max_tokens) = query.code.max_tokens {
            fit(&mut view, max_tokens.saturating_mul(BYTES_PER_TOKEN), query);
        }
        Ok(view)
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

    /// Reads the annotations, grouped by text. A file that is not committed yet has none.
    fn grouped_annotations(&self, query: &ReadQuery, path: &TreePath) -> Result<ReadView, Error> {
        let is_new = match self.store().repository().head()? {
            Some(head) => self.look_at(&head, path)?.is_none(),
            None => true,
        };
        if !is_new {
            return self.read_grouped(query);
        }
        let file = path.to_string();
        if self.store().repository().work_tree_file(&file)?.is_none() {
            return Err(not_found(&query.path));
        }
        let note = format!("{file} is not committed yet, so nothing is recorded about its code.");
        Ok(ReadView::empty(&file, query.anchor.as_deref(), query.depth, note))
    }
}

/// Fits a result into the budget: items and messages get their shares, the annotations the rest.
fn fit(view: &mut ContextView, budget: usize, query: &ContextQuery) {
    let measure = &query.code.measure;
    let sizes = |view: &ContextView| {
        let items: usize = view.items.iter().map(|item| (measure.item)(item) + 1).sum();
        let messages: usize = view.messages.iter().map(|message| (measure.message)(message) + 1).sum();
        let conventions = serde_json::to_vec(&view.conventions).map_or(0, |bytes| bytes.len());
        items + messages + conventions + AROUND
    };
    if (measure.read)(&view.annotations) + sizes(view) <= budget {
        return;
    }
    let share = budget / SHARE_OF_WORK;
    let n_items = n_within(view.items.iter().map(measure.item), share);
    let n_messages = n_within(view.messages.iter().map(measure.message), share);
    let trimmed = ContextTrimmedView { items: view.items.len() - n_items, messages: view.messages.len() - n_messages };
    view.items.truncate(n_items);
    view.messages.truncate(n_messages);
    view.trimmed = Some(trimmed).filter(|trimmed| trimmed.items + trimmed.messages > 0);
    let left = budget.saturating_sub(sizes(view));
    // If nothing fits, the empty result is kept.
    let _ = trim(&mut view.annotations, left, measure);
}

/// Size of the keys and headings around the parts.
const AROUND: usize = 80;

/// Counts the parts that fit into a share. The first may take twice the share: one is much better than none.
fn n_within(sizes: impl Iterator<Item = usize>, share: usize) -> usize {
    let mut spent = 0;
    let fits = |(place, size): &(usize, usize)| {
        spent += size + 1;
        spent <= share || (*place == 0 && spent <= share * 2)
    };
    sizes.enumerate().take_while(fits).count()
}

fn touching(row: store::index::Row) -> TouchingView {
    TouchingView {
        number: row.number,
        kind: row.item.kind.name().to_owned(),
        title: row.item.title,
        status: row.item.status,
        touches: row.item.touches.into_iter().collect(),
    }
}
