//! Clones that share over several hubs converge on one tip, and a published number stays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use app::ChangeSet;
use app::Project;
use app::verb::{GitProgress, ListOptions};
use model::item::ItemKind;
use proptest::prelude::*;
use testkit::{Layout, Random, TestRepository, git_in};

use crate::harness::{by_name, cases, dump, new_item, open, parsed, tip};

/// The item numbers in a hub, by id.
type Numbers = BTreeMap<String, u64>;

/// Number of hubs that are configured as remotes.
const NAMED: usize = 1;

struct Clone {
    path: PathBuf,
    project: Project,
}

struct Hub {
    repository: TestRepository,
    /// Every number that an item had when it was pushed here.
    published: Numbers,
}

struct World {
    hubs: Vec<Hub>,
    clones: Vec<Clone>,
    n_made: usize,
    n_moved: usize,
}

impl World {
    fn new(n_clones: usize, n_hubs: usize) -> Self {
        let hub = || Hub { repository: TestRepository::in_memory(Layout::BARE), published: Numbers::new() };
        let hubs: Vec<Hub> = (0..n_hubs).map(|_| hub()).collect();
        let clones = (0..n_clones).map(|n| {
            let path = hubs[0].repository.clone_beside(&format!("clone-{n}"), &[]);
            git_in(&path, &["config", "user.name", &format!("Person {n}")]);
            git_in(&path, &["config", "user.email", &format!("person-{n}@example.org")]);
            // The others are used by URL.
            for (n, hub) in hubs.iter().enumerate().take(NAMED) {
                git_in(&path, &["remote", "add", &format!("hub{n}"), hub.repository.path().to_str().unwrap()]);
            }
            Clone { project: open(&path), path }
        });
        Self { clones: clones.collect(), hubs, n_made: 0, n_moved: 0 }
    }

    fn name(&self, hub: usize) -> String {
        if hub < NAMED { format!("hub{hub}") } else { self.hubs[hub].repository.path().to_str().unwrap().to_owned() }
    }

    fn create(&mut self, clone: usize) {
        let title = format!("Item {}", self.n_made);
        self.clones[clone].project.create(&new_item(ItemKind::Task, &title, &[])).unwrap();
        self.n_made += 1;
    }

    fn edit(&mut self, clone: usize) {
        let project = &mut self.clones[clone].project;
        let first = numbers(project).into_keys().next();
        if let Some(id) = first {
            let priority = ((self.n_made + clone) % 9 + 1).to_string();
            let edit = ChangeSet { fields: parsed(&[("priority", &priority)]), ..ChangeSet::default() };
            project.edit(&[by_name(id)], &edit).unwrap();
        }
    }

    fn sync(&mut self, clone: usize, hub: usize) {
        let before = numbers(&self.clones[clone].project);
        let remote = self.name(hub);
        let view = self.clones[clone].project.sync(Some(&remote), GitProgress::Quiet, |_| Ok(())).unwrap();
        let after = numbers(&self.clones[clone].project);
        let told: BTreeMap<&str, (u64, u64)> =
            view.renumbered.iter().map(|one| (one.item.id.as_str(), (one.from, one.to))).collect();
        for (id, number) in &before {
            assert!(
                after[id] == *number || told.get(id.as_str()) == Some(&(*number, after[id])),
                "#{number} → #{} untold",
                after[id]
            );
        }
        for (id, number) in &after {
            let known = self.hubs[hub].published.get(id).copied();
            if let Some(known) = known.filter(|known| known != number) {
                self.assert_contested_between_hubs(hub, id, known);
                self.n_moved += 1;
            }
            self.hubs[hub].published.insert(id.clone(), *number);
        }
    }

    /// A published item may be renumbered only if another hub has another item with the same number.
    fn assert_contested_between_hubs(&self, hub: usize, id: &str, number: u64) {
        let others = self.hubs.iter().enumerate().filter(|(n, _)| *n != hub).map(|(_, other)| &other.published);
        let is_contested = others.into_iter().any(|published| {
            published.iter().any(|(other, own)| other != id && *own == number)
                || published.get(id).is_some_and(|own| *own != number)
        });
        assert!(is_contested, "#{number} moved, and no other hub had it");
    }

    fn tips(&self) -> Vec<String> {
        let clones = self.clones.iter().map(|clone| tip(&clone.path));
        clones.chain(self.hubs.iter().map(|hub| tip(hub.repository.path()))).collect()
    }

    fn n_commits(&self) -> Vec<String> {
        let count = |path: &std::path::Path| git_in(path, &["rev-list", "--count", "refs/cairn/work"]);
        self.clones.iter().map(|clone| count(&clone.path)).collect()
    }

    fn sync_all(&mut self) {
        for clone in 0..self.clones.len() {
            for hub in 0..self.hubs.len() {
                self.sync(clone, hub);
            }
        }
    }

    fn assert_at_rest(&mut self) {
        if self.n_made == 0 {
            return;
        }
        self.sync_all();
        self.sync_all();
        let tips = self.tips();
        assert!(tips.iter().all(|tip| *tip == tips[0]), "after two rounds: {tips:#?}");
        let before = self.n_commits();
        self.sync_all();
        assert_eq!((self.tips(), self.n_commits()), (tips, before), "a round with nothing to share wrote something");
        let first = dump(&self.clones[0].path);
        for clone in &self.clones {
            assert_eq!(dump(&clone.path), first);
            assert_eq!(numbers(&clone.project).len(), self.n_made, "an item is lost");
        }
    }
}

fn numbers(project: &Project) -> Numbers {
    let every = ListOptions { all: true, deleted: true, ..ListOptions::default() };
    let items = project.list(&every).unwrap().items;
    let found: Numbers = items.iter().map(|item| (item.id.clone(), item.number)).collect();
    let unique: std::collections::BTreeSet<u64> = found.values().copied().collect();
    assert_eq!(unique.len(), found.len(), "a number is held twice");
    found
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Create,
    ChangeSet,
    Sync(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![3 => Just(Act::Create), 1 => Just(Act::ChangeSet), 3 => (0..3_usize).prop_map(Act::Sync)]
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn clones_and_hubs_converge_to_one_tip(
        n_clones in 2..5_usize,
        n_hubs in 1..4_usize,
        acts in proptest::collection::vec((0..5_usize, act()), 0..30),
    ) {
        let mut world = World::new(n_clones, n_hubs);
        for (clone, act) in acts {
            let clone = clone % n_clones;
            match act {
                Act::Create => world.create(clone),
                Act::ChangeSet => world.edit(clone),
                Act::Sync(hub) => world.sync(clone, hub % n_hubs),
            }
        }
        world.assert_at_rest();
        if n_hubs == 1 {
            prop_assert_eq!(world.n_moved, 0);
        }
    }
}

#[test]
fn ten_clones_with_two_hundred_offline_items_move_no_published_number() {
    let mut world = World::new(10, 1);
    let mut random = Random::new(14);
    for n in 0..200 {
        world.create(random.below(10));
        if n % 7 == 0 {
            world.sync(random.below(10), 0);
        }
    }
    world.assert_at_rest();
    assert_eq!(world.n_moved, 0);
}

#[test]
fn three_clones_that_write_nothing_write_no_merges() {
    let mut world = World::new(3, 2);
    for clone in 0..3 {
        world.create(clone);
        world.sync(clone, clone % 2);
    }
    world.assert_at_rest();
}
