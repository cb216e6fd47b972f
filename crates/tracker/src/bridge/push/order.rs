//! Sends card moves. The server is queried only if a card's position differs from the agreed order.

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::Project;
use model::workflow::Workflow;
use taiga::dto::{ItemId, MilestoneId, ProjectId, StatusId};
use taiga::{CardPlace, Client};

use super::super::kind::local_kind;
use super::super::local_item::LocalItem;
use super::super::order::sequence::{Run, arranged, moved, runs};
use super::super::order::{AgreedOrder, Group, KINDS, Lane, Moves, ORDER, RemoteOrder, UnsettledCards, restricted};
use super::super::pull::workflow_changes;
use super::super::retrying_client::{is_about_one, user_error};
use super::super::{remote, report};
use super::Push;
use crate::Kind;
use crate::mapping::item::RemoteItem;

/// Local items of one kind by remote id.
type Cards<'a> = BTreeMap<u64, &'a LocalItem>;

impl Push<'_> {
    pub(super) fn push_order(&mut self, project: &mut Project, here: &[LocalItem]) -> Result<(), Error> {
        for kind in KINDS {
            let living = here.iter().filter(|item| item.kind == kind && !item.row.item.deleted);
            let mut linked: Vec<(u64, &LocalItem)> =
                living.filter_map(|item| Some((item.link_to(&self.mapping().remote_ref)?.id, item))).collect();
            linked.sort_by_key(|(_, item)| (item.row.rank(), item.id()));
            let order: Vec<u64> = linked.iter().map(|(card, _)| *card).collect();
            let made: BTreeSet<u64> =
                linked.iter().filter(|(_, item)| self.made.contains(&item.id())).map(|(card, _)| *card).collect();
            let agreed = AgreedOrder::read(project.index(), &self.mapping().remote_ref, kind)?;
            // Taiga puts new cards at the bottom, in order of creation.
            let is_at_bottom = order.ends_with(&made.iter().copied().collect::<Vec<_>>());
            if !moved(&agreed.here, &order).is_empty() || !is_at_bottom {
                self.send_order(project, kind, &order, &linked.into_iter().collect(), &made, &agreed)?;
            }
        }
        Ok(())
    }

    fn send_order(
        &mut self,
        project: &mut Project,
        kind: Kind,
        order: &[u64],
        cards: &Cards<'_>,
        made: &BTreeSet<u64>,
        agreed: &AgreedOrder,
    ) -> Result<(), Error> {
        let mut rows = self.cards_there(kind, cards)?;
        let mut there = RemoteOrder::read(&self.bridge.project, kind, &rows.values().collect::<Vec<_>>());
        let mut unsettled = UnsettledCards::default();
        let is_taken = |(card, item): (&u64, &&LocalItem)| self.taken.contains(&item.id()).then_some(*card);
        let taken: BTreeSet<u64> = cards.iter().filter_map(is_taken).collect();
        let judge = |lane: &Lane| {
            let mut moves = Moves::of(lane, &restricted(order, lane), agreed, made);
            moves.resolve_for_local(&taken);
            (lane.clone(), moves)
        };
        let mut lanes: Vec<(Lane, Moves)> = there.lanes.iter().map(judge).collect();
        let disputed: BTreeSet<u64> = lanes.iter().flat_map(|(_, moves)| moves.conflicts.iter().copied()).collect();
        for (lane, moves) in &mut lanes {
            // A card with a conflict in one list is moved in none.
            moves.here.retain(|card| !disputed.contains(card));
            let here = restricted(order, lane);
            for item in moves.conflicts.iter().filter_map(|card| Some((card, cards.get(card)?))) {
                let field = report::order_field(self.mapping(), kind.into(), *item.0, &here, &lane.cards);
                report::add_conflict(&mut self.report, item.1, item.1.link.as_ref(), field);
            }
            unsettled.here.extend(&disputed);
            unsettled.there.entry(lane.dimension).or_default().extend(moves.conflicts.iter().chain(&moves.there));
            let target = arranged(&lane.cards, &moves.here, &here);
            for (n, run) in runs(&lane.cards, &target, &moves.here).into_iter().enumerate() {
                let is_numbered = matches!(lane.group, Group::Epics | Group::Story(_));
                if n > 0 && is_numbered && !self.options.dry_run {
                    // The previous move made the server renumber the other cards.
                    rows = self.cards_there(kind, cards)?;
                }
                if self.send_run(lane, &run, &rows, cards, made)? {
                    there.all.entry(lane.dimension).and_modify(|all| put(all, &run));
                } else {
                    unsettled.here.extend(&run.cards);
                }
            }
        }
        if self.options.dry_run {
            return Ok(());
        }
        let id = Workflow::id(local_kind(kind));
        let workflow = project.index().entity(id)?;
        let fields =
            agreed.settled(order, &there, &unsettled).changes_from(agreed, &self.mapping().remote_ref, &there.whole());
        for change in workflow_changes(kind, fields, workflow.as_ref()) {
            self.record(project, id, change)?;
        }
        Ok(())
    }

    fn cards_there(&self, kind: Kind, cards: &Cards<'_>) -> Result<BTreeMap<u64, RemoteItem>, Error> {
        let rows = self
            .server
            .call(|client| remote::list(client, kind, self.mapping().remote_ref.project))
            .map_err(user_error)?;
        Ok(rows.into_iter().map(|row| (row.id(), row)).filter(|(id, _)| cards.contains_key(id)).collect())
    }

    /// Moves cards on the server and reports it; returns whether the server accepted it.
    fn send_run(
        &mut self,
        lane: &Lane,
        run: &Run,
        rows: &BTreeMap<u64, RemoteItem>,
        cards: &Cards<'_>,
        made: &BTreeSet<u64>,
    ) -> Result<bool, Error> {
        let project = ProjectId(self.mapping().remote_ref.project);
        let sent = if self.options.dry_run {
            Ok(())
        } else {
            self.server.call(|client| request(client, project, lane, run, rows))
        };
        let known = run.cards.iter().filter(|card| !made.contains(card)).filter_map(|card| cards.get(card));
        match sent {
            Ok(()) => {
                for item in known {
                    report::add_change(&mut self.report, item, item.link.as_ref(), ORDER);
                }
                Ok(true)
            }
            Err(error) if is_about_one(&error) => {
                for item in known {
                    let shown = report::known(item, item.link.as_ref());
                    let left = report::refused(shown, None, error.message.clone());
                    self.report.left.push(crate::view::BridgeLeftView { field: Some(ORDER.to_owned()), ..left });
                }
                Ok(false)
            }
            Err(error) => Err(user_error(error)),
        }
    }
}

