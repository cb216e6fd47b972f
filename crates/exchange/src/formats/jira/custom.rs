//! Fields that a project of Jira added. Those of its own plugins have a place here or say nothing to people; all others are
//! kept under their names.

use serde_json::Value;

use crate::item::{ImportedItem, Target};

/// Fields of Jira's own plugins for its pages and charts.
const INTERNAL: &[&str] =
    &["development", "rank", "rank (obsolete)", "epic color", "epic colour", "epic name", "epic status"];

/// Names that mean something else in Cairn.
const RESERVED: &[&str] = &[
    "title",
    "description",
    "status",
    "assignee",
    "assignees",
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
    "color",
    "rank",
    "imported",
    "labels",
    "blocks",
    "relates",
    "touches",
    "taiga",
];

/// Returns whether a field says nothing to people.
pub(super) fn is_internal(name: &str) -> bool {
    let name = name.to_lowercase();
    INTERNAL.contains(&name.as_str()) || name.starts_with("[chart]")
}

/// Adds a custom field with its values.
pub(super) fn add(item: &mut ImportedItem, name: &str, values: &[String]) {
    let values: Vec<&str> = values.iter().map(String::as_str).filter(|value| !is_java_object(value)).collect();
    let (Some(last), false) = (values.last(), is_internal(name)) else { return };
    match name.to_lowercase().as_str() {
        "epic link" => item.parent = item.parent.take().or_else(|| Some(Target::Id((*last).to_owned()))),
        "story points" | "story point estimate" => put(item, "story_points", *last),
        // The last one is the current one.
        "sprint" => put(item, "sprint", sprint(last)),
        lower => {
            let is_reserved = RESERVED.contains(&lower) || lower.contains(':');
            let name = if is_reserved { format!("jira {name}") } else { name.to_owned() };
            put(item, &name, values.join(", "));
        }
    }
}

/// Adds a value under a name, unless there is one.
pub(super) fn put(item: &mut ImportedItem, name: &str, value: impl Into<Value>) {
    let name = crate::clean::one_line(name);
    item.extra.entry(name).or_insert_with(|| value.into());
}

// Fields of some plugins have no text: Jira writes the name of a class and an address in memory, another one in each export.
fn is_java_object(text: &str) -> bool {
    let Some((class, address)) = text.rsplit_once('@') else { return false };
    let is_class = ["com.", "org.", "net.", "java."].iter().any(|start| class.starts_with(start));
    let is_name = class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$'));
    is_class && is_name && !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit())
}

// Servers write `com.atlassian.greenhopper.service.sprint.Sprint@1[id=42,name=Sprint 24,…]`.
fn sprint(text: &str) -> &str {
    let name = text.split_once("[id=").and_then(|(_, fields)| fields.split_once(",name="));
    name.map_or(text, |(_, rest)| rest.split(",startDate=").next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_java_are_no_values() {
        let approvals = "com.atlassian.servicedesk.plugins.approvals.internal.customfield.ApprovalsCFValue@170e16ef";
        for (text, expected) in
            [(approvals, true), ("com@cafe.example", false), ("ada@cafe", false), ("com.x.Y@1[id=2]", false)]
        {
            assert_eq!(is_java_object(text), expected, "{text}");
        }
    }

    #[test]
    fn sprint_has_its_name() {
        assert_eq!(sprint("S 1"), "S 1");
        let blob =
            "com.atlassian.greenhopper.service.sprint.Sprint@1[id=42,state=ACTIVE,name=Sprint 24, part 2,startDate=x]";
        assert_eq!(sprint(blob), "Sprint 24, part 2");
    }
}
