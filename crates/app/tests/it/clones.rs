//! Clones that work offline and sync through a hub in any order converge, and nothing is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use app::ChangeSet;
use app::verb::LinkTarget::{Blocks, Relates};
use app::verb::{CloseOptions, GitProgress, ListOptions};
use app::view::CheckOutcome;
use app::{Error, ErrorKind, Project};
use model::item::ItemKind;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use testkit::{Layout, TestRepository, git_in};

use crate::harness::{TestProject, by_name, cases, dump, new_item, open, parsed, refusal, texts, tip};

/// An action in one clone.
#[derive(Debug, Clone)]
enum Act {
    Create,
    Edit(Index, &'static str, &'static str),
    AddLabel(Index, &'static str),
    RemoveLabel(Index),
    Comment(Index),
    Close(Index),
    Start(Index),
    Delete(Index),
    Reopen(Index),
    Block(Index, Index),
    Relate(Index, Index),
    Move(Index, Index),
    Sync,
}

fn act() -> impl Strategy<Value = Act> {
    let item = any::<Index>;
    let label = || select(vec!["bug", "größe"]);
    let values =
        vec![("title", "Renamed"), ("priority", "9"), ("status", "review"), ("due", "2026-04-01"), ("size", "")];
    prop_oneof![
        5 => Just(Act::Create),
        3 => (item(), select(values)).prop_map(|(item, (field, value))| Act::Edit(item, field, value)),
        4 => (item(), label()).prop_map(|(item, label)| Act::AddLabel(item, label)),
        3 => item().prop_map(Act::RemoveLabel),
        2 => item().prop_map(Act::Comment),
        1 => item().prop_map(Act::Close),
        1 => item().prop_map(Act::Start),
        1 => item().prop_map(Act::Delete),
        1 => item().prop_map(Act::Reopen),
        2 => (item(), item()).prop_map(|(one, other)| Act::Block(one, other)),
        1 => (item(), item()).prop_map(|(one, other)| Act::Relate(one, other)),
        3 => (item(), item()).prop_map(|(one, other)| Act::Move(one, other)),
        5 => Just(Act::Sync),
    ]
}

/// Expectations about the final state.
#[derive(Default)]
struct Promises {
    /// Every item ever created.
    items: BTreeSet<String>,
    /// Every acknowledged comment: item and text.
    comments: Vec<(String, String)>,
    /// Every addition of a label, by number: item, label, and whether a clone that had seen it removed it.
    additions: Vec<(String, &'static str, bool)>,
}

/// One clone, and the label additions that have reached it.
struct Clone {
    path: PathBuf,
    project: Project,
    additions: BTreeSet<usize>,
}

struct World {
    hub: TestRepository,
    clones: Vec<Clone>,
    at_hub: BTreeSet<usize>,
    promises: Promises,
}

impl World {
    fn new(n_clones: usize) -> Self {
        let hub = TestRepository::in_memory(Layout::BARE);
        let clones = (0..n_clones).map(|n| {
            let path = hub.clone_beside(&format!("clone-{n}"), &[]);
            git_in(&path, &["config", "user.name", &format!("Person {n}")]);
            git_in(&path, &["config", "user.email", &format!("person-{n}@example.org")]);
            Clone { project: open(&path), path, additions: BTreeSet::new() }
        });
        Self { clones: clones.collect(), hub, at_hub: BTreeSet::new(), promises: Promises::default() }
    }

    fn act(&mut self, clone: usize, act: &Act) {
        let done = self.try_act(clone, act);
        // The action may be rejected because of another clone: a deleted item, a cycle, a missing label.
        if let Err(error) = done {
            assert!(matches!(error.kind, ErrorKind::Conflict | ErrorKind::NotFound | ErrorKind::Invalid), "{error:?}");
        }
    }

