//! Writing annotations with the built program.

use serde_json::{Value, json};
use testkit::Cairn;

use crate::workshop::{Workshop, place, places};

fn write(workshop: &Workshop, document: &Value) -> Value {
    let ran = workshop.cairn.run_with_input(&["annotate", "--json"], document.to_string().as_bytes());
    assert!(ran.status.success(), "{ran}");
    ran.json()
}

#[test]
fn a_short_document_becomes_a_whole_note() {
    let workshop = Workshop::new();
    let document = json!({"summary": "Files are registered", "mood": "good", "regions": [
        {"file": "src/lib.rs", "anchor": "open", "intent": "One way in", "lines": {"start": 99, "end": 99},
         "constraints": ["never blocks", {"text": "one handle a path", "source": "inferred"}], "colour": "red"}]});
    // Lines beyond the end of the file are an error, and nothing is written.
    let ran = workshop.cairn.run_with_input(&["annotate"], document.to_string().as_bytes());
    assert!(ran.code() == Some(2), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 2
    --- stderr
    error: invalid annotation, nothing was written:
      `regions[0].lines`: 99:99 is not in `src/lib.rs`, which has 15 lines
    ");
    let mut document = document;
    document["regions"][0]["lines"] = json!({"start": 2, "end": 2});
    let answer = write(&workshop, &document);
    assert_eq!(answer["regions"][0]["resolution"], "exact");
    let note = workshop.note("HEAD");
    assert_eq!((&note["$schema"], &note["commit"]), (&json!("ultragit/v1"), &json!(workshop.head())));
    assert_eq!((&note["context_level"], &note["provenance"]["operation"]), (&json!("enhanced"), &json!("initial")));
    assert!(note["timestamp"].as_str().unwrap().ends_with('Z') && note["mood"] == "good", "{note}");
    let region = &note["regions"][0];
    assert_eq!(region["lines"], json!({"start": 1, "end": 5}), "the lines are the code's own");
    assert_eq!(
        region["ast_anchor"],
        json!({"type": "function", "name": "open", "signature": "pub fn open(path: &str) -> File"})
    );
    assert_eq!(region["constraints"][0], json!({"text": "never blocks", "source": "author"}));
    assert_eq!(region["constraints"][1]["source"], "inferred");
    assert_eq!(region["colour"], "red");
    assert_eq!(workshop.intents("src/lib.rs", "open"), ["One way in"]);
    assert_eq!(workshop.intents("src/lib.rs", "close"), [""; 0], "nothing is said of its neighbour");
}

#[test]
fn an_invalid_document_is_reported_field_by_field_and_not_written() {
    let workshop = Workshop::new();
    let document = json!({"summary": "s", "regions": [
        {"file": "src/lib.rs", "anchor": "open", "intent": "i"},
        {"file": "src/gone.rs", "anchor": "open", "intent": "i"},
        {"file": "../lib.rs", "anchor": "open", "intent": "i"}]});
    let ran = workshop.cairn.run_with_input(&["annotate"], document.to_string().as_bytes());
    assert_eq!(ran.code(), Some(2));
    let commit = &workshop.head()[..7];
    insta::assert_snapshot!(ran.snapshot().replace(commit, "COMMIT"), @"
    exit status: 2
    --- stderr
    error: invalid annotation, nothing was written:
      `regions[1].file`: `src/gone.rs` is not a file at commit COMMIT
      `regions[2].file`: `../lib.rs` is not a file at commit COMMIT
    ");
    for (input, words) in [
        (
            "",
            "error: the annotation is not valid JSON: EOF while parsing a value at line 1 column 0\nhint: the minimal document is {\"summary\": \"…\", \"regions\": [{\"file\": \"src/a.rs\", \"anchor\": \"open\", \"intent\": \"…\"}]}",
        ),
        (
            "{\"regions\": 3}",
            "error: invalid annotation, nothing was written:\n  `summary` is missing\n  `regions` is not a list",
        ),
        (
            "{\"summary\": \"s\", \"regions\": [{\"file\": \"src/lib.rs\", \"intent\": \"i\", \"tags\": 3}]}",
            "error: invalid annotation, nothing was written:\n  `regions[0].tags` must be a list",
        ),
    ] {
        let ran = workshop.cairn.run_with_input(&["annotate"], input.as_bytes());
        assert_eq!(ran.code(), Some(2));
        assert_eq!(testkit::redact(ran.err().trim_end()), words);
    }
    let ran = workshop.cairn.run_with_input(
        &["annotate", "--commit", "nothing"],
        b"{\"summary\": \"s\", \"regions\": [{\"file\": \"a\", \"intent\": \"i\"}]}",
    );
    assert!(ran.code() == Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: commit not found: `nothing`
    ");
    assert!(workshop.try_note("HEAD").is_none());
}

#[test]
fn the_result_says_how_each_name_was_resolved() {
    let workshop = Workshop::new();
    workshop.write("src/net.rs", "impl Client {\n    fn connect(&self) {\n        dial();\n    }\n}\nimpl Server {\n    fn listen(&self) {}\n    fn stop(&self) {}\n}\nimpl Pool {\n    fn stop(&self) {}\n}\n");
    workshop.commit("Net");
    let region = |anchor: &str| json!({"file": "src/net.rs", "anchor": anchor, "intent": "i"});
    let mut by_lines = region("stop");
    by_lines["lines"] = json!("11:11");
    let document = json!({"summary": "s", "regions": [
        region("Client::connect"), region("connect"), region("Client::conect"), region("stop"), by_lines,
        region("nothing_like_it"), {"file": "./src/net.rs", "intent": "i", "lines": [6, 9]}, {"file": "src/net.rs", "intent": "i"}]});
    let answer = write(&workshop, &document);
    let found: Vec<(&str, &str, &Value)> = answer["regions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|region| (region["resolution"].as_str().unwrap(), region["anchor"].as_str().unwrap(), &region["lines"]))
        .collect();
    let lines = |start: u32, end: u32| json!({"start": start, "end": end});
    assert_eq!(
        found,
        [
            ("exact", "Client::connect", &lines(2, 4)),
            ("unqualified", "Client::connect", &lines(2, 4)),
            ("similar", "Client::connect", &lines(2, 4)),
            ("ambiguous", "stop", &Value::Null),
            ("unqualified", "Pool::stop", &lines(11, 11)),
            ("lost", "nothing_like_it", &Value::Null),
            ("lines", "", &lines(6, 9)),
            ("file", "", &Value::Null)
        ]
    );
    insta::assert_snapshot!(answer["regions"][3]["candidates"], @r#"["Server::stop (line 8)","Pool::stop (line 11)"]"#);
    assert!(!answer["regions"][5]["candidates"].as_array().unwrap().is_empty(), "{answer}");
    let out = workshop.cairn.ok(&["annotate", "--anchor", "src/net.rs:stop", "--intent", "i"]).out();
    insta::assert_snapshot!(testkit::redact(&out), @"
    added to the note of ebfb539 s
      src/net.rs stop (ambiguous: Server::stop (line 8), Pool::stop (line 11))
    ");
}

#[test]
fn a_second_annotation_is_added_and_no_constraint_is_lost() {
    let workshop = Workshop::new();
    workshop.annotate("src/lib.rs:open", "first", "one");
    let answer = workshop.annotate("src/lib.rs:open", "second", "two");
    assert_eq!(answer["merged"], true);
    workshop.annotate("src/lib.rs:close", "other", "three");
    let note = workshop.note("HEAD");
    assert_eq!(places(&note), [place("src/lib.rs", "close", (7, 10)), place("src/lib.rs", "open", (1, 5))]);
    assert_eq!(workshop.intents("src/lib.rs", "open"), ["second"]);
    assert_eq!(workshop.constraints("src/lib.rs", "open"), ["one", "two"]);
    assert_eq!(note["summary"], "Files", "the summary is the commit's subject");
}

#[test]
fn a_note_that_cannot_be_read_is_not_written_over() {
    let workshop = Workshop::new();
    workshop.git(&["notes", "--ref=ultragit", "add", "-m", "in words", "HEAD"]);
    let ran = workshop.cairn.run(&["annotate", "--anchor", "src/lib.rs:open", "--intent", "i"]);
    assert!(ran.code() == Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: the existing note of commit <id> cannot be read: it is not valid JSON: expected value at line 1 column 1
    hint: look at it with `git notes --ref=ultragit show <id>`; nothing was written over
    ");
    assert_eq!(workshop.git(&["notes", "--ref=ultragit", "show", "HEAD"]), "in words");
}

#[test]
fn flags_say_all_there_is_to_say() {
    let workshop = Workshop::new();
    let before = workshop.head();
    workshop.commit("Later");
    workshop.cairn.quiet(&[
        "annotate",
        "--commit",
        "HEAD~1",
        "--anchor",
        "src/lib.rs:open",
        "--intent",
        "i",
        "--reasoning",
        "r",
        "--risk",
        "-x",
        "--tag",
        "a",
        "--tag",
        "b",
        "--depends",
        "src/lib.rs:close=assumes it flushes",
        "--summary",
        "s",
        "--noteref",
        "refs/notes/other",
    ]);
    let note: Value = serde_json::from_str(&workshop.git(&["notes", "--ref=other", "show", &before])).unwrap();
    let region = &note["regions"][0];
    assert_eq!(
        (&note["summary"], &region["reasoning"], &region["risk_notes"]),
        (&json!("s"), &json!("r"), &json!("-x"))
    );
    assert_eq!(region["tags"], json!(["a", "b"]));
    assert_eq!(
        region["semantic_dependencies"][0],
        json!({"file": "src/lib.rs", "anchor": "close", "nature": "assumes it flushes"})
    );
    for wrong in
        [&["--anchor", "src/lib.rs:open"][..], &["--intent", "i"], &["--anchor", "x", "--intent", "i", "--edit"]]
    {
        assert_eq!(workshop.cairn.run(&[&["annotate"], wrong].concat()).code(), Some(2));
    }
    let wrong = workshop.cairn.run(&["annotate", "--anchor", "src/lib.rs", "--intent", "i", "--depends", "nothing"]);
    insta::assert_snapshot!(wrong.snapshot(), @"
    exit status: 2
    --- stderr
    error: invalid dependency `nothing`
    hint: write PATH:NAME=NATURE, as in src/tls.rs:handshake='assumes it retries'
    ");
}

#[test]
fn the_editor_shows_a_form_for_the_changed_code() {
    let workshop = Workshop::new();
    workshop.edit("src/lib.rs", "    flush(&file);\n", "");
    workshop.edit("src/lib.rs", "living.count()", "living.len()");
    workshop.commit("Faster");
    let seen = workshop.repository.directory_path().join("seen");
    let editor = format!(
        "f() {{ cp \"$1\" '{}'; sed -i 's/^Intent:/Intent: to be fast/; s/^Tag:/Tag: speed/' \"$1\"; }}; f",
        seen.display()
    );
    let mut command = workshop.cairn.command(&["annotate", "--edit", "--json"]);
    let ran = testkit::Ran::of(command.env("GIT_EDITOR", editor).spawn().unwrap());
    assert!(ran.status.success(), "{ran}");
    let form = std::fs::read_to_string(seen).unwrap();
    insta::assert_snapshot!(form, @"
    Summary: Faster

    ## src/lib.rs:close
    Intent:
    Reasoning:
    Constraint:
    Risk:
    Tag:
    Depends-On:

    ## src/lib.rs:count
    Intent:
    Reasoning:
    Constraint:
    Risk:
    Tag:
    Depends-On:

    # ------------------------ >8 ------------------------
    # Say something under Intent: of what you know; the rest is left out.
    # Everything from the line above on is left out.
    ");
    assert_eq!(
        places(&workshop.note("HEAD")),
        [place("src/lib.rs", "close", (7, 9)), place("src/lib.rs", "count", (11, 14))]
    );
    let untouched =
        testkit::Ran::of(workshop.cairn.command(&["annotate", "--edit"]).env("GIT_EDITOR", "true").spawn().unwrap());
    assert!(untouched.code() == Some(2), "{untouched}");
    insta::assert_snapshot!(untouched.snapshot(), @"
    exit status: 2
    --- stderr
    error: nothing was filled in; nothing was written
    ");
}

#[test]
fn corrections_are_shown_with_the_newest_annotation() {
    let workshop = Workshop::new();
    workshop.annotate("src/lib.rs:open", "old", "one");
    let first = workshop.head();
    workshop.edit("src/lib.rs", "register(&handle)", "register(&handle, 1)");
    workshop.commit("Numbers");
    workshop.annotate("src/lib.rs:open", "new", "two");
    let flagged = workshop.cairn.json(&["flag", "src/lib.rs", "open", "--reason", "not so"]);
    assert_eq!((&flagged["commit"], &flagged["correction"]["kind"]), (&json!(workshop.head()), &json!("flag")));
    workshop.cairn.quiet(&[
        "correct",
        "src/lib.rs",
        "open",
        "--field",
        "intent",
        "--text",
        "better",
        "--commit",
        &first,
    ]);
    let newest = &workshop.note("HEAD")["regions"][0]["corrections"];
    assert_eq!((newest.as_array().unwrap().len(), &newest[0]["text"]), (1, &json!("not so")));
    assert!(
        newest[0]["author"].as_str().unwrap().contains('@') && newest[0]["id"].as_str().unwrap().len() == 36,
        "{newest}"
    );
    let older = &workshop.note(&first)["regions"][0]["corrections"][0];
    assert_eq!((&older["field"], &older["text"]), (&json!("intent"), &json!("better")));
    let read = workshop.read("src/lib.rs", "open");
    assert!(read.iter().all(|region| region["corrections"].as_array().unwrap().len() == 1), "{read:?}");
    for (arguments, words) in [
        (
            ["flag", "src/lib.rs", "close", "--reason", "r"].as_slice(),
            "error: `close` in `src/lib.rs` has no annotation\nhint: `cairn annotate` writes one",
        ),
        (
            &["flag", "src/lib.rs", "nothing_like_it", "--reason", "r"],
            "error: `src/lib.rs` has no `nothing_like_it`\nhint: it has count, close, open",
        ),
        (&["flag", "src/gone.rs", "open", "--reason", "r"], "error: File not found: src/gone.rs"),
        (
            &["correct", "src/lib.rs", "open", "--field", "mood", "--text", "t"],
            "error: the field `mood` cannot be corrected\nhint: one of intent, reasoning, constraints, semantic_dependencies, risk_notes, tags",
        ),
        (&["flag", "src/lib.rs", "open", "--reason", " "], "error: the text is empty"),
    ] {
        let ran = workshop.cairn.run(arguments);
        assert!(!ran.status.success());
        assert_eq!(testkit::redact(ran.err().trim_end()), words);
    }
}

#[test]
fn coverage_counts_current_stale_and_unannotated_code() {
    let workshop = Workshop::new();
    workshop.annotate("src/lib.rs:open", "i", "c");
    workshop.annotate("src/lib.rs:count", "i", "c");
    workshop.edit("src/lib.rs", "is_living", "lives");
    workshop.write("docs/page.md", "no code");
    workshop.commit("Lives");
    let counts = json!({"units": 3, "current": 1, "stale": 1, "bare": 1});
    let coverage = workshop.cairn.json(&["annotate", "--coverage"]);
    assert_eq!((&coverage["total"], coverage["files"].as_array().unwrap().len()), (&counts, 1));
    let svg = workshop.repository.directory_path().join("map.svg");
    let out = workshop.cairn.quiet(&["annotate", "--coverage", "src/lib.rs", "--svg", svg.to_str().unwrap()]).out();
    insta::assert_snapshot!(testkit::redact(&out), @"
    FILE        UNITS  CURRENT  STALE  BARE  SAID
    src/lib.rs      3        1      1     1   66%
    all             3        1      1     1   66%
    ");
    let picture = std::fs::read_to_string(svg).unwrap();
    assert!(picture.starts_with("<svg"), "{picture}");
    insta::assert_snapshot!(testkit::redact(&picture), @r##"
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 720" font-family="sans-serif" font-size="12">
    <title>Annotations of src/lib.rs</title>
    <rect x="8" y="12" width="16" height="16" fill="#2a7f9e"/>
    <text x="30" y="25">current: 1</text>
    <rect x="168" y="12" width="16" height="16" fill="#e0a530"/>
    <text x="190" y="25">stale: 1</text>
    <rect x="328" y="12" width="16" height="16" fill="#d9d9d9"/>
    <text x="350" y="25">bare: 1</text>
    <g><title>src/lib.rs: 1 of 3 current, 1 stale</title>
    <rect x="0.00" y="40.00" width="400.00" height="680.00" fill="#2a7f9e"/>
    <rect x="400.00" y="40.00" width="400.00" height="680.00" fill="#e0a530"/>
    <rect x="800.00" y="40.00" width="400.00" height="680.00" fill="#d9d9d9"/>
    <rect x="0.00" y="40.00" width="1200.00" height="680.00" fill="none" stroke="white"/>
    <text x="4.00" y="54.00">src/lib.rs</text>
    </g>
    </svg>
    "##);
    let ran = workshop.cairn.run(&["annotate", "--coverage", "gone"]);
    assert!(ran.code() == Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: File not found: gone
    ");
}

#[test]
fn note_that_is_too_long_is_reported_and_fails_doctor() {
    let workshop = Workshop::new();
    let path = workshop.repository.directory_path().join("note");
    std::fs::write(&path, "x".repeat(16 * 1024 * 1024 + 1)).unwrap();
    workshop.repository.git(&["notes", "--ref=ultragit", "add", "--file", path.to_str().unwrap(), "HEAD"]);
    let warning = format!("skipped the note of commit {}: it is longer than 16777216 bytes", workshop.head());
    for query in [
        &["read", "src/lib.rs"][..],
        &["deps", "src/lib.rs"],
        &["history", "src/lib.rs"],
        &["summary", "."],
        &["context", "src/lib.rs"],
        &["annotate", "--list"],
        &["annotate", "--coverage"],
        &["check"],
    ] {
        let ran = workshop.cairn.run(&[query, &["--json"]].concat());
        assert!(ran.status.success() && ran.json().to_string().contains(&warning), "{query:?}: {ran}");
        let ran = workshop.cairn.run(query);
        assert!(ran.out().contains(&warning) || ran.err().contains(&warning), "{query:?}: {ran}");
    }
    let ran = workshop.cairn.run(&["doctor"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    let head = workshop.head();
    let found: String = ran.out().lines().filter(|line| line.contains("unreadable")).collect();
    insta::assert_snapshot!(found.replace(&head[..10], "<commit>").trim(), @"broken  unreadable  1 note cannot be read, so queries leave it out: <commit> (it is longer than 16777216 bytes)");
    let ran = workshop.cairn.run(&["annotate", "--anchor", "src/lib.rs:open", "--intent", "i"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.err().replace(&head, "<commit>"), @"
    error: the existing note of commit <commit> cannot be read: it is longer than 16777216 bytes
    hint: look at it with `git notes --ref=ultragit show <commit>`; nothing was written over
    ");
}

#[test]
fn a_file_is_found_from_the_folder_of_the_caller() {
    let workshop = Workshop::new();
    workshop.cairn.ok(&["annotate", "--anchor", "src/lib.rs:open", "--intent", "One way in"]);
    let here = workshop.cairn.at(&workshop.cairn.directory().join("src"));
    let file = |cairn: &Cairn, path: &str| cairn.json(&["read", path])["query"]["file"].clone();
    for path in ["lib.rs", "./lib.rs", "../src/lib.rs", "src/lib.rs"] {
        assert_eq!(file(&here, path), "src/lib.rs", "{path}");
    }
    for command in ["deps", "history", "summary", "context"] {
        here.ok(&[command, "lib.rs"]);
    }
    assert_eq!(here.json(&["summary", "."])["query"]["file"], ".", "the top comes first");
    assert_eq!(here.run(&["read", "nothing.rs"]).err(), "error: File not found: nothing.rs\n");
}
