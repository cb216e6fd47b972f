//! The checks of a request, their order, and the status of each error.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::TestRepository;

use super::{ACCEPT, BEARER, JSON, PATH, Quick, VERSION, fault};
use crate::client::{cairn, finish, program, run};

const PING: &str = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;

/// Checks that an error has the contract's form, and returns its message.
#[track_caller]
fn check(quick: &Quick, headers: &[(&str, &str)], body: &str, expected: (u16, i64, &str, Value)) -> String {
    let (status, code, name, id) = expected;
    let (got, answer) = quick.post(headers, body);
    assert_eq!((got, &answer["error"]["code"]), (status, &json!(code)), "{body}: {answer}");
    assert_eq!((&answer["error"]["message"], &answer["id"]), (&json!(name), &id), "{body}: {answer}");
    assert_eq!(answer["jsonrpc"], "2.0");
    answer["error"]["data"].as_str().unwrap_or_else(|| panic!("no sentence in {answer}")).to_owned()
}

#[test]
fn get_is_not_allowed_with_or_without_a_token() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    for path in [PATH, "/mcp"] {
        for headers in [&[][..], &[ACCEPT, BEARER]] {
            let (status, head, _) = quick.served.send_raw(path, "GET", headers, "");
            assert_eq!(status, 405);
            assert!(head.lines().any(|line| line == "allow: post"), "{head}");
        }
    }
}

#[test]
fn accept_must_name_both_types() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    for accept in ["application/json", "text/event-stream", "*/*", ""] {
        let told = check(&quick, &[JSON, BEARER, VERSION, ("Accept", accept)], PING, INVALID);
        assert_eq!(told, "Accept header must include application/json and text/event-stream");
    }
    // Checked before the token and the body.
    check(&quick, &[JSON], "nonsense", INVALID);
    // As in HTTP: a list may span several headers, and media types are case-insensitive.
    let two = [("Accept", "application/json"), ("Accept", "Text/Event-Stream")];
    assert_eq!(quick.post(&[&[JSON, BEARER, VERSION], &two[..]].concat(), PING).0, 200);
    assert_eq!(quick.post(&[JSON, ACCEPT, BEARER, VERSION], PING).0, 200);
}

#[test]
fn body_must_be_called_json() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    let headers = [ACCEPT, BEARER, VERSION];
    for kind in ["Application/JSON", "application/json; charset=utf-8", "application/json;charset=UTF-8"] {
        assert_eq!(quick.post(&[&headers[..], &[("Content-Type", kind)]].concat(), PING).0, 200, "{kind}");
    }
    let wrong = (400, -32600, "Invalid Request", json!(5));
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
        let headers = [&headers[..], &[("Content-Type", kind)]].concat();
        let told = check(&quick, &headers, PING, wrong.clone());
        assert_eq!(told, "Content-Type header must be application/json", "{kind}");
    }
    check(&quick, &headers, PING, wrong);
}

#[test]
fn broken_body_is_not_called_too_long() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    let mut stream = TcpStream::connect(quick.served.authority()).unwrap();
    let head: String = [ACCEPT, JSON, BEARER, VERSION].map(|(name, value)| format!("{name}: {value}\r\n")).concat();
    let host = quick.served.authority();
    let request =
        format!("POST {PATH} HTTP/1.1\r\nHost: {host}\r\n{head}Transfer-Encoding: chunked\r\n\r\nno length\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let answer = testkit::http::finish(&mut stream);
    assert_eq!(answer.status, 400, "{answer:?}");
    insta::assert_snapshot!(answer.body, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request","data":"the body is broken"}}"#);
}

const INVALID: (u16, i64, &str, Value) = (400, -32600, "Invalid Request", Value::Null);

#[test]
fn body_must_be_a_request() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    let headers = [JSON, ACCEPT, BEARER];
    for body in ["", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}", "\"\\ud800"] {
        check(&quick, &headers, body, (400, -32700, "Parse error", Value::Null));
    }
    for body in ["[]", "17", "null", "{}", &format!("[{PING}]"), r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#] {
        check(&quick, &headers, body, INVALID);
    }
    // A response without a pending request.
    let answer = r#"{"jsonrpc":"2.0","id":5,"result":{}}"#;
    check(&quick, &[JSON, ACCEPT, BEARER, VERSION], answer, INVALID);
    let with_id = (400, -32600, "Invalid Request", json!(5));
    for body in [
        r#"{"id":5,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":5}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}"#,
    ] {
        check(&quick, &headers, body, with_id.clone());
    }
    let (status, ..) = quick.served.send_raw(PATH, "POST", &headers, &"x".repeat(4 * 1024 * 1024 + 1));
    assert_eq!(status, 413);
}