fn request(
    client: &Client,
    project: ProjectId,
    lane: &Lane,
    run: &Run,
    rows: &BTreeMap<u64, RemoteItem>,
) -> Result<(), taiga::Error> {
    let ids: Vec<ItemId> = run.cards.iter().map(|card| ItemId(*card)).collect();
    let place = match (run.after, run.before) {
        (Some(after), _) => CardPlace::After(ItemId(after)),
        (None, Some(before)) => CardPlace::Before(ItemId(before)),
        (None, None) => return Ok(()),
    };
    match lane.group {
        Group::Backlog => client.order_stories(project, None, &ids, place),
        Group::Sprint(sprint) => client.order_stories(project, Some(MilestoneId(sprint)), &ids, place),
        Group::Column { status, swimlane } => client.order_kanban(project, StatusId(status), swimlane, &ids, place),
        Group::Story(story) => {
            let first = first_number(lane, run, rows);
            client.order_tasks(
                project,
                ItemId(story),
                &(first..).zip(ids).map(|(order, id)| (id, order)).collect::<Vec<_>>(),
            )
        }
        Group::Epics => {
            let versions = run.cards.iter().filter_map(|card| Some(rows.get(card)?.core().version));
            let numbered = (first_number(lane, run, rows)..).zip(ids).zip(versions);
            numbered.into_iter().try_for_each(|((order, id), version)| client.order_epic(id, version, order))
        }
    }
}

/// Returns the order number for the first card of a run; the server shifts the card that has it.
fn first_number(lane: &Lane, run: &Run, rows: &BTreeMap<u64, RemoteItem>) -> i64 {
    let number = |card: u64| rows.get(&card).and_then(|row| lane.dimension.number(row));
    let after = run.after.and_then(number).map(|number| number.saturating_add(1));
    after.or_else(|| run.before.and_then(number)).unwrap_or_default()
}

/// Applies a run of moves to a list.
fn put(order: &mut Vec<u64>, run: &Run) {
    order.retain(|card| !run.cards.contains(card));
    let place = |card: u64| order.iter().position(|one| *one == card);
    let at = run.after.and_then(place).map(|place| place + 1).or_else(|| run.before.and_then(place));
    let at = at.unwrap_or(order.len());
    order.splice(at..at, run.cards.iter().copied());
}
