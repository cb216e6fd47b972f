//! Links between items, and to code.

use app::verb::LinkTarget::{Blocks, Parent, Relates, Touches};
use app::view::Reference;
use model::item::ItemKind;

use crate::harness::{TestProject, by_name, ids, refusal};

fn numbers(references: &[Reference]) -> Vec<u64> {
    references.iter().filter_map(|one| one.number).collect()
}

#[test]
fn a_link_is_listed_and_removed_at_both_ends() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let link = test.project.link(&by_name("1"), &Blocks("2".into()), None).unwrap();
    assert_eq!((numbers(&link.blocks), numbers(&test.show("2").blocked_by)), (vec![2], vec![1]));
    test.project.link(&by_name("1"), &Relates("#2".into()), None).unwrap();
    assert_eq!((numbers(&test.show("1").relates), numbers(&test.show("2").relates)), (vec![2], vec![1]));
    test.project.link(&by_name("1"), &Parent("2".into()), None).unwrap();
    assert_eq!(numbers(&test.show("2").children.unwrap()), [1]);
    let touched = test.project.link(&by_name("1"), &Touches("./src//lib.rs:Store".into()), None).unwrap();
    assert_eq!(touched.touches, ["src/lib.rs:Store"]);
    test.project.unlink(&by_name("1"), &Blocks("2".into()), None).unwrap();
    test.project.unlink(&by_name("2"), &Relates("1".into()), None).unwrap();
    test.project.unlink(&by_name("1"), &Parent("2".into()), None).unwrap();
    let bare = test.project.unlink(&by_name("1"), &Touches("src/lib.rs:Store".into()), None).unwrap();
    assert!(bare.blocks.is_empty() && bare.relates.is_empty() && bare.parent.is_none() && bare.touches.is_empty());
}

#[test]
fn linking_twice_writes_nothing_and_unlinking_twice_is_refused() {
    for (target, named) in [
        (Blocks("2".into()), "blocks 2"),
        (Relates("2".into()), "relates to 2"),
        (Parent("2".into()), "part of 2"),
        (Touches("README".into()), "touches README"),
    ] {
        let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
        test.project.link(&by_name("1"), &target, None).unwrap();
        test.writes_nothing(|test| test.project.link(&by_name("1"), &target, None).unwrap());
        test.project.unlink(&by_name("1"), &target, None).unwrap();
        let refused = test.writes_nothing(|test| test.project.unlink(&by_name("1"), &target, None));
        let message = format!("NotFound: task #1 `One` has no such link ({named})");
        assert_eq!(refusal(refused), format!("{message}\nhint: `cairn show 1` shows its links"));
    }
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    test.project.link(&by_name("1"), &Relates("2".into()), None).unwrap();
    test.writes_nothing(|test| test.project.link(&by_name("2"), &Relates("1".into()), None).unwrap());
}

#[test]
fn items_that_would_wait_for_themselves_are_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three"]);
    test.project.link(&by_name("1"), &Blocks("2".into()), None).unwrap();
    test.project.link(&by_name("2"), &Blocks("3".into()), None).unwrap();
    let refused = test.writes_nothing(|test| test.project.link(&by_name("3"), &Blocks("1".into()), None));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: the link would create a cycle: #1 blocks #2 blocks #3 blocks #1
    hint: remove one of these links first, with `cairn unlink`
    ");
    let refused = test.writes_nothing(|test| test.project.link(&by_name("1"), &Blocks("1".into()), None));
    insta::assert_snapshot!(refusal(refused), @"Invalid: task #1 `One` cannot be linked to itself");
    test.project.unlink(&by_name("1"), &Blocks("2".into()), None).unwrap();
    test.project.link(&by_name("3"), &Blocks("1".into()), None).unwrap();
}

#[test]
fn items_that_would_be_part_of_themselves_are_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three"]);
    test.edit("2", &[("parent", "1")]);
    test.edit("3", &[("parent", "2")]);
    for refused in [
        test.writes_nothing(|test| test.try_edit("1", &[("parent", "3")])),
        test.writes_nothing(|test| test.project.link(&by_name("1"), &Parent("3".into()), None)),
        test.writes_nothing(|test| test.try_edit("1", &[("parent", "1")])),
    ] {
        assert_eq!(refusal(refused), "Conflict: task #1 `One` would be its own ancestor");
    }
    let refused = test.writes_nothing(|test| test.project.link(&by_name("1"), &Parent("1".into()), None));
    insta::assert_snapshot!(refusal(refused), @"Invalid: task #1 `One` cannot be linked to itself");
}

#[test]
fn links_to_nothing_and_out_of_the_repository_are_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let refused = test.writes_nothing(|test| test.project.link(&by_name("1"), &Blocks("9".into()), None));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: item not found: `9`
    hint: `cairn list --all --deleted` shows every item
    ");
    let refused = test.writes_nothing(|test| test.project.link(&by_name("1"), &Touches("../etc".into()), None));
    insta::assert_snapshot!(refusal(refused), @"Invalid: `../etc` must be a path inside the repository, relative to its root");
    test.project.delete(&ids(&["2"]), None).unwrap();
    let refused = test.writes_nothing(|test| test.project.link(&by_name("1"), &Blocks("2".into()), None));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #2 `Two` was deleted
    hint: `cairn reopen 2` brings it back
    ");
}

#[test]
fn a_link_to_an_item_deleted_later_can_be_removed() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    test.project.link(&by_name("1"), &Blocks("2".into()), None).unwrap();
    test.project.delete(&ids(&["2"]), None).unwrap();
    assert!(test.project.unlink(&by_name("1"), &Blocks("2".into()), None).unwrap().blocks.is_empty());
}
