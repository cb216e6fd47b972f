//! The index of annotations: its results match the notes, however it was built, and the cost of a query does not grow
//! with the number of notes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use model::annotation::{Dependency, Extra, Note, Region};
use proptest::prelude::*;
use store::git::{CommitId, RefName, Repository};
use store::index::{Dependent, Index, RegionRow};
use store::notes::Notes;
use store::{Store, format::annotation};
use testkit::{Layout, TestRepository};

use crate::git_support::open;
use crate::notes_support::{ids, note, open_store, write};
use crate::random_log::cases;
use crate::random_notes;

const N_COMMITS: usize = 6;

/// An event on the notes ref or the index.
#[derive(Debug, Clone)]
enum Step {
    Write(Vec<(usize, Option<Vec<u8>>)>),
    GoBack(prop::sample::Index),
    OtherRef,
    Follow,
    DeleteIndex,
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = prop_oneof![
        6 => note_with_few_names().prop_map(|note| annotation::write(&note)),
        1 => Just(b"broken".to_vec()),
    ];
    let edit = (0..N_COMMITS, prop::option::weighted(0.8, bytes));
    prop_oneof![
        6 => prop::collection::vec(edit, 1..4).prop_map(Step::Write),
        1 => any::<prop::sample::Index>().prop_map(Step::GoBack),
        1 => Just(Step::OtherRef),
        4 => Just(Step::Follow),
        1 => Just(Step::DeleteIndex),
    ]
}

// Random notes with few names, so that queries have results.
fn note_with_few_names() -> impl Strategy<Value = Note> {
    (random_notes::note(), prop::collection::vec(("[ab]", "(A::)?[fg]"), 4)).prop_map(|(mut note, names)| {
        for (region, (file, name)) in note.regions.iter_mut().zip(names) {
            for dependency in &mut region.semantic_dependencies {
                dependency.file.clone_from(&file);
                dependency.anchor.clone_from(&name);
            }
            region.file = file;
            region.anchor.name = name;
        }
        note
    })
}

struct World {
    fixture: TestRepository,
    repository: Repository,
    commits: Vec<CommitId>,
    tips: Vec<CommitId>,
    tip: Option<CommitId>,
    name: RefName,
    index: Index,
}

impl World {
    fn new() -> Self {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let repository = open(fixture.path());
        let index = Index::create(&fixture.git_dir().join("test.db")).unwrap();
        let name = RefName::NOTES;
        Self { fixture, repository, commits: ids(N_COMMITS, 20), tips: Vec::new(), tip: None, name, index }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Write(edits) => self.write(edits),
            Step::GoBack(index) if !self.tips.is_empty() => self.tip = Some(*index.get(&self.tips)),
            Step::GoBack(_) => {}
            Step::OtherRef => self.name = RefName::for_notes(&format!("other{}", self.tips.len())).unwrap(),
            Step::Follow => self.follow(),
            Step::DeleteIndex => {
                let path = self.fixture.git_dir().join(format!("test-{}.db", uuid::Uuid::now_v7()));
                self.index = Index::create(&path).unwrap();
            }
        }
    }

    fn write(&mut self, edits: Vec<(usize, Option<Vec<u8>>)>) {
        let blob = |bytes: Vec<u8>| self.repository.write_blob(&bytes).unwrap();
        let edits: Vec<_> = edits.into_iter().map(|(n, bytes)| (self.commits[n], bytes.map(blob))).collect();
        let old = self.tip.map(|tip| self.repository.read_commit(&tip, 4096).unwrap().tree);
        let tree = self.repository.write_notes_tree(old.as_ref(), &edits).unwrap();
        let parents: Vec<CommitId> = self.tip.into_iter().collect();
        let commit = store::git::NewCommit { parents: &parents, message: b"x", files: &[], author: None };
        let tip = self.repository.write_commit_with_tree(&commit, tree).unwrap();
        self.tips.push(tip);
        self.tip = Some(tip);
    }

    fn follow(&mut self) {
        let tip = self.tip;
        self.index.catch_up_notes(&self.repository, &self.name, &|| Ok(tip)).unwrap();
        let mut fresh = Index::in_memory().unwrap();
        fresh.catch_up_notes(&self.repository, &self.name, &|| Ok(tip)).unwrap();
        assert_eq!(self.index.dump().unwrap(), fresh.dump().unwrap());
        self.check_answers();
    }

    fn check_answers(&self) {
        let notes = Notes::at(&self.repository, self.tip).unwrap();
        let read = |commit: CommitId| Some((commit, notes.read(&commit).unwrap()?));
        let all: BTreeMap<CommitId, _> = notes.list().unwrap().into_iter().filter_map(read).collect();
        assert_eq!(self.index.annotated_commits().unwrap(), all.keys().copied().collect::<Vec<_>>());
        let broken: Vec<CommitId> = all.iter().filter(|(_, note)| note.is_err()).map(|(commit, _)| *commit).collect();
        let listed: Vec<CommitId> = self.index.broken_notes().unwrap().into_iter().map(|(commit, _)| commit).collect();
        assert_eq!(listed, broken);
        let read: Vec<(CommitId, &Note)> =
            all.iter().filter_map(|(id, note)| Some((*id, note.as_ref().ok()?))).collect();
        for file in ["a", "b", "c"] {
            let expected = expected(&read, |region| region.file == file);
            assert_eq!(self.index.regions_in(file).unwrap().iter().map(seen).collect::<Vec<_>>(), expected);
            for anchor in [None, Some("f"), Some("A::f"), Some("B::f")] {
                let found = self.index.dependents(file, anchor).unwrap();
                assert_eq!(found.iter().map(named).collect::<Vec<_>>(), dependents(&read, file, anchor), "{anchor:?}");
            }
        }
    }
}

