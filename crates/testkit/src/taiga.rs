//! A fake Taiga in memory, behind real HTTP on this machine: it behaves like the recorded one, and fails on request.
//!
//! It begins with the users, projects and items of the recordings: `alice` (owner of projects 1, 2 and 5), `bob`
//! (member of 1, owner of the public project 3), `carol` (admin in 1), `eve` (read-only in 1), `dave` (owner of 4,
//! which nobody else sees) and `admin` (superuser), all with the password [`PASSWORD`]. Project 1, `harbour-logistics`,
//! has 6 epics, 52 stories, 47 tasks and 28 issues; project 5, `big-backlog`, has 250 stories and 210 issues.
//!
//! It stops when dropped. Nothing here waits for real time unless a test asks for it.

mod board;
mod change;
mod fault;
mod filter;
mod history;
mod http;
mod item;
mod lookup;
mod page;
mod project;
mod refusal;
mod route;
mod seed;
mod show;
mod token;
mod wire;
mod world;

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

pub use fault::{Fault, Latch};
pub use http::{Answer, Request};
use token::Kind as TokenKind;
pub use token::{PASSWORD, Tokens};
use wire::Wire;
pub use world::ItemKind;
use world::World;

/// A fake Taiga for tests.
#[derive(Debug)]
pub struct FakeTaiga {
    wire: Arc<Wire>,
    address: String,
}

impl FakeTaiga {
    /// Starts a server at the root of its host.
    pub fn start() -> Self {
        Self::start_under("")
    }

    /// Starts a server under a path, such as `/agile`.
    pub fn start_under(path: &str) -> Self {
        let (wire, port) = Wire::open(path, World::seeded());
        Self { wire, address: format!("http://127.0.0.1:{port}{path}") }
    }

    /// Returns the URL of the server, as a person would type it.
    pub fn url(&self) -> &str {
        &self.address
    }

    /// Issues a token pair for a user, without a request.
    pub fn log_in(&self, username: &str) -> Tokens {
        let user = self.id_of(username);
        self.world().tokens.issue_pair(user)
    }

    /// Issues an application token for a user, which does not expire.
    pub fn application_token(&self, username: &str) -> String {
        let user = self.id_of(username);
        self.world().tokens.issue(user, TokenKind::Application)
    }

    /// Expires all access tokens.
    pub fn expire_access_tokens(&self) {
        self.world().tokens.expire(TokenKind::Access);
    }

    /// Expires all refresh tokens.
    pub fn expire_refresh_tokens(&self) {
        self.world().tokens.expire(TokenKind::Refresh);
    }

    /// Answers everything with 429 until the time has passed on the system clock, as a Taiga does.
    pub fn throttle(&self, pause: Duration) {
        self.wire.faults().throttle(pause);
    }

    /// Answers the next `times` requests with 429 and this waiting time.
    pub fn throttle_next(&self, times: usize, pause: Duration) {
        self.fault_next(times, Fault::Throttle(pause));
    }

    /// Makes the next `times` requests fail, whatever they ask for.
    pub fn fault_next(&self, times: usize, fault: Fault) {
        self.wire.faults().plan(None, "", times, fault);
    }

    /// Makes the next `times` requests with this method and path prefix (`/userstories/3`) fail.
    pub fn fault_on(&self, method: &str, path: &str, times: usize, fault: Fault) {
        self.wire.faults().plan(Some(method), path, times, fault);
    }

    /// Answers the next `times` requests with a status and an HTML page, like a proxy in front.
    pub fn fail_next(&self, times: usize, status: u16) {
        self.fault_next(times, Fault::Answer(Answer::html(status, "Failure")));
    }

    /// Holds the response to the next `times` requests until the latch is opened.
    pub fn hold_next(&self, times: usize) -> Latch {
        let latch = Latch::new();
        self.fault_next(times, Fault::Hold(latch.clone()));
        latch
    }

    /// Closes the connection of the next `times` requests without processing them.
    pub fn cut_next(&self, times: usize) {
        self.fault_next(times, Fault::CutBefore);
    }

    /// Redirects the next request to another address.
    pub fn redirect_next(&self, to: &str) {
        self.fault_next(1, Fault::Redirect(to.to_owned()));
    }

    /// Removes all planned faults, including throttling, and opens all latches.
    pub fn clear_faults(&self) {
        self.wire.faults().clear();
    }

