//! Lines: invalid ones get an error, and the next one is served.

use serde_json::{Value, json};

use crate::client::{Client, project};

#[track_caller]
fn expect(answer: &Value, id: &Value, code: i64) {
    assert_eq!((&answer["id"], &answer["error"]["code"]), (id, &json!(code)), "{answer}");
}

#[test]
fn bad_lines_are_answered_and_the_next_is_served() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let null = Value::Null;
    let cases: [(&[u8], &Value, i64); 12] = [
        (b"garbage", &null, -32700),
        (b"{\"jsonrpc\":", &null, -32700),
        (b"\xff\xfe\xfd", &null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", &null, -32700),
        (deep.as_bytes(), &null, -32700),
        (b"17", &null, -32600),
        (b"{}", &null, -32600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", &null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", &null, -32600),
        (b"{\"id\":\"a\",\"method\":\"ping\"}", &json!("a"), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}", &json!(7), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/list\"}", &json!(7), -32601),
    ];
    for (line, id, code) in cases {
        client.write(line);
        client.write(b"\n");
        expect(&client.next(), id, code);
        assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    }
}

#[test]
fn known_methods_with_wrong_parameters_are_errors() {
    let repository = project();
    let mut client = Client::start(repository.path());
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 5})),
        ("tools/call", json!([])),
        ("tools/list", json!({"cursor": 5})),
        ("tools/list", json!({"cursor": "next"})),
        ("initialize", json!({"protocolVersion": 5})),
    ] {
        let answer = client.request(method, &params);
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
    }
}

#[test]
fn line_that_is_too_long_is_refused() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let long = |n: usize| {
        let head = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"";
        format!("{head}{}\"}}}}\n", "x".repeat(n - head.len() - 3))
    };
    client.write(long(16 * 1024 * 1024).as_bytes());
    expect(&client.next(), &Value::Null, -32600);
    client.write(long(16 * 1024 * 1024 - 1).as_bytes());
    assert_eq!(client.next()["result"], json!({}));
}

#[test]
fn ids_keep_their_type() {
    let repository = project();
    let mut client = Client::start(repository.path());
    for id in
        [json!(0), json!(-5), json!(9_007_199_254_740_993_i64), json!(u64::MAX), json!(1.5), json!("1"), json!("")]
    {
        client.line(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string());
        assert_eq!(client.next(), json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }
}

#[test]
fn two_requests_with_one_id_are_both_answered() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "git_mile.list", "arguments": {"entity": "issue"}}});
    client.write(format!("{call}\n{call}\n{call}\n").as_bytes());
    for _ in 0..3 {
        let answer = client.next();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(false)));
    }
}

#[test]
fn line_ends_marks_and_the_last_line_do_not_matter() {
    let repository = project();
    let mut client = Client::start(repository.path());
    client.write(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\r\n\n");
    assert_eq!(client.next()["id"], 1);
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    let (rest, status) = client.finish();
    assert_eq!(rest, [json!({"jsonrpc": "2.0", "id": 2, "result": {}})]);
    assert!(status.success());
}

#[test]
fn notifications_and_answers_get_no_answer() {
    let repository = project();
    let mut client = Client::start(repository.path());
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
        json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "git_mile.list"}}),
        json!({"jsonrpc": "2.0", "method": "shutdown"}),
        json!({"jsonrpc": "2.0", "method": "no/such/thing", "params": [1]}),
        json!({"jsonrpc": "2.0", "id": 5, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "no"}}),
    ] {
        client.line(&message.to_string());
    }
    client.request("ping", &json!({}));
    assert!(client.finish().0.is_empty());
}

#[test]
fn noise_without_end_is_not_answered_without_end() {
    let repository = project();
    let mut client = Client::start(repository.path());
    client.write("noise\n".repeat(500).as_bytes());
    for _ in 0..100 {
        expect(&client.next(), &Value::Null, -32700);
    }
    client.request("ping", &json!({}));
    client.line("noise");
    expect(&client.next(), &Value::Null, -32700);
}
