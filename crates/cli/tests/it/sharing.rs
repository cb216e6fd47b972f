//! Clones that share work: no set-up, no conflicts, no loss, and the same state everywhere in the end.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};
use testkit::{Cairn, git_in};

use crate::support::{Hub, Project, assert_sound, items, numbers, titles};

fn tip(cairn: &Cairn) -> String {
    git_in(cairn.directory(), &["rev-parse", "refs/cairn/work"])
}

fn whole_list(cairn: &Cairn) -> Vec<u8> {
    cairn.ok(&["list", "--all", "--deleted", "--limit", "0", "--json"]).stdout
}

#[test]
fn a_fresh_clone_needs_no_set_up() {
    let hub = Hub::in_memory();
    let ada = hub.clone_as("ada");
    ada.quiet(&["new", "issue", "one"]);
    let ran = ada.quiet(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    sent to `origin`: 1 change
      <moment>  ada created #1 one
    ");
    let grace = hub.clone_as("grace");
    assert_eq!(items(&grace).len(), 0);
    let ran = grace.quiet(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    received from `origin`: 1 change
      <moment>  ada created #1 one
    ");
    assert_eq!(items(&grace), items(&ada));
    insta::assert_snapshot!(grace.quiet(&["sync"]).snapshot(), @"
    --- stdout
    already the same as `origin`
    ");
    assert_eq!(hub.clone_as("nobody").quiet(&["sync"]).out().lines().count(), 2);
}

#[test]
fn an_empty_project_syncs() {
    let hub = Hub::in_memory();
    let ada = hub.clone_as("ada");
    insta::assert_snapshot!(ada.quiet(&["sync"]).snapshot(), @"
    --- stdout
    already the same as `origin`
    ");
    assert_eq!(hub.repository.git(&["for-each-ref"]), "");
}

#[test]
fn two_items_with_one_number_are_distinguished() {
    let hub = Hub::in_memory();
    let (ada, grace) = (hub.clone_as("ada"), hub.clone_as("grace"));
    ada.quiet(&["new", "issue", "of ada"]);
    grace.quiet(&["new", "issue", "of grace"]);
    ada.quiet(&["sync"]);
    let merging = grace.quiet(&["sync"]);
    insta::assert_snapshot!(merging.snapshot(), @"
    --- stdout
    received from `origin`: 1 change
      <moment>  ada created #1 of ada
    sent to `origin`: 2 changes
      <moment>  cairn: renumber: #1 → #2
      <moment>  grace created #2 of grace
    renumbered: #1 → #2 of grace
    ");
    let hearing = ada.quiet(&["sync"]);
    insta::assert_snapshot!(hearing.snapshot(), @"
    --- stdout
    received from `origin`: 2 changes
      <moment>  cairn: renumber: #1 → #2
      <moment>  grace created #2 of grace
    renumbered: #1 → #2 of grace
    ");
    assert!(!ada.quiet(&["sync"]).out().contains("renumbered"), "it is told once");
    let shown = ada.quiet(&["show", "1"]).snapshot();
    insta::assert_snapshot!(shown, @"
    --- stdout
    issue #1  backlog
    of ada
         author  ada <ada@example.com>
        created  <moment>
        updated  <moment>
       see also  #2 of grace, once #1 too
    ");
    assert_eq!(grace.quiet(&["show", "1"]).snapshot(), shown);
    for clone in [&ada, &grace] {
        assert_eq!((titles(clone), numbers(clone)), (vec!["of ada".to_owned(), "of grace".to_owned()], vec![1, 2]));
        assert_eq!(clone.json(&["show", "1"])["formerlyThisNumber"][0]["number"], 2);
        assert_eq!(clone.json(&["show", "2"])["formerNumbers"], json!([1]));
        assert_eq!(clone.json(&["new", "issue", "next"])["number"], 3);
    }
}

/// A killed push leaves a lock on the remote, which no retry removes.
#[test]
fn a_lock_left_on_the_remote_is_named() {
    let hub = Hub::in_memory();
    let ada = hub.clone_as("ada");
    ada.quiet(&["new", "issue", "one"]);
    ada.quiet(&["sync"]);
    ada.quiet(&["new", "issue", "two"]);
    let lock = hub.repository.path().join("refs/cairn/work.lock");
    std::fs::write(&lock, "").unwrap();
    let ran = ada.run(&["sync"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: `refs/cairn/work` is locked on `origin`: cannot lock ref 'refs/cairn/work': Unable to create '<tmp>/project.git/./refs/cairn/work.lock': File exists.
    hint: nothing is lost here; a push that was killed leaves such a lock: if no other push runs, remove this file on the remote and sync again
    ");
    std::fs::remove_file(&lock).unwrap();
    insta::assert_snapshot!(ada.quiet(&["sync"]).snapshot(), @"
    --- stdout
    sent to `origin`: 1 change
      <moment>  ada created #2 two
    ");
}

/// Two clones that renumber the same item concurrently converge on one number.
#[test]
fn renumbering_on_both_sides_at_once_agrees() {
    let hub = Hub::in_memory();
    let clones = ["ada", "grace", "joan"].map(|name| hub.clone_as(name));
    for (n, clone) in clones.iter().enumerate() {
        clone.quiet(&["new", "issue", &format!("first of {n}")]);
        clone.quiet(&["new", "issue", &format!("second of {n}")]);
    }
    // Each clone merges with another one directly, before the hub gets anything.
    let paths: Vec<String> = clones.iter().map(|clone| clone.directory().to_str().unwrap().to_owned()).collect();
    for (n, clone) in clones.iter().enumerate() {
        git_in(clone.directory(), &["config", "receive.denyCurrentBranch", "ignore"]);
        clone.ok(&["sync", &paths[(n + 1) % 3]]);
    }
    for _ in 0..3 {
        for clone in &clones {
            clone.quiet(&["sync"]);
        }
    }
    for clone in &clones {
        assert_eq!(numbers(clone), [1, 2, 3, 4, 5, 6]);
        assert_eq!(whole_list(clone), whole_list(&clones[0]));
    }
}

#[test]
fn a_label_added_again_elsewhere_survives_a_removal() {
    let hub = Hub::in_memory();
    let (ada, grace) = (hub.clone_as("ada"), hub.clone_as("grace"));
    ada.quiet(&["new", "issue", "one", "--label", "kept", "--label", "gone"]);
    ada.quiet(&["sync"]);
    grace.quiet(&["sync"]);
    ada.quiet(&["label", "1", "-kept", "-gone", "+ada"]);
    grace.quiet(&["label", "1", "-kept"]);
    grace.quiet(&["label", "1", "+kept", "+grace"]);
    for clone in [&ada, &grace, &ada] {
        clone.quiet(&["sync"]);
    }
    for clone in [&ada, &grace] {
        assert_eq!(clone.json(&["show", "1"])["labels"], json!(["ada", "grace", "kept"]));
    }
}

#[test]
fn three_clones_agree_in_any_order() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let hub = Hub::in_memory();
        let clones = ["ada", "grace", "joan"].map(|name| hub.clone_as(name));
        clones[0].quiet(&["new", "issue", "shared", "--label", "x"]);
        clones[0].quiet(&["sync"]);
        clones[1].quiet(&["sync"]);
        clones[2].quiet(&["sync"]);
        clones[0].quiet(&["edit", "1", "--title", "by ada", "--priority", "1"]);
        clones[0].quiet(&["new", "task", "same number a"]);
        clones[1].quiet(&["edit", "1", "--title", "by grace"]);
        clones[1].quiet(&["comment", "1", "hello"]);
        clones[1].quiet(&["new", "task", "same number b"]);
        clones[2].quiet(&["delete", "1"]);
        clones[2].quiet(&["new", "task", "same number c"]);
        clones[2].quiet(&["label", "2", "+y"]);
        for _ in 0..2 {
            for n in order {
                clones[n].quiet(&["sync"]);
            }
        }
        let expected = (whole_list(&clones[0]), tip(&clones[0]));
        for clone in &clones[1..] {
            assert!((whole_list(clone), tip(clone)) == expected, "{order:?} differ");
        }
        assert_eq!(hub.repository.git(&["rev-parse", "refs/cairn/work"]), expected.1);
        assert_eq!(numbers(&clones[0]), [1, 2, 3, 4], "{order:?}");
        assert_eq!(clones[0].json(&["show", "1"])["comments"][0]["body"], "hello");
    }
}

/// Two clones merge independently, and create the same commits.
#[test]
fn two_clones_that_merge_the_same_make_the_same_commit() {
    let hubs = [Hub::in_memory(), Hub::in_memory()];
    let [first, second] = [0, 1].map(|n: usize| hubs[n].repository.path().to_str().unwrap().to_owned());
    let (ada, grace) = (hubs[0].clone_as("ada"), hubs[1].clone_as("grace"));
    ada.quiet(&["new", "issue", "of ada"]);
    grace.quiet(&["new", "issue", "of grace"]);
    ada.quiet(&["sync", &first]);
    grace.quiet(&["sync", &second]);
    insta::assert_snapshot!(ada.quiet(&["sync", &second]).snapshot(), @"
    --- stdout
    received from `<tmp>/project.git`: 1 change
      <moment>  grace created #2 of grace
    sent to `<tmp>/project.git`: 2 changes
      <moment>  cairn: renumber: #1 → #2
      <moment>  ada created #1 of ada
    renumbered: #1 → #2 of grace
    ");
    insta::assert_snapshot!(grace.quiet(&["sync", &first]).snapshot(), @"
    --- stdout
    received from `<tmp>/project.git`: 1 change
      <moment>  ada created #1 of ada
    sent to `<tmp>/project.git`: 2 changes
      <moment>  cairn: renumber: #1 → #2
      <moment>  grace created #2 of grace
    renumbered: #1 → #2 of grace
    ");
    assert_eq!(tip(&ada), tip(&grace));
    assert_eq!(whole_list(&ada), whole_list(&grace));
}

#[test]
fn four_clones_push_at_once_and_none_fails() {
    let hub = Hub::in_memory();
    let clones: Vec<Cairn> = (0..4).map(|n| hub.clone_as(&format!("clone{n}"))).collect();
    thread::scope(|scope| {
        for (who, clone) in clones.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..10 {
                    clone.quiet(&["new", "issue", &format!("{who}.{n}")]);
                    clone.quiet(&["sync"]);
                }
            });
        }
    });
    for clone in clones.iter().chain(&clones) {
        clone.quiet(&["sync"]);
    }
    for clone in &clones {
        let mut found = titles(clone);
        found.sort();
        let expected: Vec<String> = (0..4).flat_map(|who| (0..10).map(move |n| format!("{who}.{n}"))).collect();
        assert_eq!(found, expected);
        // Two clones may resolve the same collision at once; a number is then skipped, never used twice.
        let held: BTreeSet<u64> = numbers(clone).into_iter().collect();
        assert_eq!((held.len(), held.range(..=80).count()), (40, 40), "{held:?}");
        assert_eq!(tip(clone), tip(&clones[0]));
    }
    assert_sound(hub.repository.path());
}

#[test]
fn without_a_remote_there_is_a_hint() {
    let project = Project::with_items(&["one"]);
    let ran = project.cairn.run(&["sync"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: this repository has no remote to sync with
    hint: name one: `cairn sync REMOTE`, or add one with `git remote add origin URL`
    ");
}

#[test]
fn several_remotes_without_a_default_are_named() {
    let project = Project::with_items(&["one"]);
    for name in ["east", "west"] {
        project.repository.git(&["remote", "add", name, "/nowhere"]);
    }
    let ran = project.cairn.run(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: none of the remotes is the default: east, west
    hint: name one: `cairn sync REMOTE`
    ");
    let doctor = project.cairn.run(&["doctor"]);
    let remote = doctor.out().lines().skip_while(|line| !line.contains("remote")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(remote, @"
    warning  remote      several, and no default: east, west
                         `cairn sync REMOTE` names one; `origin` and the upstream of the current branch need no name
    ");
}

#[test]
fn an_unreachable_remote_is_reported_in_gits_words() {
    let project = Project::with_items(&["one"]);
    let before = (project.tip(), project.repository.git(&["for-each-ref"]));
    for remote in ["/nowhere/at/all", "file:///nowhere", "nosuchremote", "ssh://127.0.0.1:1/x", "--upload-pack=evil"] {
        let ran = project.cairn.run(&["sync", "--", remote]);
        assert_eq!(ran.code(), Some(1), "{remote}: {ran}");
        assert!(ran.err().contains("fatal: ") || remote.starts_with('-'), "{remote}: {ran}");
        assert_eq!((project.tip(), project.repository.git(&["for-each-ref"])), before);
    }
    assert_eq!(titles(&project.cairn), ["one"]);
}

#[test]
fn a_hub_that_refuses_is_quoted_and_nothing_is_lost() {
    let hub = Hub::in_memory();
    let ada = hub.clone_as("ada");
    ada.quiet(&["new", "issue", "one"]);
    hub.repository.git(&["config", "transfer.hideRefs", "refs/cairn"]);
    let ran = ada.run(&["sync"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: `origin` refused `refs/cairn/work`: [remote rejected] (deny updating a hidden ref)
    ");
    hub.repository.git(&["config", "--unset", "transfer.hideRefs"]);
    ada.quiet(&["sync"]);
}

#[test]
fn annotations_travel_both_ways() {
    let hub = Hub::in_memory();
    let (ada, grace) = (hub.clone_as("ada"), hub.clone_as("grace"));
    for name in ["one", "two", "three"] {
        git_in(ada.directory(), &["commit", "--quiet", "--allow-empty", &format!("--message={name}")]);
    }
    git_in(ada.directory(), &["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    git_in(grace.directory(), &["pull", "--quiet", "origin", "main"]);
    let note = |clone: &Cairn, commit: &str, text: &str| {
        git_in(clone.directory(), &["notes", "--ref=ultragit", "add", "-f", "-m", text, commit])
    };
    let read = |clone: &Cairn, commit: &str| git_in(clone.directory(), &["notes", "--ref=ultragit", "show", commit]);
    note(&ada, "HEAD", "by ada");
    insta::assert_snapshot!(ada.quiet(&["sync"]).snapshot(), @"
    --- stdout
    annotations are the same on both sides now
    ");
    grace.quiet(&["sync"]);
    assert_eq!(read(&grace, "HEAD"), "by ada");
    note(&grace, "HEAD~1", "by grace");
    note(&ada, "HEAD~2", "ada again");
    for clone in [&grace, &ada, &grace] {
        clone.quiet(&["sync"]);
    }
    for clone in [&ada, &grace] {
        assert_eq!(["HEAD", "HEAD~1", "HEAD~2"].map(|commit| read(clone, commit)), ["by ada", "by grace", "ada again"]);
    }
    note(&ada, "HEAD", "ada's second thought");
    note(&grace, "HEAD", "grace's second thought");
    ada.quiet(&["new", "issue", "work goes on"]);
    ada.quiet(&["sync"]);
    let ran = grace.ok(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    received from `origin`: 1 change
      <moment>  ada created #1 work goes on
    annotations of both sides were merged
    ");
    ada.quiet(&["sync"]);
    for clone in [&ada, &grace] {
        assert_eq!(read(clone, "HEAD"), "ada's second thought\ngrace's second thought");
    }
    assert_eq!(titles(&grace), ["work goes on"]);
    assert_eq!(git_in(grace.directory(), &["status", "--porcelain"]), "");
}

#[test]
fn an_edit_elsewhere_does_not_undo_a_deletion_nor_get_lost() {
    let hub = Hub::in_memory();
    let (ada, grace) = (hub.clone_as("ada"), hub.clone_as("grace"));
    ada.quiet(&["new", "issue", "one"]);
    ada.quiet(&["sync"]);
    grace.quiet(&["sync"]);
    ada.quiet(&["delete", "1"]);
    grace.quiet(&["edit", "1", "--title", "edited meanwhile"]);
    grace.quiet(&["comment", "1", "words"]);
    for clone in [&ada, &grace, &ada] {
        clone.quiet(&["sync"]);
    }
    for clone in [&ada, &grace] {
        let shown = clone.json(&["show", "1"]);
        assert_eq!((&shown["deleted"], &shown["title"]), (&json!(true), &json!("edited meanwhile")));
    }
    ada.quiet(&["reopen", "1"]);
    let shown = ada.json(&["show", "1"]);
    assert_eq!((&shown["deleted"], &shown["comments"][0]["body"]), (&json!(false), &json!("words")));
}

#[test]
fn dependency_cycle_made_by_a_merge_is_printed() {
    let hub = Hub::in_memory();
    let (ada, grace) = (hub.clone_as("ada"), hub.clone_as("grace"));
    for title in ["one", "two"] {
        ada.quiet(&["new", "issue", title]);
    }
    ada.quiet(&["sync"]);
    grace.quiet(&["sync"]);
    ada.quiet(&["link", "1", "--blocks", "2"]);
    let refused = ada.run(&["link", "2", "--blocks", "1"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    grace.quiet(&["link", "2", "--blocks", "1"]);
    ada.quiet(&["sync"]);
    let ran = grace.ok(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    received from `origin`: 1 change
      <moment>  ada marked #1 one as blocking #2 two
    sent to `origin`: 1 change
      <moment>  grace marked #2 two as blocking #1 one
    --- stderr
    warning: these items wait for each other in a cycle: #1 → #2; open it with `cairn unlink`
    ");
    ada.ok(&["sync"]);
    for clone in [&ada, &grace] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(clone.ok(&["ready", "--explain"]).snapshot(), @"
            --- stdout
            #1 one waits: it waits for #2
            #2 two waits: it waits for #1
            these wait for each other in a cycle: #1 → #2
            --- stderr
            nothing is ready
            ");
        }
        let ready = clone.json(&["ready", "--explain"]);
        assert_eq!(ready["cycles"][0].as_array().map(Vec::len), Some(2));
        let doctor = clone.json(&["doctor"]);
        let found = |check: &Value| check["name"] == "links" && check["outcome"] == "warning";
        assert!(doctor["checks"].as_array().unwrap().iter().any(found), "{doctor}");
    }
    grace.quiet(&["unlink", "2", "--blocks", "1"]);
    insta::assert_snapshot!(grace.quiet(&["ready", "--explain"]).snapshot(), @"
    --- stdout
    #  STATUS     TITLE  KIND   UPDATED
    1  ○ backlog  one    issue  now
    #2 two waits: it waits for #1
    ");
}
