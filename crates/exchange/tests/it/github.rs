//! GitHub: the REST interface and `gh issue list --json`.

use exchange::ImportFormat::{self, Github};
use exchange::{ImportOptions, ReadOptions};
use serde_json::json;

use crate::harness::TestProject;

/// As `gh api 'repos/octo/hello/issues?state=all'` prints it.
const REST: &str = r#"[
{"url":"https://api.github.com/repos/octo/hello/issues/12","html_url":"https://github.com/octo/hello/issues/12","id":1,
 "node_id":"I_1","number":12,"title":"Found a bug","user":{"login":"octocat","id":1},"labels":[{"id":5,"name":"bug","color":"f29513","default":true}],
 "state":"closed","state_reason":"not_planned","locked":false,"assignee":{"login":"hubot"},"assignees":[{"login":"hubot"},{"login":"Grace"}],
 "milestone":{"url":"x","number":1,"title":"v1.0","description":"First","creator":{"login":"octocat"},"state":"open","created_at":"2011-04-10T20:09:31Z","updated_at":"2014-03-03T18:58:10Z","closed_at":null,"due_on":"2012-10-09T23:39:01Z"},
 "comments":1,"created_at":"2011-04-22T13:33:48Z","updated_at":"2011-05-22T13:33:48Z","closed_at":"2011-05-01T00:00:00Z","closed_by":{"login":"hubot"},
 "body":"I'm having a problem with this.","parent_issue_url":"https://api.github.com/repos/octo/hello/issues/14","type":{"name":"Bug"},"reactions":{"total_count":2}},
{"html_url":"https://github.com/octo/hello/pull/13","number":13,"title":"A patch","state":"open","pull_request":{"url":"x"},"user":null},
{"html_url":"https://github.com/octo/hello/issues/14","number":14,"title":"All","state":"open","state_reason":null,"user":{"login":"octocat"},
 "created_at":"2011-04-20T00:00:00Z","updated_at":"2011-04-20T00:00:00Z","closed_at":null,"body":null,"milestone":null}
]"#;

/// As `gh api repos/octo/hello/issues/comments` prints it.
const COMMENTS: &str = r#"[{"id":77,"html_url":"https://github.com/octo/hello/issues/12#issuecomment-77","issue_url":"https://api.github.com/repos/octo/hello/issues/12",
"body":"Me too","user":{"login":"octocat"},"created_at":"2011-04-23T00:00:00Z","updated_at":"2011-04-23T00:00:00Z"}]"#;

/// As `gh issue list --json …` prints it.
const GH: &str = r#"[{"number":12,"title":"Found a bug","body":"Text","state":"CLOSED","stateReason":"COMPLETED","url":"https://github.com/octo/hello/issues/12",
"author":{"id":"U_1","is_bot":false,"login":"octocat","name":"The Octocat"},"assignees":[{"login":"ada","name":"Ada Lovelace"}],
"labels":[{"id":"L","name":"bug","description":"","color":"d73a4a"}],"milestone":{"number":1,"title":"v1.0","description":"","dueOn":"2012-10-09T00:00:00Z"},
"createdAt":"2011-04-22T13:33:48Z","updatedAt":"2011-05-01T00:00:00Z","closedAt":"2011-05-01T00:00:00Z",
"comments":[{"id":"IC_1","author":{"login":"octocat"},"body":"Me too","createdAt":"2011-04-23T00:00:00Z","url":"https://github.com/octo/hello/issues/12#issuecomment-77"}]}]"#;

#[test]
fn issues_of_the_rest_interface_keep_every_field() {
    let mut test = TestProject::new();
    let view = test.import(Github, REST);
    assert_eq!(view.created, 3);
    test.check("12", &json!({"kind": "issue", "title": "Found a bug", "description": "I'm having a problem with this.",
        "status": "done", "state": "closed", "completed": "2011-05-01", "author": "octocat", "labels": ["bug"], "type": "Bug",
        "assignees": ["hubot", "Grace"], "milestone": "v1.0", "parent": "All", "created": "2011-04-22T13:33:48Z",
        "updated": "2011-05-22T13:33:48Z", "imported": {"from": "github", "id": "octo/hello#12",
        "url": "https://github.com/octo/hello/issues/12", "status": "not_planned"}}));
    test.check(
        "milestone/1",
        &json!({"title": "v1.0", "description": "First", "due": "2012-10-09", "state": "open",
        "author": "octocat", "created": "2011-04-10T20:09:31Z", "updated": "2014-03-03T18:58:10Z"}),
    );
    test.check("14", &json!({"status": "backlog", "imported": {"status": null}}));
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count, one.example.as_str())).collect();
    assert_eq!(left, [("comment", 1, "octo/hello#12"), ("pull request", 1, "#13"), ("reactions", 1, "#12")]);
    test.import_changes_nothing(Github, REST);
}

