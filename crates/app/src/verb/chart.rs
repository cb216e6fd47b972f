//! Burndown and cumulative flow per day, computed from the operations, so that nothing extra is recorded in the log.
//!
//! A day shows the state of an item at its end: the fold of the operations until then, which the index caches. Which statuses are closed, their
//! order and colors are those of the current workflows.

mod daily;
#[cfg(test)]
mod tests;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use model::course::{Course, Place};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::workflow::{State, Status, Workflow};
use store::index::Row;
use store::local_zone;

use crate::error::Error;
use crate::project::Project;
use crate::view::{BurndownDayView, BurndownView, FlowDayView, FlowStatusView, FlowView, reference};
use daily::{Turns, daily, turns};

/// Maximum number of days in a chart.
pub const MAX_DAYS: u32 = 366;

/// Maximum number of items in a chart.
const MAX_ITEMS: usize = 100_000;

/// The color of a status that is no longer in a workflow.
const FORGOTTEN: &str = "#97a0af";

/// The days of a chart, and the time zone.
struct Calendar {
    zone: TimeZone,
    first: Date,
    today: Date,
}

impl Calendar {
    /// Returns the day of a time; the future counts as today.
    fn day(&self, at: Timestamp) -> Date {
        self.zone.to_datetime(at).date().min(self.today)
    }
}

/// A milestone over time: what was left to do, and how much was in each status.
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
        let (calendar, courses, workflows) = (self.calendar(n_days)?, self.courses(&row)?, self.all_workflows()?);
        let id = row.item.id.to_string();
        let (statuses, flow) = flow(&courses, &workflows, &calendar, |place| place.milestone == id);
        Ok(MilestoneHistory { burndown: burndown(&courses, &id, &workflows, &calendar), statuses, flow })
    }

    /// Returns the number of open items of a milestone on each of the last days.
    pub fn burndown(&self, milestone: &ItemRef, n_days: u32) -> Result<BurndownView, Error> {
        let row = self.find_of(ItemKind::Milestone, milestone)?;
        let calendar = self.calendar(n_days)?;
        let courses = self.courses(&row)?;
        let days = burndown(&courses, &row.item.id.to_string(), &self.all_workflows()?, &calendar);
        Ok(BurndownView { milestone: reference(&row), days })
    }

    /// Returns the number of items of a board in each status on each of the last days.
    pub fn flow(&self, board: &ItemRef, n_days: u32) -> Result<FlowView, Error> {
        let row = self.find_of(ItemKind::Board, board)?;
        let calendar = self.calendar(n_days)?;
        let courses = self.courses(&row)?;
        let id = row.item.id.to_string();
        let (statuses, days) = flow(&courses, &self.all_workflows()?, &calendar, |place| place.board == id);
        Ok(FlowView { board: reference(&row), statuses, days })
    }

    fn calendar(&self, n_days: u32) -> Result<Calendar, Error> {
        if !(1..=MAX_DAYS).contains(&n_days) {
            return Err(Error::invalid(format!("a chart has 1 to {MAX_DAYS} days, not {n_days}")));
        }
        let today = (self.env.today)();
        let first = today.checked_sub(i64::from(n_days - 1).days()).unwrap_or(today);
        Ok(Calendar { zone: local_zone(), first, today })
    }

    fn courses(&self, row: &Row) -> Result<Vec<Course>, Error> {
        let found = self.index().courses_through(&row.item.id.to_string(), MAX_ITEMS)?;
        found.ok_or_else(|| Error::conflict(format!("more than {MAX_ITEMS} items are too many for a chart")))
    }

    fn all_workflows(&self) -> Result<Vec<Workflow>, Error> {
        ItemKind::ALL.into_iter().map(|kind| Ok(self.index().workflow(kind)?)).collect()
    }
}

fn burndown(courses: &[Course], milestone: &str, workflows: &[Workflow], calendar: &Calendar) -> Vec<BurndownDayView> {
    let turns = |course: &Course| {
        let workflow = workflows.iter().find(|workflow| workflow.kind == course.kind);
        turns(course, calendar, |place| {
            let workflow = workflow.filter(|_| place.milestone == milestone)?;
            Some(usize::from(workflow.meaning(&place.status).0 == State::Closed))
        })
    };
    let all: Vec<Turns<usize>> = courses.iter().map(turns).collect();
    let view = |(date, counts): (Date, Vec<u64>)| BurndownDayView { date, total: counts.iter().sum(), open: counts[0] };
    daily(&all, 2, calendar).into_iter().map(view).collect()
}

fn flow(
    courses: &[Course],
    workflows: &[Workflow],
    calendar: &Calendar,
    is_there: impl Fn(&Place) -> bool,
) -> (Vec<FlowStatusView>, Vec<FlowDayView>) {
    let turns =
        |course: &Course| turns(course, calendar, |place| is_there(place).then(|| (course.kind, place.status.clone())));
    let all: Vec<Turns<(ItemKind, String)>> = courses.iter().map(turns).collect();
    let statuses = statuses(&all, workflows);
    let column = |name: &str| statuses.iter().position(|status| status.name == name);
    let numbered: Vec<Turns<usize>> = all
        .into_iter()
        .map(|turns| turns.into_iter().map(|(day, at)| (day, at.and_then(|(_, name)| column(&name)))).collect())
        .collect();
    let days = daily(&numbered, statuses.len(), calendar).into_iter();
    (statuses, days.map(|(date, counts)| FlowDayView { date, counts }).collect())
}

/// Returns the statuses that occur, in board order, and then those that are no longer in a workflow.
fn statuses(all: &[Turns<(ItemKind, String)>], workflows: &[Workflow]) -> Vec<FlowStatusView> {
    let seen = || all.iter().flatten().filter_map(|(_, at)| at.as_ref());
    let is_here = |workflow: &&Workflow| seen().any(|(kind, _)| *kind == workflow.kind);
    let mut known: Vec<&Status> = workflows.iter().filter(is_here).flat_map(Workflow::statuses).collect();
    known.sort_by_key(|status| status.order);
    let mut views: Vec<FlowStatusView> = Vec::new();
    let named = known.into_iter().map(|status| (&status.name, status.colour.as_str()));
    for (name, colour) in named.chain(seen().map(|(_, name)| (name, FORGOTTEN))) {
        if !views.iter().any(|view| view.name == *name) {
            views.push(FlowStatusView { name: name.clone(), colour: colour.to_owned() });
        }
    }
    views
}
