//! Reads arguments that follow their schema as what they mean. Only what a schema cannot check is refused here.

use app::tracker::{
    Answer, Blocking, Change, Choice, Draft, Failure, Id, Kind, Match, Priority, ProjectName, Query, Window,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;

/// How many come when nothing is said.
const USUAL_LIMIT: u64 = 50;
/// How many come at the most.
const HIGHEST_LIMIT: u64 = 200;

/// Arguments that follow their schema.
pub(super) struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    pub(super) fn of(given: &'a Value) -> Self {
        Self(given)
    }

    /// Returns the id that a tool is about.
    pub(super) fn id(&self) -> Answer<Id> {
        self.try_id("id")?.ok_or_else(|| mistake("id", "Required"))
    }

    /// Returns which project is meant.
    pub(super) fn project(&self) -> Answer<ProjectName> {
        match (self.try_id("projectId")?, self.text("projectSlug")) {
            (Some(id), _) => Ok(ProjectName::Id(id)),
            (None, Some(slug)) => Ok(ProjectName::Slug(slug)),
            (None, None) => Err(mistake("projectId", "Required")),
        }
    }

    /// Returns the kind of work that statuses are asked for.
    pub(super) fn entity(&self) -> Answer<Kind> {
        match self.0.get("entity").and_then(Value::as_str) {
            Some("epic") => Ok(Kind::Epic),
            Some("user_story") => Ok(Kind::Story),
            Some("task") => Ok(Kind::Task),
            Some("issue") => Ok(Kind::Issue),
            _ => Err(mistake("entity", "Required")),
        }
    }

    /// Returns which part of a list is wanted.
    pub(super) fn window(&self) -> Answer<Window> {
        let offset = self.whole("offset")?.unwrap_or_default();
        let limit = self.whole("limit")?.unwrap_or(USUAL_LIMIT).clamp(1, HIGHEST_LIMIT);
        Ok(Window { offset, limit })
    }

    /// Returns which work is wanted.
    pub(super) fn query(&self) -> Answer<Query> {
        let query = Query {
            words: self.text("query"),
            tags: self.tags().unwrap_or_default(),
            matching: if self.text("match").as_deref() == Some("all") { Match::All } else { Match::Any },
            statuses: self.ids("statusIds")?,
            assignees: self.ids("assigneeIds")?,
            unassigned: self.0.get("unassigned").and_then(Value::as_bool).unwrap_or_default(),
            modified_since: self.text("modifiedSince").map(|text| moment(&text)).transpose()?,
            parent: match self.try_id("epicId")? {
                Some(epic) => Some(epic),
                None => self.try_id("userStoryId")?,
            },
            severity: self.text("severity"),
        };
        if query.unassigned && !query.assignees.is_empty() {
            return Err(mistake("unassigned", "Must not be given together with assigneeIds"));
        }
        Ok(query)
    }

    /// Returns what is to be made.
    pub(super) fn draft(&self) -> Answer<Draft> {
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
            colour: self.text("color"),
            severity: self.text("severity"),
            type_: self.text("type"),
        })
    }

    /// Returns what is to be changed.
    pub(super) fn change(&self) -> Answer<Change> {
        Ok(Change {
            subject: self.text("subject"),
            description: self.raw_text("description"),
            assignee: self.choice("assignedToId")?,
            status: self.try_id("statusId")?,
            tags: self.tags(),
            priority: self.priority(),
            blocking: self.blocking(),
            epic: self.choice("epicId")?,
            colour: self.text("color"),
            severity: self.text("severity"),
            type_: self.text("type"),
        })
    }

    fn blocking(&self) -> Option<Blocking> {
        let given = self.0.get("blocked")?;
        let reason = given.get("reason").and_then(Value::as_str).map(str::trim).filter(|reason| !reason.is_empty());
        Some(Blocking { is_blocked: given.get("isBlocked")?.as_bool()?, reason: reason.map(str::to_owned) })
    }

    fn priority(&self) -> Option<Priority> {
        Priority::try_parse(self.0.get("priority")?.as_str()?)
    }

    fn choice(&self, name: &str) -> Answer<Choice<Id>> {
        match self.0.get(name) {
            None => Ok(Choice::Keep),
            Some(Value::Null) => Ok(Choice::Clear),
            Some(_) => Ok(self.try_id(name)?.map_or(Choice::Keep, Choice::Set)),
        }
    }

    fn raw_text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(|text| text.trim().to_owned())
    }

    /// Each tag once, in the order they came.
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

    fn ids(&self, name: &str) -> Answer<Vec<Id>> {
        let values = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        values.map(|value| read_id(name, value)).collect()
    }

    fn try_id(&self, name: &str) -> Answer<Option<Id>> {
        self.0.get(name).filter(|value| !value.is_null()).map(|value| read_id(name, value)).transpose()
    }

    fn whole(&self, name: &str) -> Answer<Option<u64>> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        whole(value).map(Some).ok_or_else(|| mistake(name, "Too large"))
    }
}

fn read_id(name: &str, value: &Value) -> Answer<Id> {
    whole(value).and_then(Id::new).ok_or_else(|| mistake(name, "Must be a whole number that is an id"))
}

// JSON has one type of number: `20.0` is whole. What is larger than a reader keeps exact is no number of ours.
fn whole(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let written = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number))?;
    format!("{written:.0}").parse().ok()
}

fn moment(text: &str) -> Answer<Timestamp> {
    if let Ok(moment) = text.parse() {
        return Ok(moment);
    }
    // Without its zone a time means nothing here, so nothing may follow the day.
    let day: Option<Date> = if text.len() == "2026-01-31".len() { text.parse().ok() } else { None };
    let midnight = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok()).map(|midnight| midnight.timestamp());
    midnight.ok_or_else(|| mistake("modifiedSince", "Must be a date, or a date and time with its zone, as in RFC 3339"))
}

fn mistake(field: &str, reason: &str) -> Failure {
    Failure::fields(vec![(field.to_owned(), reason.to_owned())])
}
