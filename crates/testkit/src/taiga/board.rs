//! Moving of cards, and sprints. A move changes no version and no date: only the row of the item shows it.

use serde_json::{Map, Value, json};

use super::http::{Answer, Request};
use super::refusal::{self, REQUIRED, Reply};
use super::world::{ItemKind, World};

impl World {
    /// `POST /<kind>/bulk_update_…`.
    pub(super) fn bulk_update(&mut self, kind: ItemKind, what: &str, request: &Request, user: Option<u64>) -> Reply {
        let body = request.json();
        let project = body["project_id"].as_u64().unwrap_or_default();
        if !self.may(user, project, &kind.permission("modify")) {
            return Err(refusal::denied());
        }
        match (kind, what) {
            (ItemKind::Story, "bulk_update_backlog_order") => {
                let into = body["milestone_id"].as_u64();
                let field = if into.is_some() { "sprint_order" } else { "backlog_order" };
                self.reorder(&body, project, field, &[("milestone", json!(into))])
            }
            (ItemKind::Story, "bulk_update_kanban_order") => {
                if body.get("swimlane_id").is_some_and(Value::is_null) {
                    return Err(refusal::field("swimlane_id", "This field cannot be null."));
                }
                let (status, swimlane) = (body["status_id"].clone(), body["swimlane_id"].clone());
                self.reorder(&body, project, "kanban_order", &[("status", status), ("swimlane", swimlane)])
            }
            (ItemKind::Task, "bulk_update_us_order") => {
                let tasks = body["bulk_tasks"].as_array().into_iter().flatten();
                let orders = tasks.filter_map(|task| Some((task["task_id"].as_u64()?, task["order"].as_i64()?)));
                let orders: Vec<(u64, i64)> = orders.collect();
                Ok(Answer::json(200, &self.apply_orders(ItemKind::Task, project, "us_order", &orders)))
            }
            (_, "bulk_update_milestone") => Ok(self.move_to_sprint(kind, &body)),
            _ => Err(refusal::no_such_route()),
        }
    }

