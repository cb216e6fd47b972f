//! Routes requests to their handlers.

use serde_json::{Map, Value};

use super::http::{Answer, Request};
use super::lookup::Lookup;
use super::refusal::{self, Reply};
use super::token;
use super::world::{ItemKind, World};

impl World {
    /// Answers a request to a path relative to the root of the API.
    pub(super) fn answer(&mut self, path: &str, request: &Request) -> Answer {
        self.route(path, request).unwrap_or_else(|refusal| refusal)
    }

    fn route(&mut self, path: &str, request: &Request) -> Reply {
        if request.header("accept").is_some_and(|accept| accept.contains("text/html") && !accept.contains("*/*")) {
            return Err(refusal::not_acceptable());
        }
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        // A trailing slash makes another path, which a Taiga does not have.
        if segments.iter().any(|segment| segment.is_empty()) {
            return Err(refusal::no_such_route());
        }
        let method = if request.method == "HEAD" { "GET" } else { request.method.as_str() };
        match (method, &segments[..]) {
            ("POST", ["auth"]) => return token::log_in(self, &Value::Object(object(request)?)),
            ("POST", ["auth", "refresh"]) => return token::refresh(self, &Value::Object(object(request)?)),
            ("POST", ["auth", "verify"]) => return Err(Answer::empty(403)),
            _ => {}
        }
        let user = self.tokens.user(request)?;
        match (method, &segments[..]) {
            ("GET", ["users", "me"]) => {
                let user = user.and_then(|id| self.user(id)).ok_or_else(refusal::not_authenticated)?;
                Ok(Answer::json(200, user))
            }
            ("GET", ["projects", rest @ ..]) => self.project_routes(rest, request, user),
            ("GET", ["memberships"]) => self.memberships(request, user),
            ("GET", ["milestones"]) => self.list_milestones(request, user),
            ("POST", ["milestones"]) => self.create_milestone(&object(request)?, user),
            (_, ["milestones", id]) => self.milestone_routes(id, request, user),
            ("DELETE", ["memberships", id]) => self.remove_membership(id, user),
            (_, ["epics", id, "related_userstories", rest @ ..]) => self.related(id, rest, request, user),
            (_, ["history", rest @ ..]) => self.history(rest, request, user),
            (_, [list, rest @ ..]) => match ItemKind::of_list(list) {
                Some(kind) => self.item_routes(method, kind, rest, request, user),
                None if method == "GET" && rest.is_empty() => {
                    self.settings(list, request, user).unwrap_or_else(|| Err(refusal::no_such_route()))
                }
                None => match (Lookup::of_path(list), rest) {
                    (Some(lookup), [id]) => self.lookup_routes(lookup, id, request, user),
                    _ => Err(refusal::no_such_route()),
                },
            },
            _ => Err(refusal::no_such_route()),
        }
    }

    fn item_routes(
        &mut self,
        method: &str,
        kind: ItemKind,
        path: &[&str],
        request: &Request,
        user: Option<u64>,
    ) -> Reply {
        match (method, path) {
            ("GET", []) => self.list(kind, request, user),
            ("POST", []) => {
                user.ok_or_else(refusal::not_authenticated)?;
                self.create(kind, &object(request)?, user)
            }
            ("GET", ["by_ref"]) => self.show_by_reference(kind, request, user),
            ("GET", ["attachments"]) => self.attachments(kind, request, user),
            ("GET", ["custom-attributes-values", id]) => self.custom_values(kind, id, user),
            ("POST", [bulk]) if bulk.starts_with("bulk_update_") => self.bulk_update(kind, bulk, request, user),
            ("GET", [id]) => self.show(kind, id, user),
            ("PATCH", [id]) => {
                let body = object(request)?;
                self.patch(kind, id, &body, user)
            }
            ("DELETE", [id]) => self.delete(kind, id, user),
            (_, [] | [_]) => Err(refusal::not_allowed(&request.method)),
            _ => Err(refusal::no_such_route()),
        }
    }
}

/// Parses a body that must be an object.
fn object(request: &Request) -> Result<Map<String, Value>, Answer> {
    let media_type = request.header("content-type").unwrap_or("application/json");
    if !media_type.starts_with("application/json") {
        return Err(refusal::unsupported(media_type));
    }
    if request.body.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(&request.body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(refusal::field("non_field_errors", "Invalid data")),
        Err(_) => Err(refusal::parse_error()),
    }
}
