//! Which values a source speaks about. A value that it does not speak about is not cleared by an import: a table without a
//! column for labels says nothing about labels.

use std::collections::BTreeSet;

use model::attachment::FIELD_PREFIX;
use model::imported;
use model::item::ASSIGNEES;

/// Fields and sets with a meaning, by their names in the log; all others are a person's or another program's own.
const KNOWN: &[&str] = &[
    "title",
    "description",
    "status",
    "assignee",
    "priority",
    "size",
    "severity",
    "type",
    "board",
    "milestone",
    "parent",
    "blocked",
    "approved",
    "started",
    "expected",
    "completed",
    "due",
    "colour",
    "rank",
    imported::FIELD,
    "labels",
    ASSIGNEES,
    "blocks",
    "relates",
    "touches",
];

/// Which values a source speaks about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Scope {
    /// All: what is missing has no value.
    #[default]
    All,
    /// All but these.
    AllBut(BTreeSet<&'static str>),
    /// These; with `has_own`, also every field that has no meaning to Cairn.
    Only { names: BTreeSet<String>, has_own: bool },
}

impl Scope {
    /// Returns the scope of an object or a table with these keys, which are Cairn's own.
    pub(crate) fn of_keys<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = BTreeSet::new();
        let mut has_own = false;
        for key in keys {
            match key {
                "extra" => has_own = true,
                "state" => names.extend(["status".to_owned()]),
                "closed" => names.extend(["completed".to_owned()]),
                "color" => names.extend(["colour".to_owned()]),
                "assign" | "assignee" | "assignees" => {
                    names.extend(["assignee".to_owned(), ASSIGNEES.to_owned()]);
                }
                key => names.extend([key.strip_prefix("extra.").unwrap_or(key).to_owned()]),
            }
        }
        Self::Only { names, has_own }
    }

    /// Leaves fields or sets out of the scope.
    pub(crate) fn leave_out(&mut self, left_out: &[&'static str]) {
        match self {
            Self::All => *self = Self::AllBut(left_out.iter().copied().collect()),
            Self::AllBut(names) => names.extend(left_out),
            Self::Only { names, .. } => names.retain(|name| !left_out.contains(&name.as_str())),
        }
    }

    /// Returns whether the source speaks about a field or a set of the log.
    pub(crate) fn has(&self, name: &str) -> bool {
        // No format but an export of operations has the contents of attachments.
        !name.starts_with(FIELD_PREFIX)
            && match self {
                Self::All => true,
                Self::AllBut(names) => !names.contains(name),
                Self::Only { names, has_own } => names.contains(name) || *has_own && !KNOWN.contains(&name),
            }
    }
}

/// Returns whether a field of the log has a meaning, so that a source's own field must have another name.
pub(crate) fn has_meaning(name: &str) -> bool {
    let name = name.to_lowercase();
    KNOWN.contains(&name.as_str()) || name.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_scope_of_their_fields() {
        let scope = Scope::of_keys(["title", "state", "assignee", "extra.customer", "color"]);
        for name in ["title", "status", "assignee", ASSIGNEES, "customer", "colour"] {
            assert!(scope.has(name), "{name}");
        }
        for name in ["labels", "completed", "other", "attachment:x"] {
            assert!(!scope.has(name), "{name}");
        }
        let mut scope = Scope::of_keys(["extra", "labels"]);
        assert!(scope.has("other") && scope.has("labels") && !scope.has("due") && !scope.has("attachment:x"));
        scope.leave_out(&["labels"]);
        assert!(!scope.has("labels"));
    }

    #[test]
    fn what_is_left_out_is_not_in_the_scope() {
        let mut scope = Scope::All;
        assert!(scope.has("labels") && !scope.has("attachment:x"));
        scope.leave_out(&["labels"]);
        scope.leave_out(&["due"]);
        assert!(!scope.has("labels") && !scope.has("due") && scope.has("title"));
    }
}