#[test]
fn closing_is_an_operation_of_the_person_who_closed() {
    let mut test = TestProject::new();
    test.import(Github, REST);
    let log = test.project.log_of(&model::item_ref::ItemRef::parse("12")).unwrap();
    let seen: Vec<_> = log.operations.iter().map(|op| (op.kind.as_str(), op.by.as_str(), op.at.to_string())).collect();
    let at = |text: &str| text.to_owned();
    assert_eq!(seen[0], ("create", "octocat", at("2011-04-22T13:33:48Z")));
    assert_eq!(seen[1], ("set", "hubot", at("2011-05-01T00:00:00Z")));
    assert!(log.operations.iter().all(|op| op.imported.as_deref() == Some("github")));
}

#[test]
fn comments_come_from_their_own_file() {
    let mut test = TestProject::new();
    let paths = [test.file("issues.json", REST), test.file("comments.json", COMMENTS)];
    let import = |test: &mut TestProject| {
        exchange::import(&mut test.project, Github, &paths, &ImportOptions::default(), &mut |_| {}).unwrap().0
    };
    assert_eq!(import(&mut test).comments, 1);
    test.check("12", &json!({"updated": "2011-05-22T13:33:48Z", "comments": [{"author": "octocat", "created": "2011-04-23T00:00:00Z", "body": "Me too", "imported": "github"}]}));
    assert_eq!(import(&mut test).comments, 0);
    // The same comment in the form of `gh` has the same id.
    assert_eq!(test.import(Github, GH).comments, 0);
    let view = TestProject::new().import(Github, COMMENTS);
    assert_eq!(view.left_out[0].why, "its item was not imported");
}

#[test]
fn issues_of_gh_keep_every_field() {
    let mut test = TestProject::new();
    test.import(Github, GH);
    test.check(
        "12",
        &json!({"status": "done", "completed": "2011-05-01", "author": "The Octocat",
        "assignees": ["Ada Lovelace <ada@example.com>"], "milestone": "v1.0", "labels": ["bug"],
        "updated": "2011-05-01T00:00:00Z", "comments": [{"author": "The Octocat", "body": "Me too"}]}),
    );
    test.check("milestone/1", &json!({"due": "2012-10-09"}));
    test.import_changes_nothing(Github, GH);
}

#[test]
fn project_is_named_when_the_file_does_not_say_it() {
    let mut test = TestProject::new();
    let text = r#"[{"number": 1, "title": "One", "state": "OPEN"}]"#;
    let read = ReadOptions { project: Some("octo/hello".into()), ..ReadOptions::default() };
    test.import_with(Github, text, &ImportOptions { read, ..ImportOptions::default() }).unwrap();
    test.check("1", &json!({"imported": {"id": "octo/hello#1"}}));
}

#[test]
fn malformed_files_are_refused_with_line_and_column() {
    let mut test = TestProject::new();
    test.refuses(
        Github,
        "[{\"number\": 1,\n\"title\": 5}]",
        "`<tmp>/input`: line 2, column 11: invalid type: integer `5`, expected a string",
    );
    test.refuses(Github, "[{\"number\": 1}]", "`<tmp>/input`: line 1, column 14: element 1: the issue has no `title`");
    test.refuses(
        Github,
        "[{\"number\": 1, \"title\": \"a\"}",
        "`<tmp>/input`: line 1, column 28: not valid JSON: EOF while parsing a list",
    );
}

