//! Example texts before and after an edit.

use serde_json::json;

use super::{EditError, Member, Syntax, get, remove, set};

const SERVERS: &[&str] = &["servers", "cairn"];

fn install(syntax: Syntax, text: &str, path: &[&str]) -> Result<String, EditError> {
    let member = |key, value, yields| Member { key, value, yields };
    let members = [
        member("command", json!("cairn"), false),
        member("args", json!(["mcp", "start"]), false),
        member("enabled", json!(true), true),
    ];
    set(syntax, text, path, &members, |entry| entry.contains_key("url"))
}

#[track_caller]
fn check_json(before: &str, after: &str) {
    assert_eq!(install(Syntax::Json, before, SERVERS).unwrap(), after);
    assert_eq!(install(Syntax::Json, after, SERVERS).unwrap(), after, "twice is once");
}

#[track_caller]
fn check_toml(before: &str, after: &str) {
    assert_eq!(install(Syntax::Toml, before, SERVERS).unwrap(), after);
    assert_eq!(install(Syntax::Toml, after, SERVERS).unwrap(), after, "twice is once");
}

#[track_caller]
fn check_refused(syntax: Syntax, text: &str, message: &str) {
    assert_eq!(install(syntax, text, SERVERS).unwrap_err().to_string(), message);
    assert_eq!(remove(syntax, text, SERVERS).unwrap_err().to_string(), message);
}

const NEW: &str = r#"{
  "servers": {
    "cairn": {
      "command": "cairn",
      "args": ["mcp", "start"],
      "enabled": true
    }
  }
}
"#;

#[test]
fn empty_settings_become_a_complete_file() {
    for text in ["", "\n", " \t\n\n"] {
        check_json(text, NEW);
    }
    check_json("{}\n", NEW);
    check_json("\u{feff}", &format!("\u{feff}{NEW}"));
    check_json("// mine\n", &format!("// mine\n{NEW}"));
    check_json("/* mine */", &format!("/* mine */\n{NEW}"));
    check_json("// mine\r\n", &format!("// mine\n{NEW}").replace('\n', "\r\n"));
}

#[test]
fn a_neighbors_layout_is_followed() {
    check_json(
        "{\n\t\"servers\": {\n\t\t\"a\": {} // stays\n\t}\n}",
        "{\n\t\"servers\": {\n\t\t\"a\": {}, // stays\n\t\t\"cairn\": {\n\t\t\t\"command\": \"cairn\",\n\
         \t\t\t\"args\": [\"mcp\", \"start\"],\n\t\t\t\"enabled\": true\n\t\t}\n\t}\n}",
    );
    check_json(
        "{\r\n    \"x\": 1,\r\n    \"servers\": {\r\n    },\r\n}\r\n",
        "{\r\n    \"x\": 1,\r\n    \"servers\": {\r\n        \"cairn\": {\r\n            \"command\": \"cairn\",\r\n            \
         \"args\": [\"mcp\", \"start\"],\r\n            \"enabled\": true\r\n        }\r\n    },\r\n}\r\n",
    );
    check_json(
        r#"{"servers":{"a":{}},"x":1}"#,
        r#"{"servers":{"a":{},"cairn":{"command":"cairn","args":["mcp","start"],"enabled":true}},"x":1}"#,
    );
    check_json(
        r#"{"servers": {}}"#,
        r#"{"servers": {"cairn": {"command": "cairn", "args": ["mcp", "start"], "enabled": true}}}"#,
    );
}

#[test]
fn only_what_differs_in_an_entry_is_written() {
    let text = "{\"servers\": {\n  \"cairn\": {\"args\": [ \"old\" ], /* why */ \"env\": {\"A\": \"b\"}, \"command\":\"cairn\",\"enabled\" : false},\n  \"z\": 1}}";
    check_json(text, &text.replace("[ \"old\" ]", "[\"mcp\", \"start\"]"));
}

#[test]
fn an_entry_of_another_type_is_replaced() {
    check_json(
        r#"{"servers":{"cairn":{"url":"http://x","headers":{}},"b":2}}"#,
        r#"{"servers":{"cairn":{"command":"cairn","args":["mcp","start"],"enabled":true},"b":2}}"#,
    );
    check_json(
        r#"{"servers":{"cairn":null}}"#,
        r#"{"servers":{"cairn":{"command":"cairn","args":["mcp","start"],"enabled":true}}}"#,
    );
}

#[test]
fn uneditable_settings_are_refused_with_their_position() {
    check_refused(Syntax::Json, "{\n  \"servers\": {\n    \"a\": }\n}", "line 3, column 10: unexpected close brace");
    check_refused(Syntax::Json, "{\"é\": 1,\n \"servers\": []}", "line 2, column 13: `servers` should be an object");
    check_refused(Syntax::Json, "\u{feff}[1]", "line 1, column 1: the document should be an object");
    check_refused(
        Syntax::Json,
        "{\"servers\": {},\n\"servers\": {}}",
        "line 2, column 1: `servers` occurs twice; keep one of them",
    );
    check_refused(
        Syntax::Json,
        "{\"servers\": {\"cairn\": {}, \"cairn\": {}}}",
        "line 1, column 27: `cairn` occurs twice; keep one of them",
    );
    check_refused(Syntax::Json, "{'servers': {}}", "line 1, column 2: single-quoted strings are not allowed");
    check_refused(Syntax::Json, &"[".repeat(100_000), "line 1, column 513: maximum nesting depth exceeded");
    assert!(install(Syntax::Toml, &format!("a = {}", "[".repeat(100_000)), SERVERS).is_err());
    check_refused(
        Syntax::Toml,
        "a = 1\nb = \n",
        "line 2, column 5: string values must be quoted, expected literal string",
    );
    check_refused(Syntax::Toml, "servers = 3\n", "line 1, column 11: `servers` should be a table");
}

