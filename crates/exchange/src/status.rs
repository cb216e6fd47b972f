//! Maps the status of a source to one of the kind's workflow: as the caller says, by name, by its usual meaning, or by
//! whether the item is closed.

use std::collections::{BTreeMap, HashMap};

use app::Error;
use model::item::ItemKind;
use model::workflow::{Category, State, Workflow};
use store::index::Index;

use crate::item::ImportedStatus;

/// The usual meanings of the names of statuses, in lower case, with `_` for spaces and dashes.
const MEANINGS: &[(Category, &[&str])] = &[
    (Category::Draft, &["draft", "idea", "proposed"]),
    (
        Category::Todo,
        &[
            "open",
            "opened",
            "reopened",
            "new",
            "todo",
            "to_do",
            "backlog",
            "ready",
            "triage",
            "unstarted",
            "pending",
            "deferred",
            "planned",
            "selected_for_development",
            "needs_info",
            "pinned",
            "blocked",
        ],
    ),
    (
        Category::Doing,
        &[
            "in_progress",
            "doing",
            "started",
            "wip",
            "active",
            "hooked",
            "in_development",
            "development",
            "in_work",
            "working",
            // The key of Jira's category "In Progress".
            "indeterminate",
        ],
    ),
    (
        Category::Review,
        &[
            "review",
            "in_review",
            "code_review",
            "testing",
            "in_testing",
            "test",
            "qa",
            "in_qa",
            "ready_for_test",
            "verify",
        ],
    ),
    (
        Category::Done,
        &["done", "closed", "complete", "completed", "resolved", "fixed", "finished", "merged", "released", "shipped"],
    ),
    (
        Category::Dropped,
        &[
            "dropped",
            "canceled",
            "cancelled",
            "wontfix",
            "wont_fix",
            "won't_fix",
            "won't_do",
            "wont_do",
            "duplicate",
            "not_planned",
            "rejected",
            "invalid",
            "abandoned",
            "archived",
        ],
    ),
];

/// Maximum number of mapped statuses that are kept.
const MAX_KNOWN: usize = 1024;

/// A status here, for a status of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MappedStatus {
    pub(crate) name: String,
    pub(crate) closed: bool,
    /// Whether the source has another name for it, which is kept.
    pub(crate) is_renamed: bool,
    /// Whether it was chosen for lack of a better one.
    pub(crate) is_guess: bool,
}

/// Maps statuses, for each kind.
pub(crate) struct Statuses {
    workflows: BTreeMap<ItemKind, Workflow>,
    /// What the caller says: the name in the source, in the form of `MEANINGS`, and the one here.
    given: BTreeMap<String, String>,
    /// Whether an unknown name is an error, as in formats that Cairn itself writes.
    is_strict: bool,
    /// Statuses that were mapped before; a source names few of them many times.
    known: HashMap<(ItemKind, ImportedStatus), MappedStatus>,
}

impl Statuses {
    pub(crate) fn of(index: &Index, given: &[(String, String)], is_strict: bool) -> Result<Self, Error> {
        let mut workflows = BTreeMap::new();
        for kind in ItemKind::ALL {
            workflows.insert(kind, index.workflow(kind)?);
        }
        let given = given.iter().map(|(from, to)| (normal(from), to.clone())).collect();
        Ok(Self { workflows, given, is_strict, known: HashMap::new() })
    }

    /// Returns the status of an item that is neither begun nor closed.
    pub(crate) fn initial(&self, kind: ItemKind) -> &str {
        &self.workflows[&kind].initial().name
    }

