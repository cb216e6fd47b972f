//! A query as a filter of the index.

use model::filter::{
    Comparison, Expr, InstantField, MatchTest, Order, PersonField, ReferenceField, TextField, TextTest,
};

use super::Tried;
use super::lookup::Statuses;
use super::read::living;
use crate::people::People;
use crate::project::Project;
use crate::tracker::change::{Match, Query};
use crate::tracker::entry::{Id, Kind};
use crate::tracker::failure::Failure;

/// Returns what the query means; an id that names nothing is refused.
pub(super) fn filter(
    project: &Project,
    kind: Kind,
    query: &Query,
    statuses: &Statuses,
    people: &People,
) -> Tried<Expr> {
    let mut conditions = Vec::new();
    if !query.tags.is_empty() {
        let tags = query.tags.iter().map(|tag| has_tag(tag));
        conditions.push(match query.matching {
            Match::Any => Expr::any(tags),
            Match::All => Expr::all(tags),
        });
    }
    if !query.statuses.is_empty() {
        conditions.push(Expr::any(named(&query.statuses, "statusIds", |id| statuses.name(id).map(is_in))?));
    }
    if !query.assignees.is_empty() {
        let is_given = |id| people.try_find(id).map(|person| assigned_to(&person.to_string()));
        conditions.push(Expr::any(named(&query.assignees, "assigneeIds", is_given)?));
    }
    if query.unassigned {
        conditions.push(assigned_to(""));
    }
    if let Some(value) = query.modified_since {
        let (field, order) = (InstantField::Updated, Order::GreaterOrEqual);
        conditions.push(Expr::Compare(Comparison::Instant { field, order, value }));
    }
    if let Some(id) = query.parent {
        conditions.push(is_part_of(project, kind, id)?);
    }
    if let Some(severity) = &query.severity {
        let (field, test) = (TextField::Severity, TextTest::Order(Order::Equal));
        conditions.push(Expr::Compare(Comparison::Text { field, test, value: severity.clone() }));
    }
    Ok(Expr::all(conditions))
}

fn named(ids: &[Id], field: &str, condition: impl Fn(Id) -> Option<Expr>) -> Tried<Vec<Expr>> {
    let unknown = |id: Id| Failure::bad_reference(field, format!("{id} is not known"));
    ids.iter().map(|id| Ok(condition(*id).ok_or_else(|| unknown(*id))?)).collect()
}

fn has_tag(tag: &str) -> Expr {
    Expr::Compare(Comparison::Label { test: MatchTest::Is, value: tag.to_owned() })
}

// Equality would also take the state of that name: every open item for a status that is called `open`.
fn is_in(status: &str) -> Expr {
    let compared = |order| Expr::Compare(Comparison::Status { test: TextTest::Order(order), value: status.to_owned() });
    Expr::all([compared(Order::LessOrEqual), compared(Order::GreaterOrEqual)])
}

fn assigned_to(person: &str) -> Expr {
    let (field, test) = (PersonField::Assignee, MatchTest::Is);
    Expr::Compare(Comparison::Person { field, test, value: person.to_owned() })
}

fn is_part_of(project: &Project, kind: Kind, id: Id) -> Tried<Expr> {
    let (above, field) = if kind == Kind::Story { (Kind::Epic, "epicId") } else { (Kind::Story, "userStoryId") };
    let row = living(project, above, id)?.ok_or_else(|| Failure::bad_reference(field, format!("{id} is not known")))?;
    let (field, test) = (ReferenceField::Parent, MatchTest::Is);
    Ok(Expr::Compare(Comparison::Reference { field, test, value: row.item.id.to_string() }))
}
