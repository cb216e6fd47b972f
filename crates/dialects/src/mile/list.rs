//! `git_mile.list`.

use app::Error;
use app::ProjectPool;
use app::verb::ListOptions;
use mcp::{Call, Effect, Fault, Tool, ToolResult, arguments, schema};
use model::filter::BareWords;
use model::item::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::shapes::PageShape;
use super::{entity, fault};

pub(super) const TOOL: Tool<ProjectPool> = Tool {
    name: "git_mile.list",
    title: "List issues or milestones",
    description: "Lists the issues or the milestones of this repository, what changed last first: id, title, status, \
                  labels and counts of each. Use it to find work; `git_mile.show` then gives description and comments. \
                  Closed ones are left out unless `includeClosed` is set or the filter names `status`. A page holds \
                  50 unless `limit` says otherwise; pass `nextCursor` back as `cursor`, with the same other arguments, \
                  to go on.",
    input: schema::<Arguments>,
    output: None,
    effect: Effect::Reads,
    toolset: "mile",
    call,
};

/// Default number of entries.
const DEFAULT_LIMIT: u64 = 50;
/// Maximum number of entries.
const MAX_LIMIT: u64 = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    /// What to list.
    #[schemars(extend("enum" = ["milestone", "issue"]))]
    entity: String,
    /// Only what this matches, such as `status == "open" and labels ~ "bug"`, `updated > -7d` or
    /// `(and (= status "open") (contains labels bug))`. Fields: id, number, title, description, status, labels,
    /// milestone, assignee, author, priority, size, board, created, updated, `comment_count`, `has_comments`, text.
    /// Operators: == != < <= > >= ~ (contains), in [a, b], and, or, not.
    #[serde(default)]
    #[schemars(with = "String")]
    filter: Option<String>,
    /// The order, most important first: field or field:asc or field:desc, such as `priority:desc`.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("default" = ["updated:desc"]))]
    sort: Option<Vec<String>>,
    /// How many at the most.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 200), extend("default" = 50))]
    limit: Option<Number>,
    /// The `nextCursor` of the page before.
    #[serde(default)]
    #[schemars(with = "String")]
    cursor: Option<String>,
    /// Closed ones too.
    #[serde(default)]
    #[schemars(with = "bool", extend("default" = false))]
    include_closed: Option<bool>,
}

fn call(projects: &ProjectPool, given: Value, _: &Call) -> Result<ToolResult, Fault> {
    let given: Arguments = arguments(given)?;
    let limit = given.limit.as_ref().map(whole_number).transpose()?.unwrap_or(DEFAULT_LIMIT);
    let page = projects.read(|project| {
        let kind = entity(&given.entity)?;
        let open = if kind == ItemKind::Milestone { Some(project.open_issues_by_milestone()?) } else { None };
        let page = project.list(&ListOptions {
            kinds: vec![kind],
            filter: given.filter.clone(),
            bare_words: BareWords::Refuse,
            sort: given.sort.clone().unwrap_or_default(),
            limit: Some(within_limit(limit)?),
            cursor: given.cursor.clone(),
            all: given.include_closed.unwrap_or_default(),
            ..ListOptions::default()
        })?;
        Ok(PageShape::new(page, open.as_ref()))
    });
    ToolResult::json(&page.map_err(|error| fault(&error))?)
}

fn within_limit(limit: u64) -> Result<usize, Error> {
    let limit = usize::try_from(limit).ok().filter(|_| (1..=MAX_LIMIT).contains(&limit));
    limit.ok_or_else(|| Error::invalid(format!("`limit` must lie between 1 and {MAX_LIMIT}")))
}

// JSON has one number type: `20.0` is an integer, `20.5` has the wrong type, `-1` and `1e30` are integers out of range.
fn whole_number(number: &Number) -> Result<u64, Fault> {
    let is_whole = number.as_f64().is_some_and(|value| value.fract() == 0.0);
    if !is_whole {
        return Err(Fault::Undecodable(format!("in the arguments, `limit` must be a whole number, not {number}")));
    }
    if let Some(value) = number.as_u64() {
        return Ok(value);
    }
    let written = number.to_string();
    let digits = written.strip_suffix(".0").unwrap_or(&written);
    // A number that does not fit becomes 0, which is rejected as out of range.
    Ok(digits.parse().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_distinguished_from_other_numbers() {
        let read = |text: &str| whole_number(&serde_json::from_str(text).expect("a number"));
        assert_eq!(read("20"), Ok(20));
        assert_eq!(read("20.0"), Ok(20));
        assert_eq!(read("-1"), Ok(0));
        assert_eq!(read("1e30"), Ok(0));
        assert!(matches!(read("20.5"), Err(Fault::Undecodable(_))));
    }

    #[test]
    fn null_is_an_omitted_argument() {
        let given = json!({"entity": "issue", "filter": null, "sort": null, "limit": null, "includeClosed": null});
        assert!(arguments::<Arguments>(given).is_ok());
    }
}