    fn try_act(&mut self, clone: usize, act: &Act) -> Result<(), Error> {
        if let Act::Sync = act {
            self.sync(clone);
            return Ok(());
        }
        let Clone { project, additions, .. } = &mut self.clones[clone];
        if let Act::Create = act {
            let item = project.create(&new_item(ItemKind::Task, "Made", &[]))?;
            self.promises.items.insert(item.id);
            return Ok(());
        }
        let known = every(project);
        if known.is_empty() {
            return Ok(());
        }
        let id = |index: &Index| index.get(&known).clone();
        match act {
            Act::Edit(item, field, value) => {
                let edit = ChangeSet { fields: parsed(&[(field, value)]), ..ChangeSet::default() };
                project.edit(&[by_name(id(item))], &edit)?;
            }
            Act::AddLabel(item, label) => {
                let item = id(item);
                let is_there = project.show(&by_name(&item))?.labels.iter().any(|one| one == label);
                let edit = ChangeSet { add_labels: texts(&[label]), ..ChangeSet::default() };
                project.edit(&[by_name(&item)], &edit)?;
                if !is_there {
                    additions.insert(self.promises.additions.len());
                    self.promises.additions.push((item, label, false));
                }
            }
            Act::RemoveLabel(which) => {
                let held: Vec<(String, String)> = list(project)
                    .into_iter()
                    .flat_map(|item| item.labels.into_iter().map(move |label| (item.id.clone(), label)))
                    .collect();
                if held.is_empty() {
                    return Ok(());
                }
                let (item, label) = which.get(&held);
                let edit = ChangeSet { remove_labels: texts(&[label]), ..ChangeSet::default() };
                project.edit(&[by_name(item)], &edit)?;
                for n in additions.iter() {
                    let (on, name, is_removed) = &mut self.promises.additions[*n];
                    *is_removed |= on == item && name == label;
                }
            }
            Act::Comment(item) => {
                let (item, body) = (id(item), format!("comment {}", self.promises.comments.len()));
                project.comment(&by_name(&item), &body, None)?;
                self.promises.comments.push((item, body));
            }
            Act::Close(item) => drop(project.close(&[by_name(id(item))], &CloseOptions::default())?),
            Act::Start(item) => drop(project.start(&[by_name(id(item))], None)?),
            Act::Delete(item) => drop(project.delete(&[by_name(id(item))], None)?),
            Act::Reopen(item) => drop(project.reopen(&[by_name(id(item))], None)?),
            Act::Block(one, other) => drop(project.link(&by_name(id(one)), &Blocks(by_name(id(other))), None)?),
            Act::Relate(one, other) => drop(project.link(&by_name(id(one)), &Relates(by_name(id(other))), None)?),
            Act::Move(one, other) => {
                let to = app::verb::MoveTo::After(by_name(id(other)));
                drop(project.move_item(&by_name(id(one)), &to)?);
                let order = by_rank(project);
                let place = order.iter().position(|item| *item == id(other)).unwrap();
                assert_eq!(order[place + 1], id(one), "a move puts an item directly behind the other");
            }
            Act::Create | Act::Sync => {}
        }
        Ok(())
    }

    fn sync(&mut self, clone: usize) {
        let own = &mut self.clones[clone];
        let view = own.project.sync(None, GitProgress::Quiet, |_| Ok(())).unwrap();
        assert_eq!(view.n_tries, 1, "nobody else pushed");
        own.additions.extend(&self.at_hub);
        self.at_hub.clone_from(&own.additions);
    }

    fn tips(&self) -> Vec<String> {
        let clones = self.clones.iter().map(|clone| tip(&clone.path));
        clones.chain([tip(self.hub.path())]).collect()
    }

    /// Two rounds of sync distribute everything; a third has nothing to do.
    fn settle(&mut self, order: &[usize]) {
        for _ in 0..2 {
            for clone in order {
                self.sync(*clone);
            }
        }
        let quiet = self.tips();
        assert!(quiet.iter().all(|one| *one == quiet[0]), "clones differ after two rounds: {quiet:?}");
        for clone in order {
            self.sync(*clone);
        }
        assert_eq!(self.tips(), quiet, "a round with nothing to share wrote something");
    }

