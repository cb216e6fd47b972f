//! Eight processes at a time create, edit, comment, close and list, in two work trees of one repository, while it is
//! reindexed and packed and processes are killed. The history must be linearizable per item and field: each is an
//! independent object, and linearizability is compositional.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::{Cairn, Layout, Ran, Random, TestRepository, git_in};

use crate::history::{GrowingSet, Operation, Register, is_linearizable};
use crate::time_to_run;

const N_PROCESSES: u64 = 8;

/// An operation of one process, and its result.
#[derive(Debug)]
struct Done {
    began: Duration,
    ended: Option<Duration>,
    what: What,
}

#[derive(Debug)]
enum What {
    Create { title: String, number: Option<u64> },
    Title(u64, String),
    Comment(u64, String),
    Status(u64, &'static str),
    Show(u64, Value),
    List(BTreeMap<u64, Listed>),
}

/// An item of a list, without what is not compared.
#[derive(Debug)]
struct Listed {
    title: String,
    status: String,
}

struct World {
    cairn: Cairn,
    places: Vec<PathBuf>,
    start: Instant,
    is_over: AtomicBool,
    n_named: AtomicU64,
    numbers: Mutex<Vec<u64>>,
    done: Mutex<Vec<Done>>,
    failed: Mutex<Vec<String>>,
}

/// The longest history that is checked as one: memory and time for the check grow with its square.
const MAX_ROUND: Duration = Duration::from_secs(30);

#[test]
fn eight_processes_are_linearizable() {
    let time = time_to_run(10);
    let end = Instant::now() + time;
    while Instant::now() < end {
        play(time.min(MAX_ROUND));
    }
}

fn play(time: Duration) {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    git_in(fixture.path(), &["commit", "--quiet", "--allow-empty", "--message=code"]);
    let linked = fixture.directory_path().join("linked");
    git_in(fixture.path(), &["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    let world = World {
        cairn: Cairn::new(env!("CARGO_BIN_EXE_cairn"), fixture.path()),
        places: vec![fixture.path().to_owned(), linked],
        start: Instant::now(),
        is_over: AtomicBool::new(false),
        n_named: AtomicU64::new(0),
        numbers: Mutex::default(),
        done: Mutex::default(),
        failed: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let world = &world;
        (0..N_PROCESSES).for_each(|seed| drop(scope.spawn(move || world.client(seed))));
        scope.spawn(move || world.reindexer());
        scope.spawn(move || world.packer());
        std::thread::sleep(time);
        world.is_over.store(true, Ordering::SeqCst);
    });
    world.check(&fixture);
}

impl World {
    fn client(&self, seed: u64) {
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        while !self.is_over.load(Ordering::SeqCst) {
            let cairn = self.cairn.at(&self.places[random.below(2)]);
            self.one_step(&cairn, &mut random);
        }
    }

    fn one_step(&self, cairn: &Cairn, random: &mut Random) {
        let number = self.some_number(random);
        let name = self.n_named.fetch_add(1, Ordering::SeqCst);
        let (arguments, what): (Vec<String>, What) = match (random.below(12), number) {
            (0 | 1, _) | (_, None) => {
                let title = format!("item {name}");
                let what = What::Create { title: title.clone(), number: None };
                (vec!["--json".into(), "new".into(), "issue".into(), title], what)
            }
            (2..=4, Some(number)) => {
                let title = format!("title {name}");
                let what = What::Title(number, title.clone());
                (vec!["edit".into(), number.to_string(), "--title".into(), title], what)
            }
            (5 | 6, Some(number)) => {
                let body = format!("comment {name}");
                (vec!["comment".into(), number.to_string(), body.clone()], What::Comment(number, body))
            }
            (7, Some(number)) => (vec!["close".into(), number.to_string()], What::Status(number, "done")),
            (8, Some(_)) => {
                let list = ["--json", "list", "--all", "--limit", "0"].map(String::from);
                (list.to_vec(), What::List(BTreeMap::new()))
            }
            (_, Some(number)) => {
                (vec!["--json".into(), "show".into(), number.to_string()], What::Show(number, Value::Null))
            }
        };
        let may_kill = random.below(10) == 0;
        let kill_after = may_kill.then(|| Duration::from_millis(random.below(60) as u64));
        self.run(cairn, &arguments, what, kill_after);
    }

    /// Runs a command and records its result; with `kill_after` it is killed after that time.
    fn run(&self, cairn: &Cairn, arguments: &[String], mut what: What, kill_after: Option<Duration>) {
        let began = self.start.elapsed();
        let mut child = cairn.command(arguments).spawn().unwrap();
        if let Some(kill_after) = kill_after {
            std::thread::sleep(kill_after);
            // It may have exited by then.
            let _ = child.kill();
        }
        let ran = Ran::of(child);
        let ended = self.start.elapsed();
        let is_read = matches!(what, What::Show(..) | What::List(_));
        if !ran.status.success() {
            if kill_after.is_none() {
                self.failed.lock().unwrap().push(format!("{arguments:?}: {ran}"));
            }
            if !is_read {
                self.done.lock().unwrap().push(Done { began, ended: None, what });
            }
            return;
        }
        match &mut what {
            What::Create { number, .. } => {
                *number = ran.json()["number"].as_u64();
                self.numbers.lock().unwrap().extend(*number);
            }
            What::Show(_, seen) => *seen = ran.json(),
            What::List(seen) => *seen = listed(&ran.json()),
            _ => {}
        }
        self.done.lock().unwrap().push(Done { began, ended: Some(ended), what });
    }

