//! Burndown and cumulative flow per day, computed from the operations, so that nothing extra is recorded in the log.
//!
//! A day shows the state of an item at its end: the fold of the operations until then, which the index caches. Which statuses are closed, their
//! order and colors are those of the current workflows.

mod daily;
#[cfg(test)]
mod tests;

use jiff::ToSpan;
use jiff::civil::Date;
use model::course::{Course, Place};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::workflow::{State, Status, Workflow};
use store::index::Row;
use store::local_zone;

use crate::error::Error;
use crate::project::Project;
use crate::view::{BurndownDayView, BurndownView, FlowDayView, FlowStatusView, FlowView, reference};
use daily::{Calendar, ColumnCounts, DailyCounts};

/// Maximum number of days in a chart.
pub const MAX_DAYS: u32 = 366;

/// Maximum number of items in a chart.
const MAX_ITEMS: usize = 100_000;

/// The color of a status that is no longer in a workflow.
const FORGOTTEN: &str = "#97a0af";

/// A milestone over time: its open items, and the number of items in each status.
#[derive(Debug, Clone, PartialEq)]
pub struct MilestoneHistory {
    /// Scope and open items per day.
    pub burndown: Vec<BurndownDayView>,
    /// The statuses that occur, in the order of boards.
    pub statuses: Vec<FlowStatusView>,
    /// The number of items in each status per day.
    pub flow: Vec<FlowDayView>,
}

impl Project {
    /// Returns burndown and flow of a milestone on each of the last days, from one reading of its items.
    pub fn milestone_history(&self, milestone: &ItemRef, n_days: u32) -> Result<MilestoneHistory, Error> {
        let row = self.find_of(ItemKind::Milestone, milestone)?;
        let (days, columns) = self.daily_counts(&row, n_days, milestone_of_work)?;
        let workflows = self.all_workflows()?;
        let (statuses, flow) = flow(&days, &columns, &workflows);
        Ok(MilestoneHistory { burndown: burndown(&days, &columns, &workflows), statuses, flow })
    }

    /// Returns the number of open items of a milestone on each of the last days.
    pub fn burndown(&self, milestone: &ItemRef, n_days: u32) -> Result<BurndownView, Error> {
        let row = self.find_of(ItemKind::Milestone, milestone)?;
        let (days, columns) = self.daily_counts(&row, n_days, milestone_of_work)?;
        let days = burndown(&days, &columns, &self.all_workflows()?);
        Ok(BurndownView { milestone: reference(&row), days })
    }

    /// Returns the number of items of a board in each status on each of the last days.
    pub fn flow(&self, board: &ItemRef, n_days: u32) -> Result<FlowView, Error> {
        let row = self.find_of(ItemKind::Board, board)?;
        let (days, columns) = self.daily_counts(&row, n_days, |_, place| place.board)?;
        let (statuses, days) = flow(&days, &columns, &self.all_workflows()?);
        Ok(FlowView { board: reference(&row), statuses, days })
    }

    /// Counts the items whose milestone or board, as `container` reads it, is the one of a row.
    fn daily_counts(
        &self,
        row: &Row,
        n_days: u32,
        container: impl for<'a> Fn(ItemKind, &Place<&'a str>) -> &'a str,
    ) -> Result<(Vec<Date>, Vec<ColumnCounts>), Error> {
        let (calendar, id) = (self.calendar(n_days)?, row.item.id.to_string());
        let mut counts = DailyCounts::new(&calendar);
        let count = |course: &Course<&str>| counts.add(course, |place| container(course.kind, place) == id);
        if self.index().visit_courses_through(&id, MAX_ITEMS + 1, count)? > MAX_ITEMS {
            return Err(Error::conflict(format!("more than {MAX_ITEMS} items are too many for a chart")));
        }
        Ok(counts.finish())
    }

    fn calendar(&self, n_days: u32) -> Result<Calendar, Error> {
        if !(1..=MAX_DAYS).contains(&n_days) {
            return Err(Error::invalid(format!("a chart has 1 to {MAX_DAYS} days, not {n_days}")));
        }
        let today = (self.env.today)();
        let first = today.checked_sub(i64::from(n_days - 1).days()).unwrap_or(today);
        Ok(Calendar::new(&local_zone(), first, today))
    }

    fn all_workflows(&self) -> Result<Vec<Workflow>, Error> {
        ItemKind::ALL.into_iter().map(|kind| Ok(self.index().workflow(kind)?)).collect()
    }
}

/// Returns the milestone that an item counts for. An epic is the sum of its sub-items, so the figures of milestones leave it out, too.
fn milestone_of_work<'a>(kind: ItemKind, place: &Place<&'a str>) -> &'a str {
    if kind == ItemKind::Epic { "" } else { place.milestone }
}

fn burndown(days: &[Date], columns: &[ColumnCounts], workflows: &[Workflow]) -> Vec<BurndownDayView> {
    let is_open = |column: &&ColumnCounts| {
        let workflow = workflows.iter().find(|workflow| workflow.kind == column.kind);
        workflow.is_some_and(|workflow| workflow.state_and_category(&column.status).0 != State::Closed)
    };
    let open: Vec<&ColumnCounts> = columns.iter().filter(is_open).collect();
    let on = |n: usize, date: Date| BurndownDayView {
        date,
        total: columns.iter().map(|column| column.counts[n]).sum(),
        open: open.iter().map(|column| column.counts[n]).sum(),
    };
    days.iter().enumerate().map(|(n, date)| on(n, *date)).collect()
}

fn flow(days: &[Date], columns: &[ColumnCounts], workflows: &[Workflow]) -> (Vec<FlowStatusView>, Vec<FlowDayView>) {
    let statuses = statuses(columns, workflows);
    let of_status = |n: usize, name: &str| {
        let own = columns.iter().filter(|column| column.status == name);
        own.map(|column| column.counts[n]).sum()
    };
    let on = |n: usize, date: Date| FlowDayView {
        date,
        counts: statuses.iter().map(|status| of_status(n, &status.name)).collect(),
    };
    let flow = days.iter().enumerate().map(|(n, date)| on(n, *date)).collect();
    (statuses, flow)
}

/// Returns the statuses that occur, in board order, and then those that are no longer in a workflow.
fn statuses(columns: &[ColumnCounts], workflows: &[Workflow]) -> Vec<FlowStatusView> {
    let is_here = |workflow: &&Workflow| columns.iter().any(|column| column.kind == workflow.kind);
    let mut known: Vec<&Status> = workflows.iter().filter(is_here).flat_map(Workflow::statuses).collect();
    known.sort_by_key(|status| status.order);
    let mut views: Vec<FlowStatusView> = Vec::new();
    let named = known.into_iter().map(|status| (&status.name, status.color.as_str()));
    for (name, color) in named.chain(columns.iter().map(|column| (&column.status, FORGOTTEN))) {
        if !views.iter().any(|view| view.name == *name) {
            views.push(FlowStatusView { name: name.clone(), color: color.to_owned() });
        }
    }
    views
}
