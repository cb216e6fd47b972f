//! The initial data, as at the time of the recordings: the same users, projects, ids, numbers and counts. Recorded
//! items are included word for word; the others are generated.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::page::MAX_SIZE;
use super::token::TokenBook;
use super::world::{Item, ItemKind, Project, World};

pub(super) const ADMIN: u64 = 5;
/// Owns projects 1, 2 and 5.
const ALICE: u64 = 6;
/// Owns project 3.
const BOB: u64 = 7;
/// Owns project 4, which nobody else can see.
const DAVE: u64 = 9;

const RECORDED: &str = include_str!("seed.json");

const MADE_AT: &str = "2026-11-15T19:32:40Z";

/// Projects: id, name, slug, private, owner.
const PROJECTS: [(u64, &str, &str, bool, u64); 5] = [
    (1, "Harbour Logistics", "harbour-logistics", true, ALICE),
    (2, "Kiosk Kanban", "kiosk-kanban", true, ALICE),
    (3, "Open Atlas", "open-atlas", false, BOB),
    (4, "Dave Private", "dave-private", true, DAVE),
    (5, "Big Backlog", "big-backlog", true, ALICE),
];

/// Items: kind, project, count.
const ITEMS: [(ItemKind, u64, usize); 9] = [
    (ItemKind::Epic, 1, 6),
    (ItemKind::Story, 1, 52),
    (ItemKind::Task, 1, 47),
    (ItemKind::Issue, 1, 28),
    (ItemKind::Story, 2, 6),
    (ItemKind::Story, 3, 4),
    (ItemKind::Story, 4, 1),
    (ItemKind::Story, 5, 250),
    (ItemKind::Issue, 5, 210),
];

/// Number of rows of each lookup table in the template, which determines the first ids of later projects.
const LISTS: [(&str, u64); 8] = [
    ("epic_statuses", 5),
    ("us_statuses", 6),
    ("task_statuses", 5),
    ("issue_statuses", 7),
    ("issue_types", 3),
    ("severities", 5),
    ("points", 12),
    ("roles", 6),
];

impl World {
    pub(super) fn seeded() -> Self {
        let recorded: Value = serde_json::from_str(RECORDED).expect("the seed is JSON");
        let mut world = Self {
            tokens: TokenBook::default(),
            users: users(&recorded["users"]),
            projects: BTreeMap::new(),
            items: BTreeMap::new(),
            links: Vec::new(),
            milestones: milestones(),
            next_milestone: 6,
            attachments: BTreeMap::new(),
            custom_values: BTreeMap::new(),
            next_ids: ItemKind::ALL.into_iter().map(|kind| (kind, 1)).collect(),
            next_history: 1,
            largest_page: MAX_SIZE,
            now: "2026-11-15T20:00:00Z".parse().expect("a time"),
        };
        for (id, name, slug, is_private, owner) in PROJECTS {
            let mut project = project(&recorded, id);
            project.fields.insert("name".to_owned(), json!(name));
            project.fields.insert("slug".to_owned(), json!(slug));
            project.fields.insert("is_private".to_owned(), json!(is_private));
            project.owner = owner;
            if id != 1 {
                project.memberships = vec![membership(id, owner)];
            }
            world.projects.insert(id, project);
        }
        for (kind, project, count) in ITEMS {
            world.add_items(kind, project, count);
        }
        world.overlay(&recorded);
        // As recorded: every tenth story from the first on is in the first epic, and the first is in two.
        world.links = (1..=52).step_by(10).map(|story| (1, story)).chain([(2, 1)]).collect();
        world
    }

    /// Adds items without history.
    pub(super) fn add_items(&mut self, kind: ItemKind, project: u64, count: usize) -> Vec<u64> {
        (0..count)
            .map(|index| self.add_item(kind, project, &format!("{} number {}", kind.model(), index + 1)))
            .collect()
    }