    pub(crate) fn map(&mut self, kind: ItemKind, status: &ImportedStatus) -> Result<MappedStatus, Error> {
        let key = (kind, status.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let mapped = self.look_up(kind, status)?;
        // A hostile source may have as many statuses as items.
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(key, mapped.clone());
        Ok(mapped)
    }

    fn look_up(&self, kind: ItemKind, status: &ImportedStatus) -> Result<MappedStatus, Error> {
        let workflow = &self.workflows[&kind];
        let wanted = normal(&status.name);
        if let Some(name) = self.given.get(&wanted) {
            return named(workflow, name, status);
        }
        let own = workflow.statuses().iter().find(|own| normal(&own.name) == wanted);
        if let Some(own) = own.filter(|own| status.closed.is_none_or(|closed| closed == own.closed)) {
            return Ok(MappedStatus { name: own.name.clone(), closed: own.closed, is_renamed: false, is_guess: false });
        }
        if self.is_strict && !wanted.is_empty() {
            return if own.is_some() { Err(contradiction(status)) } else { named(workflow, &status.name, status) };
        }
        Ok(by_meaning(workflow, &wanted, status))
    }
}

fn by_meaning(workflow: &Workflow, wanted: &str, status: &ImportedStatus) -> MappedStatus {
    let meaning = meaning_of(wanted).or_else(|| meaning_of(&normal(&status.meaning)));
    let agrees = |category: &Category| status.closed.is_none_or(|closed| closed == category.closes());
    let found = meaning.filter(agrees).and_then(|category| nearest(workflow, category));
    let is_guess = found.is_none() && !wanted.is_empty();
    let is_closed = status.closed.unwrap_or(false);
    let found = found.or_else(|| if is_closed { workflow.closing() } else { None });
    let found = found.unwrap_or_else(|| workflow.initial());
    MappedStatus {
        name: found.name.clone(),
        closed: found.state() == State::Closed,
        is_renamed: !wanted.is_empty(),
        is_guess,
    }
}

/// Returns the meaning of a name, or of the last part of a scoped one, such as `state/done` and `workflow::done`.
fn meaning_of(name: &str) -> Option<Category> {
    let find = |name: &str| MEANINGS.iter().find(|(_, names)| names.contains(&name)).map(|(category, _)| *category);
    find(name).or_else(|| find(name.rsplit(['/', ':']).next()?))
}

// A workflow need not have a status of each category.
fn nearest(workflow: &Workflow, category: Category) -> Option<&model::workflow::Status> {
    let also = match category {
        Category::Draft | Category::Todo => return workflow.first_in(category).or(Some(workflow.initial())),
        Category::Review => Category::Doing,
        Category::Doing => Category::Review,
        Category::Done | Category::Dropped => {
            return workflow.first_in(category).or_else(|| workflow.closing());
        }
    };
    workflow.first_in(category).or_else(|| workflow.first_in(also)).or(Some(workflow.initial()))
}

fn named(workflow: &Workflow, name: &str, status: &ImportedStatus) -> Result<MappedStatus, Error> {
    let wanted = normal(name);
    let Some(own) = workflow.statuses().iter().find(|own| normal(&own.name) == wanted) else {
        let names: Vec<&str> = workflow.statuses().iter().map(|status| status.name.as_str()).collect();
        let shown = model::text::escape_line(name);
        let article = workflow.kind.with_article();
        return Err(Error::invalid(format!("unknown status `{shown}` for {article} (expected: {})", names.join(", ")))
            .hint(format!("`--status {shown}=NAME` maps it; `cairn workflow set {} NAME` adds one", workflow.kind)));
    };
    let is_renamed = normal(&status.name) != wanted;
    Ok(MappedStatus { name: own.name.clone(), closed: own.closed, is_renamed, is_guess: false })
}

fn contradiction(status: &ImportedStatus) -> Error {
    let state = if status.closed == Some(true) { "closed" } else { "open" };
    let name = model::text::escape_line(&status.name);
    Error::invalid(format!("the status `{name}` contradicts the state `{state}`")).hint("leave one of the two out")
}

fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses(given: &[(&str, &str)], is_strict: bool) -> Statuses {
        let workflows = ItemKind::ALL.into_iter().map(|kind| (kind, Workflow::built_in(kind))).collect();
        let given = given.iter().map(|(from, to)| (normal(from), (*to).to_owned())).collect();
        Statuses { workflows, given, is_strict, known: HashMap::new() }
    }

    #[track_caller]
    fn check(name: &str, closed: Option<bool>, expected: (&str, bool, bool)) {
        check_with_meaning(name, "", closed, expected);
    }

    #[track_caller]
    fn check_with_meaning(name: &str, meaning: &str, closed: Option<bool>, expected: (&str, bool, bool)) {
        let status = ImportedStatus { name: name.to_owned(), closed, meaning: meaning.to_owned() };
        let mapped = statuses(&[("QA", "review")], false).map(ItemKind::Issue, &status).unwrap();
        assert_eq!((mapped.name.as_str(), mapped.is_renamed, mapped.is_guess), expected, "{name}");
        assert_eq!(mapped.closed, mapped.name == "done");
    }

    #[test]
    fn statuses_are_mapped_by_name_then_meaning_then_state() {
        check("In Progress", None, ("in_progress", false, false));
        check("", Some(true), ("done", false, false));
        check("", None, ("backlog", false, false));
        check("open", Some(false), ("backlog", true, false));
        check("not_planned", Some(true), ("done", true, false));
        check("Won't Do", None, ("done", true, false));
        check("In Review", None, ("review", true, false));
        check("qa", None, ("review", true, false));
        check("Sparkling", Some(true), ("done", true, true));
        check("Sparkling", None, ("backlog", true, true));
        // The source says that it is closed, which takes precedence over the name.
        check("ready", Some(true), ("done", true, true));
    }

    #[test]
    fn scoped_names_mean_what_their_last_part_means() {
        check("state/done", Some(true), ("done", true, false));
        check("workflow::In Review", None, ("review", true, false));
        check("state/sparkling", None, ("backlog", true, true));
    }

    #[test]
    fn meaning_that_the_source_gives_serves_for_unknown_names() {
        check_with_meaning("Deploying", "In Progress", Some(false), ("in_progress", true, false));
        check_with_meaning("Deploying", "indeterminate", Some(false), ("in_progress", true, false));
        // A known name says more than its category.
        check_with_meaning("In Review", "In Progress", Some(false), ("review", true, false));
    }

    #[test]
    fn own_formats_refuse_an_unknown_status() {
        let map = |name: &str, closed| {
            let status = ImportedStatus { name: name.to_owned(), closed, meaning: String::new() };
            statuses(&[], true).map(ItemKind::Milestone, &status).map_err(|error| error.message)
        };
        assert_eq!(map("closed", None).unwrap().name, "closed");
        assert_eq!(map("odd", None).unwrap_err(), "unknown status `odd` for a milestone (expected: open, closed)");
        assert_eq!(map("open", Some(true)).unwrap_err(), "the status `open` contradicts the state `closed`");
    }
}
