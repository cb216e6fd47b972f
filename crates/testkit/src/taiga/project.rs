//! Projects, lookup tables, memberships and sprints.

use serde_json::{Map, Value, json};

use super::http::{Answer, Request};
use super::page::page;
use super::refusal::{self, FieldErrors, REQUIRED, Reply};
use super::seed::milestone;
use super::world::{ItemKind, World};

/// Lists that are also in a project's detail: path, and name in the detail.
const LISTS: [(&str, &str); 5] = [
    ("priorities", "priorities"),
    ("severities", "severities"),
    ("issue-types", "issue_types"),
    ("points", "points"),
    ("roles", "roles"),
];

impl World {
    /// `GET /projects` and paths below it.
    pub(super) fn project_routes(&self, path: &[&str], request: &Request, user: Option<u64>) -> Reply {
        match path {
            [] => self.list_projects(request, user),
            ["by_slug"] => {
                let id = request.parameter("slug").and_then(|slug| self.project_of_slug(slug));
                let id = id.ok_or_else(|| refusal::not_found(""))?;
                if self.sees(user, id) {
                    return Ok(Answer::json(200, &self.project_detail(id, user)));
                }
                // By slug, an invisible project is not found.
                Err(if user.is_some() { refusal::not_found("") } else { refusal::not_authenticated() })
            }
            [id] => {
                let id = id.parse().ok().filter(|id| self.projects.contains_key(id));
                let id = id.ok_or_else(|| refusal::not_found(""))?;
                if self.sees(user, id) {
                    return Ok(Answer::json(200, &self.project_detail(id, user)));
                }
                Err(if user.is_some() { refusal::denied() } else { refusal::not_authenticated() })
            }
            _ => Err(refusal::no_such_route()),
        }
    }

    fn list_projects(&self, request: &Request, user: Option<u64>) -> Reply {
        let member = request.parameter("member").and_then(|id| id.parse().ok());
        let words = request.parameter("q").unwrap_or_default().to_lowercase();
        let is_wanted = |id: u64| {
            let project = &self.projects[&id];
            let is_member = member.is_none_or(|member| project.membership(Some(member)).is_some());
            let name = project.fields["name"].as_str().unwrap_or_default().to_lowercase();
            self.sees(user, id) && is_member && name.contains(&words)
        };
        let mut ids: Vec<u64> = self.projects.keys().copied().filter(|id| is_wanted(*id)).collect();
        ids.sort_by_key(|id| self.projects[id].fields["name"].to_string());
        page(request, self.largest_page, &ids, |id| self.project_row(*id, user))
    }

    /// Lookup tables; `None` if the name is not one.
    pub(super) fn settings(&self, name: &str, request: &Request, user: Option<u64>) -> Option<Reply> {
        let of_kind = name.strip_suffix("-statuses").and_then(ItemKind::of_word).map(|kind| kind.statuses().0);
        let list = of_kind.or_else(|| LISTS.iter().find(|(path, _)| *path == name).map(|(_, list)| *list))?;
        let wanted = request.parameter("project");
        if wanted.is_some_and(|id| id.parse::<u64>().is_err()) {
            return Some(Err(refusal::bad_request("'project' must be an integer value.")));
        }
        let is_wanted = |id: u64| self.sees(user, id) && wanted.is_none_or(|wanted| wanted.parse() == Ok(id));
        let projects = self.projects.iter().filter(|(id, _)| is_wanted(**id));
        let rows = projects.flat_map(|(id, project)| {
            project.fields[list].as_array().into_iter().flatten().map(|row| as_lookup(row, *id))
        });
        Some(page(request, self.largest_page, &rows.collect::<Vec<_>>(), Value::clone))
    }

    /// `GET /memberships`: empty for users outside of the project; e-mail addresses only for admins.
    pub(super) fn memberships(&self, request: &Request, user: Option<u64>) -> Reply {
        let wanted: Option<u64> = request.parameter("project").and_then(|id| id.parse().ok());
        let mut rows = Vec::new();
        for (id, project) in &self.projects {
            let is_admin =
                World::is_superuser(user) || project.membership(user).is_some_and(|own| own["is_admin"] == true);
            let is_inside = is_admin || project.membership(user).is_some();
            if is_inside && wanted.is_none_or(|wanted| wanted == *id) {
                rows.extend(project.memberships.iter().map(|row| without_address(row, is_admin)));
            }
        }
        page(request, self.largest_page, &rows, Value::clone)
    }

    /// `DELETE /memberships/{id}`: items stay assigned to the former member.
    pub(super) fn remove_membership(&mut self, id: &str, user: Option<u64>) -> Reply {
        let id: u64 = id.parse().map_err(|_| refusal::not_found(""))?;
        let holds = |project: &super::world::Project| project.memberships.iter().any(|one| one["id"] == id);
        let project = self.projects.iter().find(|(_, project)| holds(project)).map(|(id, _)| *id);
        let project = project.ok_or_else(|| refusal::not_found(""))?;
        if !self.may(user, project, "remove_member") {
            return Err(refusal::denied());
        }
        if let Some(project) = self.projects.get_mut(&project) {
            project.memberships.retain(|one| one["id"] != id);
        }
        Ok(Answer::empty(204))
    }