    fn add_item(&mut self, kind: ItemKind, project_id: u64, subject: &str) -> u64 {
        let id = self.next_ids[&kind];
        self.next_ids.insert(kind, id + 1);
        let project = self.projects.get_mut(&project_id).expect("the project exists");
        let reference = project.next_reference;
        project.next_reference += 1;
        let owner = project.owner;
        let mut fields = new_fields(kind, project);
        for (name, value) in [
            ("id", json!(id)),
            ("ref", json!(reference)),
            ("project", json!(project_id)),
            ("subject", json!(subject)),
            ("owner", json!(owner)),
            ("created_date", json!(MADE_AT)),
            ("modified_date", json!(MADE_AT)),
        ] {
            fields.insert(name.to_owned(), value);
        }
        put_last(kind, id, &mut fields);
        self.items.insert((kind, id), Item { fields, history: Vec::new() });
        id
    }

    /// Replaces generated items by recorded ones.
    fn overlay(&mut self, recorded: &Value) {
        for kind in ItemKind::ALL {
            for row in recorded[kind.list_name()].as_array().into_iter().flatten() {
                let id = row["id"].as_u64().unwrap_or_default();
                let (Some(item), Some(row)) = (self.items.get_mut(&(kind, id)), row.as_object()) else { continue };
                item.fields.extend(row.clone());
            }
        }
    }
}

/// Sets the sort keys of a new item: after all others.
pub(super) fn put_last(kind: ItemKind, id: u64, fields: &mut Map<String, Value>) {
    let names: &[&str] = match kind {
        ItemKind::Epic => &["epics_order"],
        ItemKind::Story => &["backlog_order", "sprint_order", "kanban_order"],
        ItemKind::Task => &["us_order", "taskboard_order"],
        ItemKind::Issue => &[],
    };
    fields.extend(names.iter().map(|name| ((*name).to_owned(), json!(1_794_771_157_000_000 + 1000 * id))));
}

/// The default fields of a new item of a kind.
pub(super) fn new_fields(kind: ItemKind, project: &Project) -> Map<String, Value> {
    let default = |name: &str| project.fields.get(name).cloned().unwrap_or_default();
    let common = json!({
        "version": 1, "subject": "", "description": "", "status": default(kind.statuses().1), "assigned_to": null,
        "tags": [], "is_blocked": false, "blocked_note": "", "watchers": [], "total_watchers": 0, "total_voters": 0,
    });
    let own = match kind {
        ItemKind::Epic => json!({"color": "#d3d7cf", "client_requirement": false, "team_requirement": false}),
        ItemKind::Story => json!({
            "milestone": null, "due_date": null, "due_date_reason": "", "points": points(project), "finish_date": null,
            "assigned_users": [], "external_reference": null, "swimlane": null,
        }),
        ItemKind::Task => json!({
            "user_story": null, "milestone": null, "due_date": null, "due_date_reason": "", "finished_date": null,
            "is_iocaine": false, "external_reference": null,
        }),
        ItemKind::Issue => json!({
            "priority": default("default_priority"), "severity": default("default_severity"),
            "type": default("default_issue_type"), "milestone": null, "due_date": null, "due_date_reason": "",
            "finished_date": null, "external_reference": null,
        }),
    };
    let mut fields = common.as_object().cloned().unwrap_or_default();
    fields.extend(own.as_object().cloned().unwrap_or_default());
    fields
}

/// A new story has the default points for each computable role.
fn points(project: &Project) -> Value {
    let roles = project.fields["roles"].as_array().into_iter().flatten().filter(|role| role["computable"] == true);
    let default = &project.fields["default_points"];
    roles.map(|role| (role["id"].to_string(), default.clone())).collect::<Map<String, Value>>().into()
}

