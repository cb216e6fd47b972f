//! Converts arguments that follow their schema. Only rules that a schema cannot express are checked here.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::patch::Patch;
use serde_json::Value;
use tracker::{
    Blocking, CardMove, CardTarget, Draft, EntryChange, EntryOrder, EntryQuery, Id, Kind, PlannedChanges, Priority,
    ProjectName, SprintChange, SprintDraft, TagMatch, Window,
};

use super::refusal::Refusal;

/// Default number of entries.
const DEFAULT_LIMIT: u64 = 50;
/// Maximum number of entries.
const MAX_LIMIT: u64 = 200;

/// Arguments that follow their schema.
pub(super) struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    pub(super) fn of(given: &'a Value) -> Self {
        Self(given)
    }

    /// Returns the argument `id`.
    pub(super) fn id(&self) -> Result<Id, Refusal> {
        self.try_id("id")?.ok_or_else(|| mistake("id", "Required"))
    }

    /// Returns the referenced project.
    pub(super) fn project(&self) -> Result<ProjectName, Refusal> {
        match (self.try_id("projectId")?, self.text("projectSlug")) {
            (Some(id), _) => Ok(ProjectName::Id(id)),
            (None, Some(slug)) => Ok(ProjectName::Slug(slug)),
            (None, None) => Err(mistake("projectId", "Required")),
        }
    }

    /// Returns the kind whose statuses are requested.
    pub(super) fn entity(&self) -> Result<Kind, Refusal> {
        match self.0.get("entity").and_then(Value::as_str) {
            Some("epic") => Ok(Kind::Epic),
            Some("user_story") => Ok(Kind::Story),
            Some("task") => Ok(Kind::Task),
            Some("issue") => Ok(Kind::Issue),
            _ => Err(mistake("entity", "Required")),
        }
    }

    /// Returns the requested page of a list.
    pub(super) fn window(&self) -> Result<Window, Refusal> {
        let offset = self.whole_number("offset")?.unwrap_or_default();
        let limit = self.whole_number("limit")?.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        Ok(Window { offset, limit })
    }

    pub(super) fn query(&self) -> Result<EntryQuery, Refusal> {
        let query = EntryQuery {
            words: self.text("query"),
            tags: self.tags().unwrap_or_default(),
            matching: if self.text("match").as_deref() == Some("all") { TagMatch::All } else { TagMatch::Any },
            statuses: self.ids("statusIds")?,
            assignees: self.ids("assigneeIds")?,
            unassigned: self.0.get("unassigned").and_then(Value::as_bool).unwrap_or_default(),
            modified_since: self.text("modifiedSince").map(|text| moment(&text)).transpose()?,
            parent: match self.try_id("epicId")? {
                Some(epic) => Some(epic),
                None => self.try_id("userStoryId")?,
            },
            severity: self.text("severity"),
            sprint: self.choice("milestoneId")?,
            order: match self.text("orderBy").as_deref() {
                Some("backlog") => EntryOrder::Backlog,
                Some("sprint") => EntryOrder::Sprint,
                Some("kanban") => EntryOrder::Kanban,
                _ => EntryOrder::Created,
            },
        };
        if query.unassigned && !query.assignees.is_empty() {
            return Err(mistake("unassigned", "Must not be given together with assigneeIds"));
        }
        Ok(query)
    }

    /// Returns the new work item.
    pub(super) fn draft(&self) -> Result<Draft, Refusal> {
        Ok(Draft {
            subject: self.text("subject").unwrap_or_default(),
            description: self.raw_text("description"),
            assignee: self.try_id("assignedToId")?,
            tags: self.tags().unwrap_or_default(),
            priority: self.priority(),
            parent: match self.try_id("epicId")? {
                Some(epic) => Some(epic),
                None => self.try_id("userStoryId")?,
            },
            color: self.text("color"),
            severity: self.text("severity"),
            type_: self.text("type"),
            planning: self.planning()?,
        })
    }

    pub(super) fn change(&self) -> Result<EntryChange, Refusal> {
        let mut names = self.0.as_object().into_iter().flat_map(serde_json::Map::keys);
        if names.all(|name| name == "id" || name == "version") {
            return Err(mistake("arguments", "Nothing to change: give at least one field beside id and version"));
        }
        Ok(EntryChange {
            subject: self.text("subject"),
            description: self.raw_text("description"),
            assignee: self.choice("assignedToId")?,
            status: self.try_id("statusId")?,
            tags: self.tags(),
            priority: self.priority(),
            blocking: self.blocking(),
            epic: self.choice("epicId")?,
            color: self.text("color"),
            severity: self.text("severity"),
            type_: self.text("type"),
            planning: self.planning()?,
            version: self.whole_number("version")?,
        })
    }

    /// Returns the fields beyond the contract.
    fn planning(&self) -> Result<PlannedChanges, Refusal> {
        let due = match self.0.get("dueDate") {
            None => Patch::Keep,
            Some(Value::Null) => Patch::Clear,
            Some(_) => self.day("dueDate")?.map_or(Patch::Keep, Patch::Set),
        };
        let points = match self.0.get("points") {
            None => Patch::Keep,
            Some(Value::Null) => Patch::Clear,
            Some(value) => value.as_f64().map_or(Patch::Keep, Patch::Set),
        };
        let assignees = self.0.get("assigneeIds").map(|_| self.ids("assigneeIds")).transpose()?;
        if assignees.is_some() && self.0.get("assignedToId").is_some() {
            return Err(mistake("assigneeIds", "Must not be given together with assignedToId"));
        }
        Ok(PlannedChanges { sprint: self.choice("milestoneId")?, due, points, assignees })
    }

    pub(super) fn sprint_draft(&self) -> Result<SprintDraft, Refusal> {
        let day = |name: &str| self.day(name)?.ok_or_else(|| mistake(name, "Required"));
        let (start, finish) = (day("start")?, day("finish")?);
        if start > finish {
            return Err(mistake("finish", "Must not be before start"));
        }
        Ok(SprintDraft { name: self.text("name").unwrap_or_default(), start, finish })
    }

    /// Returns the changes of a sprint.
    pub(super) fn sprint_change(&self) -> Result<SprintChange, Refusal> {
        Ok(SprintChange {
            name: self.text("name"),
            start: self.day("start")?,
            finish: self.day("finish")?,
            is_closed: self.0.get("isClosed").and_then(Value::as_bool),
        })
    }

    pub(super) fn card(&self) -> Result<CardMove, Refusal> {
        let target = match (self.try_id("beforeId")?, self.try_id("afterId")?) {
            (Some(_), Some(_)) => return Err(mistake("afterId", "Must not be given together with beforeId")),
            (Some(before), None) => CardTarget::Before(before),
            (None, Some(after)) => CardTarget::After(after),
            (None, None) => CardTarget::Top,
        };
        if matches!(target, CardTarget::Before(other) | CardTarget::After(other) if other == self.id()?) {
            return Err(mistake("id", "Must be another than beforeId and afterId"));
        }
        Ok(CardMove { target, on_kanban: self.text("board").as_deref() == Some("kanban") })
    }

    /// Returns the text of a comment.
    pub(super) fn comment(&self) -> Result<String, Refusal> {
        self.raw_text("text").filter(|text| !text.trim().is_empty()).ok_or_else(|| mistake("text", "Must not be empty"))
    }

    fn day(&self, name: &str) -> Result<Option<Date>, Refusal> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let day: Option<Date> = if text.len() == "2026-01-31".len() { text.parse().ok() } else { None };
        day.map(Some).ok_or_else(|| mistake(name, "Must be a date, YYYY-MM-DD"))
    }

    fn blocking(&self) -> Option<Blocking> {
        let given = self.0.get("blocked")?;
        let reason = given.get("reason").and_then(Value::as_str).unwrap_or_default();
        let is_blocked = given.get("isBlocked")?.as_bool()?;
        Some(if is_blocked { Blocking::from_reason(reason.trim()) } else { Blocking::No })
    }

    fn priority(&self) -> Option<Priority> {
        Priority::try_parse(self.0.get("priority")?.as_str()?)
    }

    fn choice(&self, name: &str) -> Result<Patch<Id>, Refusal> {
        match self.0.get(name) {
            None => Ok(Patch::Keep),
            Some(Value::Null) => Ok(Patch::Clear),
            Some(_) => Ok(self.try_id(name)?.map_or(Patch::Keep, Patch::Set)),
        }
    }

    fn raw_text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(|text| text.trim().to_owned())
    }

    /// Returns the tags without duplicates, in order.
    fn tags(&self) -> Option<Vec<String>> {
        let mut tags: Vec<String> = Vec::new();
        for tag in self.0.get("tags")?.as_array()?.iter().filter_map(Value::as_str) {
            let tag = tag.trim().to_owned();
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Some(tags)
    }

    fn ids(&self, name: &str) -> Result<Vec<Id>, Refusal> {
        let values = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        values.map(|value| read_id(name, value)).collect()
    }

    fn try_id(&self, name: &str) -> Result<Option<Id>, Refusal> {
        self.0.get(name).filter(|value| !value.is_null()).map(|value| read_id(name, value)).transpose()
    }

    fn whole_number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        whole_number(value).map(Some).ok_or_else(|| mistake(name, "Too large"))
    }
}

fn read_id(name: &str, value: &Value) -> Result<Id, Refusal> {
    whole_number(value).and_then(Id::new).ok_or_else(|| mistake(name, "Must be a whole number that is an id"))
}

// JSON has one number type: `20.0` is an integer. Numbers beyond a float's precision are rejected.
fn whole_number(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let written = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number))?;
    format!("{written:.0}").parse().ok()
}

fn moment(text: &str) -> Result<Timestamp, Refusal> {
    if let Ok(moment) = text.parse() {
        return Ok(moment);
    }
    // A time without a zone is ambiguous, so nothing may follow the date.
    let day: Option<Date> = if text.len() == "2026-01-31".len() { text.parse().ok() } else { None };
    let midnight = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok()).map(|midnight| midnight.timestamp());
    midnight.ok_or_else(|| mistake("modifiedSince", "Must be a date, or a date and time with its zone, as in RFC 3339"))
}

fn mistake(field: &str, reason: &str) -> Refusal {
    Refusal::field(field, reason)
}
