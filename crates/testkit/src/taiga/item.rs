//! Epics, stories, tasks and issues: list, read, create, update, delete.

use serde_json::{Map, Value, json};

use super::change::{check_open, put_over};
use super::http::{Answer, Request};
use super::lookup::finished;
use super::page::page;
use super::refusal::{self, FieldErrors, REQUIRED, Reply, invalid_pk};
use super::seed::{new_fields, put_last};
use super::world::{Item, ItemKind, World};

impl World {
    /// `GET /<kind>`.
    pub(super) fn list(&self, kind: ItemKind, request: &Request, user: Option<u64>) -> Reply {
        let ids = self.listed(kind, request, user)?;
        let only_reference = request.parameter("only_ref") == Some("true");
        let row = |id: &u64| {
            let row = self.row(kind, *id);
            if only_reference { json!({"id": row["id"], "ref": row["ref"]}) } else { row }
        };
        page(request, self.largest_page, &ids, row)
    }

    /// `GET /<kind>/{id}`.
    pub(super) fn show(&self, kind: ItemKind, id: &str, user: Option<u64>) -> Reply {
        let id = id.parse().ok().filter(|id| self.items.contains_key(&(kind, *id)));
        let id = id.ok_or_else(|| refusal::not_found(kind.model()))?;
        self.check_visible(kind, id, user)?;
        Ok(Answer::json(200, &self.detail(kind, id)))
    }

    /// `GET /<kind>/by_ref`.
    pub(super) fn show_by_reference(&self, kind: ItemKind, request: &Request, user: Option<u64>) -> Reply {
        let Some(reference) = request.parameter("ref") else {
            return Err(Answer::json(400, &json!("ref param is needed")));
        };
        let by_slug = || request.parameter("project__slug").map(|slug| self.project_of_slug(slug).unwrap_or_default());
        let Some(project) = request.parameter("project").map(|id| id.parse().unwrap_or(0)).or_else(by_slug) else {
            return Err(Answer::json(400, &json!("project or project__slug param is needed")));
        };
        let reference: u64 = reference.parse().unwrap_or_default();
        let mut of_kind = self.items.iter().filter(|((of, _), _)| *of == kind);
        let found = of_kind.find(|(_, item)| item.fields["ref"] == reference && item.fields["project"] == project);
        let ((_, id), _) = found.ok_or_else(|| refusal::not_found(kind.model()))?;
        self.check_visible(kind, *id, user)?;
        Ok(Answer::json(200, &self.detail(kind, *id)))
    }

    /// `POST /<kind>`.
    pub(super) fn create(&mut self, kind: ItemKind, body: &Map<String, Value>, user: Option<u64>) -> Reply {
        let mut errors = FieldErrors::default();
        if body.get("project").is_none_or(Value::is_null) {
            errors.add("project", REQUIRED);
        }
        if body.get("subject").is_none_or(|subject| subject.is_null() || *subject == "") {
            errors.add("subject", REQUIRED);
        }
        errors.check()?;
        let project_id = number(&body["project"]).filter(|id| self.projects.contains_key(id));
        let project_id = project_id.ok_or_else(|| refusal::field("project", &invalid_pk(&body["project"])))?;
        let user = user.ok_or_else(refusal::not_authenticated)?;
        if !self.may(Some(user), project_id, &kind.permission("add")) {
            return Err(refusal::denied());
        }
        check_open(&self.projects[&project_id])?;
        let read = self.read_fields(kind, project_id, body)?;
        let id = self.store_new(kind, project_id, user, read);
        // A Taiga accepts the version that is sent.
        if let (Some(version), Some(item)) =
            (body.get("version").and_then(Value::as_u64), self.items.get_mut(&(kind, id)))
        {
            item.fields.insert("version".to_owned(), json!(version));
        }
        Ok(Answer::json(201, &without_neighbors(self.detail(kind, id))))
    }

