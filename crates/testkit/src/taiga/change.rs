//! Validates a body as a Taiga does: wrong types and unknown ids first, then objects of other projects. Unknown fields
//! are ignored.

use serde_json::{Map, Value, json};

use super::http::Answer;
use super::refusal::{self, FieldErrors, invalid_pk};
use super::world::{ItemKind, Project, World};

/// A field that refers to a row of one of the project's lists.
struct Reference {
    field: &'static str,
    list: &'static str,
    default: &'static str,
}

const ISSUE_REFERENCES: [Reference; 3] = [
    Reference { field: "priority", list: "priorities", default: "default_priority" },
    Reference { field: "severity", list: "severities", default: "default_severity" },
    Reference { field: "type", list: "issue_types", default: "default_issue_type" },
];

impl World {
    /// Parses the fields of a body into the stored form.
    pub(super) fn read_fields(
        &self,
        kind: ItemKind,
        project: u64,
        body: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Answer> {
        if body.values().any(has_nul) || body.get("tags").is_some_and(Value::is_string) {
            return Err(refusal::server_error());
        }
        let mut read = Map::new();
        let mut errors = FieldErrors::default();
        read_texts(kind, body, &mut read);
        if kind != ItemKind::Epic {
            read_due_date(body, &mut read, &mut errors);
        }
        read_tags(body, &mut read, &mut errors);
        self.read_assignee(kind, project, body, &mut read, &mut errors);
        self.read_references(kind, project, body, &mut read, &mut errors);
        errors.check()?;
        self.refuse_foreign(kind, project, &read)?;
        if kind == ItemKind::Story {
            self.read_points(project, body, &mut read)?;
        }
        self.read_story(kind, project, body, &mut read)?;
        Ok(read)
    }

    fn read_assignee(
        &self,
        kind: ItemKind,
        project: u64,
        body: &Map<String, Value>,
        read: &mut Map<String, Value>,
        errors: &mut FieldErrors,
    ) {
        if let Some(users) = body.get("assigned_users").and_then(Value::as_array).filter(|_| kind == ItemKind::Story) {
            read.insert("assigned_users".to_owned(), json!(users));
        }
        let Some(user) = body.get("assigned_to") else { return };
        let is_member = user.as_u64().is_some_and(|user| {
            self.projects.get(&project).is_some_and(|project| project.membership(Some(user)).is_some())
        });
        if user.is_null() || is_member {
            read.insert("assigned_to".to_owned(), user.clone());
        } else if user.as_u64().is_some_and(|user| self.user(user).is_some()) {
            errors.add("assigned_to", "The user must be a project member.");
        } else {
            errors.add("assigned_to", &invalid_pk(user));
        }
    }

    fn read_references(
        &self,
        kind: ItemKind,
        project: u64,
        body: &Map<String, Value>,
        read: &mut Map<String, Value>,
        errors: &mut FieldErrors,
    ) {
        let Some(project) = self.projects.get(&project) else { return };
        for Reference { field, list, default } in references(kind) {
            let Some(id) = body.get(field) else { continue };
            if id.is_null() {
                read.insert(field.to_owned(), project.fields[default].clone());
            } else if id.is_string() {
                errors.add(field, "Incorrect type. Expected pk value, received str.");
            } else if self.projects.values().any(|project| project.find(list, id).is_some()) {
                read.insert(field.to_owned(), id.clone());
            } else {
                errors.add(field, &invalid_pk(id));
            }
        }
        if kind == ItemKind::Epic {
            return;
        }
        if let Some(id) = body.get("milestone") {
            let exists = id.is_null() || self.milestones.iter().any(|milestone| milestone["id"] == *id);
            if exists {
                read.insert("milestone".to_owned(), id.clone());
            } else {
                errors.add("milestone", &invalid_pk(id));
            }
        }
    }

    /// Objects of other projects: stories and issues answer 403, epics and tasks 400.
    fn refuse_foreign(&self, kind: ItemKind, project_id: u64, read: &Map<String, Value>) -> Result<(), Answer> {
        let Some(project) = self.projects.get(&project_id) else { return Ok(()) };
        let refuse = |what: &str| {
            let text = format!("You don't have permissions to set this {what} to this {}.", kind.spoken());
            match kind {
                ItemKind::Epic | ItemKind::Task => refusal::wrong_arguments(&text),
                ItemKind::Story | ItemKind::Issue => refusal::forbidden_value(&text),
            }
        };
        for Reference { field, list, .. } in references(kind) {
            if read.get(field).is_some_and(|id| project.find(list, id).is_none()) {
                return Err(refuse(field));
            }
        }
        let is_foreign = |id: &Value| {
            let milestone = self.milestones.iter().find(|milestone| milestone["id"] == *id);
            milestone.is_some_and(|milestone| milestone["project"] != project_id)
        };
        if read.get("milestone").is_some_and(is_foreign) {
            return Err(refuse("sprint"));
        }
        Ok(())
    }

    fn read_points(
        &self,
        project: u64,
        body: &Map<String, Value>,
        read: &mut Map<String, Value>,
    ) -> Result<(), Answer> {
        let (Some(points), Some(project)) = (body.get("points"), self.projects.get(&project)) else { return Ok(()) };
        let Some(points) = points.as_object() else {
            return Err(refusal::server_error());
        };
        for (role, value) in points {
            let id: Value = role.parse::<u64>().map_or(Value::Null, |id| json!(id));
            if project.role(&id).is_none() {
                return Err(refusal::field_text("points", &format!("Invalid role id '{role}'")));
            }
            if project.find("points", value).is_none() {
                return Err(refusal::field_text("points", &format!("Invalid points id '{value}'")));
            }
        }
        read.insert("points".to_owned(), Value::Object(points.clone()));
        Ok(())
    }

    /// The story of a task; the task gets its sprint.
    fn read_story(
        &self,
        kind: ItemKind,
        project: u64,
        body: &Map<String, Value>,
        read: &mut Map<String, Value>,
    ) -> Result<(), Answer> {
        let Some(id) = body.get("user_story").filter(|_| kind == ItemKind::Task) else { return Ok(()) };
        let mut sprint = Value::Null;
        if !id.is_null() {
            let story = id.as_u64().and_then(|id| self.items.get(&(ItemKind::Story, id)));
            let story = story.ok_or_else(|| refusal::field("user_story", &invalid_pk(id)))?;
            if story.fields["project"] != project {
                let text = "You don't have permissions to set this user story to this task.";
                return Err(refusal::wrong_arguments(text));
            }
            sprint = story.fields["milestone"].clone();
        }
        read.insert("user_story".to_owned(), id.clone());
        read.insert("milestone".to_owned(), sprint);
        Ok(())
    }
}

fn references(kind: ItemKind) -> Vec<Reference> {
    let (list, default) = kind.statuses();
    let mut references = vec![Reference { field: "status", list, default }];
    if kind == ItemKind::Issue {
        references.extend(ISSUE_REFERENCES);
    }
    references
}

/// Texts and flags, which are not validated.
fn read_texts(kind: ItemKind, body: &Map<String, Value>, read: &mut Map<String, Value>) {
    let text = |value: &Value| {
        value.as_str().map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
    };
    for name in ["subject", "description", "due_date_reason"] {
        if let Some(value) = body.get(name) {
            read.insert(name.to_owned(), json!(text(value)));
        }
    }
    if let Some(reference) = body.get("external_reference").filter(|_| kind != ItemKind::Epic) {
        read.insert("external_reference".to_owned(), reference.clone());
    }
    if let Some(color) = body.get("color").filter(|_| kind == ItemKind::Epic) {
        read.insert("color".to_owned(), json!(text(color)));
    }
    if let Some(flag) = body.get("is_blocked") {
        read.insert("is_blocked".to_owned(), json!(*flag == true));
    }
    if let Some(note) = body.get("blocked_note") {
        read.insert("blocked_note".to_owned(), json!(text(note)));
    }
    // Clearing the flag clears the note, and a note without the flag is dropped when the item is stored.
    if body.get("is_blocked").is_some_and(|flag| *flag == false) {
        read.insert("blocked_note".to_owned(), json!(""));
    }
}

fn read_due_date(body: &Map<String, Value>, read: &mut Map<String, Value>, errors: &mut FieldErrors) {
    let Some(date) = body.get("due_date") else { return };
    let is_date = |text: &str| text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
    if date.is_null() || date.as_str().is_some_and(is_date) {
        read.insert("due_date".to_owned(), date.clone());
    } else {
        errors.add("due_date", "Date has wrong format. Use one of these formats instead: YYYY[-MM[-DD]]");
    }
}

/// Tags are accepted as names or pairs, and stored as pairs in lower case, without duplicates.
fn read_tags(body: &Map<String, Value>, read: &mut Map<String, Value>, errors: &mut FieldErrors) {
    let Some(tags) = body.get("tags") else { return };
    let mut kept: Vec<Value> = Vec::new();
    for tag in tags.as_array().into_iter().flatten() {
        let (name, color) = match tag {
            Value::String(name) => (name, &Value::Null),
            Value::Array(pair) => match &pair[..] {
                [Value::String(name), color] => (name, color),
                _ => return errors.add("tags", &no_tag(tag)),
            },
            _ => return errors.add("tags", &no_tag(tag)),
        };
        let is_color = color.as_str().is_none_or(|color| color.len() == 7 && color.starts_with('#'));
        if !is_color {
            return errors.add("tags", &format!("Invalid tag '{tag}'. The color is not a valid HEX color or null."));
        }
        let name = name.to_lowercase();
        if !kept.iter().any(|tag| tag[0] == name) {
            kept.push(json!([name, color]));
        }
    }
    read.insert("tags".to_owned(), Value::Array(kept));
}

fn no_tag(tag: &Value) -> String {
    format!("Invalid tag '{tag}'. it must be the name or a pair '[\"name\", \"hex color/\" | null]'.")
}

fn has_nul(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains('\0'))
}

/// Applies parsed fields. Points of roles that were not named stay.
pub(super) fn put_over(fields: &mut Map<String, Value>, mut read: Map<String, Value>) {
    if let Some(Value::Object(points)) = read.remove("points")
        && let Some(there) = fields.get_mut("points").and_then(Value::as_object_mut)
    {
        there.extend(points);
    }
    fields.extend(read);
    drop_stray_note(fields);
}

/// Removes a note without the flag.
fn drop_stray_note(fields: &mut Map<String, Value>) {
    if fields.get("is_blocked").is_none_or(|flag| *flag == false) {
        fields.insert("blocked_note".to_owned(), json!(""));
    }
}

/// Refuses writes to a read-only project.
pub(super) fn check_open(project: &Project) -> Result<(), Answer> {
    if project.is_blocked {
        return Err(refusal::blocked());
    }
    if project.is_archived { Err(refusal::archived()) } else { Ok(()) }
}