type Seen = (CommitId, usize, String, String, Option<String>);

fn seen(row: &RegionRow) -> Seen {
    (row.commit, row.place, row.file.clone(), row.anchor.clone(), row.timestamp.map(|at| at.to_string()))
}

fn expected(notes: &[(CommitId, &Note)], wanted: impl Fn(&Region) -> bool) -> Vec<Seen> {
    let mut all = Vec::new();
    for (commit, note) in notes {
        for (place, region) in note.regions.iter().enumerate().filter(|(_, region)| wanted(region)) {
            let at = note.time_of(region).map(|at| at.to_string());
            all.push((*commit, place, region.file.clone(), region.anchor.name.clone(), at));
        }
    }
    all
}

fn named(one: &Dependent) -> (CommitId, usize, String, String) {
    (one.region.commit, one.region.place, one.anchor.clone(), one.nature.clone())
}

fn dependents(notes: &[(CommitId, &Note)], file: &str, anchor: Option<&str>) -> Vec<(CommitId, usize, String, String)> {
    // All names here are `f`, `g`, or one of them in `A`.
    let is_meant = |name: &str| match anchor {
        None => true,
        Some("f") => name == "f" || name == "A::f",
        Some(anchor) => name == anchor || name == "f",
    };
    let mut all = Vec::new();
    for (commit, note) in notes {
        for (place, region) in note.regions.iter().enumerate() {
            let on = region.semantic_dependencies.iter().filter(|on| on.file == file && is_meant(&on.anchor));
            all.extend(on.map(|on| (*commit, place, on.anchor.clone(), on.nature.clone())));
        }
    }
    all
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn queries_equal_the_notes_for_any_index_history(steps in prop::collection::vec(step(), 1..16)) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
        }
        world.follow();
    }
}

#[test]
fn only_changed_notes_are_read() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let mut store = open_store(fixture.path());
    let commits = ids(300, 20);
    let notes: Vec<(CommitId, Note)> = commits.iter().map(|id| (*id, note(id, 1, "f", "why"))).collect();
    write(&mut store, &RefName::NOTES, &notes);
    assert_eq!(store.follow_notes(&RefName::NOTES).unwrap().n_changed, 300);
    assert_eq!(store.follow_notes(&RefName::NOTES).unwrap().n_changed, 0);
    write(&mut store, &RefName::NOTES, &[(commits[3], note(&commits[3], 2, "f", "changed"))]);
    assert_eq!(store.follow_notes(&RefName::NOTES).unwrap().n_changed, 1);
    assert!(store.verify_index().unwrap().is_true);
    std::fs::remove_dir_all(fixture.git_dir().join("cairn")).unwrap();
    let mut store = open_store(fixture.path());
    assert_eq!(store.follow_notes(&RefName::NOTES).unwrap().n_changed, 300);
}

#[test]
fn a_broken_note_is_reported_once_and_listed() {
    let fixture = TestRepository::new();
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = std::sync::Arc::clone(&told);
    let listener = std::sync::Arc::new(move |notice| heard.lock().unwrap().push(notice));
    let mut store = Store::open(fixture.path(), listener).unwrap();
    let commit = ids(1, 20)[0];
    fixture.git(&["notes", "--ref=ultragit", "add", "-m", "words", &commit.to_string()]);
    store.follow_notes(&RefName::NOTES).unwrap();
    store.follow_notes(&RefName::NOTES).unwrap();
    assert_eq!(store.index().broken_notes().unwrap()[0].0, commit);
    let told = told.lock().unwrap();
    let text = format!("{told:?}");
    assert_eq!(text.matches("annotation was skipped").count(), 1, "{text}");
    assert!(text.contains(&commit.to_string()), "{text}");
}

#[test]
fn dependents_cost_the_same_among_many_notes() {
    let small = annotated(100);
    let large = annotated(20_000);
    let price = |store: &mut Store| {
        let started = Instant::now();
        store.follow_notes(&RefName::NOTES).unwrap();
        let found = store.index().dependents("hot.rs", Some("hot")).unwrap();
        assert_eq!(found.len(), 10);
        started.elapsed()
    };
    let (mut small, mut large) = (small, large);
    let mut best = [Duration::MAX; 2];
    // The minimum of many runs: other load only adds time.
    for _ in 0..300 {
        best[0] = best[0].min(price(&mut small.1));
        best[1] = best[1].min(price(&mut large.1));
    }
    assert!(best[1] < best[0].mul_f64(1.5), "{best:?}");
}

fn annotated(n: usize) -> (TestRepository, Store) {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let mut store = open_store(fixture.path());
    let on = |file: &str, anchor: &str| {
        let (file, anchor, nature) = (file.to_owned(), anchor.to_owned(), "assumes".to_owned());
        Dependency { file, anchor, nature, extra: Extra::new() }
    };
    let notes = ids(n, 20).into_iter().enumerate().map(|(number, id)| {
        let mut note = note(&id, 1, "f", "why");
        let (file, anchor) = (format!("src/{number}.rs"), format!("f{number}"));
        note.regions[0].semantic_dependencies.push(on(&file, &anchor));
        if number < 10 {
            note.regions[0].semantic_dependencies.push(on("hot.rs", "hot"));
        }
        (id, note)
    });
    write(&mut store, &RefName::NOTES, &notes.collect::<Vec<_>>());
    store.follow_notes(&RefName::NOTES).unwrap();
    (fixture, store)
}
