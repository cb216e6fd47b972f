//! Random changes on both sides end in equal states except for conflicts, which are reported once each.

use std::collections::{BTreeMap, BTreeSet};

use app::ChangeSet;
use app::Project;
use app::view::ItemView;
use serde_json::{Value, json};
use taiga::dto::{Kind, ProjectId};
use testkit::Random;
use testkit::taiga::{FakeTaiga, ItemKind as There};

use super::{Way, compared, everything};
use crate::harness::{TestProject, by_name, ids, parsed, texts};

const FIELDS: [&str; 5] = ["subject", "description", "status", "due", "blocked"];
const VALUES: [[&str; 2]; 5] = [
    ["One", "Two"],
    ["Some text", "Other text"],
    ["in_progress", "done"],
    ["2026-12-01", "2027-01-31"],
    ["ice", "fog"],
];

struct World<'a> {
    way: Way<'a>,
    test: TestProject,
    statuses: BTreeMap<(&'static str, &'static str), u64>,
    /// Local ids by remote kind and id.
    names: BTreeMap<(There, u64), String>,
    /// The expected final value of each item, by kind and id.
    expected: BTreeMap<(There, u64), Value>,
    conflicts: BTreeSet<(String, String)>,
}

impl World<'_> {
    /// Changes one field of an item on one side, or on both.
    fn change(&mut self, random: &mut Random, kind: There, id: u64) {
        let here = self.names[&(kind, id)].clone();
        let field = random.below(FIELDS.len());
        let (side, local, remote) = (random.below(3), VALUES[field][random.below(2)], VALUES[field][random.below(2)]);
        let expected = self.expected.get_mut(&(kind, id)).unwrap();
        if side != 1 {
            let name = ["title", "description", "status", "due", "blocked"][field];
            let edit =
                ChangeSet { fields: parsed(&[(name, local)]), add_labels: texts(&["here"]), ..ChangeSet::default() };
            self.test.project.edit(&ids(&[&here]), &edit).unwrap();
            expected["tags"].as_array_mut().unwrap().push("here".into());
            expected[FIELDS[field]] = shown(local);
        }
        if side != 0 {
            let status = self.statuses.get(&(kind.list_name(), remote)).copied();
            let mut change = match field {
                0 => json!({"subject": remote}),
                1 => json!({"description": remote}),
                2 => json!({"status": status.unwrap()}),
                3 => json!({"due_date": remote}),
                _ => json!({"is_blocked": true, "blocked_note": remote}),
            };
            let tags = self.way.fake.item(kind, id).unwrap()["tags"].as_array().unwrap().clone();
            change["tags"] = tags.into_iter().chain([json!("there")]).collect();
            self.way.fake.edit("alice", kind, id, &change);
            expected["tags"].as_array_mut().unwrap().push("there".into());
            expected[FIELDS[field]] = shown(remote);
        }
        if side == 2 && local != remote {
            expected[FIELDS[field]] = Value::Null;
            self.conflicts.insert((here, FIELDS[field].to_owned()));
        }
        let tags = expected["tags"].as_array_mut().unwrap();
        tags.sort_by_key(Value::to_string);
        tags.dedup();
    }
}

/// Returns a value as `compared` normalizes it.
fn shown(value: &str) -> Value {
    if value == "done" { "closed".into() } else { value.into() }
}

/// Returns the local ids by remote kind and id.
fn names(project: &Project) -> BTreeMap<(There, u64), String> {
    let kinds = [("story", There::Story), ("task", There::Task), ("issue", There::Issue)];
    let name = |item: ItemView| {
        let kind = kinds.iter().find(|(name, _)| *name == item.kind.name())?.1;
        Some(((kind, item.extra["taiga"]["id"].as_u64()?), item.id))
    };
    everything(project).into_iter().filter_map(name).collect()
}

#[test]
fn five_hundred_items_converge_and_nothing_is_lost() {
    let fake = FakeTaiga::start();
    fake.add_items(There::Task, 5, 40);
    let way = Way::to(&fake, "alice", 5);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let project = way.client.project(ProjectId(5)).unwrap();
    let mut statuses = BTreeMap::new();
    for (kind, list) in [(Kind::Story, "userstories"), (Kind::Task, "tasks"), (Kind::Issue, "issues")] {
        for (name, local) in [("In progress", "in_progress"), ("Done", "done")] {
            let found = project.statuses(kind).iter().find(|status| status.name == name);
            // Tasks and issues have other names for the closed status.
            let found = found.or_else(|| project.statuses(kind).iter().find(|status| status.is_closed));
            statuses.insert((list, local), found.unwrap().id.0);
        }
    }
    let names = names(&test.project);
    let compare = |project: &Project, kind, id| {
        compared(&project.show(&by_name(&names[&(kind, id)])).unwrap(), &fake.item(kind, id).unwrap())
    };
    let mut expected = BTreeMap::new();
    for kind in [There::Story, There::Task, There::Issue] {
        for item in fake.items(kind, 5) {
            let id = item["id"].as_u64().unwrap();
            let (here, there) = compare(&test.project, kind, id);
            assert_eq!(here, there);
            expected.insert((kind, id), there);
        }
    }
    assert_eq!(expected.len(), 500);
    let mut world = World { way, test, statuses, names: names.clone(), expected, conflicts: BTreeSet::new() };
    let mut random = Random::new(2026);
    let all: Vec<(There, u64)> = world.expected.keys().copied().collect();
    for (kind, id) in all {
        if random.below(4) == 0 {
            world.change(&mut random, kind, id);
        }
    }
    assert!(world.conflicts.len() > 3, "there must be some conflicts to lose");
    let World { way, mut test, expected, conflicts, .. } = world;
    let report = way.settle(&mut test.project);
    let told: Vec<(String, String)> = report
        .conflicts
        .iter()
        .flat_map(|one| one.fields.iter().map(|field| (one.item.id.clone(), field.field.clone())))
        .collect();
    assert_eq!(told.iter().cloned().collect::<BTreeSet<_>>(), conflicts);
    assert_eq!(told.len(), conflicts.len(), "each is told once");
    for ((kind, id), expect) in expected {
        let (here, there) = compare(&test.project, kind, id);
        for (field, value) in expect.as_object().unwrap() {
            if value.is_null() && here[field] != there[field] {
                let name = names[&(kind, id)].clone();
                assert!(conflicts.contains(&(name, field.clone())), "{kind:?} {id} {field}");
            } else {
                assert_eq!((&here[field], &there[field]), (value, value), "{kind:?} {id} {field}");
            }
        }
    }
    assert_eq!(way.n_items(), 500);
    way.assert_at_rest(&mut test);
}
