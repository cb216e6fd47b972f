//! Charts: daily counts from a cache that follows the log.

use model::item::ItemKind;

use crate::harness::{TestProject, by_name, open};

#[test]
fn charts_of_many_items_are_answered_from_the_cache() {
    let mut test = TestProject::with(ItemKind::Milestone, &["Release"]);
    for n in 0..30 {
        let item = test.create(ItemKind::Task, &format!("Task {n}"));
        test.edit(&item.number.to_string(), &[("milestone", "milestone/1")]);
    }
    let left = |test: &TestProject| test.project.burndown(&by_name("1"), 30).unwrap().days.last().unwrap().open;
    assert_eq!(left(&test), 30);
    test.edit("7", &[("status", "done")]);
    test.edit("8", &[("milestone", "")]);
    test.create(ItemKind::Task, "Elsewhere");
    assert_eq!(left(&test), 28, "what changed is computed again");
    test.project.delete(&[by_name("9")], None).unwrap();
    assert_eq!(left(&test), 27);
    assert_eq!(left(&TestProject { project: open(test.fixture.path()), ..test }), 27);
}

#[test]
fn the_chart_of_a_milestone_leaves_out_its_epics() {
    let mut test = TestProject::with(ItemKind::Milestone, &["Release"]);
    for (kind, title) in [(ItemKind::Epic, "Checkout"), (ItemKind::Story, "Pay by card")] {
        let item = test.create(kind, title);
        test.edit(&item.number.to_string(), &[("milestone", "milestone/1")]);
    }
    let day = test.project.burndown(&by_name("1"), 30).unwrap().days.pop().unwrap();
    assert_eq!((day.total, day.open), (1, 1));
    let days = test.project.milestone_history(&by_name("1"), 30).unwrap().burndown;
    assert_eq!(days.last().map(|day| day.total), Some(1));
}