#[test]
fn version_must_be_named_but_by_the_first_request() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    let with_id = (400, -32600, "Invalid Request", json!(5));
    let headers = [JSON, ACCEPT, BEARER];
    for wrong in ["", "2024-11-05", "2025-03-26", "2025-11-25", "1.0", "2025-06-18x"] {
        let headers = [&headers[..], &[("MCP-Protocol-Version", wrong)]].concat();
        let told = check(&quick, &headers, PING, with_id.clone());
        assert_eq!(told, "MCP-Protocol-Version header must be 2025-06-18");
    }
    check(&quick, &headers, PING, with_id.clone());
    // Checked before the method and its parameters.
    check(&quick, &headers, r#"{"jsonrpc":"2.0","id":5,"method":"nothing"}"#, with_id.clone());
    check(&quick, &headers, r#"{"jsonrpc":"2.0","id":5,"method":"tools/call"}"#, with_id);
    check(&quick, &headers, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, INVALID);
    for hello in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}"#,
    ] {
        for more in [&[][..], &[VERSION]] {
            let (status, answer) = quick.post(&[&headers[..], more].concat(), hello);
            let expected = json!({
                "protocolVersion": "2025-06-18",
                "serverInfo": {"name": "quicksilver-mcp", "version": "0.1.0"},
                "capabilities": {"resources": {}, "tools": {}},
            });
            assert_eq!((status, &answer["result"]), (200, &expected), "{hello}");
        }
    }
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#;
    let (status, _, body) = quick.served.send_raw(PATH, "POST", &[&headers[..], &[VERSION]].concat(), initialized);
    assert_eq!((status, body.as_str()), (202, ""));
}

#[test]
fn each_code_has_its_status() {
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    let quick = Quick::start(repository.path());
    let by_specification = Quick::start_with(repository.path(), &["--http-status", "spec"]);
    for (method, params, status, code, sentence) in [
        ("nothing", json!({}), 200, -32601, "unknown method `nothing`"),
        ("tools/call", Value::Null, 400, -32602, "name is required"),
        ("tools/call", json!({"arguments": {"title": "x"}}), 400, -32602, "name is required"),
        ("tools/call", json!({"name": null}), 400, -32602, "name is required"),
        ("tools/call", json!({"name": "nothing"}), 400, -32602, "unknown tool `nothing`"),
        ("tools/call", json!({"name": "list_tasks"}), 400, -32602, "unknown tool `list_tasks`"),
        ("tools/call", json!({"name": "create_task"}), 400, -32602, "title is required"),
        ("tools/call", json!({"name": "create_task", "arguments": null}), 400, -32602, "title is required"),
        ("tools/call", json!({"name": "create_task", "arguments": []}), 400, -32602, "`arguments` must be an object"),
        ("tools/call", json!([]), 400, -32602, "`params` must be an object: parameters have names here"),
        (
            "tools/call",
            json!({"name": "update_task", "arguments": {"id": 99}}),
            404,
            -32002,
            "there is no task 99: 1 is First",
        ),
        ("resources/read", json!({}), 400, -32602, "uri is required"),
        (
            "resources/read",
            json!({"uri": "quicksilver://tasks/x"}),
            400,
            -32602,
            "uri must be quicksilver://tasks/{id} or quicksilver://boards/{id}",
        ),
        (
            "resources/read",
            json!({"uri": "quicksilver://tasks/+1"}),
            400,
            -32602,
            "uri must be quicksilver://tasks/{id} or quicksilver://boards/{id}",
        ),
        (
            "resources/read",
            json!({"uri": "quicksilver://tasks/99999999999999999999"}),
            404,
            -32002,
            "there is no task 99999999999999999999: 1 is First",
        ),
        (
            "tools/call",
            json!({"name": "complete_task", "arguments": {"id": u64::MAX}}),
            404,
            -32002,
            "there is no task 18446744073709551615: 1 is First",
        ),
        (
            "resources/read",
            json!({"uri": "http://tasks/1"}),
            400,
            -32602,
            "uri must be quicksilver://tasks/{id} or quicksilver://boards/{id}",
        ),
        ("resources/read", json!({"uri": "quicksilver://tasks/99"}), 404, -32002, "there is no task 99: 1 is First"),
        (
            "resources/read",
            json!({"uri": "quicksilver://boards/1"}),
            404,
            -32002,
            "there is no board 1: there are no boards yet",
        ),
        (
            "resources/list",
            json!({"cursor": "nonsense"}),
            400,
            -32602,
            "the cursor is not one of this list; leave it out to begin anew",
        ),
        ("resources/list", json!({"cursor": 5}), 400, -32602, "`cursor` must be a string"),
    ] {
        let told = fault(&quick.ask(method, &params));
        assert_eq!((told.0, told.1), (status, code), "{method} {params}: {}", told.2);
        assert_eq!(told.2, sentence, "{method} {params}");
        let told = fault(&by_specification.ask(method, &params));
        assert_eq!((told.0, told.1), (200, code), "{method} {params}");
    }
    let (status, answer) = quick.ask("tools/list", &Value::Null);
    assert_eq!((status, answer["result"]["tools"].as_array().map(Vec::len)), (200, Some(3)));
    assert_eq!(by_specification.post(&[JSON, ACCEPT, BEARER], PING).0, 400);
}

#[test]
fn pages_of_other_sites_are_kept_out() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    for origin in ["http://evil.example", "null"] {
        let headers = [JSON, ACCEPT, BEARER, VERSION, ("Origin", origin)];
        assert_eq!(quick.served.send_raw(PATH, "POST", &headers, PING).0, 403);
    }
}

