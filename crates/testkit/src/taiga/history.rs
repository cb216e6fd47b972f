//! The history and the comments of an item.

use serde_json::{Map, Value, json};

use super::http::{Answer, Request};
use super::page::page;
use super::refusal::{self, Reply};
use super::world::{Entry, ItemKind, World};

impl Entry {
    pub(super) fn is_comment(&self) -> bool {
        !self.comment.is_empty()
    }
}

impl World {
    pub(super) fn remember(
        &mut self,
        kind: ItemKind,
        id: u64,
        user: u64,
        at: String,
        diff: Map<String, Value>,
        comment: &str,
    ) {
        let number = self.next_history;
        self.next_history += 1;
        let entry = Entry {
            id: format!("{number:08x}-e12b-11f1-ac0b-000000000001"),
            user,
            at,
            diff,
            comment: comment.to_owned(),
            edited_at: None,
            deleted_at: None,
            deleted_by: None,
        };
        if let Some(item) = self.items.get_mut(&(kind, id)) {
            item.history.push(entry);
        }
    }

    /// `/history/<kind>/{id}` and paths below it.
    pub(super) fn history(&mut self, path: &[&str], request: &Request, user: Option<u64>) -> Reply {
        let [word, id, action @ ..] = path else {
            return Err(Answer::empty(404));
        };
        let kind = ItemKind::of_word(word).ok_or_else(refusal::no_such_route)?;
        let id = id.parse().ok().filter(|id| self.items.contains_key(&(kind, *id)));
        let id = id.ok_or_else(|| refusal::not_found(""))?;
        self.check_visible(kind, id, user)?;
        match (request.method.as_str(), action) {
            ("GET", []) => {
                page(request, self.largest_page, &self.entries(kind, id, request.parameter("type")), Value::clone)
            }
            ("POST", [action]) => self.change_comment(kind, id, action, request, user),
            _ => Err(refusal::no_such_route()),
        }
    }

    /// Newest first.
    fn entries(&self, kind: ItemKind, id: u64, sort: Option<&str>) -> Vec<Value> {
        let entries = self.items[&(kind, id)].history.iter().rev();
        let wanted = entries.filter(|entry| sort != Some("comment") || entry.is_comment());
        wanted.map(|entry| self.entry(kind, id, entry)).collect()
    }

    fn entry(&self, kind: ItemKind, id: u64, entry: &Entry) -> Value {
        let user = self.user(entry.user).cloned().unwrap_or_default();
        json!({
            "id": entry.id,
            "user": {"pk": user["id"], "username": user["username"], "name": user["full_name"], "photo": null,
                     "is_active": true, "gravatar_id": user["gravatar_id"]},
            "created_at": entry.at, "type": 1, "key": format!("{}.{}:{id}", kind.list_name(), kind.word()),
            "diff": entry.diff, "snapshot": null, "values": {"users": {}}, "values_diff": entry.diff,
            "comment": entry.comment, "comment_html": format!("<p>{}</p>", entry.comment),
            "delete_comment_date": entry.deleted_at, "delete_comment_user": entry.deleted_by.map(|user| json!({"pk": user})),
            "edit_comment_date": entry.edited_at, "is_hidden": false, "is_snapshot": false,
        })
    }

    fn change_comment(&mut self, kind: ItemKind, id: u64, action: &str, request: &Request, user: Option<u64>) -> Reply {
        let user = user.ok_or_else(refusal::not_authenticated)?;
        let project = self.items[&(kind, id)].fields["project"].as_u64().unwrap_or_default();
        let is_admin = self.may(Some(user), project, "admin_project_values");
        let now = self.tick();
        let wanted = request.parameter("id").unwrap_or_default();
        let item = self.items.get_mut(&(kind, id)).ok_or_else(|| refusal::not_found(""))?;
        let entry = item.history.iter_mut().find(|entry| entry.id == wanted && entry.is_comment());
        let entry = entry.ok_or_else(|| refusal::not_found(""))?;
        if entry.user != user && !is_admin {
            return Err(refusal::denied());
        }
        match action {
            "edit_comment" if entry.deleted_at.is_some() => {
                return Err(refusal::error_text("deleted comments can't be edited"));
            }
            "edit_comment" => {
                let body = request.json();
                let text = body["comment"].as_str().ok_or_else(|| refusal::error_text("comment is required"))?;
                text.clone_into(&mut entry.comment);
                entry.edited_at = Some(now);
            }
            "delete_comment" if entry.deleted_at.is_some() => {
                return Err(refusal::error_text("Comment already deleted"));
            }
            "delete_comment" => {
                entry.deleted_at = Some(now);
                entry.deleted_by = Some(user);
            }
            "undelete_comment" => {
                entry.deleted_at = None;
                entry.deleted_by = None;
            }
            _ => return Err(refusal::no_such_route()),
        }
        Ok(Answer::empty(200))
    }
}