    /// Moves stories before or after another one of the same list, or to the top, and renumbers those that follow.
    /// `list` has the field values that define the list; moved stories get them.
    fn reorder(&mut self, body: &Value, project: u64, field: &str, list: &[(&str, Value)]) -> Reply {
        let Some(moved) = body["bulk_userstories"].as_array() else {
            return Err(refusal::field("bulk_userstories", REQUIRED));
        };
        let moved: Vec<u64> = moved.iter().filter_map(Value::as_u64).collect();
        let is_listed = |item: &super::world::Item| {
            item.fields["project"] == project && list.iter().all(|(name, value)| item.fields[*name] == *value)
        };
        let stories = self.items.iter().filter(|((kind, _), item)| *kind == ItemKind::Story && is_listed(item));
        let mut order: Vec<(i64, u64)> =
            stories.map(|((_, id), item)| (item.fields[field].as_i64().unwrap_or_default(), *id)).collect();
        order.sort_unstable();
        let number = |name: &str| match body[name].as_u64() {
            None => Ok(None),
            Some(id) => match order.iter().find(|(_, one)| *one == id) {
                Some((number, _)) => Ok(Some((*number, id))),
                None => Err(refusal::field(name, "Invalid user story id. The story must belong to the same list.")),
            },
        };
        let (after, before) = (number("after_userstory_id")?, number("before_userstory_id")?);
        let first = after.map(|(number, _)| number + 1).or(before.map(|(number, _)| number)).unwrap_or(1);
        let from = after.or(before).map_or(i64::MIN, |(number, _)| number);
        let follows = |(number, id): &&(i64, u64)| {
            *number >= from && after.is_none_or(|(_, after)| after != *id) && !moved.contains(id)
        };
        let ids: Vec<u64> = moved.iter().copied().chain(order.iter().filter(follows).map(|(_, id)| *id)).collect();
        let mut rows = Vec::new();
        for (number, id) in (first..).zip(ids) {
            let Some(item) = self.items.get_mut(&(ItemKind::Story, id)) else { continue };
            item.fields.insert(field.to_owned(), json!(number));
            item.fields.extend(list.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
            let mut row = json!({"id": id, field: number});
            for (name, value) in list {
                row[*name] = value.clone();
            }
            rows.push(row);
        }
        self.follow_stories();
        Ok(Answer::json(200, &Value::Array(rows)))
    }

    /// Sets sort keys; items at the same or a higher key are shifted. Returns all keys.
    pub(super) fn apply_orders(&mut self, kind: ItemKind, project: u64, field: &str, orders: &[(u64, i64)]) -> Value {
        for (id, new) in orders {
            let Some(old) = self.items.get(&(kind, *id)).and_then(|item| item.fields[field].as_i64()) else { continue };
            for ((of, other), item) in &mut self.items {
                let order = item.fields.get(field).and_then(Value::as_i64).unwrap_or_default();
                let is_between = if *new <= old { order >= *new && order < old } else { order >= *new };
                if *of == kind && item.fields["project"] == project && other != id && is_between {
                    item.fields.insert(field.to_owned(), json!(order + 1));
                }
            }
            if let Some(item) = self.items.get_mut(&(kind, *id)) {
                item.fields.insert(field.to_owned(), json!(new));
            }
        }
        let of_kind = self.items.iter().filter(|((of, _), item)| *of == kind && item.fields["project"] == project);
        of_kind.map(|((_, id), item)| (id.to_string(), item.fields[field].clone())).collect()
    }

    fn move_to_sprint(&mut self, kind: ItemKind, body: &Value) -> Answer {
        let (list, name) = match kind {
            ItemKind::Story => ("bulk_stories", "us_id"),
            ItemKind::Task => ("bulk_tasks", "task_id"),
            _ => ("bulk_issues", "issue_id"),
        };
        let mut moved = Map::new();
        for id in body[list].as_array().into_iter().flatten().filter_map(|row| row[name].as_u64()) {
            if let Some(item) = self.items.get_mut(&(kind, id)) {
                item.fields.insert("milestone".to_owned(), body["milestone_id"].clone());
                moved.insert(id.to_string(), body["milestone_id"].clone());
            }
        }
        self.follow_stories();
        if kind == ItemKind::Story { Answer::empty(204) } else { Answer::json(200, &Value::Object(moved)) }
    }

    /// A task with a story is in the sprint of its story, without a change of its own version.
    pub(super) fn follow_stories(&mut self) {
        let sprint = |((kind, id), item): (&(ItemKind, u64), &super::world::Item)| {
            (*kind == ItemKind::Story).then(|| (*id, item.fields["milestone"].clone()))
        };
        let sprints: Vec<(u64, Value)> = self.items.iter().filter_map(sprint).collect();
        for ((kind, _), item) in &mut self.items {
            let story = item.fields.get("user_story").and_then(Value::as_u64).filter(|_| *kind == ItemKind::Task);
            let found = story.and_then(|story| sprints.iter().find(|(id, _)| *id == story));
            if let Some((_, sprint)) = found {
                item.fields.insert("milestone".to_owned(), sprint.clone());
            }
        }
    }

    /// `GET`, `PATCH` and `DELETE` of `/milestones/{id}`: no version, the last writer wins, the slug stays.
    pub(super) fn milestone_routes(&mut self, id: &str, request: &Request, user: Option<u64>) -> Reply {
        let place =
            self.milestones.iter().position(|milestone| id.parse::<u64>().is_ok_and(|id| milestone["id"] == id));
        let place = place.ok_or_else(|| refusal::not_found(""))?;
        let project = self.milestones[place]["project"].as_u64().unwrap_or_default();
        let may = |verb: &str| if self.may(user, project, verb) { Ok(()) } else { Err(refusal::denied()) };
        match request.method.as_str() {
            "GET" => {
                may("view_milestones")?;
                Ok(Answer::json(200, &self.milestones[place]))
            }
            "PATCH" => {
                may("modify_milestone")?;
                let now = self.tick();
                let body = request.json();
                let taken = |other: &Value| other["project"] == project && other["name"] == body["name"];
                let others = self.milestones.iter().enumerate().filter(|(other, _)| *other != place);
                if others.map(|(_, other)| other).any(taken) {
                    return Err(refusal::field("name", "Duplicated name"));
                }
                let Some(fields) = self.milestones[place].as_object_mut() else { return Err(refusal::not_found("")) };
                for name in ["name", "estimated_start", "estimated_finish", "closed"] {
                    fields.extend(body.get(name).map(|value| (name.to_owned(), value.clone())));
                }
                fields.insert("modified_date".to_owned(), json!(now));
                Ok(Answer::json(200, &self.milestones[place]))
            }
            "DELETE" => {
                may("delete_milestone")?;
                let gone = self.milestones.remove(place)["id"].clone();
                for item in self.items.values_mut().filter(|item| item.fields.get("milestone") == Some(&gone)) {
                    item.fields.insert("milestone".to_owned(), Value::Null);
                }
                Ok(Answer::empty(204))
            }
            method => Err(refusal::not_allowed(method)),
        }
    }
}