    fn store_new(&mut self, kind: ItemKind, project_id: u64, user: u64, read: Map<String, Value>) -> u64 {
        let now = self.tick();
        let id = self.next_ids[&kind];
        self.next_ids.insert(kind, id + 1);
        let Some(project) = self.projects.get_mut(&project_id) else { return id };
        let mut fields = new_fields(kind, project);
        put_over(&mut fields, read);
        for (name, value) in [
            ("id", json!(id)),
            ("ref", json!(project.next_reference)),
            ("project", json!(project_id)),
            ("owner", json!(user)),
            ("created_date", json!(now)),
            ("modified_date", json!(now)),
        ] {
            fields.insert(name.to_owned(), value);
        }
        project.next_reference += 1;
        put_last(kind, id, &mut fields);
        self.items.insert((kind, id), Item { fields, history: Vec::new() });
        self.note_finish(kind, id);
        id
    }

    /// `PATCH /<kind>/{id}`.
    pub(super) fn patch(&mut self, kind: ItemKind, id: &str, body: &Map<String, Value>, user: Option<u64>) -> Reply {
        let (id, user) = self.check_writable(kind, id, "modify", user)?;
        let item = &self.items[&(kind, id)];
        let blank = |subject: &Value| subject.is_null() || *subject == "";
        if body.get("subject").is_some_and(blank) {
            return Err(refusal::field("subject", "This field cannot be blank."));
        }
        let target = body.get("project").and_then(number);
        let project = item.fields["project"].as_u64().unwrap_or_default();
        if target.is_some_and(|target| target != project) {
            let text = format!("You don't have permissions to set this status to this {}.", kind.spoken());
            return Err(refusal::forbidden_value(&text));
        }
        let read = self.read_fields(kind, project, body)?;
        self.check_version(kind, id, body)?;
        self.store_change(kind, id, user, read, body.get("comment"));
        if let Some(order) = body.get("epics_order").and_then(Value::as_i64).filter(|_| kind == ItemKind::Epic) {
            self.apply_orders(kind, project, "epics_order", &[(id, order)]);
        }
        Ok(Answer::json(200, &without_neighbors(self.detail(kind, id))))
    }

    /// Optimistic locking. An older version passes unless one of the sent fields is in the newest entries of the
    /// history, as many as versions lie between. Saves without changes increment the version but leave no entry, so an
    /// older entry may count: a false conflict.
    fn check_version(&self, kind: ItemKind, id: u64, body: &Map<String, Value>) -> Result<(), Answer> {
        let item = &self.items[&(kind, id)];
        let current = item.fields["version"].as_u64().unwrap_or_default();
        let version = match body.get("version") {
            None => return Err(refusal::field_text("version", "The version parameter is not valid")),
            Some(Value::Null) => return Err(refusal::field("version", "This field cannot be null.")),
            Some(version) => version.as_u64().ok_or_else(|| refusal::field("version", "Enter a whole number."))?,
        };
        if version > current {
            return Err(refusal::field_text("version", "The version parameter is not valid"));
        }
        let steps = usize::try_from(current - version).unwrap_or(usize::MAX);
        let mut newest = item.history.iter().rev().take(steps);
        if newest.any(|entry| entry.diff.keys().any(|name| body.contains_key(name))) {
            return Err(refusal::field_text("version", "The version doesn't match with the current one"));
        }
        Ok(())
    }

    fn store_change(&mut self, kind: ItemKind, id: u64, user: u64, read: Map<String, Value>, comment: Option<&Value>) {
        let now = self.tick();
        let Some(item) = self.items.get_mut(&(kind, id)) else { return };
        let before = item.fields.clone();
        put_over(&mut item.fields, read);
        let mut diff = Map::new();
        for (name, value) in &item.fields {
            if before.get(name) != Some(value) {
                diff.insert(name.clone(), json!([before.get(name), value]));
            }
        }
        let version = before["version"].as_u64().unwrap_or_default() + 1;
        item.fields.insert("version".to_owned(), json!(version));
        item.fields.insert("modified_date".to_owned(), json!(now));
        let comment = comment.and_then(Value::as_str).unwrap_or_default();
        if !diff.is_empty() || !comment.is_empty() {
            self.remember(kind, id, user, now, diff, comment);
        }
        self.note_finish(kind, id);
        self.follow_stories();
    }

