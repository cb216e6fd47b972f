//! The commits of an item, and items that commits of the default branch close.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::field::{FieldChange, StatusRef};
use model::id::EntityId;
use model::item::CLOSED_BY;
use model::link::LinkKind;
use model::mention::MentionKind;
use model::number::{ItemNumber, NumberSpace};
use model::op::{Change, Op};
use model::workflow::{State, Workflow};
use store::git::CommitId;
use store::index::{Index, Mention, Reach, Row};

use crate::change::{ChangeSet, plan_edit};
use crate::error::Error;
use crate::project::{PlanContext, Project, plan_for_items};
use crate::view::{ClosedByCommitView, CommitRelation, CommitView, ItemView, reference};

impl Project {
    /// Returns the commits of an item, newest first: those that someone linked, and those of the default branch and of
    /// `HEAD` whose messages name it.
    ///
    /// A commit that was made before the item named another one: numbers start again in a new tracker.
    pub(crate) fn commits_of(&self, row: &Row) -> Result<Vec<CommitView>, Error> {
        let mentions = match row.item.kind.space() {
            NumberSpace::Work => self.store.mentions_of(row.number)?,
            _ => Vec::new(),
        };
        let created = row.item.created.as_second();
        let mut commits: Vec<CommitView> =
            mentions.iter().filter(|one| one.committed >= created).map(mention_view).collect();
        for id in &row.item.commits {
            if commits.iter().all(|known| known.id != *id) {
                commits.push(self.linked_view(id)?);
            }
        }
        commits.sort_by(|one, other| (other.at, &one.id).cmp(&(one.at, &other.id)));
        Ok(commits)
    }

    fn linked_view(&self, id: &str) -> Result<CommitView, Error> {
        let (reach, message) = self.store.commit_reach(id)?;
        let at = message.as_ref().and_then(|message| Timestamp::from_second(message.authored).ok());
        let (subject, author) = message.map_or_else(Default::default, |one| (one.subject().to_owned(), one.author));
        let relation = CommitRelation::Linked;
        Ok(CommitView { id: id.to_owned(), subject, author, at, relation, state: reach.into() })
    }

    /// Returns the current row of an item that was just written.
    pub(crate) fn row_of(&self, view: &ItemView) -> Result<Option<Row>, Error> {
        let id: Option<EntityId> = view.id.parse().ok();
        Ok(match id {
            Some(id) => self.index().item(id)?,
            None => None,
        })
    }

    /// Closes the items that commits of the default branch close, in one write, and returns them.
    ///
    /// A commit closes an item once: it is recorded with the item. It closes no item that was created after it was
    /// committed, and none that someone reopened after it was authored; amending and rebasing keep that time.
    pub fn close_from_commits(&mut self) -> Result<Vec<ClosedByCommitView>, Error> {
        let by_number = self.closing_mentions()?;
        // Most runs find nothing, and then take no lock.
        if closings(self.index(), &by_number)?.is_empty() {
            return Ok(Vec::new());
        }
        self.write(
            |context| {
                let closings = closings(context.index, &by_number)?;
                let mut changes = Vec::new();
                for closing in &closings {
                    changes.extend(closing_changes(context, closing)?);
                }
                let rows: Vec<Row> = closings.iter().map(|closing| closing.row.clone()).collect();
                let (plan, _) = plan_for_items(&rows, "close (commit)", changes);
                Ok((plan, closings))
            },
            |context, closings| closings.iter().map(|closing| closed_view(context.index, closing)).collect(),
        )
    }

    /// Moves links of items from rewritten commits to their replacements.
    pub fn follow_rewritten_commits(&mut self, pairs: &[(CommitId, CommitId)]) -> Result<(), Error> {
        let linked = |index: &Index| -> Result<Vec<(Row, String, String)>, Error> {
            let mut linked = Vec::new();
            for (old, new) in pairs {
                let (old, new) = (old.to_string(), new.to_string());
                let rows = index.linked_from(&old, LinkKind::Commits.name())?;
                linked.extend(rows.into_iter().map(|row| (row, old.clone(), new.clone())));
            }
            Ok(linked)
        };
        if linked(self.index())?.is_empty() {
            return Ok(());
        }
        self.commit(|context| {
            let mut changes = Vec::new();
            let mut rows = Vec::new();
            for (row, old, new) in linked(context.index)? {
                let field = LinkKind::Commits.name();
                let entity = context.index.entity(row.item.id)?;
                let seen = entity.map(|entity| entity.tags(field, &old)).unwrap_or_default();
                changes.push((row.item.id, Change::Remove { field: field.to_owned(), value: old, seen }));
                changes.push((row.item.id, Change::Add { field: field.to_owned(), value: new }));
                rows.push(row);
            }
            Ok((plan_for_items(&rows, "link (rewritten commits)", changes).0, ()))
        })
    }

