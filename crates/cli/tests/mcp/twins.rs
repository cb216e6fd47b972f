//! The former command line beside the server: the same JSON for the same request.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, ISSUE, finish, import, program, run};

/// A deterministic random choice.
struct Draw(u64);

impl Draw {
    fn one<T: Clone>(&mut self, from: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = (self.0 >> 33) % from.len() as u64;
        from[usize::try_from(place).expect("it is below the length")].clone()
    }
}

fn many_items() -> TestRepository {
    let repository = TestRepository::new();
    let mut draw = Draw(7);
    let mut lines = String::new();
    for n in 1..=60 {
        let item = json!({
            "kind": draw.one(&["issue", "issue", "milestone", "task"]),
            "title": format!("{} number {n}", draw.one(&["Ünïcode", "Login", "\"Quoted\"", "Deep <thought>"])),
            "description": draw.one(&["", "Some\nlines.", "\u{202e}turned"]),
            "labels": draw.one(&[vec![], vec!["bug"], vec!["bug", "ui"]]),
            "priority": draw.one(&[0, 3, 9]),
        });
        writeln!(lines, "{item}").expect("a string takes all");
    }
    import(&repository, &lines);
    let numbers: Vec<String> = (1..=40).filter(|n| n % 4 == 0).map(|n| n.to_string()).collect();
    let mut close = vec!["close"];
    close.extend(numbers.iter().map(String::as_str));
    run(repository.path(), &close);
    repository
}

fn link(repository: &TestRepository) -> String {
    let folder = repository.directory_path().join("bin");
    let folder = folder.to_str().expect("temporary paths are UTF-8");
    run(repository.path(), &["compat", "link", "--dir", folder]);
    // A second run changes nothing.
    run(repository.path(), &["compat", "link", "--dir", folder]);
    format!("{folder}/git-mile")
}

fn mile(tool: &str, folder: &Path, arguments: &[&str]) -> Value {
    let printed = finish(program(tool, folder).args(arguments).arg("--json"));
    serde_json::from_str(&printed).expect("JSON")
}

#[test]
fn command_line_and_server_answer_alike() {
    let repository = many_items();
    let tool = link(&repository);
    let mut client = Client::start(repository.path());
    let mut draw = Draw(2026);
    for _ in 0..25 {
        let entity = draw.one(&["issue", "milestone"]);
        let filter = draw.one(&[
            None,
            Some("labels ~ bug"),
            Some("(> priority 2)"),
            Some("status == closed"),
            Some("title ~ login or not has_comments == true"),
        ]);
        let sort: &[&str] = draw.one(&[&[][..], &["title"], &["priority:desc", "number"], &["created:asc"]]);
        let (limit, all) = (draw.one(&[1, 7, 50]), draw.one(&[false, true]));
        let mut arguments = json!({"entity": entity, "limit": limit, "includeClosed": all, "sort": sort});
        let limit = limit.to_string();
        let mut words = vec!["list", entity, "--limit", &limit];
        if let Some(filter) = filter {
            arguments["filter"] = json!(filter);
            words.extend(["--filter", filter]);
        }
        words.extend(sort.iter().flat_map(|key| ["--sort", key]));
        words.extend(all.then_some("--all"));

        let page = client.value("git_mile.list", &arguments);
        assert_eq!(page, mile(&tool, repository.path(), &words), "{words:?}");
        if let Some(cursor) = page["nextCursor"].as_str() {
            arguments["cursor"] = json!(cursor);
            words.extend(["--cursor", cursor]);
            let next = client.value("git_mile.list", &arguments);
            assert_eq!(next, mile(&tool, repository.path(), &words), "{words:?}");
        }
        if let Some(id) = page["items"][0]["id"].as_str() {
            let shown = client.value("git_mile.show", &json!({"entity": entity, "id": id}));
            assert_eq!(shown, mile(&tool, repository.path(), &["show", id]));
        }
    }
}

#[test]
fn old_command_line_writes_too() {
    let repository = TestRepository::new();
    let tool = link(&repository);
    let mile = |arguments: &[&str]| mile(&tool, repository.path(), arguments);
    let milestone = mile(&["create", "milestone", "Alpha"]);
    assert_eq!((&milestone["title"], &milestone["status"]), (&json!("Alpha"), &json!("open")));
    let issue = mile(&["create", "issue", "One", "--label", "bug", "--milestone", "1", "-d", "Why."]);
    let id = issue["id"].as_str().expect("an id");
    assert_eq!(mile(&["list", "milestone"])["items"][0]["stats"], json!({"comment_count": 0, "open_issues": 1}));
    assert_eq!(mile(&["comment", id, "Said."])["comments"][0]["body"], "Said.");
    assert_eq!(mile(&["label", id, "--add", "ui", "--remove", "bug"])["labels"], json!(["ui"]));
    assert_eq!(mile(&["close", id])["status"], "closed");
    assert_eq!(mile(&["list", "milestone"])["items"][0]["stats"]["open_issues"], 0);
    assert_eq!(mile(&["open", id])["status"], "open");
    assert_eq!(mile(&["show", "1"])["title"], "One");
}

#[test]
fn old_command_line_knows_issues_and_milestones_only() {
    let repository = TestRepository::new();
    let tool = link(&repository);
    run(repository.path(), &["new", "task", "Not theirs"]);
    for arguments in
        [&["show", "1"][..], &["close", "1"], &["show", ISSUE], &["list", "task"], &["list", "issue", "-n", "0"]]
    {
        let output = program(&tool, repository.path()).args(arguments).output().expect("it starts");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn old_command_line_serves() {
    let repository = many_items();
    let tool = link(&repository);
    let mut server = program(&tool, repository.path());
    server.arg("mcp-server").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = server.spawn().expect("it starts");
    let shutdown = json!({"jsonrpc": "2.0", "id": "end", "method": "shutdown"});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"});
    let mut input = server.stdin.take().expect("it is piped");
    writeln!(input, "{hello}\n{shutdown}").expect("it reads");
    let output = server.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "git-mile");
    assert_eq!(answers[1], json!({"jsonrpc": "2.0", "id": "end", "result": null}));
    assert_eq!(answers.len(), 2);
}

#[test]
fn link_does_not_replace_other_files() {
    let repository = TestRepository::new();
    let folder = repository.directory_path();
    std::fs::write(folder.join("git-mile"), "someone else's").expect("it can be written");
    let folder = folder.to_str().expect("temporary paths are UTF-8");
    let output =
        program(env!("CARGO_BIN_EXE_cairn"), repository.path()).args(["compat", "link", "--dir", folder]).output();
    assert!(!output.expect("it starts").status.success());
    let kept = std::fs::read_to_string(Path::new(folder).join("git-mile"));
    assert_eq!(kept.expect("it is there"), "someone else's");
}