    /// An item in a closed status has a completion date.
    fn note_finish(&mut self, kind: ItemKind, id: u64) {
        let is_closed = self.detail(kind, id)["status_extra_info"]["is_closed"] == true;
        let now = self.now.to_string();
        let Some(item) = self.items.get_mut(&(kind, id)).filter(|_| kind != ItemKind::Epic) else { return };
        let at = item.fields.entry(finished(kind)).or_insert(Value::Null);
        if is_closed && at.is_null() {
            *at = json!(now);
        } else if !is_closed {
            *at = Value::Null;
        }
    }

    /// `GET /<kind>/attachments`.
    pub(super) fn attachments(&self, kind: ItemKind, request: &Request, user: Option<u64>) -> Reply {
        let Some(id) = request.parameter("object_id") else {
            let project: u64 = request.parameter("project").and_then(|id| id.parse().ok()).unwrap_or_default();
            let is_listed = |of: ItemKind, id: u64| {
                of == kind && self.items.get(&(of, id)).is_some_and(|item| item.fields["project"] == project)
            };
            let files = self.attachments.iter().filter(|((of, id), _)| is_listed(*of, *id));
            let files: Vec<Value> = files.flat_map(|(_, files)| files.iter().cloned()).collect();
            return page(request, self.largest_page, &files, Value::clone);
        };
        let id: u64 = id.parse().unwrap_or_default();
        if !self.items.contains_key(&(kind, id)) {
            return page(request, self.largest_page, &[] as &[Value], Value::clone);
        }
        self.check_visible(kind, id, user)?;
        let files = self.attachments.get(&(kind, id)).cloned().unwrap_or_default();
        page(request, self.largest_page, &files, Value::clone)
    }

    /// `GET /<kind>/custom-attributes-values/{id}`.
    pub(super) fn custom_values(&self, kind: ItemKind, id: &str, user: Option<u64>) -> Reply {
        let id = id.parse().ok().filter(|id| self.items.contains_key(&(kind, *id)));
        let id = id.ok_or_else(|| refusal::not_found(""))?;
        self.check_visible(kind, id, user)?;
        let values = self.custom_values.get(&(kind, id)).cloned().unwrap_or_default();
        Ok(Answer::json(200, &json!({"attributes_values": values, "version": 1, kind.word(): id})))
    }

    /// `DELETE /<kind>/{id}`; deletes the tasks of a story too.
    pub(super) fn delete(&mut self, kind: ItemKind, id: &str, user: Option<u64>) -> Reply {
        let (id, _) = self.check_writable(kind, id, "delete", user)?;
        self.items.remove(&(kind, id));
        if kind == ItemKind::Story {
            self.items.retain(|(of, _), item| *of != ItemKind::Task || item.fields["user_story"] != id);
        }
        self.links.retain(|(epic, story)| match kind {
            ItemKind::Epic => *epic != id,
            ItemKind::Story => *story != id,
            _ => true,
        });
        Ok(Answer::empty(204))
    }

    /// Finds an item that a user may change. A missing item is forbidden, except for a superuser.
    pub(super) fn check_writable(
        &self,
        kind: ItemKind,
        id: &str,
        verb: &str,
        user: Option<u64>,
    ) -> Result<(u64, u64), Answer> {
        let user = user.ok_or_else(refusal::not_authenticated)?;
        let found = id.parse().ok().and_then(|id| Some((id, self.items.get(&(kind, id))?)));
        let Some((id, item)) = found else {
            return Err(if World::is_superuser(Some(user)) { refusal::not_found("") } else { refusal::denied() });
        };
        let project = item.fields["project"].as_u64().unwrap_or_default();
        if !self.may(Some(user), project, &kind.permission(verb)) {
            return Err(refusal::denied());
        }
        check_open(&self.projects[&project])?;
        Ok((id, user))
    }

    pub(super) fn check_visible(&self, kind: ItemKind, id: u64, user: Option<u64>) -> Result<(), Answer> {
        let project = self.items[&(kind, id)].fields["project"].as_u64().unwrap_or_default();
        if self.sees(user, project) && self.may_view(user, project, kind.view_permission()) {
            return Ok(());
        }
        Err(if user.is_some() { refusal::denied() } else { refusal::not_authenticated() })
    }
}

/// Parses an id as loosely as a Taiga does: fractions are truncated.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cutting is what the original does")]
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
}

fn without_neighbors(mut shown: Value) -> Value {
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("neighbors");
    }
    shown
}
