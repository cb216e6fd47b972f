//! GitLab: issues as the REST interface gives them (`glab api`), notes and labels also from files of their own. Merge requests
//! and the notes that GitLab itself writes are left out.

use std::collections::HashSet;

use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use serde::Deserialize;
use serde_json::Value;

use super::{Label, ReadOptions, Sink, json, label_definition, times};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId, Target};

#[derive(Debug, Deserialize)]
struct Element {
    id: Option<u64>,
    // Only labels have these two.
    name: Option<String>,
    color: Option<String>,
    iid: Option<u64>,
    project_id: Option<u64>,
    title: Option<String>,
    description: Option<String>,
    state: Option<String>,
    web_url: Option<String>,
    author: Option<User>,
    closed_by: Option<User>,
    #[serde(default)]
    assignees: Vec<User>,
    #[serde(default)]
    labels: Vec<Label>,
    milestone: Option<Milestone>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    due_date: Option<String>,
    weight: Option<u64>,
    #[serde(default)]
    confidential: bool,
    issue_type: Option<String>,
    severity: Option<String>,
    epic: Option<Epic>,
    /// Some exports have the notes inside of their issue.
    #[serde(default)]
    notes: Vec<Note>,
    // What only notes and merge requests have.
    body: Option<String>,
    #[serde(default)]
    system: bool,
    #[serde(default)]
    internal: bool,
    noteable_iid: Option<u64>,
    source_branch: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct User {
    #[serde(default)]
    username: String,
    name: Option<String>,
    email: Option<String>,
    public_email: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Milestone {
    id: u64,
    iid: Option<u64>,
    title: String,
    description: Option<String>,
    state: Option<String>,
    due_date: Option<String>,
    start_date: Option<String>,
    web_url: Option<String>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// The epic of an issue, which belongs to a group, not to the project.
#[derive(Debug, Deserialize)]
struct Epic {
    id: u64,
    title: String,
    /// The path of its page.
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Note {
    id: Option<u64>,
    #[serde(default)]
    body: String,
    author: Option<User>,
    created_at: Option<Timestamp>,
    #[serde(default)]
    system: bool,
    #[serde(default)]
    internal: bool,
}

/// Reads issues, notes and labels.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let (mut milestones, mut epics) = (HashSet::new(), HashSet::new());
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
            return sink(Record::LeftOut(LeftOut {
                what: "merge request",
                why: "it is not work to be planned",
                which,
            }));
        }
        if let Some(iid) = element.noteable_iid {
            return emit_note(format!("{project}#{iid}"), element, sink);
        }
        if let Some(milestone) = &element.milestone
            && milestones.insert(milestone.id)
        {
            sink(Record::Item(Box::new(milestone.to_item(&place)?)))?;
        }
        if let Some(epic) = &element.epic
            && epics.insert(epic.id)
        {
            sink(Record::Item(Box::new(epic.to_item(&place, element.web_url.as_deref()))))?;
        }
        sink(Record::Item(Box::new(element.into_item(place, &project)?)))
    })
}

fn emit_note(item: String, element: Element, sink: &mut Sink<'_>) -> Result<(), Error> {
    let note = Note {
        id: element.id,
        body: element.body.unwrap_or_default(),
        author: element.author,
        created_at: element.created_at,
        system: element.system,
        internal: element.internal || element.confidential,
    };
    if note.internal && !note.system {
        sink(Record::LeftOut(confidentiality(item.clone())))?;
    }
    match note.into_comment() {
        Some(comment) => sink(Record::Comment { item, comment }),
        None => sink(Record::LeftOut(system_note(item))),
    }
}

fn confidentiality(which: String) -> LeftOut {
    LeftOut { what: "confidentiality", why: "everyone who can read the log reads every item", which }
}

fn system_note(which: String) -> LeftOut {
    LeftOut { what: "system note", why: "GitLab wrote it about a change, nobody said it", which }
}

impl Element {
    // Notes name their project by its number only.
    fn project(&self, options: &ReadOptions) -> String {
        self.project_id.map(|id| id.to_string()).or_else(|| options.project.clone()).unwrap_or_default()
    }

    fn into_item(self, place: String, project: &str) -> Result<ImportedItem, Error> {
        let missing = |what: &str| Error::invalid(format!("{place}: the issue has no `{what}`"));
        let iid = self.iid.ok_or_else(|| missing("iid"))?;
        let title = self.title.clone().ok_or_else(|| missing("title"))?;
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
        item.due = self.due_date.as_deref().map(times::day).transpose().map_err(Error::invalid)?;
        item.milestone = self.milestone.map(|milestone| Target::Id(milestone.source_id()));
        if let Some(weight) = self.weight {
            item.extra.insert("weight".to_owned(), weight.into());
        }
        if self.confidential {
            item.left_out.push(confidentiality(format!("#{iid}")));
        }
        item.parent = self.epic.map(|epic| Target::Id(epic.source_id()));
        for note in self.notes {
            if note.internal && !note.system {
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
        format!("epic/{}", self.id)
    }

    fn to_item(&self, place: &str, page_of_issue: Option<&str>) -> ImportedItem {
        let id = SourceId::Of(self.source_id());
        let mut item = ImportedItem::new(place, id, ItemKind::Epic, self.title.clone());
        let host = page_of_issue.and_then(|page| page.match_indices('/').nth(2).map(|(end, _)| &page[..end]));
        item.url = host.zip(self.url.as_deref()).map(|(host, path)| format!("{host}{path}"));
        item
    }
}

impl Note {
    fn into_comment(self) -> Option<ImportedComment> {
        (!self.system).then(|| ImportedComment {
            id: self.id.map_or(SourceId::None, |id| SourceId::Of(id.to_string())),
            author: self.author.and_then(User::into_person),
            created: self.created_at,
            body: self.body,
        })
    }
}

impl User {
    fn into_person(self) -> Option<ImportedPerson> {
        let email = self.email.or(self.public_email).unwrap_or_default();
        ImportedPerson { name: self.name.unwrap_or_default(), email, username: self.username }.known()
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
        let day = |text: &Option<String>| text.as_deref().map(times::day).transpose().map_err(Error::invalid);
        item.due = day(&self.due_date)?;
        item.started = day(&self.start_date)?;
        item.created = self.created_at;
        item.updated = self.updated_at;
        Ok(item)
    }
}
