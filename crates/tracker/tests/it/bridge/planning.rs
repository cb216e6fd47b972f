//! Planning fields sync in both directions: points in Taiga are sizes here.

use model::item::ItemKind;
use model::size::Size;
use serde_json::{Value, json};
use testkit::taiga::{FakeTaiga, ItemKind as There};

use super::{Way, edit, linked};
use crate::harness::{TestProject, by_name, new_item};

/// Returns the project's points by value, and the roles that are estimated.
fn scale(fake: &FakeTaiga, project: u64) -> (impl Fn(f64) -> Value, Vec<String>) {
    let points = fake.call("alice", "GET", &format!("/points?project={project}"), &Value::Null);
    let shown = fake.call("alice", "GET", &format!("/projects/{project}"), &Value::Null);
    let roles = shown["roles"].as_array().unwrap().iter().filter(|role| role["computable"] == true);
    let roles = roles.map(|role| role["id"].to_string()).collect();
    let find = move |value: f64| {
        let found = points.as_array().unwrap().iter().find(|point| point["value"].as_f64() == Some(value));
        found.unwrap_or_else(|| panic!("no points {value}"))["id"].clone()
    };
    (find, roles)
}

fn total(fake: &FakeTaiga, id: u64) -> Value {
    fake.item(There::Story, id).unwrap()["total_points"].clone()
}

#[test]
fn points_are_sizes_both_ways() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let (points, roles) = scale(&fake, 2);
    let ids: Vec<u64> = fake.items(There::Story, 2).iter().map(|item| item["id"].as_u64().unwrap()).collect();
    fake.edit("alice", There::Story, ids[0], &json!({"points": {&roles[0]: points(3.0), &roles[1]: points(5.0)}}));
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let size = |test: &TestProject, id| linked(&test.project, There::Story, id).unwrap().size;
    assert_eq!((size(&test, ids[0]), size(&test, ids[1])), (Some(Size::Large), None));
    way.assert_at_rest(&mut test);
    // Another value of the same size changes nothing here, and nothing is sent back.
    fake.edit("alice", There::Story, ids[0], &json!({"points": {&roles[0]: points(5.0)}}));
    way.pull(&mut test.project);
    assert_eq!((size(&test, ids[0]), total(&fake, ids[0])), (Some(Size::Large), json!(10.0)));
    way.assert_at_rest(&mut test);
    let here = |test: &TestProject, id| linked(&test.project, There::Story, id).unwrap().id;
    let (first, second) = (here(&test, ids[0]), here(&test, ids[1]));
    edit(&mut test.project, &first, &[("size", "small")]);
    edit(&mut test.project, &second, &[("size", "xlarge")]);
    let made = test.project.create(&new_item(ItemKind::Story, "New", &[("size", "medium")])).unwrap();
    let pushed = way.push(&mut test.project);
    assert!(pushed.left.is_empty() && pushed.changed.iter().all(|step| step.fields == ["size"]), "{pushed:#?}");
    assert_eq!((total(&fake, ids[0]), total(&fake, ids[1])), (json!(1.0), json!(20.0)));
    let new = test.project.show(&by_name(&made.id)).unwrap().extra["taiga"]["id"].as_u64().unwrap();
    assert_eq!(total(&fake, new), json!(3.0));
    edit(&mut test.project, &first, &[("size", "")]);
    way.push(&mut test.project);
    assert_eq!(total(&fake, ids[0]), Value::Null);
    way.settle(&mut test.project);
    way.assert_at_rest(&mut test);
}

#[test]
fn size_that_both_sides_changed_is_a_conflict() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let (points, roles) = scale(&fake, 2);
    let id = fake.items(There::Story, 2)[0]["id"].as_u64().unwrap();
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let here = linked(&test.project, There::Story, id).unwrap().id;
    edit(&mut test.project, &here, &[("size", "small")]);
    fake.edit("alice", There::Story, id, &json!({"points": {&roles[0]: points(13.0)}}));
    let report = way.pull(&mut test.project);
    let [conflict] = report.conflicts.as_slice() else { panic!("{report:#?}") };
    assert_eq!(
        (conflict.fields[0].local.as_deref(), conflict.fields[0].remote.as_deref()),
        (Some("small"), Some("large"))
    );
}
