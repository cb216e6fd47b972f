//! Imports the work of a remote project. Lists show which items are new or changed; only those are read in full. Items
//! are written in batches, so that an interrupted run keeps its progress and the next one continues from there.

mod deletions;
pub(crate) mod details;
mod histories;
mod item;
mod order;
mod prepare;

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::Project;
use app::plan::PlanContext;
use model::id::EntityId;
use model::item_ref::ItemRef;
use model::text::counted;
use store::{Step, WritePlan};

use self::details::{Details, Files};
use super::bridge_context::{self, BridgeContext};
use super::compare::Verdict;
use super::kind::BridgedKind;
use super::local_item::{self, LocalItem};
use super::mapping::{self, BridgeMapping};
use super::push::intents;
use super::remote;
use super::retrying_client::{RetryingClient, user_error};
use super::{BridgeProgress, PullOptions, Target, report};
use crate::Kind;
use crate::mapping::item::RemoteItem;
use crate::mapping::requests;
use crate::view::BridgeView;
pub(super) use prepare::workflow_changes;

/// Items per write.
const BATCH: usize = 50;

/// A remote item in full, with its comments.
pub(super) struct FullItem {
    remote: RemoteItem,
    comments: Vec<taiga::dto::Comment>,
    details: Details,
}

impl FullItem {
    /// An item for which the list row has enough data.
    fn of_row(row: &RemoteItem) -> Self {
        Self { remote: row.clone(), comments: Vec::new(), details: Details::default() }
    }
}

/// The change of an item according to its list row.
enum RowChange {
    Nothing,
    /// Neither side changed it, but a value maps to another local name now: the row has all that is needed.
    Remapped,
    /// It is new or changed, and must be read in full.
    Changed,
}

/// State of a run.
struct Pull<'a> {
    server: RetryingClient<'a>,
    options: &'a PullOptions,
    bridge: BridgeContext,
    /// Items whose conflicts are resolved with the remote value.
    taken: BTreeSet<EntityId>,
    /// Whether the comments of all items are read.
    is_full: bool,
    sprints: BTreeSet<u64>,
    /// Kinds that the user may not view.
    hidden: BTreeSet<BridgedKind>,
    report: BridgeView,
}

pub(super) fn run(
    project: &mut Project,
    target: &Target,
    options: &PullOptions,
    progress: &mut dyn FnMut(BridgeProgress),
) -> Result<BridgeView, Error> {
    let server = RetryingClient::new(&target.client, options.longest_pause);
    let mut here = local_item::all(project.index())?;
    let bridge = bridge_context::gather(project, target, &server, &here)?;
    let mut report = report::empty(&bridge.mapping.remote_ref, &bridge.project, options.dry_run);
    let taken = named(project, &options.take_remote)?;
    let hidden = bridge.hidden();
    report.warnings = hidden.iter().map(|kind| hidden_warning(*kind)).collect();
    progress(BridgeProgress { stage: "listing", done: 0, total: Kind::ALL.len() });
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| !hidden.contains(&(*kind).into())).collect();
    let far_project = bridge.mapping.remote_ref.project;
    let listed =
        server.call_all(&kinds, |client, kind| remote::list(client, *kind, far_project)).map_err(user_error)?;
    progress(BridgeProgress { stage: "listing", done: Kind::ALL.len(), total: Kind::ALL.len() });
    let lists: BTreeMap<Kind, Vec<RemoteItem>> = kinds.into_iter().zip(listed).collect();
    let mut bridge = bridge;
    // First: items of an interrupted push must be linked, or they would be pulled as duplicates.
    report.adopted = intents::adopt(project, &mut bridge, &mut here, &lists, options.dry_run)?;
    let histories = histories::Histories::of(project, &bridge.mapping.remote_ref);
    let is_full = options.full || histories.are_due(project.now())?;
    let mut pull = Pull { server, options, bridge, taken, is_full, sprints: BTreeSet::new(), hidden, report };
    pull.drop_item_duplicates(project, &mut here)?;
    let rows: Vec<RemoteItem> = lists.into_values().flatten().collect();
    pull.prepare(project, &here, &rows)?;
    pull.import_items(project, &here, &rows, progress)?;
    pull.follow_deletions(project, &here, &rows, progress)?;
    pull.follow_order(project, &rows)?;
    // Last: only now do all items have their new statuses.
    pull.drop_abandoned_statuses(project)?;
    // Only after a complete run, so that an interrupted one is repeated.
    if is_full && !options.dry_run {
        histories.record(project.now())?;
    }
    Ok(pull.report)
}

