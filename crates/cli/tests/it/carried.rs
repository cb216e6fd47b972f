//! Annotations through rewritten history, with the real git and the hooks of the built program: they are found again,
//! and never attached to other code.

use serde_json::{Value, json};

use crate::workshop::{CODE, Workshop, place, places};

const MORE: &str = "// Added above.\n\n";

fn provenance(note: &Value) -> (&str, usize) {
    (note["provenance"]["operation"].as_str().unwrap(), note["provenance"]["derived_from"].as_array().unwrap().len())
}

/// Runs a rebase with a sequence editor that replaces words in the todo list.
fn sequence(workshop: &Workshop, script: &str, base: &str) {
    let editor = format!("sed -i -e '{script}'");
    let variables = [("GIT_SEQUENCE_EDITOR", editor.as_str()), ("GIT_EDITOR", "true")];
    let output = workshop.git_with(&variables, &["rebase", "-i", base]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn trailers_annotate_the_functions_the_commit_changed() {
    let workshop = Workshop::with_hooks();
    workshop.edit("src/lib.rs", "    flush(&file);\n", "    flush(&file);\n    sync(&file);\n");
    let id = workshop.commit(
        "Sync on close\n\nIntent: No write is lost\nConstraint: sync before release\nConstraint: never twice\nRisk: slow disks\n\
         Depends-On: src/lib.rs:open (registers the handle)\nDepends-On: https://example.com/1\nSigned-off-by: Ada <a@b.c>",
    );
    let note = workshop.note(&id);
    assert_eq!(places(&note), [place("src/lib.rs", "close", (7, 11))]);
    let region = &note["regions"][0];
    assert_eq!((&region["intent"], &region["risk_notes"]), (&json!("No write is lost"), &json!("slow disks")));
    assert_eq!(region["constraints"].as_array().unwrap().len(), 2);
    assert_eq!(
        region["semantic_dependencies"],
        json!([{"file": "src/lib.rs", "anchor": "open", "nature": "registers the handle"}])
    );
    assert_eq!((&note["summary"], &note["context_level"]), (&json!("Sync on close"), &json!("enhanced")));
    assert_eq!(workshop.intents("src/lib.rs", "open"), [""; 0]);
}

#[test]
fn a_commit_without_trailers_gets_no_note() {
    let workshop = Workshop::with_hooks();
    let id = workshop.commit("Nothing\n\nIntent in words, not a trailer: no\n");
    assert!(workshop.try_note(&id).is_none());
}

#[test]
fn rename_and_move_between_files() {
    let workshop = Workshop::with_hooks();
    workshop.annotate("src/lib.rs:open", "of open", "a");
    workshop.annotate("src/lib.rs:count", "of count", "b");
    workshop.git(&["mv", "src/lib.rs", "src/files.rs"]);
    workshop.commit("Rename");
    assert_eq!(workshop.intents("src/files.rs", "open"), ["of open"]);
    let count = &CODE[CODE.find("pub fn count").unwrap()..];
    workshop.edit("src/files.rs", count, "");
    workshop.write("src/census.rs", count);
    workshop.commit("Move");
    assert_eq!(workshop.intents("src/census.rs", "count"), ["of count"]);
    assert_eq!(workshop.intents("src/files.rs", "close"), [""; 0]);
}

#[test]
fn an_amend_takes_the_note_along_to_where_the_code_is() {
    let workshop = Workshop::with_hooks();
    workshop.annotate("src/lib.rs:open", "of open", "a");
    workshop.annotate("src/lib.rs:count", "of count", "b");
    let old = workshop.head();
    workshop.write("src/lib.rs", &format!("{MORE}{CODE}"));
    workshop.git(&["commit", "--all", "--amend", "--quiet", "--no-edit"]);
    let note = workshop.note("HEAD");
    assert_eq!(places(&note), [place("src/lib.rs", "count", (14, 17)), place("src/lib.rs", "open", (3, 7))]);
    assert_eq!(provenance(&note), ("amend", 1));
    assert_eq!(note["provenance"]["derived_from"][0], old.as_str());
    assert_eq!(workshop.intents("src/lib.rs", "open"), ["of open"]);
    assert_eq!(workshop.intents("src/lib.rs", "close"), [""; 0]);
}

#[test]
fn an_amend_that_renames_finds_the_code_by_what_it_says() {
    let workshop = Workshop::with_hooks();
    workshop.annotate("src/lib.rs:open", "of open", "a");
    workshop.annotate("src/lib.rs:close", "of close", "b");
    workshop.annotate("src/lib.rs:12-12", "of a line", "c");
    // One is renamed with its file, one is deleted.
    workshop.git(&["mv", "src/lib.rs", "src/files.rs"]);
    workshop.edit("src/files.rs", "pub fn open", "pub fn take_hold_of");
    let close = &CODE[CODE.find("pub fn close").unwrap()..CODE.find("pub fn count").unwrap()];
    workshop.edit("src/files.rs", close, "");
    let output = workshop.git_with(&[], &["commit", "--all", "--amend", "--quiet", "--no-edit"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    insta::assert_snapshot!(testkit::redact(&said), @"cairn: carried the annotation of `close` in `src/lib.rs`, but its code was not found");
    let note = workshop.note("HEAD");
    assert_eq!(
        places(&note),
        [
            place("src/files.rs", "", (7, 7)),
            place("src/files.rs", "take_hold_of", (1, 5)),
            ("src/lib.rs".to_owned(), "close".to_owned(), None)
        ]
    );
    assert_eq!(workshop.intents("src/files.rs", "take_hold_of"), ["of open"]);
}

#[test]
fn an_amend_with_trailers_has_one_region_and_the_new_words() {
    let workshop = Workshop::with_hooks();
    workshop.edit("src/lib.rs", "release(file)", "release(file, 1)");
    workshop.commit("Close\n\nIntent: old\nConstraint: a");
    workshop.write("src/lib.rs", &format!("{MORE}{}", std::fs::read_to_string(workshop.path("src/lib.rs")).unwrap()));
    workshop.git(&["commit", "--all", "--amend", "--quiet", "-m", "Close files\n\nIntent: new\nConstraint: b"]);
    let note = workshop.note("HEAD");
    assert_eq!(places(&note), [place("src/lib.rs", "close", (9, 12))]);
    assert_eq!((&note["regions"][0]["intent"], &note["summary"]), (&json!("new"), &json!("Close files")));
    assert_eq!(workshop.constraints("src/lib.rs", "close"), ["a", "b"]);
}

/// git's own copying of notes, with and without our hooks: nothing is duplicated, nothing becomes unreadable.
#[test]
fn notes_that_git_copies_itself_are_not_applied_twice() {
    for has_hooks in [true, false] {
        let workshop = if has_hooks { Workshop::with_hooks() } else { Workshop::new() };
        workshop.cairn.quiet(&["init"]);
        assert_eq!(workshop.git(&["config", "notes.rewriteRef"]), "refs/notes/ultragit");
        let base = workshop.head();
        workshop.edit("src/lib.rs", "acquire(path)", "acquire(path, 1)");
        workshop.commit("One");
        workshop.annotate("src/lib.rs:open", "one", "a");
        workshop.edit("src/lib.rs", "acquire(path, 1)", "acquire(path, 2)");
        workshop.commit("Two");
        workshop.annotate("src/lib.rs:open", "two", "b");
        workshop.edit("src/lib.rs", "pub fn open", &format!("{MORE}pub fn open"));
        workshop.git(&["commit", "--all", "--amend", "--quiet", "-m", "Two, amended"]);
        if has_hooks {
            assert_eq!(places(&workshop.note("HEAD")), [place("src/lib.rs", "open", (3, 7))]);
        }
        assert_eq!(workshop.intents("src/lib.rs", "open"), ["one", "two"]);
        sequence(&workshop, "2s/pick/squash/", &base);
        assert_eq!(workshop.constraints("src/lib.rs", "open"), ["a", "b"], "hooks: {has_hooks}");
        assert_eq!(workshop.intents("src/lib.rs", "open"), ["two"], "hooks: {has_hooks}");
        if has_hooks {
            let note = workshop.note("HEAD");
            assert_eq!(places(&note), [place("src/lib.rs", "open", (3, 7))]);
            assert_eq!(provenance(&note).0, "squash");
        }
    }
}

#[test]
fn an_interactive_rebase_reorders_and_squashes() {
    let workshop = Workshop::with_hooks();
    let base = workshop.head();
    for (from, to, target, word) in [
        ("acquire(path)", "acquire(path, 1)", "src/lib.rs:open", "one"),
        ("is_living", "lives", "src/lib.rs:count", "two"),
        ("register(&handle)", "register(&handle, 3)", "src/lib.rs:open", "three"),
    ] {
        workshop.edit("src/lib.rs", from, to);
        workshop.commit(word);
        workshop.annotate(target, word, &format!("constraint of {word}"));
    }
    // The third commit is squashed into the first.
    sequence(&workshop, "2{h;d};3{s/pick/fixup/;G}", &base);
    let squashed = workshop.note("HEAD~1");
    assert_eq!(provenance(&squashed), ("squash", 2));
    assert_eq!(places(&squashed), [place("src/lib.rs", "open", (1, 5))]);
    let told = squashed["provenance"]["synthesis_notes"].as_str().unwrap();
    insta::assert_snapshot!(testkit::redact(told), @"Earlier intent of src/lib.rs open: one");
    assert_eq!(provenance(&workshop.note("HEAD")), ("amend", 1));
    assert_eq!(workshop.intents("src/lib.rs", "open"), ["three"]);
    assert_eq!(workshop.constraints("src/lib.rs", "open"), ["constraint of one", "constraint of three"]);
    assert_eq!(workshop.intents("src/lib.rs", "count"), ["two"]);
    assert_eq!(workshop.intents("src/lib.rs", "close"), [""; 0]);
}

#[test]
fn a_rebase_onto_changed_code_finds_the_new_lines() {
    let workshop = Workshop::with_hooks();
    workshop.git(&["branch", "side"]);
    workshop.write("src/lib.rs", &format!("{MORE}{CODE}"));
    workshop.commit("Above");
    workshop.git(&["checkout", "--quiet", "side"]);
    workshop.edit("src/lib.rs", "living.count()", "living.len()");
    workshop.commit("Below\n\nIntent: faster");
    workshop.git(&["rebase", "--quiet", "main"]);
    assert_eq!(places(&workshop.note("HEAD")), [place("src/lib.rs", "count", (14, 17))]);
    assert_eq!(workshop.intents("src/lib.rs", "count"), ["faster"]);
    assert_eq!(workshop.intents("src/lib.rs", "open"), [""; 0]);
}

/// A branch with two annotated commits, ready to be squashed into `main`.
fn branch() -> Workshop {
    let workshop = Workshop::with_hooks();
    workshop.git(&["checkout", "--quiet", "-b", "side"]);
    workshop.edit("src/lib.rs", "acquire(path)", "acquire(path, 1)");
    workshop.commit("One\n\nIntent: one\nConstraint: a");
    workshop.edit("src/lib.rs", "flush(&file)", "flush(&file, 2)");
    workshop.commit("Two\n\nIntent: two\nConstraint: b");
    workshop.git(&["checkout", "--quiet", "main"]);
    workshop.write("src/lib.rs", &format!("{MORE}{CODE}"));
    workshop.commit("Above");
    workshop
}

#[test]
fn squash_merge_combines_the_notes_with_any_message() {
    for message in [&["--no-edit"][..], &["-m", "All at once"]] {
        let workshop = branch();
        workshop.git(&["merge", "--squash", "--quiet", "side"]);
        workshop.git(&[&["commit", "--quiet"], message].concat());
        let note = workshop.note("HEAD");
        assert_eq!(provenance(&note), ("squash", 2), "{message:?}");
        assert_eq!(places(&note), [place("src/lib.rs", "close", (9, 12)), place("src/lib.rs", "open", (3, 7))]);
        assert_eq!(
            (workshop.constraints("src/lib.rs", "open"), workshop.intents("src/lib.rs", "close")),
            (vec!["a".to_owned()], vec!["two".to_owned()])
        );
        assert_eq!(workshop.intents("src/lib.rs", "count"), [""; 0]);
    }
}

#[test]
fn a_squash_merge_that_was_given_up_is_forgotten() {
    let workshop = branch();
    workshop.git(&["merge", "--squash", "--quiet", "side"]);
    let refused = workshop.git_with(&[("GIT_EDITOR", "false")], &["commit"]);
    assert!(!refused.status.success());
    workshop.git(&["reset", "--quiet", "--hard"]);
    workshop.write("notes.txt", "other work");
    let id = workshop.commit("Other work");
    assert!(workshop.try_note(&id).is_none());
}

#[test]
fn a_cherry_pick_copies_the_note() {
    for options in [&["-x"][..], &[]] {
        let workshop = branch();
        let original = workshop.git(&["rev-parse", "side"]);
        workshop.git(&[&["cherry-pick"], options, &["side~1", "side"]].concat());
        let note = workshop.note("HEAD");
        assert_eq!(places(&note), [place("src/lib.rs", "close", (9, 12))]);
        assert_eq!(note["provenance"]["derived_from"], json!([original]));
        assert_eq!(places(&workshop.note("HEAD~1")), [place("src/lib.rs", "open", (3, 7))]);
        assert_eq!(workshop.intents("src/lib.rs", "close"), ["two"]);
        assert!(workshop.try_note(&original).is_some(), "the original keeps its own");
    }
}

#[test]
fn a_cherry_pick_of_a_manually_annotated_commit() {
    let workshop = Workshop::with_hooks();
    workshop.git(&["checkout", "--quiet", "-b", "side"]);
    workshop.edit("src/lib.rs", "is_living", "lives");
    workshop.commit("Lives");
    workshop.annotate("src/lib.rs:count", "by hand", "a");
    workshop.git(&["checkout", "--quiet", "main"]);
    workshop.commit("Between");
    workshop.git(&["cherry-pick", "side"]);
    assert_eq!(places(&workshop.note("HEAD")), [place("src/lib.rs", "count", (12, 15))]);
    assert_eq!(workshop.intents("src/lib.rs", "count"), ["by hand"]);
}

#[test]
fn a_revert_restores_the_earlier_annotation() {
    let workshop = Workshop::with_hooks();
    workshop.annotate("src/lib.rs:open", "first", "a");
    workshop.edit("src/lib.rs", "register(&handle);", "announce(&handle);");
    workshop.commit("Announce\n\nIntent: second");
    workshop.git(&["revert", "--no-edit", "HEAD"]);
    assert!(workshop.intents("src/lib.rs", "open").contains(&"first".to_owned()));
    assert_eq!(workshop.intents("src/lib.rs", "close"), [""; 0]);
    assert!(workshop.try_note("HEAD").is_none(), "a revert says nothing of its own");
}

#[test]
fn a_merge_keeps_both_sides_and_annotates_only_resolved_conflicts() {
    let workshop = Workshop::with_hooks();
    workshop.git(&["checkout", "--quiet", "-b", "side"]);
    workshop.edit("src/lib.rs", "acquire(path)", "acquire(path, 1)");
    workshop.edit("src/lib.rs", "is_living", "lives");
    workshop.commit("Side\n\nIntent: of the side");
    workshop.git(&["checkout", "--quiet", "main"]);
    workshop.edit("src/lib.rs", "acquire(path)", "acquire(path, 2)");
    workshop.commit("Main\n\nIntent: of main");
    assert!(!workshop.git_with(&[], &["merge", "side"]).status.success());
    let settled = CODE.replace("acquire(path)", "acquire(path, 1, 2)").replace("is_living", "lives");
    workshop.write("src/lib.rs", &settled);
    workshop.commit("Merge side\n\nIntent: of the merge");
    assert_eq!(places(&workshop.note("HEAD")), [place("src/lib.rs", "open", (1, 5))]);
    assert!(workshop.intents("src/lib.rs", "open").contains(&"of the merge".to_owned()));
    assert_eq!(workshop.intents("src/lib.rs", "count"), ["of the side"]);
    assert_eq!(workshop.intents("src/lib.rs", "close"), [""; 0]);
}
