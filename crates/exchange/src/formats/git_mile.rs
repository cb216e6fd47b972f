//! git-mile: events in the messages of commits, a reference for each task (`refs/git-mile/tasks/…`).

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use serde::Deserialize;

use super::{Sink, git_history};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId, Target};

const TASKS: &str = "refs/git-mile/tasks/";

#[derive(Debug, Deserialize)]
struct Event {
    id: String,
    #[serde(default)]
    lamport: u64,
    ts: Timestamp,
    actor: Actor,
    kind: EventKind,
}

#[derive(Debug, Clone, Deserialize)]
struct Actor {
    name: String,
    email: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum EventKind {
    TaskCreated {
        title: String,
        #[serde(default)]
        labels: Vec<String>,
        #[serde(default)]
        assignees: Vec<String>,
        description: Option<String>,
        state: Option<String>,
        state_kind: Option<String>,
    },
    TaskStateSet {
        state: String,
        state_kind: Option<String>,
    },
    TaskStateCleared,
    TaskTitleSet {
        title: String,
    },
    TaskDescriptionSet {
        description: Option<String>,
    },
    LabelsAdded {
        labels: Vec<String>,
    },
    LabelsRemoved {
        labels: Vec<String>,
    },
    AssigneesAdded {
        assignees: Vec<String>,
    },
    AssigneesRemoved {
        assignees: Vec<String>,
    },
    CommentAdded {
        comment_id: String,
        body_md: String,
    },
    CommentUpdated {
        comment_id: String,
        body_md: String,
    },
    ChildLinked {
        parent: String,
        child: String,
    },
    ChildUnlinked {
        parent: String,
        child: String,
    },
    RelationAdded {
        kind: String,
        target: String,
    },
    RelationRemoved {
        kind: String,
        target: String,
    },
    /// Of a newer version.
    #[serde(other)]
    Unknown,
}

/// Reads the tasks of a repository.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let repository = git_history::repository(input)?;
    for (task, tip) in repository.tips_below(TASKS)? {
        let place = format!("`{TASKS}{task}`");
        let mut events = Vec::new();
        for (commit, raw) in git_history::commits(&repository, tip)? {
            let message = String::from_utf8_lossy(&raw.message);
            // Merges have no event.
            let Some((_, json)) = message.split_once("\n\n").filter(|(_, json)| json.trim_start().starts_with('{'))
            else {
                continue;
            };
            let event: Event = serde_json::from_str(json)
                .map_err(|error| Error::invalid(format!("{place}: commit {commit}: not an event: {error}")))?;
            events.push(event);
        }
        events.sort_by(|one, other| (one.lamport, one.ts, &one.id).cmp(&(other.lamport, other.ts, &other.id)));
        emit(&place, &task, events, sink)?;
    }
    Ok(())
}

fn emit(place: &str, task: &str, events: Vec<Event>, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut state = Task::default();
    for event in events {
        state.apply(task, event);
    }
    match state.into_item(place, task) {
        Some(item) => sink(Record::Item(Box::new(item))),
        None => sink(Record::LeftOut(LeftOut::new("task", "its creation is missing", task.to_owned()))),
    }
}

/// A task, folded from its events.
#[derive(Default)]
struct Task {
    created: Option<(Timestamp, Actor)>,
    updated: Option<Timestamp>,
    title: String,
    description: String,
    /// The state with its kind, since when, and by whom.
    state: Option<(String, Option<String>, Timestamp, Actor)>,
    labels: BTreeSet<String>,
    assignees: Vec<String>,
    comments: BTreeMap<String, (Timestamp, Actor, String)>,
    parents: BTreeSet<String>,
    relations: BTreeSet<(String, String)>,
    n_unknown: usize,
}

