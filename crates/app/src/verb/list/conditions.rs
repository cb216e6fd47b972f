//! Conditions of a list that need no filter language: each is one flag of an interface, and all must hold.
//!
//! They become a filter text, so that cursors and saved filters know one form only. A name that nothing in the project
//! has is an error with the nearest name, since an empty list would look like an answer.

use model::filter::{
    Comparison, DateField, Expr, FlagField, MatchTest, Order, PersonField, ReferenceField, TextField, TextTest,
};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::nearest::nearest;
use model::person::PersonRef;
use model::workflow::State;

use crate::error::Error;
use crate::project::Project;
use crate::resolve;

/// The conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// One of these statuses or states.
    pub statuses: Vec<String>,
    /// All of these labels.
    pub labels: Vec<String>,
    /// Assigned to this person.
    pub assignee: Option<AssigneeFilter>,
    /// In this milestone.
    pub milestone: Option<ItemRef>,
    /// On this board.
    pub board: Option<ItemRef>,
    /// A sub-item of this epic.
    pub epic: Option<ItemRef>,
    /// Marked as blocked, or waiting for an open item.
    pub blocked: bool,
    /// Open, with a due date in the past.
    pub overdue: bool,
    /// With this text in its title, description or comments.
    pub text: Option<String>,
}

/// Whom an item is assigned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssigneeFilter {
    /// Nobody.
    Nobody,
    /// A person.
    To(PersonRef),
}

impl Project {
    /// Returns a filter for the conditions and another filter together; `None` if there is neither.
    pub fn filter_of(&self, conditions: &Conditions, filter: Option<&str>) -> Result<Option<String>, Error> {
        let mut all = self.expressions(conditions)?.into_iter().map(|expr| grouped(&expr)).collect::<Vec<_>>();
        all.extend(filter.map(|text| format!("({text})")));
        match all.as_slice() {
            [] => Ok(None),
            // Alone it keeps its own form, which may be an s-expression, and its columns in errors.
            [_] if filter.is_some() => Ok(filter.map(str::to_owned)),
            _ => Ok(Some(all.join(" and "))),
        }
    }

    fn expressions(&self, conditions: &Conditions) -> Result<Vec<Expr>, Error> {
        let mut all = Vec::new();
        if !conditions.statuses.is_empty() {
            all.push(self.one_of_statuses(&conditions.statuses)?);
        }
        for label in &conditions.labels {
            all.push(self.with_label(label)?);
        }
        all.extend(conditions.assignee.as_ref().map(|assigned| self.assigned(assigned)).transpose()?);
        let references = [
            (ReferenceField::Milestone, ItemKind::Milestone, &conditions.milestone),
            (ReferenceField::Board, ItemKind::Board, &conditions.board),
            (ReferenceField::Parent, ItemKind::Epic, &conditions.epic),
        ];
        for (field, kind, wanted) in references {
            all.extend(wanted.as_ref().map(|item| self.referring_to(field, kind, item)).transpose()?);
        }
        if conditions.blocked {
            all.push(Expr::any([flag(FlagField::Blocked), flag(FlagField::Waiting)]));
        }
        if conditions.overdue {
            all.push(self.overdue());
        }
        all.extend(conditions.text.as_ref().map(|text| text_contains(text)));
        Ok(all)
    }

    fn one_of_statuses(&self, wanted: &[String]) -> Result<Expr, Error> {
        let workflows = self.workflows(None)?;
        let mut known: Vec<String> =
            [State::Draft, State::Open, State::Closed].map(|state| state.name().to_owned()).into();
        known.extend(workflows.into_iter().flat_map(|workflow| workflow.statuses).map(|status| status.name));
        let compare = |name: &String| {
            let value = find_name("status", name, &known, &name.trim().replace([' ', '-'], "_"))?;
            Ok(Expr::Compare(Comparison::Status { test: TextTest::Order(Order::Equal), value }))
        };
        wanted.iter().map(compare).collect::<Result<Vec<_>, Error>>().map(Expr::any)
    }

    fn with_label(&self, wanted: &str) -> Result<Expr, Error> {
        let value = find_name("label", wanted, &self.index().labels()?, wanted.trim())?;
        Ok(Expr::Compare(Comparison::Label { test: MatchTest::Is, value }))
    }

    fn assigned(&self, assigned: &AssigneeFilter) -> Result<Expr, Error> {
        let value = match assigned {
            AssigneeFilter::Nobody => String::new(),
            AssigneeFilter::To(PersonRef::Me) => self.me()?.to_string(),
            AssigneeFilter::To(PersonRef::Known(person)) => person.to_string(),
            AssigneeFilter::To(PersonRef::Text(text)) => self.known_person(text)?.to_string(),
        };
        Ok(Expr::Compare(Comparison::Person { field: PersonField::Assignee, test: MatchTest::Is, value }))
    }

    fn referring_to(&self, field: ReferenceField, kind: ItemKind, item: &ItemRef) -> Result<Expr, Error> {
        let value = resolve::item_or_title(self.index(), kind, item)?.item.id.to_string();
        Ok(Expr::Compare(Comparison::Reference { field, test: MatchTest::Is, value }))
    }

    fn overdue(&self) -> Expr {
        let due = Comparison::Date { field: DateField::Due, order: Order::Less, value: self.today() };
        let is_closed = Comparison::Text {
            field: TextField::State,
            test: TextTest::Order(Order::Equal),
            value: State::Closed.name().to_owned(),
        };
        Expr::all([Expr::Compare(due), Expr::negate(Expr::Compare(is_closed))])
    }
}

fn flag(field: FlagField) -> Expr {
    Expr::Compare(Comparison::Flag { field, value: true })
}

fn text_contains(text: &str) -> Expr {
    Expr::Compare(Comparison::Text { field: TextField::Text, test: TextTest::Contains, value: text.to_owned() })
}

fn grouped(expr: &Expr) -> String {
    if matches!(expr, Expr::Or(_)) { format!("({expr})") } else { expr.to_string() }
}

/// Finds a name, ignoring case; the error names the nearest one.
fn find_name(what: &str, wanted: &str, known: &[String], spelled: &str) -> Result<String, Error> {
    let same = |name: &&String| name.eq_ignore_ascii_case(spelled) || name.eq_ignore_ascii_case(wanted.trim());
    if let Some(name) = known.iter().find(same) {
        return Ok(name.clone());
    }
    let shown = model::text::escape_line(wanted);
    let error = Error::invalid(format!("unknown {what} `{shown}`"));
    Err(match nearest(wanted, known.iter().map(String::as_str)) {
        Some(name) => error.hint(format!("did you mean `{}`?", model::text::escape_line(name))),
        None => error.hint(format!("no item has this {what}")),
    })
}