    /// `GET /milestones`, newest first.
    pub(super) fn list_milestones(&self, request: &Request, user: Option<u64>) -> Reply {
        let wanted: Option<u64> = request.parameter("project").and_then(|id| id.parse().ok());
        let rows = self.milestones.iter().rev().filter(|milestone| {
            let project = milestone["project"].as_u64().unwrap_or_default();
            self.sees(user, project)
                && self.may_view(user, project, "view_milestones")
                && wanted.is_none_or(|wanted| wanted == project)
        });
        page(request, self.largest_page, &rows.collect::<Vec<_>>(), |row| (*row).clone())
    }

    /// `POST /milestones`.
    pub(super) fn create_milestone(&mut self, body: &Map<String, Value>, user: Option<u64>) -> Reply {
        let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut errors = FieldErrors::default();
        for name in ["name", "estimated_start", "estimated_finish"] {
            if text(name).is_empty() {
                errors.add(name, REQUIRED);
            }
        }
        errors.check()?;
        let project = body.get("project").and_then(Value::as_u64).unwrap_or_default();
        if !self.may(user, project, "add_milestone") {
            return Err(refusal::denied());
        }
        if self.milestones.iter().any(|other| other["project"] == project && other["name"] == text("name")) {
            return Err(refusal::field("name", "Duplicated name"));
        }
        if text("estimated_start") > text("estimated_finish") {
            return Err(refusal::field("__all__", "The estimated start must be previous to the estimated finish."));
        }
        let id = self.next_milestone;
        self.next_milestone += 1;
        let made = milestone(id, project, text("name"), text("estimated_start"), text("estimated_finish"));
        self.milestones.push(made.clone());
        Ok(Answer::json(201, &made))
    }

    /// `/epics/{id}/related_userstories` and paths below it.
    pub(super) fn related(&mut self, epic: &str, rest: &[&str], request: &Request, user: Option<u64>) -> Reply {
        let id: u64 = epic
            .parse()
            .ok()
            .filter(|id| self.items.contains_key(&(ItemKind::Epic, *id)))
            .ok_or_else(|| refusal::not_found(""))?;
        self.check_visible(ItemKind::Epic, id, user)?;
        let link = |epic: u64, story: u64| json!({"epic": epic, "user_story": story, "order": 1_794_771_182_689_u64});
        match (request.method.as_str(), rest) {
            ("GET", []) => {
                let mine = self.links.iter().filter(|(epic, _)| *epic == id);
                page(request, self.largest_page, &mine.collect::<Vec<_>>(), |(epic, story)| link(*epic, *story))
            }
            ("POST", []) => {
                self.check_writable(ItemKind::Epic, epic, "modify", user)?;
                let story = self.linkable(&request.json())?;
                if self.links.contains(&(id, story)) {
                    let text = "Related user story with this User story and Epic already exists.";
                    return Err(refusal::field("__all__", text));
                }
                self.links.push((id, story));
                Ok(Answer::json(201, &link(id, story)))
            }
            ("DELETE", [story]) => {
                self.check_writable(ItemKind::Epic, epic, "modify", user)?;
                let place = self.links.iter().position(|(epic, linked)| *epic == id && story.parse() == Ok(*linked));
                // A story that is not linked is forbidden, like one that does not exist.
                let place = place.ok_or_else(refusal::denied)?;
                self.links.remove(place);
                Ok(Answer::empty(204))
            }
            _ => Err(refusal::no_such_route()),
        }
    }

    /// Parses the story of a link; both ends are required.
    fn linkable(&self, body: &Value) -> Result<u64, Answer> {
        let mut errors = FieldErrors::default();
        for name in ["user_story", "epic"] {
            if body[name].is_null() {
                errors.add(name, REQUIRED);
            }
        }
        errors.check()?;
        let story = body["user_story"].as_u64().filter(|id| self.items.contains_key(&(ItemKind::Story, *id)));
        story.ok_or_else(|| refusal::field("user_story", &refusal::invalid_pk(&body["user_story"])))
    }
}

/// The project's id has another name in lookup tables than in the detail.
pub(super) fn as_lookup(row: &Value, project: u64) -> Value {
    let mut row = row.clone();
    if let Some(fields) = row.as_object_mut() {
        fields.remove("project_id");
        fields.insert("project".to_owned(), json!(project));
    }
    row
}

fn without_address(row: &Value, is_admin: bool) -> Value {
    let mut row = row.clone();
    if let Some(fields) = row.as_object_mut().filter(|_| !is_admin) {
        fields.retain(|name, _| !name.ends_with("email"));
    }
    row
}
