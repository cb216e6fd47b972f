//! Notes of commits that were replaced without a hook: a squash merge on a server, a rewritten history.

use serde_json::Value;

use crate::workshop::Workshop;

/// A branch of two annotated commits, beside a commit on `main`.
fn with_branch() -> (Workshop, String) {
    let workshop = Workshop::new();
    workshop.git(&["branch", "-M", "main"]);
    workshop.git(&["checkout", "-q", "-b", "feature"]);
    workshop.edit("src/lib.rs", "    register(&handle);\n", "    register(&handle);\n    wake();\n");
    workshop.commit("Wake");
    workshop.annotate("src/lib.rs:open", "wakes the reader", "after register");
    workshop.edit("src/lib.rs", "    flush(&file);\n", "    flush(&file);\n    sync(&file);\n");
    let tip = workshop.commit("Sync");
    workshop.annotate("src/lib.rs:close", "syncs to disk", "before release");
    workshop.git(&["checkout", "-q", "main"]);
    workshop.write("README", "text\n");
    workshop.commit("Readme");
    (workshop, tip)
}

/// Squash-merges a branch like a server: one commit with another message, and the branch is deleted.
fn squash_on_server(workshop: &Workshop) {
    workshop.git(&["merge", "--squash", "feature"]);
    workshop.commit("Wake and sync (#12)");
    workshop.git(&["branch", "-D", "feature"]);
}

fn doctor(workshop: &Workshop) -> (String, String) {
    let report = workshop.cairn.json(&["doctor"]);
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "notes").unwrap();
    (check["outcome"].as_str().unwrap().to_owned(), check["hint"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_squash_on_the_server_is_counted_proposed_and_carried() {
    let (workshop, tip) = with_branch();
    assert_eq!(doctor(&workshop).0, "ok", "a branch has them");
    squash_on_server(&workshop);
    assert_eq!(workshop.intents("src/lib.rs", "open"), [""; 0]);
    let (outcome, hint) = doctor(&workshop);
    assert!(outcome == "warning", "{hint}");
    insta::assert_snapshot!(testkit::redact(&hint), @"`cairn annotate --carry e08a960eb6..a1e5327a77` carries them to the commits that make the same changes");
    let command: Vec<&str> = hint.split('`').nth(1).unwrap().split(' ').skip(1).collect();
    assert!(command[2].starts_with(&tip[..10]), "{command:?}");
    let carried: Value = workshop.cairn.json(&command);
    assert_eq!(carried["carried"][0]["from"].as_array().unwrap().len(), 2, "{carried}");
    assert_eq!(carried["carried"][0]["commit"], workshop.head());
    assert_eq!(workshop.intents("src/lib.rs", "open"), ["wakes the reader"]);
    assert_eq!(workshop.intents("src/lib.rs", "close"), ["syncs to disk"]);
    assert_eq!(workshop.constraints("src/lib.rs", "close"), ["before release"]);
    assert_eq!(doctor(&workshop).0, "ok", "what was carried on is not stranded");
    let regions = || {
        let mut regions: Vec<String> =
            workshop.note("HEAD")["regions"].as_array().unwrap().iter().map(ToString::to_string).collect();
        regions.sort();
        regions
    };
    let before = regions();
    workshop.cairn.json(&["annotate", "--carry", &format!("{tip}..HEAD")]);
    assert_eq!(regions(), before, "once more adds nothing");
}

#[test]
fn a_squash_with_a_change_of_its_own_is_found_by_its_lines() {
    let (workshop, tip) = with_branch();
    workshop.git(&["merge", "--squash", "feature"]);
    workshop.edit("src/lib.rs", "    wake();\n", "    wake(); // resolved by hand\n");
    workshop.commit("Sync, put right");
    workshop.git(&["branch", "-D", "feature"]);
    let carried = workshop.cairn.json(&["annotate", "--carry", &format!("{tip}..main")]);
    assert_eq!(carried["carried"][0]["from"].as_array().unwrap().len(), 1, "{carried}");
    assert_eq!(carried["unmatched"].as_array().unwrap().len(), 1, "none of its lines are there: {carried}");
    assert_eq!(workshop.intents("src/lib.rs", "close"), ["syncs to disk"]);
}

#[test]
fn a_rewritten_history_takes_its_notes_along() {
    let (workshop, _) = with_branch();
    workshop.git(&["checkout", "-q", "feature"]);
    let old = workshop.head();
    let variables = [("FILTER_BRANCH_SQUELCH_WARNING", "1")];
    let filter = "GIT_AUTHOR_NAME=Grace; export GIT_AUTHOR_NAME";
    let output = workshop.git_with(&variables, &["filter-branch", "-f", "--env-filter", filter, "feature"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    workshop.git(&["update-ref", "-d", "refs/original/refs/heads/feature"]);
    assert_eq!(workshop.intents("src/lib.rs", "open"), [""; 0]);
    let carried = workshop.cairn.json(&["annotate", "--carry", &format!("{old}..feature")]);
    assert_eq!(carried["carried"].as_array().unwrap().len(), 2, "each to its own: {carried}");
    assert_eq!(workshop.intents("src/lib.rs", "open"), ["wakes the reader"]);
    assert_eq!(workshop.intents("src/lib.rs", "close"), ["syncs to disk"]);
}

#[test]
fn a_range_without_notes_or_without_two_ends_is_reported() {
    let (workshop, _) = with_branch();
    let ran = workshop.cairn.run(&["annotate", "--carry", "main..feature"]);
    assert!(ran.status.success(), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    nothing to carry: no commit that was replaced has a note
    ");
    let refusals = ["main", "main...feature", "..main"]
        .map(|range| workshop.cairn.run(&["annotate", "--carry", range]).snapshot());
    insta::assert_snapshot!(refusals.concat(), @"
    exit status: 2
    --- stderr
    error: `main` is not a range of two commits
    hint: write OLD..NEW: the tip of the replaced commits, and the tip of their replacements
    exit status: 2
    --- stderr
    error: `main...feature` is not a range of two commits
    hint: write OLD..NEW: the tip of the replaced commits, and the tip of their replacements
    exit status: 2
    --- stderr
    error: `..main` is not a range of two commits
    hint: write OLD..NEW: the tip of the replaced commits, and the tip of their replacements
    ");
}
