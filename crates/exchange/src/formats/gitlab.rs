//! GitLab: issues as the REST interface gives them (`glab api`); notes, discussions, milestones, epics and labels also from
//! files of their own. Merge requests, their notes, and the notes that GitLab itself writes are left out.

mod shapes;

use std::collections::HashSet;

use app::Error;
use model::imported;
use model::item::ItemKind;
use serde_json::Value;

use super::repeated::RepeatedElements;
use super::{ReadOptions, Sink, json, label_definition, times};
use crate::input::Input;
use crate::item::{ImportedItem, ImportedStatus, LeftOut, Record, SourceId, Target};
use crate::scope::Scope;
use shapes::{Element, Epic, Milestone, Note, User};

/// Reads issues and what belongs to them.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let (mut milestones, mut epics) = (HashSet::new(), HashSet::new());
    let mut repeated = RepeatedElements::default();
    let mut n = 0;
    json::each_element(input, |element: Element| {
        n += 1;
        let place = format!("`{}`: element {n}", input.name());
        if let (Some(name), Some(color)) = (&element.name, &element.color) {
            return sink(Record::Label(label_definition(name, Some(color), element.description)));
        }
        let project = element.project(options);
        if element.source_branch.is_some() {
            let which = element.iid.map_or_else(String::new, |iid| format!("!{iid}"));
            return sink(Record::LeftOut(LeftOut::new("merge request", "it is not work to be planned", which)));
        }
        if element.individual_note.is_some() {
            return element.notes.into_iter().try_for_each(|note| emit_note(&project, note, &mut repeated, sink));
        }
        if element.noteable_iid.is_some() {
            return emit_note(&project, element.into_note(), &mut repeated, sink);
        }
        if element.is_milestone() {
            let milestone = element.into_milestone(&place)?;
            return if milestones.insert(milestone.id) { emit(milestone.to_item(&place)?, sink) } else { Ok(()) };
        }
        if element.is_epic() {
            let epic = element.into_epic(place)?;
            return sink(repeated.check_item(epic));
        }
        if let Some(milestone) = &element.milestone
            && milestones.insert(milestone.id)
        {
            emit(milestone.to_item(&place)?, sink)?;
        }
        if let Some(epic) = &element.epic
            && epics.insert(epic.id)
        {
            emit(epic.to_item(&place, element.web_url.as_deref()), sink)?;
        }
        sink(repeated.check_item(element.into_item(place, &project)?))
    })
}

fn emit(item: ImportedItem, sink: &mut Sink<'_>) -> Result<(), Error> {
    sink(Record::Item(Box::new(item)))
}

fn emit_note(project: &str, note: Note, repeated: &mut RepeatedElements, sink: &mut Sink<'_>) -> Result<(), Error> {
    if let Some((what, which)) = note.other_subject() {
        return sink(Record::LeftOut(LeftOut::new(what, "it is not about an issue", which)));
    }
    // The notes of a discussion name their issue themselves.
    let project = note.project_id.map_or_else(|| project.to_owned(), |id| id.to_string());
    let item = format!("{project}#{}", note.noteable_iid.unwrap_or_default());
    if note.is_internal() {
        sink(Record::LeftOut(confidentiality(item.clone())))?;
    }
    match note.into_comment() {
        Some(comment) => sink(repeated.check_comment(Record::Comment { item, comment })),
        None => sink(Record::LeftOut(system_note(item))),
    }
}

fn confidentiality(which: String) -> LeftOut {
    LeftOut::new("confidentiality", "everyone who can read the log reads every item", which)
}

fn system_note(which: String) -> LeftOut {
    LeftOut::new("system note", "GitLab wrote it about a change, nobody said it", which)
}

impl Element {
    // Notes name their project by its number only.
    fn project(&self, options: &ReadOptions) -> String {
        self.project_id.map(|id| id.to_string()).or_else(|| options.project.clone()).unwrap_or_default()
    }

    fn is_milestone(&self) -> bool {
        self.expired.is_some() || self.web_url.as_deref().is_some_and(|url| url.contains("/-/milestones/"))
    }

    fn is_epic(&self) -> bool {
        self.group_id.is_some() && self.project_id.is_none() && self.id.as_ref().is_some_and(Value::is_u64)
    }

    fn missing(&self, place: &str, what: &str) -> Error {
        match &self.message {
            Some(message) => {
                let message = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
                let message = model::text::escape_line(&message);
                Error::invalid(format!("{place}: not an issue, but an answer of the server: {message}"))
            }
            None => Error::invalid(format!("{place}: the issue has no `{what}`")),
        }
    }

    fn number(&self, place: &str) -> Result<u64, Error> {
        self.id.as_ref().and_then(Value::as_u64).ok_or_else(|| self.missing(place, "id"))
    }