#[test]
fn newer_requests_follow_the_specification() {
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    let quick = Quick::start(repository.path());
    let ask = |method: &str, mut params: Value, name: &[(&str, &str)]| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        });
        let version = ("MCP-Protocol-Version", "2026-07-28");
        let headers = [&[JSON, ACCEPT, BEARER, version, ("Mcp-Method", method)], name].concat();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        quick.post(&headers, &message.to_string())
    };
    let (status, answer) = ask("server/discover", json!({}), &[]);
    assert_eq!((status, &answer["result"]["supportedVersions"]), (200, &json!(["2025-06-18", "2026-07-28"])));
    let (status, answer) =
        ask("tools/call", json!({"name": "create_task", "arguments": {}}), &[("Mcp-Name", "create_task")]);
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(true)), "{answer}");
    let uri = "quicksilver://tasks/9";
    let (status, answer) = ask("resources/read", json!({"uri": uri}), &[("Mcp-Name", uri)]);
    assert_eq!(answer["error"]["code"], -32602, "{status} {answer}");
    assert_eq!(ask("nothing", json!({}), &[]).0, 404);
    let (_, answer) = ask("resources/list", json!({}), &[]);
    assert_eq!(answer["result"]["resources"][0]["uri"], "quicksilver://tasks/1", "{answer}");
}

#[test]
fn token_is_asked_for_after_accept_and_before_the_body() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    for authorization in [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some("Bearer wrong"),
        Some("Bearer your-secret-token more"),
        Some("Bearer your-secret-toke"),
        Some("your-secret-token"),
        Some("Basic your-secret-token"),
    ] {
        let mut headers = vec![JSON, ACCEPT, VERSION];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        for body in [PING, "nonsense"] {
            let (status, answer) = quick.post(&headers, body);
            assert_eq!((status, answer), (401, json!({"error": "Unauthorized"})), "{authorization:?}");
        }
        headers.remove(1);
        check(&quick, &headers, PING, INVALID);
    }
    assert_eq!(quick.post(&[JSON, ACCEPT, VERSION, BEARER], PING).0, 200);
}

#[test]
fn token_has_a_role_and_a_person() {
    let repository = TestRepository::new();
    let token = |name: &str, options: &[&str]| {
        let made = run(repository.path(), &[&["token", "create", name, "--json"], options].concat());
        let made: Value = serde_json::from_str(&made).unwrap();
        format!("Bearer {}", made["token"].as_str().unwrap())
    };
    let reader = token("looker", &["--role", "reader"]);
    let (bob, eve) =
        (token("bob", &["--as", "Bob <bob@example.org>"]), token("eve", &["--as", "Eve <eve@example.org>"]));
    run(repository.path(), &["new", "task", "First"]);
    let quick = Quick::guarded(repository.path(), &["--extended"]);
    let call = |token: &str, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
        quick.post(&[JSON, ACCEPT, VERSION, ("Authorization", token)], &message.to_string())
    };
    for name in ["create_task", "update_task", "complete_task", "claim_task", "accept_task"] {
        let (status, code, _) = fault(&call(&reader, name, json!({"id": 1, "title": "x"})));
        assert_eq!((status, code), (403, -32003), "{name}");
    }
    assert_eq!(call(&reader, "list_tasks", json!({})).0, 200);
    assert_eq!(call(&bob, "claim_task", json!({"id": 1})).0, 200);
    let (status, code, told) = fault(&call(&eve, "claim_task", json!({"id": 1})));
    assert_eq!((status, code, told.as_str()), (400, -32602, "task 1 is already Bob's"));
    assert_eq!(call(&eve, "create_task", json!({"title": "Hers"})).0, 200);
    let shown: Value = serde_json::from_str(&run(repository.path(), &["show", "2", "--json"])).unwrap();
    assert_eq!(shown["author"], "Eve <eve@example.org>");
}

/// The contract's statuses end the session of some clients; `serve` prints a note.
#[test]
fn serving_says_which_clients_need_other_statuses() {
    let repository = TestRepository::new();
    for (options, is_told) in [
        (&["--dialect", "quicksilver"][..], true),
        (&["--dialect", "quicksilver", "--json"], true),
        (&["--dialect", "quicksilver", "--http-status", "spec"], false),
        (&["--dialect", "mile"], false),
    ] {
        let mut command = cairn(repository.path());
        command.args(["serve", "--addr", "127.0.0.1:0", "--without-token"]).args(options);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The address comes first, on one of the two; it prints all its notes before it handles a signal.
        let mut first = [0];
        if options.contains(&"--json") {
            process.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        } else {
            process.stderr.as_mut().unwrap().read_exact(&mut first).unwrap();
        }
        finish(program("kill", repository.path()).args(["-TERM", &process.id().to_string()]));
        let said = String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap();
        let has_said = said.contains("(Python SDK 1.x) need `--http-status spec`");
        assert_eq!(has_said, is_told, "{options:?}: {said}");
    }
}