fn users(recorded: &Value) -> Vec<Value> {
    let mut users = recorded.as_array().cloned().unwrap_or_default();
    for user in &mut users {
        let email = format!("{}@example.com", user["username"].as_str().unwrap_or_default());
        user["email"] = json!(email);
        user["is_active"] = json!(true);
    }
    users
}

/// Makes a project from the recorded one; ids of lookup rows continue after those of the previous project.
fn project(recorded: &Value, id: u64) -> Project {
    let mut fields = recorded["project"].as_object().cloned().unwrap_or_default();
    fields.insert("id".to_owned(), json!(id));
    let mut memberships = recorded["memberships"].as_array().cloned().unwrap_or_default();
    if id != 1 {
        // The first project got two more priorities and a role later.
        for (list, size) in [("priorities", 3), ("roles", 6)] {
            keep_template(&mut fields, list, size);
        }
        for (list, size) in LISTS {
            shift(&mut fields, list, (id - 1) * size, id);
        }
        shift(&mut fields, "priorities", 5 + (id - 2) * 3, id);
        shift_defaults(&mut fields, id);
        memberships.clear();
    }
    Project { fields, owner: 0, memberships, next_reference: 1, is_blocked: false, is_archived: false }
}

/// Removes the rows that are not in the template.
fn keep_template(fields: &mut Map<String, Value>, list: &str, size: u64) {
    if let Some(rows) = fields.get_mut(list).and_then(Value::as_array_mut) {
        rows.retain(|row| row["id"].as_u64().is_some_and(|id| id <= size));
    }
}

fn shift(fields: &mut Map<String, Value>, list: &str, by: u64, project: u64) {
    for row in fields.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
        row["id"] = json!(row["id"].as_u64().unwrap_or_default() + by);
        row["project_id"] = json!(project);
    }
}

fn shift_defaults(fields: &mut Map<String, Value>, project: u64) {
    const DEFAULTS: [(&str, u64); 7] = [
        ("default_epic_status", 5),
        ("default_us_status", 6),
        ("default_task_status", 5),
        ("default_issue_status", 7),
        ("default_issue_type", 3),
        ("default_severity", 5),
        ("default_points", 12),
    ];
    let mut shift = |name: &str, by: u64| {
        let id = fields[name].as_u64().unwrap_or_default();
        fields.insert(name.to_owned(), json!(id + by));
    };
    for (name, size) in DEFAULTS {
        shift(name, (project - 1) * size);
    }
    shift("default_priority", 5 + (project - 2) * 3);
}

/// The owner's membership in a project other than the first.
fn membership(project: u64, user: u64) -> Value {
    json!({
        "id": 10 + project, "user": user, "project": project, "role": 5 + (project - 1) * 6, "is_admin": true,
        "created_at": MADE_AT, "role_name": "Product Owner", "full_name": null, "is_user_active": true, "color": null,
        "photo": null, "is_owner": true,
    })
}

fn milestones() -> Vec<Value> {
    let days = [
        ("2026-10-05", "2026-10-18"),
        ("2026-10-19", "2026-11-01"),
        ("2026-11-02", "2026-11-15"),
        ("2026-11-16", "2026-11-29"),
    ];
    let sprints =
        days.iter().zip(1..).map(|((start, finish), id)| milestone(id, 1, &format!("Sprint {id}"), start, finish));
    // A sprint of another project, which the first must refuse.
    sprints.chain([milestone(5, 5, "Sprint 1", "2026-11-02", "2026-11-15")]).collect()
}

/// A sprint as in a response.
pub(super) fn milestone(id: u64, project: u64, name: &str, start: &str, finish: &str) -> Value {
    json!({
        "project": project, "id": id, "name": name, "slug": name.to_lowercase().replace(' ', "-"), "owner": ALICE,
        "estimated_start": start, "estimated_finish": finish, "created_date": MADE_AT, "modified_date": MADE_AT,
        "closed": false, "disponibility": 0.0, "order": 1, "user_stories": [], "total_points": null,
        "closed_points": null,
    })
}
