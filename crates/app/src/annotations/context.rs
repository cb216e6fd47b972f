//! One question, answered from all there is: what should be known before this code is touched?

use super::ReadQuery;
use super::paths::tree_path;
use crate::error::Error;
use crate::inbox::Inbox;
use crate::project::Project;
use crate::view::{ContextView, MessageView, TouchingView};

/// The question.
#[derive(Debug, Clone)]
pub struct ContextQuery {
    /// The code.
    pub code: ReadQuery,
}

impl Project {
    /// Answers what is known, what is to be done and what was said about code. A budget is spent on work and messages first:
    /// they are few and cannot be found elsewhere.
    pub fn context(&self, inbox: &Inbox, query: &ContextQuery) -> Result<ContextView, Error> {
        let file = tree_path(&query.code.path)?.to_string();
        let items: Vec<TouchingView> = self.index().touching(&file)?.into_iter().map(touching).collect();
        let messages: Vec<MessageView> =
            inbox.list(false)?.items.into_iter().filter(|message| message.file == file).collect();
        let spent = serde_json::to_vec(&(&items, &messages)).map_or(0, |bytes| bytes.len().div_ceil(4));
        let max_tokens = query.code.max_tokens.map(|budget| budget.saturating_sub(spent).max(1));
        let annotations = self.read_annotations(&ReadQuery { max_tokens, ..query.code.clone() })?;
        let conventions = self.conventions(&file)?;
        Ok(ContextView { annotations, conventions, items, messages })
    }
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
