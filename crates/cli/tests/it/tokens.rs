//! Tokens: creation, listing, revocation, and their permissions.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::served::Served;
use crate::support::Project;

fn create(project: &Project, words: &[&str]) -> String {
    let made = project.cairn.json(&[&["token", "create"], words].concat());
    made["token"].as_str().unwrap().to_owned()
}

/// Creates an issue, and returns the status and the body of the response.
fn make_issue(served: &Served, token: Option<&str>, title: &str) -> (u16, String) {
    let answer = served.tool(token, "create", &json!({"kind": "issue", "title": title}));
    (answer.status, answer.body)
}

#[test]
fn token_is_printed_once_and_only_its_hash_is_kept() {
    let project = Project::new();
    let ran = project.cairn.ok(&["token", "create", "ada"]);
    let token = ran.out().trim().to_owned();
    assert!(token.starts_with("cairn_") && token.len() == 70, "{ran}");
    assert!(!ran.err().contains(&token), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    cairn_<id>
    --- stderr
    created ada (writer, acts as ada); it is shown only once:
    ");
    let listed = project.cairn.json(&["token", "list"]);
    assert_eq!(listed[0]["name"], "ada");
    assert!(!listed.to_string().contains(&token));
    let path = project.repository.git_dir().join("cairn/tokens.json");
    let stored = fs::read_to_string(&path).unwrap();
    assert!(!stored.contains(&token) && !stored.contains(&token[6..]), "{stored}");
    insta::assert_snapshot!(testkit::redact(&stored), @r#"
    {
      "layout": 1,
      "tokens": [
        {
          "name": "ada",
          "role": "writer",
          "person": "ada",
          "created_at": "<moment>",
          "sha256": "<id>"
        }
      ]
    }
    "#);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let log = project.repository.git(&["for-each-ref"]);
    assert!(!log.contains("cairn/work"), "making a token wrote to the log: {log}");
}

#[test]
fn mistakes_are_named() {
    let project = Project::new();
    create(&project, &["ada"]);
    let refusals = [
        &["create", "ADA"][..],
        &["create", ""],
        &["create", "two\nlines"],
        &["create", "bob", "--role", "king"],
        &["revoke", "bob"],
    ]
    .map(|words| project.cairn.run(&[&["token"], words].concat()).snapshot());
    insta::assert_snapshot!(refusals.concat(), @"
    exit status: 1
    --- stderr
    error: the token `ADA` exists already
    hint: choose another name, or `cairn token revoke ADA` first
    exit status: 2
    --- stderr
    error: the name is empty
    exit status: 2
    --- stderr
    error: the name must be one line; put longer text into the description
    exit status: 2
    --- stderr
    error: invalid value 'king' for '--role <ROLE>': unknown role `king` (expected: reader, writer, admin)

    For more information, try '--help'.
    exit status: 1
    --- stderr
    error: token not found: `bob`
    hint: `cairn token list` shows them all
    ");
    assert_eq!(project.cairn.json(&["token", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn concurrent_token_creations_lose_none() {
    let project = Project::new();
    let started: Vec<_> = (0..8)
        .map(|n| project.cairn.command(&["token", "create", &format!("bot-{n}")]).spawn().expect("it starts"))
        .collect();
    let made: BTreeSet<String> = started.into_iter().map(|child| testkit::Ran::of(child).out()).collect();
    assert_eq!(made.len(), 8, "{made:?}");
    let listed = project.cairn.json(&["token", "list"]);
    let names: BTreeSet<&str> =
        listed.as_array().unwrap().iter().map(|token| token["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 8, "{listed}");
}

#[test]
fn writes_are_those_of_the_token_s_person() {
    let project = Project::new();
    project.cairn.ok(&["member", "add", "Grace Hopper", "--email", "grace@example.com", "--username", "grace"]);
    let tokens = [
        (create(&project, &["grace"]), "Grace Hopper <grace@example.com>"),
        (create(&project, &["build-bot"]), "build-bot"),
        (create(&project, &["laptop", "--as", "Alan <alan@example.com>"]), "Alan <alan@example.com>"),
        (create(&project, &["mine", "--as", "me"]), "Ada Lovelace <ada@example.com>"),
        (create(&project, &["hers", "--as", "grace"]), "Grace Hopper <grace@example.com>"),
    ];
    let served = Served::start(&project.cairn, &[]);
    assert_eq!(served.token, None, "there were tokens already");
    for (number, (token, person)) in (1..).zip(&tokens) {
        assert_eq!(make_issue(&served, Some(token), "Something").0, 200);
        let log = project.cairn.json(&["log", &number.to_string()]);
        assert_eq!(log["operations"][0]["by"], *person, "{log}");
    }
}

#[test]
fn role_says_what_a_token_may() {
    let project = Project::new();
    let (reader, writer) = (create(&project, &["eve", "--role", "reader"]), create(&project, &["bob"]));
    let served = Served::start(&project.cairn, &[]);
    let (_, body) = make_issue(&served, Some(&reader), "Mine");
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answer["error"]["code"], -32003, "{body}");
    insta::assert_snapshot!(answer["error"]["message"].as_str().unwrap(), @"this token is read-only; `create` needs write access");
    let listed = served.tool(Some(&reader), "list", &json!({})).json();
    assert_eq!(listed["result"]["structuredContent"]["total"], 0, "{listed}");
    assert_eq!(project.cairn.json(&["list"])["total"], 0);
    assert_eq!(make_issue(&served, Some(&writer), "Ours").0, 200);
    assert_eq!(project.cairn.json(&["list"])["total"], 1);
}

#[test]
fn revoked_token_opens_nothing_from_that_moment() {
    let project = Project::new();
    let (ada, bob) = (create(&project, &["ada"]), create(&project, &["bob"]));
    let served = Served::start(&project.cairn, &[]);
    assert_eq!(served.ask("GET", "/api/project", Some(&ada)).status, 200);
    project.cairn.ok(&["token", "revoke", "ada"]);
    let refused = served.ask("GET", "/api/project", Some(&ada));
    assert_eq!((refused.status, refused.body), (401, served.ask("GET", "/api/project", None).body));
    assert_eq!(make_issue(&served, Some(&ada), "Late").0, 401);
    assert_eq!(served.ask("GET", "/api/project", Some(&bob)).status, 200);
    let new = create(&project, &["ada"]);
    assert_eq!(served.ask("GET", "/api/project", Some(&new)).status, 200);
    assert_eq!(served.ask("GET", "/api/project", Some(&ada)).status, 401);
}
