//! Imports card moves: a card moved only in Taiga gets a new rank here.

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::Project;
use app::plan::{PlanContext, set};
use model::id::EntityId;
use model::workflow::Workflow;
use store::{Origin, Step, WritePlan};

use super::super::kind::{BridgedKind, local_kind};
use super::super::local_item::{self, LocalItem};
use super::super::order::local_order::LocalOrder;
use super::super::order::sequence::{arranged, runs};
use super::super::order::{AgreedOrder, KINDS, Lane, Moves, ORDER, RemoteOrder, UnsettledCards, restricted};
use super::super::report;
use super::Pull;
use super::prepare::workflow_changes;
use crate::mapping::item::RemoteItem;
use crate::view::BridgeView;

/// Local items of one kind by remote id.
type Cards<'a> = BTreeMap<u64, &'a LocalItem>;

impl Pull<'_> {
    pub(super) fn follow_order(&mut self, project: &mut Project, rows: &[RemoteItem]) -> Result<(), Error> {
        let decide = |context: &PlanContext<'_>| self.decide_order(context, rows);
        let report = if self.options.dry_run {
            project.dry_run(|context| Ok(decide(context)?.1))?
        } else {
            let subject = format!("taiga: the order of cards of `{}`", self.report.project.slug);
            project.commit(|context| {
                let (steps, report) = decide(context)?;
                Ok((WritePlan { subject: subject.clone(), steps }, report))
            })?
        };
        report::join(&mut self.report, report);
        Ok(())
    }

    fn decide_order(&self, context: &PlanContext<'_>, rows: &[RemoteItem]) -> Result<(Vec<Step>, BridgeView), Error> {
        let here = local_item::all(context.index)?;
        let mut report = self.blank();
        let mut steps = Vec::new();
        let work = here.iter().filter(|item| item.kind != BridgedKind::Sprint && !item.row.item.deleted);
        let mut order = LocalOrder::new(work.clone().map(|item| (item.row.rank(), item.id())));
        for kind in KINDS.into_iter().filter(|kind| !self.hidden.contains(&(*kind).into())) {
            let linked = work.clone().filter(|item| item.kind == kind);
            let cards: Cards<'_> =
                linked.filter_map(|item| Some((item.link_to(&self.mapping().remote_ref)?.id, item))).collect();
            let of_kind = |row: &&RemoteItem| row.kind() == kind && cards.contains_key(&row.id());
            let there = RemoteOrder::read(&self.bridge.project, kind, &rows.iter().filter(of_kind).collect::<Vec<_>>());
            let before = AgreedOrder::read(context.index, &self.mapping().remote_ref, kind)?;
            let unsettled = self.follow_lanes(&there, &before, &cards, &mut order, &mut report);
            let after = before.settled(&in_order(&order, &cards), &there, &unsettled);
            let id = Workflow::id(local_kind(kind));
            let workflow = context.index.entity(id)?;
            let fields = after.changes_from(&before, &self.mapping().remote_ref, &there.lanes);
            steps.extend(
                workflow_changes(kind, fields, workflow.as_ref()).into_iter().map(|change| Step::own(id, change)),
            );
        }
        let items: BTreeMap<EntityId, &LocalItem> = work.map(|item| (item.id(), item)).collect();
        for (id, rank) in order.changed() {
            // Dragging a card does not change the item's date in Taiga, and must not here.
            let at = items.get(id).map_or(jiff::Timestamp::UNIX_EPOCH, |item| item.row.item.updated);
            let origin = Origin { at, by: context.me.clone(), imported: None, id: None };
            steps.push(Step::imported(*id, set("rank", rank.to_string()), origin));
        }
        Ok((steps, report))
    }

    /// Applies the remote moves to the local order, and returns the unsettled cards.
    fn follow_lanes(
        &self,
        there: &RemoteOrder,
        agreed: &AgreedOrder,
        cards: &Cards<'_>,
        order: &mut LocalOrder,
        report: &mut BridgeView,
    ) -> UnsettledCards {
        let mut unsettled = UnsettledCards::default();
        let before = in_order(order, cards);
        let is_taken = |(card, item): (&u64, &&LocalItem)| self.taken.contains(&item.id()).then_some(*card);
        let taken: BTreeSet<u64> = cards.iter().filter_map(is_taken).collect();
        for lane in &there.lanes {
            let mut moves = Moves::of(lane, &restricted(&before, lane), agreed, &BTreeSet::new());
            moves.resolve_for_remote(&taken);
            self.move_cards(lane, &moves, cards, order, report);
            for card in &moves.conflicts {
                let Some(item) = cards.get(card) else { continue };
                let field =
                    report::order_field(self.mapping(), item.kind, *card, &restricted(&before, lane), &lane.cards);
                report::add_conflict(report, item, item.link.as_ref(), field);
            }
            unsettled.here.extend(moves.here.iter().chain(&moves.conflicts));
            unsettled.there.entry(lane.dimension).or_default().extend(&moves.conflicts);
        }
        unsettled
    }

    fn move_cards(
        &self,
        lane: &Lane,
        moves: &Moves,
        cards: &Cards<'_>,
        order: &mut LocalOrder,
        report: &mut BridgeView,
    ) {
        let current = restricted(&in_order(order, cards), lane);
        let target = arranged(&current, &moves.there, &lane.cards);
        let id = |card: u64| cards.get(&card).map(|item| item.id());
        for run in runs(&current, &target, &moves.there) {
            let moved: Vec<EntityId> = run.cards.iter().filter_map(|card| id(*card)).collect();
            order.put(&moved, run.after.and_then(id), run.before.and_then(id));
            for item in run.cards.iter().filter_map(|card| cards.get(card)) {
                let is_new = self.report.created.iter().any(|step| step.item.id == item.id().to_string());
                if !is_new {
                    report::add_change(report, item, item.link.as_ref(), ORDER);
                }
            }
        }
    }
}

/// Returns the remote ids of a kind in local order.
fn in_order(order: &LocalOrder, cards: &Cards<'_>) -> Vec<u64> {
    let names: BTreeMap<EntityId, u64> = cards.iter().map(|(card, item)| (item.id(), *card)).collect();
    order.ids().filter_map(|id| names.get(&id).copied()).collect()
}
