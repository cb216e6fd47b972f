//! Changes by admins of a project: statuses, severities, types, priorities and points are renamed, flagged and deleted,
//! roles lose permissions, members leave. None of it changes the version or the history of an item.

use serde_json::{Map, Value, json};

use super::http::{Answer, Request};
use super::refusal::{self, Reply};
use super::world::{ItemKind, World};

/// One of a project's lookup tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookup {
    /// Name in the project's detail.
    list: &'static str,
    /// The field of a project with the default.
    default: &'static str,
    /// The items that use such a value, and the field.
    used_by: Option<(ItemKind, &'static str)>,
}

impl Lookup {
    pub(super) fn of_path(path: &str) -> Option<Self> {
        if let Some(kind) = path.strip_suffix("-statuses").and_then(ItemKind::of_word) {
            let (list, default) = kind.statuses();
            return Some(Self { list, default, used_by: Some((kind, "status")) });
        }
        let issue = |field| Some((ItemKind::Issue, field));
        let (list, default, used_by) = match path {
            "priorities" => ("priorities", "default_priority", issue("priority")),
            "severities" => ("severities", "default_severity", issue("severity")),
            "issue-types" => ("issue_types", "default_issue_type", issue("type")),
            "points" => ("points", "default_points", None),
            _ => return None,
        };
        Some(Self { list, default, used_by })
    }
}

impl World {
    /// `PATCH` and `DELETE` of `/<lookup>/{id}`.
    pub(super) fn lookup_routes(&mut self, lookup: Lookup, id: &str, request: &Request, user: Option<u64>) -> Reply {
        let row: Value = id.parse::<u64>().map_or(Value::Null, Value::from);
        let mut owners = self.projects.iter().filter(|(_, project)| project.find(lookup.list, &row).is_some());
        let project = owners.next().map(|(id, _)| *id).ok_or_else(|| refusal::not_found(""))?;
        match request.method.as_str() {
            "PATCH" => {
                let body = request.json().as_object().cloned().unwrap_or_default();
                self.patch_lookup(lookup, project, &row, &body, user)
            }
            "DELETE" => {
                let target = request.parameter("moveTo").and_then(|id| id.parse().ok());
                self.delete_lookup(lookup, project, &row, target, user)
            }
            method => Err(refusal::not_allowed(method)),
        }
    }

    fn check_admin(&self, project: u64, user: Option<u64>) -> Result<(), Answer> {
        if self.may(user, project, "admin_project_values") { Ok(()) } else { Err(refusal::denied()) }
    }

    /// The id stays; the slug follows the name. A change of the closed flag opens or closes the items in the status.
    fn patch_lookup(
        &mut self,
        lookup: Lookup,
        project: u64,
        id: &Value,
        body: &Map<String, Value>,
        user: Option<u64>,
    ) -> Reply {
        self.check_admin(project, user)?;
        let now = self.tick();
        let rows = self.projects.get_mut(&project).and_then(|project| project.fields.get_mut(lookup.list));
        let row = rows.and_then(Value::as_array_mut).and_then(|rows| rows.iter_mut().find(|row| row["id"] == *id));
        let Some(row) = row.and_then(Value::as_object_mut) else { return Err(refusal::not_found("")) };
        for name in ["name", "color", "is_closed", "order", "value"] {
            row.extend(body.get(name).map(|value| (name.to_owned(), value.clone())));
        }
        if let Some(name) = body.get("name").and_then(Value::as_str).filter(|_| row.contains_key("slug")) {
            row.insert("slug".to_owned(), json!(name.to_lowercase().replace(' ', "-")));
        }
        let shown = Value::Object(row.clone());
        if let (Some(flag), Some((kind, field))) = (body.get("is_closed").and_then(Value::as_bool), lookup.used_by) {
            self.finish_items(kind, field, id, flag.then_some(now.as_str()));
        }
        Ok(Answer::json(200, &super::project::as_lookup(&shown, project)))
    }

    fn finish_items(&mut self, kind: ItemKind, field: &str, id: &Value, at: Option<&str>) {
        let items = self.items.iter_mut().filter(|((of, _), item)| *of == kind && item.fields[field] == *id);
        for (_, item) in items {
            item.fields.insert(finished(kind).to_owned(), json!(at));
        }
    }

    /// Needs a replacement value; items with the deleted one get it, and nothing else about them changes.
    fn delete_lookup(
        &mut self,
        lookup: Lookup,
        project: u64,
        id: &Value,
        target: Option<u64>,
        user: Option<u64>,
    ) -> Reply {
        self.check_admin(project, user)?;
        let target = target.ok_or_else(|| refusal::bad_request("Query param 'moveTo' is required"))?;
        let Some(owner) = self.projects.get_mut(&project) else { return Err(refusal::not_found("")) };
        owner.find(lookup.list, &json!(target)).ok_or_else(|| refusal::not_found(""))?;
        if owner.fields[lookup.default] == *id {
            owner.fields.insert(lookup.default.to_owned(), json!(target));
        }
        if let Some(rows) = owner.fields.get_mut(lookup.list).and_then(Value::as_array_mut) {
            rows.retain(|row| row["id"] != *id);
        }
        if let Some((kind, field)) = lookup.used_by {
            let items = self.items.iter_mut().filter(|((of, _), item)| *of == kind && item.fields[field] == *id);
            for (_, item) in items {
                item.fields.insert(field.to_owned(), json!(target));
            }
        }
        Ok(Answer::empty(204))
    }

    /// Revokes a permission from the role of a member.
    pub(super) fn revoke(&mut self, project: u64, user: u64, permission: &str) {
        let Some(project) = self.projects.get_mut(&project) else { return };
        let role = project.membership(Some(user)).map(|membership| membership["role"].clone()).unwrap_or_default();
        let roles = project.fields.get_mut("roles").and_then(Value::as_array_mut).into_iter().flatten();
        for role in roles.filter(|one| one["id"] == role) {
            if let Some(permissions) = role["permissions"].as_array_mut() {
                permissions.retain(|one| one != permission);
            }
        }
    }
}

/// The field with the completion date of a kind.
pub(super) fn finished(kind: ItemKind) -> &'static str {
    if kind == ItemKind::Story { "finish_date" } else { "finished_date" }
}
