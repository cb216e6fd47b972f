//! High load with valid and invalid requests: one correct response each, and memory is released.

use std::collections::HashMap;
use std::io::Write;
use std::thread;

use serde_json::{Value, json};

use crate::client::{Client, ISSUE, project, text};

const CALLS: usize = 1000;
const BAD_EVERY: usize = 5;

fn call(n: usize) -> Value {
    let (name, arguments) = match n % 4 {
        0 => ("git_mile.list", json!({"entity": "issue", "limit": 1})),
        1 => ("git_mile.show", json!({"entity": "issue", "id": ISSUE})),
        2 => ("git_mile.list", json!({"entity": "milestone"})),
        _ => ("git_mile.show", json!({"entity": "issue", "id": n.to_string()})),
    };
    let id = if n.is_multiple_of(2) { json!(n) } else { json!(format!("call {n}")) };
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

fn bad(n: usize) -> (Vec<u8>, i64) {
    match n % 4 {
        0 => (b"no json".to_vec(), -32700),
        1 => (vec![0xff, 0xfe, b'{'], -32700),
        2 => ("[".repeat(5000).into_bytes(), -32700),
        _ => (b"[]".to_vec(), -32600),
    }
}

#[test]
fn thousand_calls_among_noise_get_one_right_answer_each() {
    let repository = project();
    let mut client = Client::start(repository.path());
    for n in 0..64 {
        client.line(&call(n).to_string());
    }
    for _ in 0..64 {
        client.next();
    }
    let before = resident(&client);
    let mut input = client.take_input();
    let writer = thread::spawn(move || {
        for n in 0..CALLS {
            writeln!(input, "{}", call(n)).expect("the server reads");
            if n.is_multiple_of(BAD_EVERY) {
                let line = bad(n / BAD_EVERY).0;
                input.write_all(&line).and_then(|()| input.write_all(b"\n")).expect("the server reads");
            }
            if n == CALLS / 2 {
                let piece = vec![b'x'; 1024 * 1024];
                (0..64).for_each(|_| input.write_all(&piece).expect("the server reads"));
                input.write_all(b"\n").expect("the server reads");
            }
        }
        input
    });
    let mut by_id: HashMap<String, Value> = HashMap::new();
    let mut refused: HashMap<i64, usize> = HashMap::new();
    for _ in 0..=CALLS + CALLS / BAD_EVERY {
        let answer = client.next();
        if answer["id"].is_null() {
            *refused.entry(answer["error"]["code"].as_i64().expect("a code")).or_default() += 1;
        } else {
            let twice = by_id.insert(answer["id"].to_string(), answer);
            assert_eq!(twice, None);
        }
    }
    assert_eq!(refused, HashMap::from([(-32700, 150), (-32600, 51)]));
    for n in 0..CALLS {
        check(n, &by_id[&call(n)["id"].to_string()]);
    }
    let input = writer.join().expect("all was written");
    if let (Some(before), Some(after)) = (before, resident(&client)) {
        assert!(after <= before + 20 * 1024, "{before} KiB before, {after} KiB after");
    }
    drop(input);
    let (rest, status) = client.finish();
    assert!(rest.is_empty() && status.success());
}

#[track_caller]
fn check(n: usize, answer: &Value) {
    match n % 4 {
        0 => assert_eq!(text(answer)["items"].as_array().map(Vec::len), Some(1), "{answer}"),
        1 => assert_eq!(text(answer)["stats"]["comment_count"], 2, "{answer}"),
        2 => assert_eq!(text(answer)["items"][0]["stats"]["open_issues"], 2, "{answer}"),
        // Only number 3 exists.
        _ if n == 3 => assert_eq!(text(answer)["title"], "Write the release notes", "{answer}"),
        _ => assert_eq!(answer["error"]["code"], -32602, "{answer}"),
    }
}

/// Returns the resident memory in KiB, if the system provides it.
fn resident(client: &Client) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