    fn into_milestone(self, place: &str) -> Result<Milestone, Error> {
        Ok(Milestone {
            id: self.number(place)?,
            iid: self.iid,
            title: self.title.clone().ok_or_else(|| self.missing(place, "title"))?,
            description: self.description,
            state: self.state,
            due_date: self.due_date,
            start_date: self.start_date,
            web_url: self.web_url,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }

    fn into_epic(self, place: String) -> Result<ImportedItem, Error> {
        let id = SourceId::Of(epic_id(self.number(&place)?));
        let title = self.title.clone().ok_or_else(|| self.missing(&place, "title"))?;
        let mut item = ImportedItem::new(place, id, ItemKind::Epic, title);
        item.url = self.web_url;
        item.description = self.description.unwrap_or_default();
        item.status = ImportedStatus::known("", self.state.as_deref() == Some("closed"));
        self.labels.into_iter().for_each(|label| label.add_to(&mut item));
        item.author = self.author.and_then(User::into_person);
        item.created = self.created_at;
        item.updated = self.updated_at;
        item.closed = self.closed_at;
        item.started = day(self.start_date.as_deref())?;
        item.due = day(self.due_date.as_deref())?;
        Ok(item)
    }

    fn into_item(self, place: String, project: &str) -> Result<ImportedItem, Error> {
        let iid = self.iid.ok_or_else(|| self.missing(&place, "iid"))?;
        let title = self.title.clone().ok_or_else(|| self.missing(&place, "title"))?;
        let kind = match self.issue_type.as_deref() {
            Some("task") => ItemKind::Task,
            Some("epic") => ItemKind::Epic,
            _ => ItemKind::Issue,
        };
        let mut item = ImportedItem::new(place, SourceId::Of(format!("{project}#{iid}")), kind, title);
        item.number = Some(iid);
        item.url = self.web_url;
        item.description = self.description.unwrap_or_default();
        item.status = ImportedStatus::known("", self.state.as_deref() == Some("closed"));
        item.type_ = self.issue_type.filter(|type_| !matches!(type_.as_str(), "issue" | "task" | "epic"));
        item.severity = self.severity.filter(|severity| severity != "UNKNOWN").map(|severity| severity.to_lowercase());
        self.labels.into_iter().for_each(|label| label.add_to(&mut item));
        item.author = self.author.and_then(User::into_person);
        item.closed_by = self.closed_by.and_then(User::into_person);
        item.assignees = self.assignees.into_iter().filter_map(User::into_person).collect();
        item.created = self.created_at;
        item.updated = self.updated_at;
        item.closed = self.closed_at;
        item.started = day(self.start_date.as_deref())?;
        item.due = day(self.due_date.as_deref())?;
        item.milestone = self.milestone.map(|milestone| Target::Id(milestone.source_id()));
        let iteration = self.iteration.and_then(|one| one.title.or_else(|| Some(one.iid?.to_string())));
        let (estimate, spent) = self.time_stats.map_or((0, 0), |time| (time.time_estimate, time.total_time_spent));
        let extra = [
            ("weight", self.weight.map(Into::into)),
            ("iteration", iteration.map(Into::into)),
            ("health_status", self.health_status.map(Into::into)),
            ("time_estimate", Some(estimate).filter(|seconds| *seconds > 0).map(Into::into)),
            ("time_spent", Some(spent).filter(|seconds| *seconds > 0).map(Into::into)),
        ];
        item.extra.extend(extra.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let left_out = [
            ("lock", "everyone who can write may comment", self.discussion_locked),
            ("votes", "there is no place for them", self.upvotes + self.downvotes > 0),
            ("blocks", "the file has only the number of these issues", self.blocking_issues_count > 0),
        ];
        for (what, why, _) in left_out.into_iter().filter(|(.., is_there)| *is_there) {
            item.leave_out(what, why, format!("#{iid}"));
        }
        item.n_comments = self.user_notes_count;
        if self.confidential {
            item.left_out.push(confidentiality(format!("#{iid}")));
        }
        item.parent = self.epic.map(|epic| Target::Id(epic.source_id()));
        for note in self.notes {
            if note.is_internal() {
                item.left_out.push(confidentiality(format!("#{iid}")));
            }
            match note.into_comment() {
                Some(comment) => item.comments.push(comment),
                None => item.left_out.push(system_note(format!("#{iid}"))),
            }
        }
        Ok(item)
    }
}

impl Epic {
    fn source_id(&self) -> String {
        epic_id(self.id)
    }

    fn to_item(&self, place: &str, page_of_issue: Option<&str>) -> ImportedItem {
        let id = SourceId::Of(self.source_id());
        let mut item = ImportedItem::new(place, id, ItemKind::Epic, self.title.clone());
        // An issue has no more of its epic.
        item.scope = Scope::of_keys(["title", imported::FIELD]);
        let host = page_of_issue.and_then(|page| page.match_indices('/').nth(2).map(|(end, _)| &page[..end]));
        item.url = host.zip(self.url.as_deref()).map(|(host, path)| format!("{host}{path}"));
        item
    }
}

impl Milestone {
    fn source_id(&self) -> String {
        format!("milestone/{}", self.id)
    }

    fn to_item(&self, place: &str) -> Result<ImportedItem, Error> {
        let id = SourceId::Of(self.source_id());
        let mut item = ImportedItem::new(place, id, ItemKind::Milestone, self.title.clone());
        item.number = self.iid;
        item.url.clone_from(&self.web_url);
        item.description = self.description.clone().unwrap_or_default();
        item.status = ImportedStatus::known("", self.state.as_deref() == Some("closed"));
        item.due = day(self.due_date.as_deref())?;
        item.started = day(self.start_date.as_deref())?;
        item.created = self.created_at;
        item.updated = self.updated_at;
        Ok(item)
    }
}

fn epic_id(id: u64) -> String {
    format!("epic/{id}")
}

fn day(text: Option<&str>) -> Result<Option<jiff::civil::Date>, Error> {
    text.map(times::day).transpose().map_err(Error::invalid)
}