fn hidden_warning(kind: BridgedKind) -> String {
    let kinds = match kind {
        BridgedKind::Work(Kind::Epic) => "epics",
        BridgedKind::Work(Kind::Story) => "stories",
        BridgedKind::Work(Kind::Task) => "tasks",
        BridgedKind::Work(Kind::Issue) => "issues",
        BridgedKind::Sprint => "sprints",
    };
    format!("{kinds} were not pulled: your role in the project does not let you view them")
}

/// Resolves the items the user named.
pub(super) fn named(project: &Project, names: &[ItemRef]) -> Result<BTreeSet<EntityId>, Error> {
    names.iter().map(|name| Ok(project.find(name)?.item.id)).collect()
}

impl Pull<'_> {
    fn mapping(&self) -> &BridgeMapping {
        &self.bridge.mapping
    }

    /// Reads new and changed items and imports them.
    fn import_items(
        &mut self,
        project: &mut Project,
        here: &[LocalItem],
        rows: &[RemoteItem],
        progress: &mut dyn FnMut(BridgeProgress),
    ) -> Result<(), Error> {
        let known: BTreeMap<EntityId, &LocalItem> = here.iter().map(|item| (item.id(), item)).collect();
        let mut needed = Vec::new();
        let mut remapped = Vec::new();
        let mut quiet = Vec::new();
        for row in rows {
            match self.row_change(&known, row) {
                RowChange::Nothing => quiet.push(row),
                RowChange::Remapped => remapped.push(FullItem::of_row(row)),
                // A dry run reports new items from the row: reading each of them would cost as much as the pull.
                RowChange::Changed if self.options.dry_run && self.is_new(&known, row) => {
                    remapped.push(FullItem::of_row(row));
                }
                RowChange::Changed => needed.push(row),
            }
        }
        let files = self.read_files(&needed)?;
        let histories = if self.is_full { self.read_quiet(&known, &quiet, &files)? } else { Vec::new() };
        self.report.unchanged += quiet.len() - histories.len();
        remapped.extend(histories);
        let highest = rows.iter().filter_map(|row| row.core().reference).max().unwrap_or(0);
        for (n, batch) in needed.chunks(BATCH).enumerate() {
            progress(BridgeProgress { stage: "pulling", done: n * BATCH, total: needed.len() });
            let read =
                |client: &taiga::Client, row: &&RemoteItem| read_full_item(client, &self.bridge.project, &files, row);
            let items = self.server.call_all(batch, read).map_err(user_error)?;
            let items: Vec<FullItem> = items.into_iter().flatten().collect();
            self.take_in(project, &items, highest)?;
        }
        for batch in remapped.chunks(BATCH) {
            self.take_in(project, batch, highest)?;
        }
        progress(BridgeProgress { stage: "pulling", done: needed.len(), total: needed.len() });
        Ok(())
    }

    fn is_new(&self, known: &BTreeMap<EntityId, &LocalItem>, row: &RemoteItem) -> bool {
        let id = self.mapping().ids.local(row.kind(), row.id());
        id.is_none_or(|id| !known.contains_key(&id))
    }

    /// Compares a list row with the agreed values: many remote changes alter neither the version nor the date.
    fn row_change(&self, known: &BTreeMap<EntityId, &LocalItem>, row: &RemoteItem) -> RowChange {
        let id = self.mapping().ids.local(row.kind(), row.id());
        let Some(item) = id.and_then(|id| known.get(&id)) else { return RowChange::Changed };
        let Some(link) = item.link_to(&self.mapping().remote_ref) else { return RowChange::Changed };
        let there = self.mapping().of_remote(row, item.row.item.parent);
        let is_same = link.version == row.core().version && link.base.matches_there(&there);
        if !is_same || self.taken.contains(&item.id()) {
            return RowChange::Changed;
        }
        let local = item.shape(self.mapping());
        let differences =
            self.mapping().differences(item.kind, &link.base, &local, &there, mapping::assignee_name(row));
        // Both sides are equal, but the local names changed.
        let is_reworded = differences.is_empty() && !link.base.matches_here(&local);
        let is_remapped = is_reworded
            || differences.iter().any(|one| one.verdict == Verdict::Remote)
            || item::completion(self.mapping(), item, row, &differences).is_some();
        if is_remapped && !item.row.item.deleted { RowChange::Remapped } else { RowChange::Nothing }
    }

    /// Lists attachments of the kinds that are read, or of all kinds. A dry run only reports rows.
    fn read_files(&self, needed: &[&RemoteItem]) -> Result<Files, Error> {
        let is_read = |kind: &Kind| self.is_full || needed.iter().any(|row| row.kind() == *kind);
        let kinds = Kind::ALL.into_iter().filter(|kind| !self.hidden.contains(&(*kind).into()) && is_read(kind));
        let kinds: Vec<Kind> = kinds.collect();
        if self.options.dry_run {
            return Ok(Files::default());
        }
        Files::read(&self.server, &self.bridge.project, &kinds).map_err(user_error)
    }

    /// Reads comments, custom fields and attachments of items whose rows are unchanged, since no row shows changes of
    /// these. Returns the items with news.
    fn read_quiet(
        &self,
        known: &BTreeMap<EntityId, &LocalItem>,
        rows: &[&RemoteItem],
        files: &Files,
    ) -> Result<Vec<FullItem>, Error> {
        let living = |row: &RemoteItem| {
            let id = self.mapping().ids.local(row.kind(), row.id());
            id.and_then(|id| known.get(&id)).filter(|item| !item.row.item.deleted).copied()
        };
        let quiet: Vec<(&RemoteItem, &LocalItem)> = rows.iter().filter_map(|row| Some((*row, living(row)?))).collect();
        let read = |client: &taiga::Client, (row, here): &(&RemoteItem, &LocalItem)| {
            let comments = match Some(row.kind()).filter(|_| here.has_sent_comments()) {
                None => Ok(Vec::new()),
                Some(kind) => requests::comments(client, kind, row.core().id),
            };
            let comments = match comments {
                Err(error) if super::retrying_client::is_about_one(&error) => Vec::new(),
                other => other?,
            };
            let details = Details::read(client, &self.bridge.project, files, row)?;
            let is_news = here.has_sent_comments() || !details.is_known(&here.row.item.extra);
            Ok(is_news.then(|| FullItem { remote: (*row).clone(), comments, details }))
        };
        let read = self.server.call_all(&quiet, read).map_err(user_error)?;
        Ok(read.into_iter().flatten().collect())
    }

    /// Writes a batch, or in a dry run only plans it.
    fn take_in(&mut self, project: &mut Project, items: &[FullItem], highest: u64) -> Result<(), Error> {
        let decide = |context: &PlanContext<'_>| -> Result<(Vec<Step>, BridgeView), Error> {
            let mut report =
                BridgeView { created: Vec::new(), changed: Vec::new(), conflicts: Vec::new(), ..self.blank() };
            // Inside the plan, which may run again on a newer state with other free numbers.
            let mut numbers = item::Numbers::new(context.index, highest);
            let mut steps = Vec::new();
            for full in items {
                let taken = &self.taken;
                steps.extend(item::take(&self.bridge, context, full, taken, &mut numbers, &mut report)?);
            }
            Ok((steps, report))
        };
        let report = if self.options.dry_run {
            project.dry_run(|context| Ok(decide(context)?.1))?
        } else {
            project.commit(|context| {
                let (steps, report) = decide(context)?;
                let n_items = items.len();
                let subject = format!("taiga: pull {} from `{}`", counted(n_items, "item"), self.report.project.slug);
                Ok((WritePlan { subject, steps }, report))
            })?
        };
        self.report.created.extend(report.created);
        self.report.changed.extend(report.changed);
        self.report.conflicts.extend(report.conflicts);
        self.report.left.extend(report.left);
        self.report.unchanged += report.unchanged;
        Ok(())
    }

    fn blank(&self) -> BridgeView {
        report::empty(&self.mapping().remote_ref, &self.bridge.project, self.options.dry_run)
    }
}

/// Reads an item in full; `None` if it was deleted after it was listed.
fn read_full_item(
    client: &taiga::Client,
    project: &taiga::dto::Project,
    files: &Files,
    row: &RemoteItem,
) -> Result<Option<FullItem>, taiga::Error> {
    let remote = match remote::get(client, row.kind(), row.id()) {
        Err(error) if super::retrying_client::is_absent(&error) => return Ok(None),
        other => other?,
    };
    let comments = match (Some(row.kind()), remote.core().total_comments) {
        // A comment raises the version, so an item in its first version has none.
        (None, _) | (_, Some(0)) => Vec::new(),
        _ if remote.core().version <= 1 => Vec::new(),
        (Some(kind), _) => requests::comments(client, kind, row.core().id)?,
    };
    let details = Details::read(client, project, files, row)?;
    Ok(Some(FullItem { remote, comments, details }))
}
