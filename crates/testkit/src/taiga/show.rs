//! Renders items and projects: stored fields with derived names and counts, as rows and as details.

use serde_json::{Map, Value, json};

use super::world::{ItemKind, World};

impl World {
    /// A row of a list, without a description.
    pub(super) fn row(&self, kind: ItemKind, id: u64) -> Value {
        let mut shown = self.detail(kind, id);
        if let Some(fields) = shown.as_object_mut() {
            for name in ["description", "description_html", "blocked_note_html", "neighbors"] {
                fields.remove(name);
            }
        }
        shown
    }

    /// An item with all fields.
    pub(super) fn detail(&self, kind: ItemKind, id: u64) -> Value {
        let Some(item) = self.items.get(&(kind, id)) else { return Value::Null };
        let mut shown = item.fields.clone();
        let project = item.fields["project"].as_u64().unwrap_or_default();
        let mut add = |name: &str, value: Value| shown.insert(name.to_owned(), value);
        let status = self.status_info(kind, project, &item.fields["status"]);
        add("is_closed", status["is_closed"].clone());
        add("status_extra_info", status);
        if kind != ItemKind::Epic {
            let sprint = self.milestones.iter().find(|sprint| sprint["id"] == item.fields["milestone"]);
            add("milestone_name", sprint.map_or(Value::Null, |sprint| sprint["name"].clone()));
            add("milestone_slug", sprint.map_or(Value::Null, |sprint| sprint["slug"].clone()));
        }
        add("assigned_to_extra_info", self.user_info(&item.fields["assigned_to"]));
        add("owner_extra_info", self.user_info(&item.fields["owner"]));
        add("project_extra_info", self.project_info(project));
        if matches!(kind, ItemKind::Story | ItemKind::Task) {
            add("total_comments", json!(item.history.iter().filter(|entry| entry.is_comment()).count()));
        }
        if kind != ItemKind::Epic {
            let is_set = !item.fields["due_date"].is_null();
            add("due_date_status", json!(if is_set { "set" } else { "not_set" }));
        }
        add("comment", json!(""));
        add("attachments", json!([]));
        let html = |text: &Value| match text.as_str() {
            Some("") | None => json!(""),
            Some(text) => json!(format!("<p>{}</p>", text.replace('&', "&amp;").replace('<', "&lt;"))),
        };
        add("description_html", html(&item.fields["description"]));
        add("blocked_note_html", html(&item.fields["blocked_note"]));
        add("neighbors", json!({"previous": null, "next": null}));
        self.add_own(kind, id, &mut shown);
        Value::Object(shown)
    }

    fn add_own(&self, kind: ItemKind, id: u64, shown: &mut Map<String, Value>) {
        match kind {
            ItemKind::Epic => {
                let total = self.links.iter().filter(|(epic, _)| *epic == id).count();
                let progress = if total == 0 { Value::Null } else { json!(0) };
                shown.insert("user_stories_counts".to_owned(), json!({"total": total, "progress": progress}));
            }
            ItemKind::Story => {
                shown.insert("epics".to_owned(), self.epics_of(id));
                shown.insert("total_points".to_owned(), self.total_points(shown));
                shown.insert("tasks".to_owned(), json!([]));
                shown.insert("assigned_users".to_owned(), assigned_users(shown));
                let files = self.attachments.get(&(kind, id)).map_or(0, Vec::len);
                shown.insert("total_attachments".to_owned(), json!(files));
            }
            ItemKind::Task => {
                let story = shown["user_story"].as_u64().and_then(|id| self.items.get(&(ItemKind::Story, id)));
                let info = story.map(|story| {
                    let fields = &story.fields;
                    let epics = self.epics_of(fields["id"].as_u64().unwrap_or_default());
                    json!({"id": fields["id"], "ref": fields["ref"], "subject": fields["subject"], "epics": epics})
                });
                shown.insert("user_story_extra_info".to_owned(), json!(info));
                shown.insert("generated_user_stories".to_owned(), Value::Null);
            }
            ItemKind::Issue => {
                shown.insert("generated_user_stories".to_owned(), Value::Null);
            }
        }
    }

    /// The epics of a story; null if there are none.
    fn epics_of(&self, story: u64) -> Value {
        let mine = self.links.iter().filter(|(_, linked)| *linked == story);
        let epics: Vec<Value> = mine
            .filter_map(|(epic, _)| self.items.get(&(ItemKind::Epic, *epic)))
            .map(|epic| {
                let fields = &epic.fields;
                let project = self.project_info(fields["project"].as_u64().unwrap_or_default());
                json!({
                    "id": fields["id"], "ref": fields["ref"], "subject": fields["subject"], "color": fields["color"],
                    "project": {"id": project["id"], "name": project["name"], "slug": project["slug"]},
                })
            })
            .collect();
        if epics.is_empty() { Value::Null } else { Value::Array(epics) }
    }

