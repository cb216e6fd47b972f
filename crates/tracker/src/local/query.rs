//! Converts a query into an index filter.

use app::Project;
use app::people::People;
use model::filter::{
    Comparison, Expr, InstantField, MatchTest, OptionalField, Order, PersonField, ReferenceField, TextField, TextTest,
};
use model::patch::Patch;

use super::lookup::Statuses;
use super::read::living;
use super::{LocalResult, extended};
use crate::Kind;
use crate::TrackerResult;
use crate::change::{EntryQuery, TagMatch};
use crate::entry::Id;
use crate::failure::{IdPosition, Problem};

/// Returns the filter of a query; fails on an unknown id.
pub(super) fn filter(
    project: &Project,
    kind: Kind,
    query: &EntryQuery,
    statuses: &Statuses,
    people: &People,
) -> LocalResult<Expr> {
    let mut conditions = Vec::new();
    if !query.tags.is_empty() {
        let known = project.index().labels()?;
        let tags = query.tags.iter().map(|tag| Expr::any(spellings(&known, tag).map(has_tag)));
        conditions.push(match query.matching {
            TagMatch::Any => Expr::any(tags),
            TagMatch::All => Expr::all(tags),
        });
    }
    if !query.statuses.is_empty() {
        let is_given =
            |id| statuses.name(id).map(is_in).ok_or_else(|| Problem::UnknownStatus(id, IdPosition::InList).into());
        conditions.push(Expr::any(each(&query.statuses, is_given)?));
    }
    if !query.assignees.is_empty() {
        let is_given = |id: Id| {
            let person = people.try_find(id.get()).ok_or(Problem::UnknownMember(id, IdPosition::InList))?;
            Ok(assigned_to(&person.to_string()))
        };
        conditions.push(Expr::any(each(&query.assignees, is_given)?));
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
    match query.sprint {
        Patch::Keep => {}
        Patch::Clear => {
            let field = OptionalField::Reference(ReferenceField::Milestone);
            conditions.push(Expr::Compare(Comparison::Absent { field }));
        }
        Patch::Set(id) => {
            let row = extended::milestone(project, id)?.ok_or(Problem::UnknownSprint(id))?;
            conditions.push(is_in_sprint(&row.item.id.to_string()));
        }
    }
    if let Some(severity) = &query.severity {
        let known = project.index().severities()?;
        conditions.push(Expr::any(spellings(&known, severity).map(has_severity)));
    }
    Ok(Expr::all(conditions))
}

fn each(ids: &[Id], condition: impl Fn(Id) -> TrackerResult<Expr>) -> LocalResult<Vec<Expr>> {
    ids.iter().map(|id| Ok(condition(*id)?)).collect()
}

/// Returns all known spellings of a word, compared case-insensitively, as Taiga does.
fn spellings<'a>(known: &'a [String], wanted: &'a str) -> impl Iterator<Item = &'a str> {
    let is_same = |word: &&'a str| word.to_lowercase() == wanted.to_lowercase();
    // The word itself is always included: with no spelling the condition would be empty and match everything.
    known.iter().map(String::as_str).filter(is_same).chain([wanted])
}

fn has_tag(tag: &str) -> Expr {
    Expr::Compare(Comparison::Label { test: MatchTest::Is, value: tag.to_owned() })
}

fn has_severity(severity: &str) -> Expr {
    let (field, test) = (TextField::Severity, TextTest::Order(Order::Equal));
    Expr::Compare(Comparison::Text { field, test, value: severity.to_owned() })
}

// Two comparisons instead of equality, which would also match the state of that name: every open item for a status
// called `open`.
fn is_in(status: &str) -> Expr {
    let compared = |order| Expr::Compare(Comparison::Status { test: TextTest::Order(order), value: status.to_owned() });
    Expr::all([compared(Order::LessOrEqual), compared(Order::GreaterOrEqual)])
}

fn assigned_to(person: &str) -> Expr {
    let (field, test) = (PersonField::Assignee, MatchTest::Is);
    Expr::Compare(Comparison::Person { field, test, value: person.to_owned() })
}

fn is_in_sprint(milestone: &str) -> Expr {
    let (field, test) = (ReferenceField::Milestone, MatchTest::Is);
    Expr::Compare(Comparison::Reference { field, test, value: milestone.to_owned() })
}

fn is_part_of(project: &Project, kind: Kind, id: Id) -> LocalResult<Expr> {
    let above = if kind == Kind::Story { Kind::Epic } else { Kind::Story };
    let row = living(project, above, id)?.ok_or(Problem::UnknownParent { of: kind, id })?;
    let (field, test) = (ReferenceField::Parent, MatchTest::Is);
    Ok(Expr::Compare(Comparison::Reference { field, test, value: row.item.id.to_string() }))
}