    fn assert_kept(&mut self) {
        let first = dump(&self.clones[0].path);
        for clone in &self.clones {
            assert_eq!(dump(&clone.path), first);
            self.assert_kept_in(&clone.project);
        }
    }

    fn assert_kept_in(&self, project: &Project) {
        let items = list(project);
        let numbers: BTreeSet<u64> = items.iter().map(|item| item.number).collect();
        assert_eq!(numbers.len(), items.len(), "a number is held twice");
        let first = by_rank(&self.clones[0].project);
        assert_eq!(by_rank(project), first, "clones order their cards differently");
        assert_eq!(first.len(), items.iter().filter(|item| !item.deleted).count(), "each card lies in the order once");
        let known: BTreeSet<String> = items.iter().map(|item| item.id.clone()).collect();
        assert_eq!(known, self.promises.items);
        let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (item, label, is_removed) in &self.promises.additions {
            let labels = labels.entry(item).or_default();
            if !is_removed {
                labels.insert(label);
            }
        }
        for item in &items {
            let held: BTreeSet<&str> = item.labels.iter().map(String::as_str).collect();
            assert_eq!(held, labels.get(item.id.as_str()).cloned().unwrap_or_default(), "labels of {}", item.id);
        }
        for (item, body) in &self.promises.comments {
            let comments = project.show(&by_name(item)).unwrap().comments.unwrap();
            assert!(comments.iter().any(|comment| comment.body == *body), "`{body}` is lost");
        }
        let unsettled = project.doctor().unwrap().checks.into_iter().find(|check| check.name == "numbers").unwrap();
        assert_eq!(unsettled.outcome, CheckOutcome::Ok, "{}", unsettled.text);
    }
}

fn list(project: &Project) -> Vec<app::view::ItemView> {
    let every = ListOptions { all: true, deleted: true, sort: texts(&["id"]), ..ListOptions::default() };
    project.list(&every).unwrap().items
}

/// Returns all items that are not deleted, in the order of cards.
fn by_rank(project: &Project) -> Vec<String> {
    let living = ListOptions { all: true, sort: texts(&["rank"]), ..ListOptions::default() };
    project.list(&living).unwrap().items.into_iter().map(|item| item.id).collect()
}

fn every(project: &Project) -> Vec<String> {
    list(project).into_iter().map(|item| item.id).collect()
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn clones_end_equal_and_nothing_is_lost(
        n_clones in 2..5_usize,
        acts in proptest::collection::vec((any::<Index>(), act()), 1..40),
        order in Just(vec![0, 1, 2, 3]).prop_shuffle(),
    ) {
        let mut world = World::new(n_clones);
        for (clone, act) in &acts {
            world.act(clone.index(n_clones), act);
        }
        let order: Vec<usize> = order.into_iter().filter(|clone| *clone < n_clones).collect();
        world.settle(&order);
        world.assert_kept();
    }

    /// Each clone merges the other's work independently: both create the same commits.
    #[test]
    fn two_clones_and_two_hubs_end_at_one_tip(
        before in proptest::collection::vec(act(), 0..4),
        acts in proptest::collection::vec((0..2_usize, act()), 2..16),
    ) {
        let mut world = World::new(2);
        for act in before {
            world.act(0, &act);
        }
        world.sync(0);
        world.sync(1);
        for (clone, act) in acts.iter().filter(|(_, act)| !matches!(act, Act::Sync)) {
            world.act(*clone, act);
        }
        let copies: Vec<PathBuf> = (0..2).map(|n| copy(&world.clones[n].path)).collect();
        // Each clone's unpublished work is now in a hub of its own.
        for hub in [1, 0, 1, 0] {
            for (n, clone) in world.clones.iter_mut().enumerate() {
                let hub = copies[(n + hub) % 2].to_str().unwrap();
                clone.project.sync(Some(hub), GitProgress::Quiet, |_| Ok(())).unwrap();
            }
        }
        let tips = world.tips();
        prop_assert_eq!(&tips[0], &tips[1]);
        prop_assert_eq!(dump(&world.clones[0].path), dump(&world.clones[1].path));
    }
}

/// Creates a bare repository with the current work of a clone.
fn copy(path: &Path) -> PathBuf {
    let target = path.with_extension("copy");
    git_in(path, &["clone", "--quiet", "--mirror", ".", target.to_str().unwrap()]);
    target
}

#[test]
fn a_number_collision_is_resolved_and_reported() {
    let mut world = World::new(2);
    world.act(0, &Act::Create);
    world.act(1, &Act::Create);
    world.sync(0);
    let view = world.clones[1].project.sync(None, GitProgress::Quiet, |_| Ok(())).unwrap();
    let [renumbered] = view.renumbered.as_slice() else { panic!("{view:?}") };
    assert_eq!((renumbered.from, renumbered.to), (1, 2));
    assert_eq!((view.received.total, view.received.newest[0].text.as_str()), (1, "task #1: create `Made`"));
    assert_eq!(view.sent.newest[0].text, "renumber: #1 → #2");
    world.sync(0);
    let one = world.clones[0].project.show(&by_name("1")).unwrap();
    assert_eq!(one.formerly_this_number.unwrap()[0].number, Some(2));
    assert_eq!(world.clones[0].project.show(&by_name("2")).unwrap().former_numbers, [1]);
}

#[test]
fn dependency_cycle_made_by_a_merge_is_reported() {
    let mut world = World::new(2);
    world.act(0, &Act::Create);
    world.act(0, &Act::Create);
    world.sync(0);
    world.sync(1);
    world.clones[0].project.link(&by_name("1"), &Blocks("2".into()), None).unwrap();
    world.clones[1].project.link(&by_name("2"), &Blocks("1".into()), None).unwrap();
    world.sync(0);
    let view = world.clones[1].project.sync(None, GitProgress::Quiet, |_| Ok(())).unwrap();
    let cycles: Vec<Vec<Option<u64>>> =
        view.cycles.iter().map(|cycle| cycle.iter().map(|one| one.number).collect()).collect();
    assert_eq!(cycles, [[Some(1), Some(2)]]);
    let ready = world.clones[1].project.ready_explained(None).unwrap();
    assert_eq!((ready.total, ready.cycles.unwrap().len()), (0, 1));
}

#[test]
fn a_sync_sends_concurrent_writes_of_another_process() {
    let mut world = World::new(1);
    world.act(0, &Act::Create);
    world.sync(0);
    open(&world.clones[0].path).create(&new_item(ItemKind::Task, "From elsewhere", &[])).unwrap();
    let view = world.clones[0].project.sync(None, GitProgress::Quiet, |_| Ok(())).unwrap();
    assert_eq!(view.sent.total, 1);
    let tips = world.tips();
    assert_eq!(tips[0], tips[1]);
}

#[test]
fn a_repository_without_a_remote_gets_a_hint() {
    let mut test = TestProject::new();
    let refused = test.project.sync(None, GitProgress::Quiet, |_| Ok(()));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: this repository has no remote to sync with
    hint: name one: `cairn sync REMOTE`, or add one with `git remote add origin URL`
    ");
    let refused = test.project.sync(Some("--upload-pack=evil"), GitProgress::Quiet, |_| Ok(()));
    assert_eq!(refused.unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn init_twice_changes_nothing() {
    let mut world = World::new(1);
    let first = world.clones[0].project.init().unwrap();
    assert_eq!((first.added.len(), first.kept.len()), (2, 0));
    let second = world.clones[0].project.init().unwrap();
    assert_eq!((second.added.len(), second.kept), (0, first.added));
}
