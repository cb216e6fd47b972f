//! Filters and order of lists. Unknown parameters are ignored, as in a Taiga.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::http::{Answer, Request};
use super::refusal;
use super::world::{Item, ItemKind, World};

impl World {
    /// The ids of the items that match a request and are visible to its user.
    pub(super) fn listed(&self, kind: ItemKind, request: &Request, user: Option<u64>) -> Result<Vec<u64>, Answer> {
        check(kind, request)?;
        let of_kind = self.items.iter().filter(|((of, _), _)| *of == kind);
        let mut items: Vec<(u64, &Item)> = of_kind.map(|((_, id), item)| (*id, item)).collect();
        items.retain(|(id, item)| {
            let project = item.fields["project"].as_u64().unwrap_or_default();
            self.sees(user, project)
                && self.may_view(user, project, kind.view_permission())
                && request.query.iter().all(|(name, value)| self.holds(kind, *id, item, name, value))
        });
        sort(kind, request.parameter("order_by"), &mut items);
        Ok(items.into_iter().map(|(id, _)| id).collect())
    }

    fn holds(&self, kind: ItemKind, id: u64, item: &Item, name: &str, value: &str) -> bool {
        let field = |name: &str| item.fields.get(name).unwrap_or(&Value::Null);
        let any = |actual: &Value| value.split(',').any(|wanted| reads_as(actual, wanted.trim()));
        let flag = |actual: &Value| value.parse::<bool>().map_or(true, |wanted| *actual == wanted);
        match name {
            "project" | "status" | "assigned_to" | "owner" => any(field(name)),
            "milestone" if kind != ItemKind::Epic => any(field(name)),
            "assigned_users" if kind == ItemKind::Story => {
                let users = self.detail(kind, id)["assigned_users"].as_array().cloned().unwrap_or_default();
                users.iter().any(any)
            }
            "user_story" if kind == ItemKind::Task => any(field(name)),
            "type" | "priority" | "severity" if kind == ItemKind::Issue => any(field(name)),
            "exclude_status" | "exclude_assigned_to" | "exclude_owner" => !any(field(&name["exclude_".len()..])),
            "project__slug" => self.project_of_slug(value).is_some_and(|project| *field("project") == project),
            "status__is_closed" => flag(&self.detail(kind, id)["status_extra_info"]["is_closed"]),
            "is_closed" if kind == ItemKind::Story => flag(&self.detail(kind, id)["is_closed"]),
            "epic" if kind == ItemKind::Story => self.is_in_epic(id, value),
            "tags" => has_tag(item, value),
            "exclude_tags" => !has_tag(item, value),
            "q" => has_words(item, value),
            _ => match name.rsplit_once("__") {
                Some((date @ ("created_date" | "modified_date"), how)) => compares(field(date), how, value),
                _ => true,
            },
        }
    }

    fn is_in_epic(&self, story: u64, wanted: &str) -> bool {
        let epics: Vec<u64> = self.links.iter().filter(|(_, linked)| *linked == story).map(|(epic, _)| *epic).collect();
        wanted.split(',').any(|wanted| match wanted.parse::<u64>() {
            Ok(wanted) => epics.contains(&wanted),
            Err(_) => epics.is_empty(),
        })
    }
}

fn sort(kind: ItemKind, order: Option<&str>, items: &mut [(u64, &Item)]) {
    // Default orders: issues newest first, stories by backlog, others by creation.
    let usual = match kind {
        ItemKind::Issue => "-id",
        ItemKind::Story => "backlog_order",
        _ => "id",
    };
    let known: &[&str] = match kind {
        ItemKind::Epic => &[],
        ItemKind::Issue => {
            &["created_date", "modified_date", "subject", "status", "priority", "severity", "type", "ref"]
        }
        ItemKind::Story => &[
            "created_date",
            "modified_date",
            "subject",
            "status",
            "assigned_to",
            "milestone",
            "backlog_order",
            "sprint_order",
            "kanban_order",
        ],
        ItemKind::Task => {
            &["created_date", "modified_date", "subject", "status", "assigned_to", "milestone", "us_order"]
        }
    };
    let asked = order.filter(|order| known.contains(&order.trim_start_matches('-')));
    let order = asked.unwrap_or(usual);
    let name = order.trim_start_matches('-');
    items.sort_by(|(left_id, left), (right_id, right)| {
        let by_field = compare(&left.fields[name], &right.fields[name]);
        let ordering = by_field.then(left_id.cmp(right_id));
        if order.starts_with('-') { ordering.reverse() } else { ordering }
    });
}

/// Rejects the same values as a Taiga, with the same errors.
fn check(kind: ItemKind, request: &Request) -> Result<(), Answer> {
    let n_people = request.parameter("assigned_to").map_or(0, |value| value.split(',').count());
    if kind == ItemKind::Epic && n_people > 1 {
        return Err(refusal::bad_request("Error in filter params types."));
    }
    for (name, value) in &request.query {
        let numbers = value.split(',').all(|word| word.trim() == "null" || word.trim().parse::<u64>().is_ok());
        match name.as_str() {
            "project" if !numbers => return Err(refusal::bad_request("'project' must be an integer value.")),
            "milestone" | "user_story" if !numbers => {
                return Err(refusal::bad_request("Error in filter params types."));
            }
            "status" | "assigned_to" | "owner" | "type" | "priority" | "severity" | "epic" if !numbers => {
                return Err(refusal::bad_request("Wrong arguments."));
            }
            _ => {}
        }
        let is_time = name.starts_with("created_date__") || name.starts_with("modified_date__");
        if is_time && time(value).is_none() {
            return Err(refusal::server_error_page());
        }
    }
    Ok(())
}

fn reads_as(actual: &Value, wanted: &str) -> bool {
    if wanted == "null" { actual.is_null() } else { wanted.parse::<u64>().is_ok_and(|wanted| *actual == json!(wanted)) }
}

/// Exact match of any of the tags.
fn has_tag(item: &Item, wanted: &str) -> bool {
    let tags: Vec<&str> =
        item.fields["tags"].as_array().into_iter().flatten().filter_map(|tag| tag[0].as_str()).collect();
    wanted.split(',').any(|wanted| tags.contains(&wanted))
}

/// All words must match as prefixes; between words, `or` means either side.
fn has_words(item: &Item, wanted: &str) -> bool {
    let fields = &item.fields;
    let text =
        format!("{} {} {} {}", fields["subject"], fields["description"], fields["tags"], fields["ref"]).to_lowercase();
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let wanted = wanted.to_lowercase();
    let wanted: Vec<&str> =
        wanted.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_there = |wanted: &&str| words.iter().any(|word| word.starts_with(wanted));
    wanted.split(|word| *word == "or").any(|side| side.iter().all(is_there))
}

fn compares(actual: &Value, how: &str, wanted: &str) -> bool {
    let (Some(actual), Some(wanted)) = (actual.as_str().and_then(time), time(wanted)) else { return true };
    match how {
        "gt" => actual > wanted,
        "gte" => actual >= wanted,
        "lt" => actual < wanted,
        "lte" => actual <= wanted,
        _ => true,
    }
}

fn time(text: &str) -> Option<Timestamp> {
    let of_day = |day: Date| day.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse().ok().or_else(|| text.parse().ok().and_then(of_day))
}

fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::String(left), Value::String(right)) => match (time(left), time(right)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => left.cmp(right),
        },
        _ => left.as_u64().cmp(&right.as_u64()),
    }
}
