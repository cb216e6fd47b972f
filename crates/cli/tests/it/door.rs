//! The door of the HTTP server: who gets in, and what everyone else hears.

use serde_json::json;

use crate::served::Served;
use crate::support::Project;

#[test]
fn who_has_no_good_token_hears_the_same_whatever_they_ask_for() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--dialect", "mile", "--token", "your-secret-token"]);
    assert_eq!(served.token, None);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(served.post("/mcp", Some("your-secret-token"), &ping).status, 200);
    for token in [None, Some("your-secret-tokem"), Some("your-secret-token2"), Some(""), Some("ünlaut")] {
        for path in ["/mcp", "/mcp/mile", "/mcp/nothing"] {
            let answer = served.post(path, token, &ping);
            assert_eq!((answer.status, answer.body.as_str()), (401, r#"{"error":"Unauthorized"}"#), "{token:?} {path}");
            assert_eq!(answer.header("www-authenticate"), Some("bearer"));
        }
        for path in ["/api/project", "/api/nothing"] {
            let answer = served.ask("GET", path, token);
            assert_eq!(answer.status, 401, "{token:?} {path}");
            assert_eq!(answer.header("content-type"), Some("application/problem+json"));
            assert_eq!(answer.json()["status"], 401);
        }
        for path in ["/", "/nothing"] {
            let answer = served.ask("GET", path, token);
            assert_eq!((answer.status, answer.header("location")), (303, Some("/login")), "{token:?} {path}");
        }
    }
    assert_eq!(served.ask("GET", "/nothing", Some("your-secret-token")).status, 404);
    assert_eq!(served.ask("GET", "/mcp/mile", None).status, 405);
}

#[test]
fn token_comes_from_a_flag_a_file_or_the_environment() {
    let project = Project::new();
    let file = project.repository.git_dir().join("secret");
    std::fs::write(&file, "from-a-file\n").unwrap();
    let flags = ["--token-file", file.to_str().unwrap()];
    let served = Served::start(&project.cairn, &flags);
    assert_eq!(served.ask("GET", "/api/project", Some("from-a-file")).status, 200);
    let mut command = project.cairn.command(&["serve", "--json", "--addr", "127.0.0.1:0"]);
    let served = Served::spawn(command.env("CAIRN_TOKEN", "from-outside"));
    assert_eq!(served.ask("GET", "/api/project", Some("from-outside")).status, 200);
    assert_eq!(served.ask("GET", "/api/project", Some("from-a-file")).status, 401);
    for (words, said) in [
        (&["--token", "two words"][..], "visible ASCII"),
        (&["--token", ""], "visible ASCII"),
        (&["--token-file", "/nowhere/at/all"], "cannot read the token"),
        (&["--token", "a", "--without-token"], "cannot be used with"),
    ] {
        let ran = project.cairn.run(&[&["serve", "--addr", "127.0.0.1:0"], words].concat());
        assert_eq!(ran.code(), Some(2), "{ran}");
        assert!(ran.err().contains(said), "{ran}");
    }
}

#[test]
fn without_any_token_one_is_made_for_this_machine_and_none_for_others() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &[]);
    let token = served.token.clone().expect("one is made");
    assert_eq!(served.ask("GET", "/api/project", Some(&token)).status, 200);
    assert_eq!(served.ask("GET", "/api/project", None).status, 401);
    for options in [&[][..], &["--without-token"]] {
        let ran = project.cairn.run(&[&["serve", "--addr", "0.0.0.0:0"], options].concat());
        assert_eq!(ran.code(), Some(2), "{ran}");
        assert!(ran.err().contains("cairn token create NAME"), "{ran}");
    }
}
