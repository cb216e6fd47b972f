//! Several items in one write, with references between them.

use app::verb::{LinkedItem, NewRef};
use app::{Error, NewItem};
use model::field;
use model::item::ItemKind;

use crate::harness::{TestProject, by_name};

fn task(title: &str) -> LinkedItem {
    LinkedItem::new(NewItem::new(ItemKind::Task, title))
}

fn epic(title: &str) -> LinkedItem {
    LinkedItem::new(NewItem::new(ItemKind::Epic, title))
}

fn names(references: &[app::view::Reference]) -> Vec<String> {
    references.iter().map(app::view::Reference::name).collect()
}

#[test]
fn items_of_a_list_refer_to_each_other_in_both_directions() {
    let mut test = TestProject::with(ItemKind::Task, &["Before"]);
    let items = [
        LinkedItem { blocked_by: vec![NewRef::New(1), NewRef::Existing(by_name("1"))], ..task("Ship") },
        LinkedItem { references: vec![(&field::PARENT, NewRef::New(2))], ..task("Build") },
        LinkedItem { touches: vec!["./src//lib.rs".to_owned()], ..epic("All of it") },
        LinkedItem { blocks: vec![NewRef::New(1)], relates: vec![NewRef::New(0)], ..task("Design") },
    ];
    let made = test.project.create_all(&items).unwrap();
    let numbers: Vec<u64> = made.iter().map(|item| item.number).collect();
    assert_eq!(numbers, [2, 3, 4, 5]);
    assert_eq!(names(&made[0].blocked_by), ["#1", "#3"]);
    assert_eq!(made[1].parent.as_ref().unwrap().name(), "#4");
    assert_eq!(names(&made[1].blocked_by), ["#5"]);
    assert_eq!(made[2].touches, ["src/lib.rs"]);
    assert_eq!(names(&made[3].relates), ["#2"]);
    assert_eq!(names(&test.show("1").blocks), ["#2"]);
    let subject = test.fixture.git(&["log", "-1", "--format=%s", "refs/cairn/work"]);
    assert_eq!(subject, "create #2, #3, #4, #5");
}

#[test]
fn a_list_with_one_mistake_creates_nothing() {
    let mut test = TestProject::with(ItemKind::Task, &["Before"]);
    let mut check = |items: &[LinkedItem], said: &str| {
        let refused: Result<_, Error> = test.writes_nothing(|test| test.project.create_all(items));
        assert_eq!(refused.unwrap_err().message, said);
    };
    let blocked_by = |n: usize, title: &str| LinkedItem { blocked_by: vec![NewRef::New(n)], ..task(title) };
    let part_of =
        |n: usize, title: &str| LinkedItem { references: vec![(&field::PARENT, NewRef::New(n))], ..task(title) };
    check(&[task("One"), task(" ")], "item 2: the title is empty");
    check(&[task("One"), blocked_by(7, "Two")], "item 2: `$8` is not in the list, which has 2 items");
    check(&[blocked_by(0, "One")], "an item cannot be linked to itself");
    check(&[blocked_by(1, "One"), blocked_by(0, "Two")], "items would block each other in a cycle");
    check(&[part_of(1, "One"), part_of(0, "Two")], "item 1 would be its own ancestor");
    let on_task = LinkedItem { references: vec![(&field::MILESTONE, NewRef::New(0))], ..task("Two") };
    check(&[task("One"), on_task], "item 2: `milestone` must be a milestone, and item 1 is a task");
    let missing = LinkedItem { blocks: vec![NewRef::Existing(by_name("9"))], ..task("Two") };
    check(&[task("One"), missing], "item 2: item not found: `9`");
    check(&[], "expected 1 to 100 items, not 0");
}
