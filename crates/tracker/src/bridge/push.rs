//! Sends local changes. Each item is first read from the server and compared again; only fields that this side alone
//! changed are sent, with the version just read, so that concurrent remote changes are detected and not overwritten.

mod comments;
mod create;
mod delete;
pub(super) mod intents;
mod order;
mod sprints;
mod update;

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::Project;
use app::plan::set;
use model::id::EntityId;
use model::op::Change;
use store::intents::Intents;
use store::{Step, WritePlan};

use super::bridge_context::{self, BridgeContext};
use super::kind::BridgedKind;
use super::link::{FIELD, Link};
use super::local_item::{self, LocalItem};
use super::mapping::BridgeMapping;
use super::retrying_client::{RetryingClient, user_error};
use super::{BridgeProgress, PushOptions, Target, pull, remote, report};
use crate::Kind;
use crate::mapping::item::RemoteItem;
use crate::view::BridgeView;

/// Maximum number of buffered link records. If they are lost, the next run detects the finished updates.
const MAX_BUFFERED_LINKS: usize = 20;

/// State of a run.
struct Push<'a> {
    server: RetryingClient<'a>,
    options: &'a PushOptions,
    bridge: BridgeContext,
    intents: Intents,
    /// Items whose conflicts are resolved with the local value.
    taken: BTreeSet<EntityId>,
    /// Items that will exist on the server after this run.
    coming: BTreeSet<EntityId>,
    report: BridgeView,
    /// Items that this run created on the server.
    made: BTreeSet<EntityId>,
    /// Changes of links to write to the log after the push.
    records: Vec<(EntityId, Change)>,
}

pub(super) fn run(
    project: &mut Project,
    target: &Target,
    options: &PushOptions,
    progress: &mut dyn FnMut(BridgeProgress),
) -> Result<BridgeView, Error> {
    let server = RetryingClient::new(&target.client, options.longest_pause);
    let mut here = local_item::all(project.index())?;
    let mut bridge = bridge_context::gather(project, target, &server, &here)?;
    let mut report = report::empty(&bridge.mapping.remote_ref, &bridge.project, options.dry_run);
    let taken = pull::named(project, &options.take_local)?;
    let lists = list_for(&server, &bridge, &here, options)?;
    report.adopted = intents::adopt(project, &mut bridge, &mut here, &lists, options.dry_run)?;
    let is_new = |item: &&LocalItem| is_to_be_made(item, options);
    let coming = here.iter().filter(is_new).map(LocalItem::id).collect();
    let intents = intents::of(project);
    let mut push =
        Push { server, options, bridge, intents, taken, coming, report, made: BTreeSet::new(), records: Vec::new() };
    let newest = lists.iter().map(|(kind, rows)| (*kind, remote::newest(rows))).collect();
    let done = push.work(project, &mut here, &newest, progress);
    // Flush also after an error: the finished work must be recorded.
    push.flush(project)?;
    done?;
    Ok(push.report)
}

fn is_to_be_made(item: &LocalItem, options: &PushOptions) -> bool {
    let can_be_there = item.kind != BridgedKind::Sprint || sprints::can_be_sprint(item);
    !options.only_linked && can_be_there && !item.row.item.deleted && item.is_unlinked()
}

/// Lists the kinds of which items will be created, to find those that exist already.
fn list_for(
    server: &RetryingClient<'_>,
    bridge: &BridgeContext,
    here: &[LocalItem],
    options: &PushOptions,
) -> Result<BTreeMap<Kind, Vec<RemoteItem>>, Error> {
    let new = here.iter().filter(|item| is_to_be_made(item, options));
    let kinds: BTreeSet<Kind> = new.filter_map(|item| item.kind.work()).collect();
    let mut lists = BTreeMap::new();
    for kind in kinds {
        let rows =
            server.call(|client| remote::list(client, kind, bridge.mapping.remote_ref.project)).map_err(user_error)?;
        lists.insert(kind, rows);
    }
    Ok(lists)
}

impl Push<'_> {
    fn mapping(&self) -> &BridgeMapping {
        &self.bridge.mapping
    }

    fn work(
        &mut self,
        project: &mut Project,
        here: &mut [LocalItem],
        newest: &BTreeMap<Kind, u64>,
        progress: &mut dyn FnMut(BridgeProgress),
    ) -> Result<(), Error> {
        let remote_ref = self.mapping().remote_ref.clone();
        let total = here.len();
        // Sprints first: items refer to them.
        for item in here.iter_mut().filter(|item| item.kind == BridgedKind::Sprint && !item.row.item.deleted) {
            self.sprint(project, item)?;
        }
        // Parents before children: `Kind::ALL` is in that order.
        for kind in Kind::ALL {
            progress(BridgeProgress { stage: "creating items", done: 0, total });
            for item in here.iter_mut().filter(|item| item.kind == kind) {
                if self.coming.contains(&item.id()) {
                    self.create(project, item, kind, newest.get(&kind).copied().unwrap_or(0))?;
                }
            }
            // Before their children are created.
            self.drop_duplicates(project, here, kind)?;
        }
        for (n, item) in here.iter_mut().enumerate() {
            progress(BridgeProgress { stage: "pushing", done: n, total });
            let living = item.kind.work().filter(|_| !item.row.item.deleted);
            if let Some((kind, link)) = living.zip(item.link_to(&remote_ref).cloned()) {
                // Items that this run created are up to date.
                if !self.coming.contains(&item.id()) {
                    self.update(project, item, kind, &link)?;
                }
                self.push_comments(project, item, kind)?;
            }
        }
        // After all creations: a move refers to cards that must exist.
        self.push_order(project, here)?;
        // Tasks before stories: deleting a story in Taiga deletes its tasks.
        for kind in [Kind::Task, Kind::Issue, Kind::Story, Kind::Epic] {
            let deleted: Vec<&LocalItem> =
                here.iter().filter(|item| item.kind == kind && item.row.item.deleted).collect();
            for item in deleted {
                self.delete(project, item, kind, here)?;
            }
        }
        // Deleted sprints last: no remaining item refers to them.
        for item in here.iter_mut().filter(|item| item.kind == BridgedKind::Sprint && item.row.item.deleted) {
            self.sprint(project, item)?;
        }
        progress(BridgeProgress { stage: "pushing", done: total, total });
        Ok(())
    }

    /// Queues the link of an item for the next flush.
    fn record_link(&mut self, project: &mut Project, item: &mut LocalItem, link: Link) -> Result<(), Error> {
        if item.link.as_ref() != Some(&link) {
            self.record(project, item.id(), set(FIELD, link.to_value()))?;
            item.link = Some(link);
        }
        Ok(())
    }

    fn record(&mut self, project: &mut Project, id: EntityId, change: Change) -> Result<(), Error> {
        self.records.push((id, change));
        if self.records.len() >= MAX_BUFFERED_LINKS { self.flush(project) } else { Ok(()) }
    }

    /// Writes the queued records.
    fn flush(&mut self, project: &mut Project) -> Result<(), Error> {
        if self.records.is_empty() || self.options.dry_run {
            return Ok(());
        }
        let subject = format!("taiga: push to `{}`", self.report.project.slug);
        let records = &self.records;
        project.commit(|_| {
            let steps = records.iter().map(|(id, change)| Step::own(*id, change.clone())).collect();
            Ok((WritePlan { subject: subject.clone(), steps }, ()))
        })?;
        self.records.clear();
        Ok(())
    }
}
