//! Two clones annotate and sync: both end with all notes, at the same commit.

use std::path::{Path, PathBuf};

use model::annotation::{Constraint, Extra, Note, Source};
use store::Store;
use store::git::{CommitId, GitProgress, RefName};
use store::sync::NotesOutcome;
use testkit::{Layout, TestRepository, git_in};

use crate::notes_support::{ids, note, open_store, write};

struct Clones {
    hub: TestRepository,
    commits: Vec<CommitId>,
}

impl Clones {
    fn new(layout: Layout) -> (Self, Store, Store) {
        let hub = TestRepository::in_memory(Layout { bare: true, ..layout });
        let one = open_store(&hub.clone_beside("one", &[]));
        let other = open_store(&hub.clone_beside("other", &[]));
        let commits = ids(300, one.repository().hash_length());
        (Self { hub, commits }, one, other)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.hub.directory_path().join(name)
    }
}

fn sync(store: &mut Store) -> NotesOutcome {
    store.sync("origin", &RefName::NOTES, GitProgress::Quiet).unwrap().notes
}

fn tip(path: &Path) -> String {
    git_in(path, &["rev-parse", "refs/notes/ultragit"])
}

fn read(store: &Store, commit: &CommitId) -> Note {
    store.notes(&RefName::NOTES).unwrap().read(commit).unwrap().unwrap().unwrap()
}

fn with_constraint(mut note: Note, text: &str) -> Note {
    let constraint = Constraint { text: text.to_owned(), source: Source::Author, extra: Extra::new() };
    note.regions[0].constraints.push(constraint);
    note
}

#[test]
fn same_and_different_commits_are_united() {
    for layout in [Layout::PLAIN, Layout { hash: "sha256", refs: "reftable", bare: false }] {
        let (clones, mut one, mut other) = Clones::new(layout);
        let c = &clones.commits;
        write(&mut one, &RefName::NOTES, &[(c[0], with_constraint(note(&c[0], 1, "f", "old"), "from one"))]);
        write(&mut one, &RefName::NOTES, &[(c[1], note(&c[1], 1, "g", "only one"))]);
        write(&mut other, &RefName::NOTES, &[(c[0], with_constraint(note(&c[0], 2, "f", "new"), "from other"))]);
        write(&mut other, &RefName::NOTES, &[(c[2], note(&c[2], 1, "h", "only other"))]);
        assert_eq!(sync(&mut one), NotesOutcome::Shared);
        assert_eq!(sync(&mut other), NotesOutcome::Merged);
        assert_eq!(sync(&mut one), NotesOutcome::Shared);
        assert_eq!(sync(&mut other), NotesOutcome::Same);
        let tips = ["one", "other", "project.git"].map(|name| tip(&clones.path(name)));
        assert!(tips.iter().all(|tip| *tip == tips[0]), "{layout:?}: {tips:?}");
        for store in [&one, &other] {
            let region = &read(store, &c[0]).regions[0];
            assert_eq!(region.intent, "new");
            let texts: Vec<&str> = region.constraints.iter().map(|one| one.text.as_str()).collect();
            assert_eq!(texts, ["from one", "from other"]);
            assert_eq!(read(store, &c[1]).regions[0].intent, "only one");
            assert_eq!(read(store, &c[2]).regions[0].intent, "only other");
        }
    }
}

#[test]
fn a_merge_is_the_same_commit_in_every_clone() {
    let (clones, mut one, mut other) = Clones::new(Layout::PLAIN);
    let c = &clones.commits;
    // One side has so many notes that its tree has fan-out folders, the other has none.
    let many: Vec<(CommitId, Note)> = c.iter().map(|commit| (*commit, note(commit, 1, "f", "many"))).collect();
    write(&mut one, &RefName::NOTES, &many);
    write(&mut other, &RefName::NOTES, &[(c[7], note(&c[7], 2, "f", "changed"))]);
    let tips = ["one", "other"].map(|name| tip(&clones.path(name)));
    // A second hub gets the two sides in the other order.
    let second = clones.path("second.git");
    git_in(
        &clones.hub.directory_path(),
        &["clone", "--quiet", "--bare", clones.path("one").to_str().unwrap(), "second.git"],
    );
    sync(&mut one);
    sync(&mut other);
    let merged = tip(&clones.path("other"));
    let mut again = open_store(&clones.hub.clone_beside("again", &[]));
    git_in(
        &second,
        &["fetch", "--quiet", clones.path("other").to_str().unwrap(), &format!("{}:refs/notes/ultragit", tips[1])],
    );
    git_in(
        &clones.path("again"),
        &["fetch", "--quiet", clones.path("one").to_str().unwrap(), &format!("{}:refs/notes/ultragit", tips[0])],
    );
    again.sync(second.to_str().unwrap(), &RefName::NOTES, GitProgress::Quiet).unwrap();
    assert_eq!(tip(&clones.path("again")), merged);
    assert_eq!(read(&again, &c[7]).regions[0].intent, "changed");
    assert_eq!(again.notes(&RefName::NOTES).unwrap().list().unwrap().len(), c.len());
}

