//! Properties of all edits: other bytes are kept, a second edit changes nothing, and removal undoes insertion.

use proptest::prelude::*;
use serde_json::json;

use super::{EditError, Member, Syntax, get, remove, set};

const JSON_PATH: &[&str] = &["mcpServers", "cairn"];
const TOML_PATH: &[&str] = &["mcp_servers", "cairn"];

fn members() -> Vec<Member> {
    let member = |key, value| Member { key, value, yields: false };
    vec![member("command", json!("cairn")), member("args", json!(["mcp", "start", "--repo", "/a \"b\"\\c"]))]
}

fn install(syntax: Syntax, text: &str, path: &[&str]) -> Result<String, EditError> {
    set(syntax, text, path, &members(), |_| false)
}

/// Blanks and comments between two tokens.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => Just(""), 6 => Just(" "), 6 => Just("\n  "), 2 => Just("\r\n\t"), 1 => Just("// a, \"b\": {\n"), 1 => Just("/* } */"),
        1 => Just("// é\r\n"), 1 => Just("/* two\nlines */"),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("1"),
        Just("-0.5e10"),
        Just("true"),
        Just("null"),
        Just(r#""x // y""#),
        Just(r#""\u00e9\"{""#),
        Just("\"😀\""),
        Just("123456789012345678901234567890"),
        Just("{}"),
        Just("[ ]"),
    ];
    scalar.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (prop::collection::vec((gap(), inner.clone(), gap()), 1..3), gap()).prop_map(|(parts, end)| {
                let parts: Vec<String> = parts.into_iter().map(|(a, value, b)| a + &value + &b).collect();
                format!("[{}{end}]", parts.join(","))
            }),
            (prop::collection::vec((gap(), gap(), inner, gap()), 0..3), gap(), any::<bool>())
                .prop_map(|(parts, end, trailing)| object("k", &parts, &end, trailing)),
        ]
    })
}

/// Writes an object whose keys are a prefix and a number.
fn object(prefix: &str, parts: &[(String, String, String, String)], end: &str, trailing: bool) -> String {
    let property = |(index, (a, b, value, c)): (usize, &(String, String, String, String))| {
        format!("{a}\"{prefix}{index}\":{b}{value}{c}")
    };
    let properties: Vec<String> = parts.iter().enumerate().map(property).collect();
    let comma = if trailing && !parts.is_empty() { "," } else { "" };
    format!("{{{}{comma}{end}}}", properties.join(","))
}

fn parts(most: usize) -> impl Strategy<Value = Vec<(String, String, String, String)>> {
    prop::collection::vec((gap(), gap(), value(), gap()), 0..=most)
}