    /// Returns the items that [`Self::close_from_commits`] would close.
    pub fn closable_from_commits(&self) -> Result<Vec<ClosedByCommitView>, Error> {
        let closings = closings(self.index(), &self.closing_mentions()?)?;
        closings.iter().map(|closing| closed_view(self.index(), closing)).collect()
    }

    fn closing_mentions(&self) -> Result<BTreeMap<u64, Vec<Mention>>, Error> {
        let mut by_number: BTreeMap<u64, Vec<Mention>> = BTreeMap::new();
        for mention in self.store.closing_mentions()? {
            by_number.entry(mention.number).or_default().push(mention);
        }
        Ok(by_number)
    }
}

/// An item and the commit that closes it.
#[derive(Clone)]
struct CommitClosing {
    row: Row,
    mention: Mention,
}

/// Returns the items to close, each with the newest commit that closes it.
fn closings(index: &Index, by_number: &BTreeMap<u64, Vec<Mention>>) -> Result<Vec<CommitClosing>, Error> {
    let mut closings = Vec::new();
    for (number, mentions) in by_number {
        let reference = ItemNumber { space: NumberSpace::Work, number: *number };
        let Some(row) = index.item_by_number(reference)? else { continue };
        // Another item had this number once, and the commit may mean that one.
        let is_ambiguous = !index.items_formerly(reference)?.is_empty();
        if row.item.deleted || row.state == State::Closed || is_ambiguous {
            continue;
        }
        let opened = OpeningTimes::of(&index.ops(row.item.id)?, &index.workflow(row.item.kind)?);
        let applies = |one: &&Mention| opened.allows(one) && !row.item.closed_by.contains(&one.commit.to_string());
        let mention = mentions.iter().find(applies).cloned();
        closings.extend(mention.map(|mention| CommitClosing { row, mention }));
    }
    Ok(closings)
}

fn closing_changes(context: &PlanContext<'_>, closing: &CommitClosing) -> Result<Vec<(EntityId, Change)>, Error> {
    let set = ChangeSet { fields: vec![FieldChange::status(StatusRef::Closed(None))], ..ChangeSet::default() };
    let planned = plan_edit(context, &closing.row, &set)?.changes;
    let record = Change::Add { field: CLOSED_BY.to_owned(), value: closing.mention.commit.to_string() };
    Ok(planned.into_iter().chain([record]).map(|change| (closing.row.item.id, change)).collect())
}

fn closed_view(index: &Index, closing: &CommitClosing) -> Result<ClosedByCommitView, Error> {
    let row = index.item(closing.row.item.id)?;
    let item = reference(row.as_ref().unwrap_or(&closing.row));
    let Mention { commit, subject, .. } = &closing.mention;
    Ok(ClosedByCommitView { item, commit: commit.to_string(), subject: subject.clone() })
}

fn mention_view(mention: &Mention) -> CommitView {
    CommitView {
        id: mention.commit.to_string(),
        subject: mention.subject.clone(),
        author: mention.author.clone(),
        at: Timestamp::from_second(mention.authored).ok(),
        relation: match mention.kind {
            MentionKind::Closes => CommitRelation::Closes,
            MentionKind::Refs => CommitRelation::Refs,
        },
        state: mention.reach.into(),
    }
}

/// When an item was opened, in seconds since 1970, as far as this log knows it.
#[derive(Debug, Default, PartialEq, Eq)]
struct OpeningTimes {
    created: i64,
    reopened: Option<i64>,
}

impl OpeningTimes {
    fn of(ops: &[Op], workflow: &Workflow) -> Self {
        let mut opened = Self::default();
        let mut is_closed = false;
        for op in ops {
            // The time of an imported operation is the source's; the item could be closed from here only later.
            let made = op.imported.as_ref().and_then(|_| op.stamp.id.made_at());
            let at = op.at.as_second().max(made.unwrap_or(i64::MIN));
            let status = match &op.change {
                Change::Create { fields, .. } => {
                    opened.created = at;
                    fields.get("status")
                }
                Change::Set { field, value } if field == "status" => Some(value),
                Change::Restore => {
                    opened.reopened = Some(at);
                    None
                }
                _ => None,
            };
            let Some(status) = status.and_then(|status| status.as_str()) else { continue };
            let was_closed = is_closed;
            is_closed = workflow.try_find(status).is_some_and(|status| status.closed);
            if was_closed && !is_closed {
                opened.reopened = Some(at);
            }
        }
        opened
    }

    fn allows(&self, mention: &Mention) -> bool {
        mention.reach == Reach::Merged
            && mention.committed >= self.created
            && self.reopened.is_none_or(|reopened| mention.authored >= reopened)
    }
}