    /// Returns all requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.wire.requests()
    }

    /// Returns the number of requests with this method and path prefix.
    pub fn count(&self, method: &str, path: &str) -> usize {
        let root = self.wire.root();
        let is_meant = |request: &Request| {
            request.method == method && request.path.strip_prefix(root).is_some_and(|rest| rest.starts_with(path))
        };
        self.requests().iter().filter(|request| is_meant(request)).count()
    }

    /// Clears the recorded requests.
    pub fn forget_requests(&self) {
        self.wire.forget_requests();
    }

    /// Waits for this number of requests; panics after half a minute.
    pub fn wait_for_requests(&self, count: usize) {
        self.wire.wait_for_requests(count);
    }

    /// Returns the maximum number of concurrent requests so far.
    pub fn peak(&self) -> usize {
        self.wire.peak()
    }

    /// Returns an item as in its detail response.
    pub fn item(&self, kind: ItemKind, id: u64) -> Option<Value> {
        let shown = self.world().detail(kind, id);
        (!shown.is_null()).then_some(shown)
    }

    /// Returns all items of a kind in a project as details, by id.
    pub fn items(&self, kind: ItemKind, project: u64) -> Vec<Value> {
        let world = self.world();
        let keys = world.items.iter().filter(|((of, _), item)| *of == kind && item.fields["project"] == project);
        keys.map(|((_, id), _)| world.detail(kind, *id)).collect()
    }

    /// Adds new items to a project and returns their ids.
    pub fn add_items(&self, kind: ItemKind, project: u64, count: usize) -> Vec<u64> {
        self.world().add_items(kind, project, count)
    }

    /// Edits an item as another user: with the current version, and history. Panics if it is refused.
    pub fn edit(&self, username: &str, kind: ItemKind, id: u64, changes: &Value) {
        let user = self.id_of(username);
        let mut world = self.world();
        let mut body: Map<String, Value> = changes.as_object().cloned().expect("changes are an object");
        body.insert("version".to_owned(), world.detail(kind, id)["version"].clone());
        let answer = world.patch(kind, &id.to_string(), &body, Some(user));
        answer.expect("the change is accepted");
    }

    /// Deletes an item as another user. Panics if it is refused.
    pub fn remove(&self, username: &str, kind: ItemKind, id: u64) {
        let user = self.id_of(username);
        self.world().delete(kind, &id.to_string(), Some(user)).expect("the removal is accepted");
    }

    /// Limits the page size, as an admin may.
    pub fn limit_pages(&self, largest: usize) {
        self.world().largest_page = largest;
    }

    /// Blocks a project: 451 on every write.
    pub fn block_project(&self, id: u64) {
        if let Some(project) = self.world().projects.get_mut(&id) {
            project.is_blocked = true;
        }
    }

    /// Adds a severity to a project, as an admin.
    pub fn add_severity(&self, project: u64, name: &str) {
        const ID: u64 = 900;
        let mut world = self.world();
        let fields = world.projects.get_mut(&project).map(|project| &mut project.fields);
        if let Some(severities) = fields.and_then(|fields| fields.get_mut("severities")).and_then(Value::as_array_mut) {
            severities.push(json!({"id": ID, "name": name, "order": ID, "color": "#222222", "project_id": project}));
        }
    }

    /// Sends a request as a user, and fails unless it succeeds: `PATCH /userstory-statuses/2 {"name": …}`.
    pub fn call(&self, username: &str, method: &str, path_and_query: &str, body: &Value) -> Value {
        let token = self.log_in(username).access;
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.split('&').filter_map(pair).collect(),
            headers: vec![("authorization".to_owned(), format!("Bearer {token}"))],
            body: if body.is_null() { Vec::new() } else { body.to_string().into_bytes() },
        };
        let answer = self.world().answer(path, &request);
        let shown = String::from_utf8_lossy(&answer.body).into_owned();
        assert!((200..300).contains(&answer.status), "{method} {path_and_query}: {} {shown}", answer.status);
        serde_json::from_str(&shown).unwrap_or_default()
    }

    /// Revokes a permission, such as `view_issues`, from the role of a user in a project.
    pub fn revoke(&self, project: u64, username: &str, permission: &str) {
        let user = self.id_of(username);
        self.world().revoke(project, user, permission);
    }

    /// Returns the sprints of a project.
    pub fn sprints(&self, project: u64) -> Vec<Value> {
        self.world().milestones.iter().filter(|sprint| sprint["project"] == project).cloned().collect()
    }

    /// Attaches a file to an item: neither its version nor its date change.
    pub fn attach(&self, kind: ItemKind, id: u64, name: &str) {
        let mut world = self.world();
        let files = world.attachments.entry((kind, id)).or_default();
        let file = json!({"id": files.len() + 1, "name": name, "size": 6, "object_id": id, "is_deprecated": false});
        files.push(file);
    }

    /// Adds a custom field to a kind of item in a project, and sets its value on one item.
    pub fn set_custom_field(&self, project: u64, kind: ItemKind, id: u64, field: (u64, &str), value: &Value) {
        let mut world = self.world();
        let list = format!("{}_custom_attributes", kind.word());
        if let Some(project) = world.projects.get_mut(&project) {
            let row = json!({"id": field.0, "name": field.1, "type": "text", "order": field.0});
            let rows = project.fields.entry(list).or_insert(Value::Null);
            if rows.is_null() {
                *rows = json!([]);
            }
            rows.as_array_mut().into_iter().for_each(|rows| rows.push(row.clone()));
        }
        world.custom_values.entry((kind, id)).or_default().insert(field.0.to_string(), value.clone());
    }

    /// Archives a project: 403 on every write.
    pub fn archive_project(&self, id: u64) {
        if let Some(project) = self.world().projects.get_mut(&id) {
            project.is_archived = true;
        }
    }

    fn id_of(&self, username: &str) -> u64 {
        let world = self.world();
        let user = world.users.iter().find(|user| user["username"] == username);
        user.and_then(|user| user["id"].as_u64()).expect("the user exists")
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.wire.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FakeTaiga {
    fn drop(&mut self) {
        self.wire.close();
    }
}