#[test]
fn labels_are_declared_with_their_colors() {
    let mut test = TestProject::new();
    test.import(ImportFormat::Jsonl, r#"{"title": "Before", "labels": ["own"]}"#);
    let labels = r#"[{"id": 1, "name": "bug", "color": "d73a4a", "description": "Something is\nwrong", "default": true},
        {"id": 2, "name": "good, first", "color": "7057ff", "description": null}, {"id": 3, "name": "odd", "color": "blau"}]"#;
    let view = test.import(Github, labels);
    assert_eq!((view.created, view.labels), (0, 4));
    // An issue brings a label of its own, and another color of a known one, which stays.
    let issue = r#"[{"number": 9, "title": "One", "state": "open", "html_url": "https://github.com/o/n/issues/9",
        "labels": [{"name": "bug", "color": "000000"}, {"name": "new", "color": "36B37E"}, "plain"]}]"#;
    assert_eq!(test.import(Github, issue).labels, 2);
    let labels = test.project.labels().unwrap();
    let told: Vec<_> = labels
        .iter()
        .map(|label| (label.name.as_str(), label.color.as_deref(), label.about.as_str(), label.declared))
        .collect();
    assert_eq!(
        told,
        [
            ("bug", Some("#d73a4a"), "Something is wrong", true),
            ("good first", Some("#7057ff"), "", true),
            ("new", Some("#36b37e"), "", true),
            ("odd", None, "", true),
            ("own", None, "", true),
            ("plain", None, "", true),
        ]
    );
    test.import_changes_nothing(Github, issue);
}

#[test]
fn people_are_neither_lost_nor_split() {
    let mut test = TestProject::new();
    // `gh` gives the names of authors, but of comments only the login; a deleted account is null.
    let issues = r#"[{"number":1,"title":"a","state":"OPEN","url":"https://github.com/o/p/issues/1","author":{"login":"mona","name":"Mona Lisa"},
        "comments":[{"author":{"login":"mona"},"body":"one\r\ntwo","createdAt":"2024-01-01T00:00:00Z"},{"author":null,"body":"gone","createdAt":"2024-01-02T00:00:00Z"}]},
        {"number":2,"title":"b","body":"x\r\ny","state":"OPEN","url":"https://github.com/o/p/issues/2","author":null}]"#;
    test.import(Github, issues);
    test.check(
        "1",
        &json!({"author": "Mona Lisa", "comments": [{"author": "Mona Lisa", "body": "one\ntwo"}, {"author": "ghost"}]}),
    );
    test.check("2", &json!({"author": "ghost", "description": "x\ny"}));
    test.import_changes_nothing(Github, issues);
}

#[test]
fn comments_of_pull_requests_are_counted_apart() {
    let comment = r#"[{"id":5,"html_url":"https://github.com/o/p/pull/3#issuecomment-5","issue_url":"https://api.github.com/repos/o/p/issues/3","body":"x"}]"#;
    let view = TestProject::new().import(Github, comment);
    assert_eq!(
        (view.left_out[0].what.as_str(), view.left_out[0].example.as_str()),
        ("comment of a pull request", "#3")
    );
}

#[test]
fn overlapping_pages_are_read_once() {
    let issue = |number: u8, title: &str| {
        format!(
            r#"{{"number": {number}, "title": "{title}", "state": "open", "html_url": "https://github.com/o/n/issues/{number}", "comments": 1}}"#
        )
    };
    let pages = format!("[{}, {}][{}, {}]", issue(3, "c"), issue(2, "b"), issue(2, "b"), issue(1, "a"));
    let mut test = TestProject::new();
    let view = test.import(Github, &pages);
    assert_eq!((view.created, view.left_out[1].what.as_str(), view.left_out[1].count), (3, "repeated issue", 1));
    let comment = r#"{"id": 5, "issue_url": "https://api.github.com/repos/o/n/issues/2", "body": "Once.", "created_at": "2024-01-02T00:00:00Z"}"#;
    let view = test.import(Github, &format!("[{comment}][{comment}]"));
    assert_eq!((view.comments, view.left_out[0].what.as_str()), (1, "repeated comment"));
    // It was not edited.
    test.check("2", &json!({"comments": [{"body": "Once.", "former": []}]}));
}

#[test]
fn names_in_other_cases_are_one_person() {
    let issue = |number: u8, author: &str, assignee: &str| {
        format!(
            r#"{{"number": {number}, "title": "x", "state": "open", "html_url": "https://github.com/o/n/issues/{number}", "user": {{"login": "{author}"}}, "assignees": [{{"login": "{assignee}"}}]}}"#
        )
    };
    let issues = format!("[{},{},{}]", issue(1, "Mona", "hubot"), issue(2, "mona", "Hubot"), issue(3, "grace", "MONA"));
    let mut test = TestProject::new();
    test.import(Github, &issues);
    test.check("2", &json!({"author": "Mona", "assignees": ["hubot"]}));
    test.check("3", &json!({"assignees": ["Mona"]}));
    test.import_changes_nothing(Github, &issues);
}