#[test]
fn removals_and_changes_of_one_side_survive_a_merge() {
    let (clones, mut one, mut other) = Clones::new(Layout::PLAIN);
    let c = &clones.commits;
    let notes: Vec<(CommitId, Note)> = c[..3].iter().map(|commit| (*commit, note(commit, 1, "f", "first"))).collect();
    write(&mut one, &RefName::NOTES, &notes);
    sync(&mut one);
    sync(&mut other);
    let remove =
        |commit: &CommitId| git_in(&clones.path("one"), &["notes", "--ref=ultragit", "remove", &commit.to_string()]);
    remove(&c[0]);
    remove(&c[1]);
    write(&mut other, &RefName::NOTES, &[(c[1], note(&c[1], 2, "f", "still meant"))]);
    sync(&mut one);
    sync(&mut other);
    sync(&mut one);
    for store in [&one, &other] {
        let notes = store.notes(&RefName::NOTES).unwrap();
        assert!(notes.read(&c[0]).unwrap().is_none());
        assert_eq!(read(store, &c[1]).regions[0].intent, "still meant");
        assert_eq!(read(store, &c[2]).regions[0].intent, "first");
    }
}

#[test]
fn a_broken_note_blocks_no_other_note() {
    let (clones, mut one, mut other) = Clones::new(Layout::PLAIN);
    let c = &clones.commits;
    git_in(&clones.path("one"), &["notes", "--ref=ultragit", "add", "-m", "words", &c[0].to_string()]);
    write(&mut other, &RefName::NOTES, &[(c[0], note(&c[0], 1, "f", "readable")), (c[1], note(&c[1], 1, "f", "x"))]);
    sync(&mut one);
    sync(&mut other);
    sync(&mut one);
    for store in [&one, &other] {
        assert_eq!(read(store, &c[0]).regions[0].intent, "readable");
        assert_eq!(read(store, &c[1]).regions[0].intent, "x");
    }
    assert_eq!(tip(&clones.path("one")), tip(&clones.path("other")));
}

#[test]
fn clones_that_write_and_sync_at_once_end_the_same() {
    let hub = TestRepository::in_memory(Layout::BARE);
    let names = ["a", "b", "c", "d"];
    let commits = ids(40, 20);
    let mut stores: Vec<Store> = names.iter().map(|name| open_store(&hub.clone_beside(name, &[]))).collect();
    std::thread::scope(|scope| {
        for (n, store) in stores.iter_mut().enumerate() {
            let commits = &commits;
            scope.spawn(move || {
                for round in 0..4 {
                    let own = commits[n * 4 + round];
                    let all = commits[39];
                    let name = format!("f{n}_{round}");
                    write(
                        store,
                        &RefName::NOTES,
                        &[(own, note(&own, 1, "f", "own")), (all, note(&all, 1, &name, "all"))],
                    );
                    sync(store);
                }
            });
        }
    });
    for store in &mut stores {
        sync(store);
    }
    let tips: Vec<String> = names.iter().map(|name| tip(&hub.directory_path().join(name))).collect();
    assert!(tips.iter().all(|one| *one == tips[0]), "{tips:?}");
    for store in &stores {
        let notes = store.notes(&RefName::NOTES).unwrap();
        assert_eq!(notes.list().unwrap().len(), 17);
        for commit in &commits[..16] {
            assert_eq!(read(store, commit).regions[0].intent, "own");
        }
    }
}

