//! Priorities, severities and types of issues: the contract has words, a project has a list of its own that admins rename.

use taiga::dto::{IssueTypeId, PriorityId, Project, SeverityId};

use crate::tracker::Answer;
use crate::tracker::failure::Failure;
use crate::tracker::priority::Priority;

/// Finds a priority of the project: the one of that name, else the one at that place between the least and the most.
pub(super) fn priority(project: &Project, wanted: Priority) -> Answer<PriorityId> {
    let ladder = ladder(project);
    let by_name = ladder.iter().find(|(_, name)| name.eq_ignore_ascii_case(wanted.name()));
    let by_place = || ladder.get(place_on(ladder.len(), wanted));
    let found = by_name.or_else(by_place).map(|(id, _)| *id);
    found.ok_or_else(|| Failure::bad_reference("priority", "the project has no priorities"))
}

/// Returns the word for a priority of the project, by its name, else by its place.
pub(super) fn word(project: &Project, id: PriorityId) -> Option<Priority> {
    let ladder = ladder(project);
    let place = ladder.iter().position(|(known, _)| *known == id)?;
    Priority::try_parse(ladder[place].1).or_else(|| {
        let steps = ladder.len() - 1;
        // One priority alone says nothing, so it is the one in the middle.
        let nearest = (place * 4 + steps / 2).checked_div(steps).unwrap_or(2);
        Priority::ALL.get(nearest).copied()
    })
}

/// Finds a severity by its name.
pub(super) fn severity(project: &Project, wanted: &str) -> Answer<SeverityId> {
    let found = project.severities.iter().find(|severity| is_called(&severity.name, wanted));
    let names = project.severities.iter().map(|severity| severity.name.as_str());
    found.map(|severity| severity.id).ok_or_else(|| unknown("severity", names))
}

/// Finds a type by its name.
pub(super) fn issue_type(project: &Project, wanted: &str) -> Answer<IssueTypeId> {
    let found = project.issue_types.iter().find(|kind| is_called(&kind.name, wanted));
    let names = project.issue_types.iter().map(|kind| kind.name.as_str());
    found.map(|kind| kind.id).ok_or_else(|| unknown("type", names))
}

/// The priorities from least to most.
fn ladder(project: &Project) -> Vec<(PriorityId, &str)> {
    let mut ladder: Vec<_> = project.priorities.iter().collect();
    ladder.sort_by_key(|priority| (priority.order, priority.id));
    ladder.into_iter().map(|priority| (priority.id, priority.name.as_str())).collect()
}

fn place_on(n_steps: usize, wanted: Priority) -> usize {
    let place = Priority::ALL.iter().position(|priority| *priority == wanted).unwrap_or_default();
    (place * n_steps.saturating_sub(1) + 2) / 4
}

fn is_called(name: &str, wanted: &str) -> bool {
    name.to_lowercase() == wanted.to_lowercase()
}

fn unknown<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    Failure::bad_reference(field, format!("Must be one of {}", names.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn project(names: &[&str]) -> Project {
        let rung = |(n, name): (usize, &&str)| json!({"id": n + 10, "name": name, "order": n});
        let priorities: Vec<_> = names.iter().enumerate().map(rung).collect();
        serde_json::from_value(json!({"id": 1, "name": "p", "slug": "p", "priorities": priorities})).unwrap()
    }

    /// Which place each word gets, and which word each place gives.
    #[track_caller]
    fn check(names: &[&str], places: [u64; 5], words: &[&str]) {
        let project = project(names);
        let found = Priority::ALL.map(|word| priority(&project, word).unwrap().0 - 10);
        assert_eq!(found, places);
        let back: Vec<&str> =
            (0..names.len()).filter_map(|n| word(&project, PriorityId(n as u64 + 10))).map(Priority::name).collect();
        assert_eq!(back, words);
    }

    #[test]
    fn words_are_matched_by_name_then_by_place() {
        check(&["Low", "Normal", "High"], [0, 0, 1, 2, 2], &["low", "normal", "high"]);
        check(&["P3", "P2", "P1"], [0, 1, 1, 2, 2], &["lowest", "normal", "highest"]);
        check(&["Low", "Normal", "High", "Urgent"], [0, 0, 1, 2, 3], &["low", "normal", "high", "highest"]);
        check(
            &["Lowest", "Low", "Normal", "High", "Highest"],
            [0, 1, 2, 3, 4],
            &["lowest", "low", "normal", "high", "highest"],
        );
        check(&["Whatever"], [0; 5], &["normal"]);
        assert!(priority(&project(&[]), Priority::Low).is_err());
    }
}
