//! Random changes on both sides, including project settings, converge to equal states; each conflict is listed once and
//! can be resolved.

use std::collections::BTreeSet;

use app::ChangeSet;
use app::view::ItemView;
use model::size::Size;
use serde_json::{Value, json};
use testkit::Random;
use testkit::taiga::{FakeTaiga, ItemKind as There};
use tracker::bridge::{PullOptions, PushOptions};
use tracker::view::BridgeView;

use super::silent::{change_there, pulled};
use super::{Way, compared, edit, linked};
use crate::harness::{TestProject, by_name, ids, texts};

/// Makes one random local change.
fn change_here(test: &mut TestProject, random: &mut Random, n: usize) {
    let story = u64::try_from(random.below(12) + 1).unwrap();
    let id = linked(&test.project, There::Story, story).unwrap().id;
    match random.below(8) {
        0 => edit(&mut test.project, &id, &[("title", &format!("Here {n}"))]),
        1 => edit(&mut test.project, &id, &[("description", &format!("Text {n}"))]),
        2 => edit(&mut test.project, &id, &[("status", "done")]),
        3 => edit(&mut test.project, &id, &[("milestone", ["Sprint 1", "Sprint 3"][random.below(2)])]),
        4 => edit(&mut test.project, &id, &[("size", ["small", "large", ""][random.below(3)])]),
        5 => edit(&mut test.project, &id, &[("due", ["2026-12-01", "2027-01-31"][random.below(2)])]),
        6 => {
            let edit = ChangeSet { add_labels: texts(&[&format!("l{n}")]), ..ChangeSet::default() };
            test.project.edit(&ids(&[&id]), &edit).map(drop).unwrap();
        }
        _ => test.project.comment(&by_name(&id), &format!("Said {n}"), None).map(drop).unwrap(),
    }
}

/// Changes the same field of a story on both sides.
fn change_both(test: &mut TestProject, fake: &FakeTaiga, random: &mut Random, n: usize) {
    let story = u64::try_from(random.below(12) + 1).unwrap();
    let id = linked(&test.project, There::Story, story).unwrap().id;
    let (field, here, there) = match random.below(3) {
        0 => ("title", format!("Here {n}"), json!({"subject": format!("There {n}")})),
        1 => ("description", format!("Here {n}"), json!({"description": format!("There {n}")})),
        _ => ("due", "2026-12-24".to_owned(), json!({"due_date": "2026-12-31"})),
    };
    edit(&mut test.project, &id, &[(field, &here)]);
    fake.edit("bob", There::Story, story, &there);
}

/// Returns the reported conflicts: the item, and the field or the reason.
fn conflicts(view: &BridgeView) -> Vec<(String, String)> {
    let told = view.conflicts.iter().flat_map(|one| {
        let fields: Vec<String> = one.fields.iter().map(|field| field.field.clone()).collect();
        let what = if fields.is_empty() { vec![one.why.clone()] } else { fields };
        what.into_iter().map(|what| (one.item.id.clone(), what))
    });
    told.collect()
}

/// Returns the fields of a story that differ between the sides.
fn differing(here: &ItemView, there: &Value) -> Vec<&'static str> {
    let (local, remote) = compared(here, there);
    let is_different = |name: &&&str| local[**name] != remote[**name];
    let mut fields: Vec<&str> =
        ["subject", "description", "due", "blocked", "tags", "comments"].iter().filter(is_different).copied().collect();
    let sprint = here.milestone.as_ref().map(|sprint| sprint.title.as_str());
    if json!(sprint) != there["milestone_name"] {
        fields.push("sprint");
    }
    if (here.state.name() == "closed") != (there["status_extra_info"]["is_closed"] == true) {
        fields.push("status");
    }
    let size = there["total_points"].as_f64().map(|points| match points {
        points if points <= 2.0 => "small",
        points if points <= 5.0 => "medium",
        points if points <= 13.0 => "large",
        _ => "xlarge",
    });
    if here.size.map(Size::name) != size {
        fields.push("size");
    }
    fields
}

fn all_differing(test: &TestProject, fake: &FakeTaiga) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for there in fake.items(There::Story, 1) {
        let here = linked(&test.project, There::Story, there["id"].as_u64().unwrap()).unwrap();
        all.extend(differing(&here, &there).into_iter().map(|field| (here.id.clone(), field.to_owned())));
    }
    all
}

/// Resolves the conflicts alternately in favor of either side.
fn resolve(way: &Way<'_>, test: &mut TestProject, items: &[String]) {
    let (take_remote, take_local) = items.iter().enumerate().fold((Vec::new(), Vec::new()), |mut sides, (n, id)| {
        if n % 2 == 0 {
            sides.0.push(by_name(id));
        } else {
            sides.1.push(by_name(id));
        }
        sides
    });
    let pull = PullOptions { take_remote, ..PullOptions::default() };
    tracker::bridge::pull(&mut test.project, &way.target(), &pull, &mut |_| {}).unwrap();
    let push = PushOptions { take_local, ..PushOptions::default() };
    tracker::bridge::push(&mut test.project, &way.target(), &push, &mut |_| {}).unwrap();
}

#[test]
fn random_changes_on_both_sides_settle_to_equal_states() {
    let mut n_conflicts = 0;
    for seed in 0..2 {
        let fake = FakeTaiga::start();
        let (way, mut test) = pulled(&fake);
        let mut random = Random::new(1600 + seed);
        for n in 0..30 {
            match random.below(7) {
                0 => change_both(&mut test, &fake, &mut random, n),
                1..4 => change_there(&fake, &mut random, n),
                _ => change_here(&mut test, &mut random, n),
            }
            match random.below(12) {
                0 => _ = way.pull(&mut test.project),
                1 => _ = way.push(&mut test.project),
                _ => {}
            }
        }
        let report = way.settle(&mut test.project);
        let told = conflicts(&report);
        let distinct: BTreeSet<(String, String)> = told.iter().cloned().collect();
        assert_eq!(told.len(), distinct.len(), "seed {seed}: each conflict is listed once: {told:?}");
        assert_eq!(all_differing(&test, &fake), distinct, "seed {seed}: nothing but conflicts differs");
        assert_eq!(conflicts(&way.pull(&mut test.project)), told, "seed {seed}: a conflict stays until it is resolved");
        n_conflicts += told.len();
        let items: Vec<String> = report.conflicts.iter().map(|one| one.item.id.clone()).collect();
        resolve(&way, &mut test, &items);
        let report = way.settle(&mut test.project);
        assert!(report.conflicts.is_empty() && report.left.is_empty(), "seed {seed}: {report:#?}");
        assert_eq!(all_differing(&test, &fake), BTreeSet::new(), "seed {seed}");
        way.assert_at_rest(&mut test);
    }
    assert!(n_conflicts > 3, "there must be some conflicts to lose: {n_conflicts}");
}