#[test]
fn notes_of_three_clones_and_two_hubs_converge() {
    let (clones, one, other) = Clones::new(Layout::PLAIN);
    let second = TestRepository::in_memory(Layout::BARE);
    let hubs = ["origin", second.path().to_str().unwrap()];
    let third = open_store(&clones.hub.clone_beside("third", &[]));
    let mut stores = [one, other, third];
    for (n, store) in stores.iter_mut().enumerate() {
        let commit = clones.commits[n % 2];
        write(store, &RefName::NOTES, &[(commit, note(&commit, 1, &format!("f{n}"), "said"))]);
        store.sync(hubs[n % 2], &RefName::NOTES, GitProgress::Quiet).unwrap();
    }
    let mut round = || {
        for store in &mut stores {
            for hub in hubs {
                store.sync(hub, &RefName::NOTES, GitProgress::Quiet).unwrap();
            }
        }
        let paths = ["one", "other", "third"].map(|name| clones.path(name));
        let tips = paths.iter().map(|path| tip(path)).chain([tip(clones.hub.path()), tip(second.path())]);
        tips.collect::<Vec<String>>()
    };
    round();
    let tips = round();
    assert!(tips.iter().all(|tip| *tip == tips[0]), "{tips:?}");
    assert_eq!(round(), tips, "a round with nothing to share wrote something");
    assert_eq!(read(&stores[0], &clones.commits[0]).regions.len(), 2);
}

/// A note of more than half of the maximum length.
fn long_note(commit: &CommitId, second: i64, name: &str, letter: &str) -> Note {
    let length = usize::try_from(store::format::annotation::MAX_BYTES).unwrap() * 3 / 5;
    note(commit, second, name, &letter.repeat(length))
}

/// Syncs two clones until both are done, and checks that they rest at one tip.
fn come_to_rest(clones: &Clones, one: &mut Store, other: &mut Store) {
    for _ in 0..2 {
        sync(one);
        sync(other);
    }
    let tips = ["one", "other", "project.git"].map(|name| tip(&clones.path(name)));
    assert!(tips.iter().all(|tip| *tip == tips[0]), "{tips:?}");
    assert_eq!((sync(one), sync(other)), (NotesOutcome::Same, NotesOutcome::Same));
}

#[test]
fn notes_that_are_too_long_together_are_not_merged() {
    let (clones, mut one, _) = Clones::new(Layout::PLAIN);
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = std::sync::Arc::clone(&told);
    let listener = std::sync::Arc::new(move |notice| heard.lock().unwrap().push(notice));
    let mut other = Store::open(&clones.path("other"), listener).unwrap();
    let c = &clones.commits;
    write(&mut one, &RefName::NOTES, &[(c[0], long_note(&c[0], 2, "f", "n"))]);
    write(&mut other, &RefName::NOTES, &[(c[0], long_note(&c[0], 1, "g", "o"))]);
    let older = git_in(&clones.path("other"), &["notes", "--ref=ultragit", "list", &c[0].to_string()]);
    come_to_rest(&clones, &mut one, &mut other);
    for store in [&one, &other] {
        assert_eq!(read(store, &c[0]).regions[0].anchor.name, "f", "the newer one");
    }
    let told = format!("{:?}", told.lock().unwrap());
    assert!(told.contains(older.trim()), "{told}");
    insta::assert_snapshot!(testkit::redact(&told), @r#"[Skipped(Warning { place: "<id>", text: "two clones changed its annotation, and together they are too long; the newer one is kept, the other one is `<id>`" })]"#);
}

#[test]
fn notes_that_are_too_long_to_be_read_do_not_stop_a_sync() {
    let (clones, mut one, mut other) = Clones::new(Layout::PLAIN);
    let c = &clones.commits;
    for (clone, letter) in [("one", "a"), ("other", "b")] {
        let path = clones.path(clone);
        let length = usize::try_from(store::format::annotation::MAX_BYTES).unwrap() + 1;
        std::fs::write(path.join(".git/note"), letter.repeat(length)).unwrap();
        git_in(&path, &["notes", "--ref=ultragit", "add", "--file=.git/note", &c[0].to_string()]);
    }
    come_to_rest(&clones, &mut one, &mut other);
}

#[test]
fn annotation_that_is_too_long_is_refused() {
    let fixture = TestRepository::new();
    let mut store = open_store(fixture.path());
    let commit = ids(1, 20)[0];
    let plan = |_: &store::notes::Notes<'_>| -> Result<_, store::StoreError> {
        let mut note = long_note(&commit, 1, "f", "x");
        note.regions.push(long_note(&commit, 1, "g", "y").regions.remove(0));
        Ok((store::notes::NotePlan { subject: "annotate".to_owned(), notes: vec![(commit, note)] }, ()))
    };
    let error = store.write_notes(&RefName::NOTES, plan).unwrap_err().to_string();
    insta::assert_snapshot!(error.replace(&commit.to_string(), "<commit>"), @"the annotation of `<commit>` cannot be written, because it could not be read again: it is longer than 16777216 bytes");
    assert!(store.notes(&RefName::NOTES).unwrap().tip().is_none(), "nothing was written");
}