impl Task {
    fn apply(&mut self, task: &str, event: Event) {
        let Event { ts, actor, kind, .. } = event;
        self.updated = self.updated.max(Some(ts));
        match kind {
            EventKind::TaskCreated { title, labels, assignees, description, state, state_kind } => {
                self.created = Some((ts, actor.clone()));
                self.title = title;
                self.description = description.unwrap_or_default();
                self.labels.extend(labels);
                self.assign(assignees);
                self.state = state.map(|state| (state, state_kind, ts, actor));
            }
            EventKind::TaskStateSet { state, state_kind } => self.state = Some((state, state_kind, ts, actor)),
            EventKind::TaskStateCleared => self.state = None,
            EventKind::TaskTitleSet { title } => self.title = title,
            EventKind::TaskDescriptionSet { description } => self.description = description.unwrap_or_default(),
            EventKind::LabelsAdded { labels } => self.labels.extend(labels),
            EventKind::LabelsRemoved { labels } => self.labels.retain(|label| !labels.contains(label)),
            EventKind::AssigneesAdded { assignees } => self.assign(assignees),
            EventKind::AssigneesRemoved { assignees } => self.assignees.retain(|one| !assignees.contains(one)),
            EventKind::CommentAdded { comment_id, body_md } => {
                self.comments.insert(comment_id, (ts, actor, body_md));
            }
            EventKind::CommentUpdated { comment_id, body_md } => {
                if let Some((_, _, body)) = self.comments.get_mut(&comment_id) {
                    *body = body_md;
                }
            }
            EventKind::ChildLinked { parent, child } if child == task => drop(self.parents.insert(parent)),
            EventKind::ChildUnlinked { parent, child } if child == task => drop(self.parents.remove(&parent)),
            // The child has the same event.
            EventKind::ChildLinked { .. } | EventKind::ChildUnlinked { .. } => {}
            EventKind::RelationAdded { kind, target } => drop(self.relations.insert((kind, target))),
            EventKind::RelationRemoved { kind, target } => drop(self.relations.remove(&(kind, target))),
            EventKind::Unknown => self.n_unknown += 1,
        }
    }

    fn assign(&mut self, assignees: Vec<String>) {
        for one in assignees {
            if !self.assignees.contains(&one) {
                self.assignees.push(one);
            }
        }
    }

    fn into_item(self, place: &str, task: &str) -> Option<ImportedItem> {
        let (created, author) = self.created?;
        let id = SourceId::Of(task.to_owned());
        let mut item = ImportedItem::new(place, id, ItemKind::Task, self.title);
        item.description = self.description;
        if let Some((state, kind, at, by)) = self.state {
            let is_done = kind.as_deref() == Some("done");
            item.blocked = (kind.as_deref() == Some("blocked")).then(String::new);
            item.closed = is_done.then_some(at);
            item.closed_by = Some(by.into_person());
            let closed = kind.as_ref().map(|_| is_done);
            item.status = ImportedStatus { name: state, closed, meaning: kind.unwrap_or_default() };
        }
        item.labels = self.labels.into_iter().collect();
        item.assignees = self.assignees.iter().filter_map(|text| ImportedPerson::parse(text).known()).collect();
        item.author = author.into_person().known();
        item.created = Some(created);
        item.updated = self.updated;
        let mut parents = self.parents.into_iter();
        item.parent = parents.next().map(Target::Id);
        for parent in parents {
            item.leave_out("parent", "an item has one parent here", parent);
        }
        for (kind, target) in self.relations {
            match kind.as_str() {
                "blocks" => item.blocks.push(Target::Id(target)),
                "dependsOn" | "depends_on" | "blockedBy" | "blocked_by" => item.blocked_by.push(Target::Id(target)),
                _ => item.relates.push(Target::Id(target)),
            }
        }
        for (id, (at, by, body)) in self.comments {
            let author = by.into_person().known();
            item.comments.push(ImportedComment { id: SourceId::Of(id), author, created: Some(at), body });
        }
        if self.n_unknown > 0 {
            item.leave_out("event", "a newer git-mile wrote it", task);
        }
        Some(item)
    }
}

impl Actor {
    fn into_person(self) -> ImportedPerson {
        ImportedPerson { name: self.name, email: self.email, username: String::new() }
    }
}