#[test]
fn unrelated_duplicate_keys_stay() {
    let text = "{\"x\": 1, \"x\": 2, \"servers\": {\"a\": 1, \"a\": 2}}";
    let installed = install(Syntax::Json, text, SERVERS).unwrap();
    assert!(installed.starts_with("{\"x\": 1, \"x\": 2, \"servers\": {\"a\": 1, \"a\": 2, \"cairn\""));
    assert_eq!(remove(Syntax::Json, &installed, SERVERS).unwrap(), text);
}

#[test]
fn removing_leaves_neighbors_and_comments() {
    let check = |before: &str, after: &str| assert_eq!(remove(Syntax::Json, before, SERVERS).unwrap(), after);
    check(r#"{"servers": {"cairn": {}, "b": 1}}"#, r#"{"servers": { "b": 1}}"#);
    check("{\"servers\": {\n  \"cairn\": {},\n  \"b\": 1\n}}", "{\"servers\": {\n  \"b\": 1\n}}");
    check("{\"servers\": {\n  \"a\": 1,\n  \"cairn\": {},\n}}", "{\"servers\": {\n  \"a\": 1,\n}}");
    check("{\"servers\": {\n  \"a\": 1, // a\n  \"cairn\": {}\n}}", "{\"servers\": {\n  \"a\": 1 // a\n}}");
    // The brace must not end up in the line comment.
    check("{\"servers\": { // c\n \"cairn\": {} }}", "{\"servers\": { // c\n  }}");
    check("{\"servers\": {}}", "{\"servers\": {}}");
    check("", "");
}

const TABLE: &str = "[servers.cairn]\ncommand = \"cairn\"\nargs = [\"mcp\", \"start\"]\nenabled = true";

#[test]
fn a_table_is_put_at_the_end() {
    check_toml("", &format!("{TABLE}\n"));
    check_toml("# mine\n", &format!("# mine\n\n{TABLE}\n"));
    check_toml("x = 1\n\n[servers.a]\ny = 2", &format!("x = 1\n\n[servers.a]\ny = 2\n\n{TABLE}"));
    check_toml("\u{feff}x = 1\r\n", &format!("\u{feff}x = 1\n\n{TABLE}\n").replace('\n', "\r\n"));
    check_toml("servers.a.b = 1\n", &format!("servers.a.b = 1\n\n{TABLE}\n"));
}

#[test]
fn a_table_that_is_there_keeps_its_other_lines() {
    check_toml(
        "[servers.cairn] # ours\ncommand = 'old' # why\nstartup_timeout_sec = 20\nenabled = false\n\n[servers.cairn.env]\nA = \"b\"\n[z]\n",
        "[servers.cairn] # ours\ncommand = \"cairn\" # why\nstartup_timeout_sec = 20\nenabled = false\nargs = [\"mcp\", \"start\"]\n\n\
         [servers.cairn.env]\nA = \"b\"\n[z]\n",
    );
    check_toml(
        "[servers]\ncairn = { command = \"old\" }\n",
        "[servers]\ncairn = { command = \"cairn\", args = [\"mcp\", \"start\"], enabled = true }\n",
    );
    check_toml("[servers.cairn]\nurl = \"http://x\"\n\n[z]\n", &format!("[z]\n\n{TABLE}\n"));
}

#[test]
fn a_table_is_removed_with_its_subtables() {
    let check = |before: &str, after: &str| assert_eq!(remove(Syntax::Toml, before, SERVERS).unwrap(), after);
    check(&format!("a = 1\n\n{TABLE}\n\n[servers.cairn.env]\nA = 1 # x\n\n# z\n[z]\n"), "a = 1\n\n# z\n[z]\n");
    check(&format!("{TABLE}\n"), "");
    check("[servers]\na = {}\ncairn = {}\nb = {}\n", "[servers]\na = {}\nb = {}\n");
    assert_eq!(
        remove(Syntax::Toml, "servers = { cairn = {} }\n", SERVERS).unwrap_err().to_string(),
        "line 1, column 13: write `servers.cairn` as a table of its own, beginning with the line `[servers.cairn]`",
    );
    let message = install(Syntax::Toml, "servers = { a = {} }\n", SERVERS).unwrap_err().to_string();
    assert_eq!(message, "line 1, column 11: `servers` should be a table of its own");
}

#[test]
fn a_value_is_read_wherever_it_is() {
    let read = |syntax, text| get(syntax, text, SERVERS).unwrap();
    assert_eq!(
        read(Syntax::Json, "// a\n{\"servers\": {\"cairn\": [1, 2.5, null, true,],}}"),
        Some(json!([1, 2.5, null, true]))
    );
    assert_eq!(read(Syntax::Toml, "servers.cairn.a = 'x'"), Some(json!({"a": "x"})));
    assert_eq!(read(Syntax::Json, "{\"servers\": {}}"), None);
}