    fn some_number(&self, random: &mut Random) -> Option<u64> {
        let numbers = self.numbers.lock().unwrap();
        if numbers.is_empty() { None } else { Some(numbers[random.below(numbers.len())]) }
    }

    fn reindexer(&self) {
        while !self.is_over.load(Ordering::SeqCst) {
            self.cairn.ok(&["reindex"]);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn packer(&self) {
        while !self.is_over.load(Ordering::SeqCst) {
            // Two `gc` runs exclude each other, and a writer may move a ref during one.
            let _ = std::process::Command::new("git")
                .args(["gc", "--quiet"])
                .current_dir(&self.places[0])
                .stderr(std::process::Stdio::null())
                .status();
            std::thread::sleep(Duration::from_millis(400));
        }
    }

    fn check(&self, fixture: &TestRepository) {
        let done = self.done.lock().unwrap();
        let failed = self.failed.lock().unwrap();
        assert!(failed.is_empty(), "{} commands failed, the first {}", failed.len(), failed[0]);
        assert!(done.len() > 20, "only {} operations in the time given", done.len());
        let numbers: BTreeSet<u64> = self.numbers.lock().unwrap().iter().copied().collect();
        assert_eq!(numbers.len(), self.numbers.lock().unwrap().len(), "a number was given twice");
        for number in numbers {
            check_register(number, &titles(&done, number));
            check_register(number, &statuses(&done, number));
            let comments = comments(&done, number);
            assert!(
                is_linearizable(&comments, BTreeSet::new(), GrowingSet::apply),
                "comments of #{number}: {comments:#?}"
            );
        }
        git_in(fixture.path(), &["fsck", "--strict", "--no-dangling"]);
        assert_eq!(self.cairn.json(&["doctor"])["ok"], true);
    }
}

#[track_caller]
fn check_register(number: u64, operations: &[Operation<Register>]) {
    assert!(is_linearizable(operations, String::new(), Register::apply), "#{number}: {operations:#?}");
}

fn text(item: &Value, field: &str) -> String {
    item[field].as_str().unwrap_or_default().to_owned()
}

fn listed(page: &Value) -> BTreeMap<u64, Listed> {
    let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let one = |item: &Value| Listed { title: text(item, "title"), status: text(item, "status") };
    items.map(|item| (item["number"].as_u64().unwrap(), one(item))).collect()
}

/// Returns the operations on a field of an item: writes, and the values that `list` and `show` returned.
fn register(
    done: &[Done],
    number: u64,
    field: &str,
    in_list: impl Fn(&Listed) -> &str,
    written: impl Fn(&What) -> Option<String>,
) -> Vec<Operation<Register>> {
    let mut operations = Vec::new();
    for one in done {
        let action = match &one.what {
            What::Show(shown, item) if *shown == number => Register::Read(text(item, field)),
            What::List(items) => Register::Read(items.get(&number).map_or("", &in_list).to_owned()),
            what => match written(what) {
                Some(value) => Register::Write(value),
                None => continue,
            },
        };
        operations.push(Operation { began: one.began, ended: one.ended, action });
    }
    operations
}

fn titles(done: &[Done], number: u64) -> Vec<Operation<Register>> {
    register(
        done,
        number,
        "title",
        |item| &item.title,
        |what| match what {
            What::Create { title, number: Some(own) } if *own == number => Some(title.clone()),
            What::Title(own, title) if *own == number => Some(title.clone()),
            _ => None,
        },
    )
}

fn statuses(done: &[Done], number: u64) -> Vec<Operation<Register>> {
    register(
        done,
        number,
        "status",
        |item| &item.status,
        |what| match what {
            What::Create { number: Some(own), .. } if *own == number => Some("backlog".to_owned()),
            What::Status(own, status) if *own == number => Some((*status).to_owned()),
            _ => None,
        },
    )
}

fn comments(done: &[Done], number: u64) -> Vec<Operation<GrowingSet>> {
    let mut operations = Vec::new();
    for one in done {
        let action = match &one.what {
            What::Comment(own, body) if *own == number => GrowingSet::Add(body.clone()),
            What::Show(own, item) if *own == number => {
                let bodies = item["comments"].as_array().map(Vec::as_slice).unwrap_or_default();
                GrowingSet::Read(bodies.iter().filter_map(|one| one["body"].as_str().map(str::to_owned)).collect())
            }
            _ => continue,
        };
        operations.push(Operation { began: one.began, ended: one.ended, action });
    }
    operations
}

/// Checks that the highest clock of the operations never decreases along the log.
#[track_caller]
pub(crate) fn check_clocks(directory: &std::path::Path) {
    let log = git_in(directory, &["log", "--reverse", "--topo-order", "--format=%x01%H %P%n%B", "refs/cairn/work"]);
    let mut highest: BTreeMap<&str, u64> = BTreeMap::new();
    for commit in log.split('\u{1}').skip(1) {
        let (head, body) = commit.split_once('\n').unwrap();
        let mut ids = head.split_whitespace();
        let id = ids.next().unwrap();
        let before = ids.filter_map(|parent| highest.get(parent)).max().copied().unwrap_or(0);
        let lines = body.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let clocks: Vec<u64> = lines.filter_map(|op| op["lamport"].as_u64()).collect();
        assert!(clocks.iter().all(|clock| *clock > before), "{id}: {clocks:?} after {before}");
        highest.insert(id, clocks.into_iter().max().unwrap_or(0).max(before));
    }
}