/// A complete text with other servers: before the servers, the servers, after them.
fn document() -> impl Strategy<Value = [String; 3]> {
    let servers =
        (parts(3), gap(), any::<bool>()).prop_map(|(parts, end, trailing)| object("s", &parts, &end, trailing));
    let sides = (parts(2), parts(2), any::<bool>());
    (gap(), sides, servers, [gap(), gap(), gap()]).prop_map(|(start, (before, after, trailing), servers, gaps)| {
        let mut head = object("a", &before, "", false);
        head.pop();
        let comma = if before.is_empty() { "" } else { "," };
        let [key_gap, value_gap, end] = gaps;
        let tail = object("z", &after, &end, trailing);
        let comma_after = if after.is_empty() { "" } else { "," };
        let head = format!("{start}{head}{comma}{key_gap}\"mcpServers\":{value_gap}");
        [head, servers, format!("{comma_after}{}", &tail[1..])]
    })
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut bytes = whole.bytes();
    part.bytes().all(|wanted| bytes.any(|byte| byte == wanted))
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn installing_adds_bytes_and_changes_none([head, servers, tail] in document(), mark in any::<bool>()) {
        let text = format!("{}{head}{servers}{tail}", if mark { "\u{feff}" } else { "" });
        let installed = install(Syntax::Json, &text, JSON_PATH).unwrap();
        prop_assert!(is_subsequence(&without_blanks(&text), &without_blanks(&installed)), "{text}\n---\n{installed}");
        let mark = if mark { "\u{feff}" } else { "" };
        let start = format!("{mark}{head}");
        prop_assert!(installed.starts_with(&start) && installed.ends_with(&tail));
        let entry = get(Syntax::Json, &installed, JSON_PATH).unwrap().unwrap();
        prop_assert_eq!(&entry["args"], &members()[1].value);

        prop_assert_eq!(&install(Syntax::Json, &installed, JSON_PATH).unwrap(), &installed);
        // An object with only blanks comes back empty.
        let is_blank = servers[1..servers.len() - 1].trim().is_empty();
        let former = if is_blank { format!("{mark}{head}{{}}{tail}") } else { text };
        prop_assert_eq!(remove(Syntax::Json, &installed, JSON_PATH).unwrap(), former);
    }

    #[test]
    fn an_entry_that_is_there_changes_in_its_own_bytes([head, servers, tail] in document(), entry in value()) {
        let whole = format!("{head}{servers}{tail}");
        let others = get(Syntax::Json, &whole, &["mcpServers"]).unwrap().unwrap();
        let comma = if others.as_object().unwrap().is_empty() { "" } else { "," };
        let (before, after) = (format!("{head}{{\"cairn\":"), format!("{comma}{}{tail}", &servers[1..]));
        let installed = install(Syntax::Json, &format!("{before}{entry}{after}"), JSON_PATH).unwrap();
        prop_assert!(installed.starts_with(&before) && installed.ends_with(&after));
        prop_assert_eq!(&install(Syntax::Json, &installed, JSON_PATH).unwrap(), &installed);
        let removed = remove(Syntax::Json, &installed, JSON_PATH).unwrap();
        prop_assert_eq!(get(Syntax::Json, &removed, &["mcpServers"]).unwrap().unwrap(), others);
    }

    #[test]
    fn a_missing_container_is_made_and_the_rest_stays(parts in parts(3), gaps in [gap(), gap(), gap()], trailing in any::<bool>()) {
        let text = format!("{}{}{}", gaps[0], object("k", &parts, &gaps[1], trailing), gaps[2]);
        let installed = install(Syntax::Json, &text, JSON_PATH).unwrap();
        prop_assert!(is_subsequence(&without_blanks(&text), &without_blanks(&installed)), "{text}\n---\n{installed}");
        prop_assert!(get(Syntax::Json, &installed, JSON_PATH).unwrap().is_some());
    }

    #[test]
    fn no_text_ends_the_program(text in "[\\[\\]{}\":,/*# \\n\\ra=.\u{e9}'-]{0,40}", cut in 0..200_usize, [head, servers, tail] in document()) {
        let whole = format!("{head}{servers}{tail}");
        let broken = format!("{}{text}{}", &whole[..whole.floor_char_boundary(cut)], &whole[whole.floor_char_boundary(cut)..]);
        for text in [text, broken] {
            for (syntax, path) in [(Syntax::Json, JSON_PATH), (Syntax::Toml, TOML_PATH)] {
                let _ = install(syntax, &text, path);
                let _ = remove(syntax, &text, path);
            }
        }
    }

    #[test]
    fn toml_is_changed_in_its_own_lines_only(lines in prop::collection::vec(0..9_usize, 0..8), windows in any::<bool>(), ended in any::<bool>()) {
        const BLOCKS: [&str; 9] = [
            "# a comment\n", "\n", "[[list]]\nx = 1\n", "[mcp_servers.other]\ncommand = \"x\" # why\n\n", "[t]\na = { b = 1 } \n",
            "[mcp_servers.other.env]\nA = '''\n[mcp_servers.cairn]\n'''\n", "[\"quoted key\"]\n", "[u.v]\nw.x = [\n  1, # one\n]\n", "   \t\n",
        ];
        let mut blocks: Vec<usize> = Vec::new();
        for line in lines {
            if matches!(line, 0..=2 | 8) || !blocks.contains(&line) {
                blocks.push(line);
            }
        }
        let mut text: String = blocks.iter().map(|block| BLOCKS[*block]).collect();
        if windows {
            text = text.replace('\n', "\r\n");
        }
        if !ended {
            text.truncate(text.trim_end_matches(['\n', '\r']).len());
        }
        let installed = install(Syntax::Toml, &text, TOML_PATH).unwrap();
        prop_assert_eq!(&install(Syntax::Toml, &installed, TOML_PATH).unwrap(), &installed);
        prop_assert!(!windows || !text.contains('\n') || installed.matches('\n').count() == installed.matches("\r\n").count());
        if !text.trim().is_empty() {
            prop_assert_eq!(remove(Syntax::Toml, &installed, TOML_PATH).unwrap(), text);
        }
    }
}
