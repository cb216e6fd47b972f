//! Clones and hubs with killed commands: all acknowledged writes are everywhere in the end, at one tip.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use testkit::{Cairn, Layout, Random, TestRepository, git_in};

use crate::time_to_run;

const N_CLONES: usize = 4;
const N_HUBS: usize = 2;

struct World {
    hubs: Vec<TestRepository>,
    clones: Vec<Cairn>,
    /// The titles of acknowledged items.
    kept: BTreeSet<String>,
    n_killed: usize,
}

impl World {
    fn new() -> Self {
        let hubs: Vec<TestRepository> = (0..N_HUBS).map(|_| TestRepository::in_memory(Layout::BARE)).collect();
        let clones = (0..N_CLONES).map(|n| {
            let path = hubs[0].clone_beside(&format!("clone-{n}"), &[]);
            git_in(&path, &["config", "user.name", &format!("Person {n}")]);
            git_in(&path, &["config", "user.email", &format!("person-{n}@example.org")]);
            git_in(&path, &["remote", "add", "second", hubs[1].path().to_str().unwrap()]);
            Cairn::new(env!("CARGO_BIN_EXE_cairn"), &path)
        });
        Self { clones: clones.collect(), hubs, kept: BTreeSet::new(), n_killed: 0 }
    }

    fn step(&mut self, n: usize, random: &mut Random) {
        let clone = random.below(N_CLONES);
        let remote = ["origin", "second"][random.below(N_HUBS)];
        let title = format!("item {n}");
        let arguments: &[&str] = if random.below(2) == 0 { &["new", "task", &title] } else { &["sync", remote] };
        let kill_after = (random.below(3) == 0).then(|| Duration::from_millis(random.below(80) as u64));
        if self.run(clone, arguments, kill_after) && arguments[0] == "new" {
            self.kept.insert(title);
        }
    }

    /// Runs a command and returns whether it was acknowledged.
    fn run(&mut self, clone: usize, arguments: &[&str], kill_after: Option<Duration>) -> bool {
        let Some(kill_after) = kill_after else {
            self.clones[clone].ok(arguments);
            return true;
        };
        let mut command = self.clones[clone].command(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(kill_after);
        // It may have exited by then.
        let _ = child.kill();
        let is_done = child.wait().unwrap().success();
        self.n_killed += usize::from(!is_done);
        is_done
    }

    fn sync_all(&self) {
        for clone in &self.clones {
            for remote in ["origin", "second"] {
                clone.ok(&["sync", remote]);
            }
        }
    }

    fn tips(&self) -> BTreeMap<PathBuf, String> {
        let clones = self.clones.iter().map(|clone| clone.directory().to_owned());
        let all = clones.chain(self.hubs.iter().map(|hub| hub.path().to_owned()));
        all.map(|path| (path.clone(), tip(&path))).collect()
    }
}

fn tip(path: &Path) -> String {
    git_in(path, &["rev-parse", "refs/cairn/work"])
}

fn titles(clone: &Cairn) -> BTreeSet<String> {
    let listed = clone.json(&["list", "--all", "--limit", "0"]);
    let numbers: BTreeSet<u64> =
        listed["items"].as_array().unwrap().iter().map(|item| item["number"].as_u64().unwrap()).collect();
    let titles: BTreeSet<String> =
        listed["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    assert_eq!(numbers.len(), titles.len(), "a number is held twice");
    titles
}

#[test]
fn clones_hubs_and_kills_converge_to_one_tip() {
    let mut world = World::new();
    let mut random = Random::new(13);
    let end = Instant::now() + time_to_run(12);
    let mut n = 0;
    while Instant::now() < end {
        world.step(n, &mut random);
        n += 1;
    }
    assert!(world.n_killed > 0, "none was killed: nothing was tested");
    world.sync_all();
    world.sync_all();
    let tips = world.tips();
    let distinct: BTreeSet<&String> = tips.values().collect();
    assert_eq!(distinct.len(), 1, "after two rounds: {tips:#?}");
    let n_commits = git_in(world.hubs[0].path(), &["rev-list", "--count", "refs/cairn/work"]);
    world.sync_all();
    assert_eq!(world.tips(), tips, "a round with nothing to share wrote something");
    assert_eq!(git_in(world.hubs[0].path(), &["rev-list", "--count", "refs/cairn/work"]), n_commits);
    for clone in &world.clones {
        let titles = titles(clone);
        let lost: Vec<&String> = world.kept.difference(&titles).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        clone.ok(&["doctor"]);
    }
}