    fn total_points(&self, story: &Map<String, Value>) -> Value {
        let Some(project) = story["project"].as_u64().and_then(|id| self.projects.get(&id)) else { return Value::Null };
        let points = story["points"].as_object().into_iter().flatten();
        let values: Vec<f64> = points.filter_map(|(_, id)| project.find("points", id)?["value"].as_f64()).collect();
        if values.is_empty() { Value::Null } else { json!(values.iter().sum::<f64>()) }
    }

    fn status_info(&self, kind: ItemKind, project: u64, status: &Value) -> Value {
        let found = self.projects.get(&project).and_then(|project| project.find(kind.statuses().0, status));
        found.map_or(
            Value::Null,
            |status| json!({"name": status["name"], "color": status["color"], "is_closed": status["is_closed"]}),
        )
    }

    /// The permissions of a user in a project.
    fn rights(&self, project: u64, user: Option<u64>) -> Vec<Value> {
        let Some(project) = self.projects.get(&project) else { return Vec::new() };
        let all = || project.fields["my_permissions"].as_array().cloned().unwrap_or_default();
        let Some(membership) = project.membership(user) else {
            let is_view = |right: &Value| right.as_str().is_some_and(|right| right.starts_with("view_"));
            return if World::is_superuser(user) { all() } else { all().into_iter().filter(is_view).collect() };
        };
        if membership["is_admin"] == true {
            return all();
        }
        project.role(&membership["role"]).and_then(|role| role["permissions"].as_array().cloned()).unwrap_or_default()
    }

    fn project_info(&self, id: u64) -> Value {
        self.projects.get(&id).map_or(Value::Null, |project| {
            let fields = &project.fields;
            json!({"name": fields["name"], "slug": fields["slug"], "logo_small_url": null, "id": id})
        })
    }

    /// A project in a list: members are ids.
    pub(super) fn project_row(&self, id: u64, user: Option<u64>) -> Value {
        let mut shown = self.project_detail(id, user);
        let members = shown["members"].as_array().into_iter().flatten().map(|member| member["id"].clone()).collect();
        shown["members"] = Value::Array(members);
        let is_setting = |name: &str| {
            name.ends_with("_statuses")
                || ["points", "issue_types", "priorities", "severities", "roles", "milestones"].contains(&name)
        };
        if let Some(fields) = shown.as_object_mut() {
            fields.retain(|name, _| !is_setting(name));
        }
        shown
    }

    /// A project with all fields: members are objects; invitations are not included.
    pub(super) fn project_detail(&self, id: u64, user: Option<u64>) -> Value {
        let Some(project) = self.projects.get(&id) else { return Value::Null };
        let mut shown = Value::Object(project.fields.clone());
        let member = |membership: &Value| {
            let user = self.user(membership["user"].as_u64()?)?;
            Some(json!({
                "role": membership["role"], "role_name": membership["role_name"], "full_name": user["full_name"],
                "full_name_display": user["full_name_display"], "is_active": true, "id": user["id"],
                "color": user["color"], "username": user["username"], "photo": null,
                "gravatar_id": user["gravatar_id"],
            }))
        };
        shown["members"] = project.memberships.iter().filter_map(member).collect();
        shown["owner"] = self.user_info(&json!(project.owner));
        shown["blocked_code"] = if project.is_blocked { json!("blocked-by-staff") } else { Value::Null };
        shown["archived_code"] = if project.is_archived { json!("archived-by-owner") } else { Value::Null };
        let membership = project.membership(user);
        shown["i_am_member"] = json!(membership.is_some());
        shown["i_am_owner"] = json!(user == Some(project.owner));
        shown["i_am_admin"] = json!(membership.is_some_and(|membership| membership["is_admin"] == true));
        let rights = &self.rights(id, user);
        shown["my_permissions"] = json!(rights);
        let milestones = self.milestones.iter().filter(|milestone| milestone["project"] == id);
        let short = |milestone: &Value| json!({"id": milestone["id"], "slug": milestone["slug"], "name": milestone["name"], "closed": milestone["closed"]});
        shown["milestones"] = milestones.map(short).collect();
        shown
    }
}

/// The stored list, and the primary assignee.
fn assigned_users(story: &Map<String, Value>) -> Value {
    let mut users = story["assigned_users"].as_array().cloned().unwrap_or_default();
    let first = &story["assigned_to"];
    if !first.is_null() && !users.contains(first) {
        users.push(first.clone());
    }
    Value::Array(users)
}
