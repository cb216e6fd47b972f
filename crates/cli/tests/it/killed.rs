//! Killed writers: acknowledged writes are kept, and no later writer is blocked.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use testkit::{Cairn, Random};

use crate::support::{Hub, Project, assert_sound, items, numbers, titles};

const ROUNDS: u64 = 200;

/// Starts a command, kills it after a time unless it exited, and returns whether it reported success.
fn doomed(cairn: &Cairn, arguments: &[&str], life: Duration) -> bool {
    let mut command = cairn.command(arguments);
    // Its git child processes survive and would hold pipes open.
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(life);
    let _ = child.kill();
    child.wait().unwrap().success()
}

fn time_of(cairn: &Cairn, arguments: &[&str]) -> Duration {
    let began = Instant::now();
    cairn.ok(arguments);
    began.elapsed()
}

#[test]
fn acknowledged_writes_survive_two_hundred_kills() {
    let hub = Hub::in_memory();
    let cairn = hub.clone_as("victim");
    cairn.quiet(&["new", "issue", "commented"]);
    cairn.quiet(&["new", "issue", "labelled"]);
    let writing = time_of(&cairn, &["new", "issue", "edited"]);
    let syncing = time_of(&cairn, &["sync"]);
    let mut random = Random::new(42);
    let mut kept: [BTreeSet<String>; 3] = Default::default();
    let mut n_killed = 0;
    // The machine's speed may change after the two were timed: each kill allows the next a little more time, each
    // success a little less.
    let mut pace = 1.0;
    for round in 0..ROUNDS {
        let name = format!("r{round}");
        let label = format!("+{name}");
        let (arguments, usual): (&[&str], _) = match round % 8 {
            0 | 1 | 4 => (&["new", "task", &name], writing),
            2 | 5 => (&["comment", "1", &name], writing),
            3 | 6 => (&["label", "2", &label], writing),
            _ => (&["sync"], syncing),
        };
        let life =
            Duration::from_micros(random.below(usize::try_from(usual.as_micros()).unwrap().max(1) * 5 / 4) as u64);
        let done = doomed(&cairn, arguments, life.mul_f64(pace));
        pace *= if done { 0.93 } else { 1.05 };
        n_killed += u32::from(!done);
        match arguments[0] {
            "new" if done => _ = kept[0].insert(name),
            "comment" if done => _ = kept[1].insert(name),
            "label" if done => _ = kept[2].insert(name),
            _ => {}
        }
        if round % 25 == 24 {
            cairn.ok(&["edit", "3", "--title", &format!("edited in round {round}")]);
            let shown = cairn.json(&["show", "3"]);
            assert_eq!(shown["title"], format!("edited in round {round}"));
        }
    }
    // If none or all were killed, nothing was tested.
    assert!((20..=190).contains(&n_killed), "{n_killed} of {ROUNDS} were killed");
    cairn.ok(&["sync"]);
    assert_kept(&cairn, &kept);
    assert_sound(cairn.directory());
    assert_sound(hub.repository.path());
    let others = hub.clone_as("other");
    others.ok(&["sync"]);
    assert_kept(&others, &kept);
    let all = numbers(&cairn);
    assert_eq!(all, (1..=u64::try_from(all.len()).unwrap()).collect::<Vec<_>>());
    assert_eq!(cairn.json(&["doctor"])["ok"], true);
}

fn assert_kept(cairn: &Cairn, [made, said, labelled]: &[BTreeSet<String>; 3]) {
    let titles: BTreeSet<String> = titles(cairn).into_iter().collect();
    assert!(made.is_subset(&titles), "lost items: {:?}", made.difference(&titles));
    let shown = cairn.json(&["show", "1"]);
    let bodies = shown["comments"].as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap().to_owned());
    let bodies: BTreeSet<String> = bodies.collect();
    assert!(said.is_subset(&bodies), "lost comments: {:?}", said.difference(&bodies));
    let shown = cairn.json(&["show", "2"]);
    let labels = shown["labels"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned());
    let labels: BTreeSet<String> = labels.collect();
    assert!(labelled.is_subset(&labels), "lost labels: {:?}", labelled.difference(&labels));
}

/// Leaves the lock file of a writer that was killed while it moved a ref.
fn leave_lock(project: &Project, reference: &str) {
    let git_dir = project.repository.git_dir();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    fs::write(git_dir.join("cairn/write.lock"), format!("pid 4194999 {}\n", now - 60)).unwrap();
    let path = git_dir.join(format!("{reference}.lock"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(&path).unwrap().set_modified(SystemTime::now() - Duration::from_secs(30)).unwrap();
}

#[test]
fn a_dead_writers_lock_is_removed_and_reported_once() {
    let project = Project::with_items(&["one"]);
    leave_lock(&project, "refs/cairn/work");
    let ran = project.cairn.ok(&["new", "issue", "two"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    created issue #2: two
    --- stderr
    warning: process 4194999 was killed while it was writing; its lock `<tmp>/project/.git/refs/cairn/work.lock` was removed
    ");
    project.cairn.quiet(&["new", "issue", "three"]);
    assert_eq!(items(&project.cairn).len(), 3);
}

#[test]
fn a_lock_left_by_a_sync_does_not_stop_the_next_one() {
    let hub = Hub::in_memory();
    let project = Project::with_items(&["one"]);
    let url = hub.repository.path().to_str().unwrap();
    project.repository.git(&["remote", "add", "origin", url]);
    project.cairn.quiet(&["sync"]);
    project.cairn.quiet(&["new", "issue", "two"]);
    leave_lock(&project, "refs/cairn/remotes/origin/work");
    let ran = project.cairn.ok(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    sent to `origin`: 1 change
      <moment>  Ada Lovelace created #2 two
    --- stderr
    warning: process 4194999 was killed while it was writing; its lock `<tmp>/project/.git/refs/cairn/remotes/origin/work.lock` was removed
    ");
    assert_eq!(hub.repository.git(&["rev-parse", "refs/cairn/work"]), project.tip());
    project.cairn.quiet(&["sync"]);
}

#[test]
fn lock_without_a_dead_owner_is_named() {
    let project = Project::with_items(&["one"]);
    fs::write(project.repository.git_dir().join("refs/cairn/work.lock"), "").unwrap();
    let ran = project.cairn.run(&["new", "issue", "two"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: `<tmp>/project/.git/refs/cairn/work.lock` is held by another process; if no git program is running, remove the file
    ");
    assert_eq!(titles(&project.cairn), ["one"]);
}
