//! The bytes of a note: round trip, and conformance with the specification.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use store::format::annotation::{self, BadNote};

use crate::format_golden::{documented, golden};
use crate::random_log::cases;
use crate::random_notes::note;

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_note_reads_back(note in note()) {
        let bytes = annotation::write(&note);
        prop_assert_eq!(bytes.iter().position(|byte| *byte == b'\n'), Some(bytes.len() - 1), "one line");
        let read = annotation::read(&bytes).unwrap();
        prop_assert_eq!(&read, &note);
        prop_assert_eq!(annotation::write(&read), bytes);
    }

    #[test]
    fn damaged_bytes_never_stop_the_reader(note in note(), cut in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = annotation::write(&note);
        let at = cut.index(bytes.len());
        bytes[at] = byte;
        let _ = annotation::read(&bytes);
        let _ = annotation::read(&bytes[..at]);
    }
}

#[test]
fn the_golden_note_is_written_back_byte_for_byte() {
    let text = golden("note.json");
    let note = annotation::read(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(annotation::write(&note)).unwrap(), text);
    assert_eq!(note.regions[0].anchor.name, "MqttClient::connect");
    assert_eq!(note.regions[0].extra["owner"], json!({"team": "edge"}));
    assert_eq!(note.context_of(&note.regions[1]).as_str(), "inferred");
}

/// Git itself concatenates the notes of squashed commits.
#[test]
fn several_documents_are_read_as_all_of_them_united() {
    let one = br#"{"$schema":"ultragit/v1","commit":"a","timestamp":"2026-01-01T00:00:00Z","summary":"one",
        "regions":[{"file":"f","ast_anchor":{"name":"n"},"intent":"old","constraints":[{"text":"c"}]}]}"#;
    let two = br#"{"$schema":"ultragit/v1","commit":"b","timestamp":"2026-01-02T00:00:00Z","summary":"two",
        "regions":[{"file":"f","ast_anchor":{"name":"n"},"intent":"new","constraints":[{"text":"d"}]}]}"#;
    let note = annotation::read(&[one.as_slice(), b"\n\n", two].concat()).unwrap();
    assert_eq!((note.summary.as_str(), note.regions.len(), note.regions[0].intent.as_str()), ("one\ntwo", 1, "new"));
    assert_eq!(note.regions[0].constraints.len(), 2);
    assert!(annotation::read(&[one.as_slice(), b"\n\nin words"].concat()).is_err(), "a note is never read by half");
}

#[test]
fn older_spellings_are_read() {
    let text = golden("note.json").replace("\"$schema\"", "\"schema\"").replace("\"type\"", "\"unit_type\"");
    assert_eq!(annotation::read(text.as_bytes()), annotation::read(golden("note.json").as_bytes()));
}

#[test]
fn missing_keys_have_defaults() {
    let note = annotation::read(br#"{"$schema":"ultragit/v1","regions":[{"file":"a.rs"}]}"#).unwrap();
    assert_eq!(note.context_level.as_str(), "inferred");
    assert_eq!(note.provenance.operation.as_str(), "initial");
    assert_eq!(note.regions[0].lines, None);
}

#[test]
fn five_broken_kinds_are_named() {
    let refused = |bytes: &[u8]| annotation::read(bytes).unwrap_err().to_string();
    insta::assert_snapshot!(refused(b"{\"$schema\":\"ultragit/v1\",\"summary\":\"two\nlines\"}"), @r"it is not valid JSON: control character (\u0000-\u001F) found while parsing a string at line 1 column 39");
    insta::assert_snapshot!(refused(b"fixes the bug"), @"it is not valid JSON: expected ident at line 1 column 2");
    insta::assert_snapshot!(refused(br#"{"$schema":"ultragit/v9"}"#), @"its schema is `ultragit/v9`, not `ultragit/v1`");
    insta::assert_snapshot!(refused(br#"{"summary":"whose is it?"}"#), @"its schema is nothing, not `ultragit/v1`");
    insta::assert_snapshot!(refused(&[0xff, 0xfe, 0, 1]), @"it is not UTF-8 text");
    insta::assert_snapshot!(refused(b""), @"it is empty");
    insta::assert_snapshot!(refused(b" \n"), @"it is empty");
}

#[test]
fn a_wrong_value_is_named_by_its_place() {
    let check = |document: Value, path: &str| match annotation::read(document.to_string().as_bytes()) {
        Err(BadNote::Shape { path: found, .. }) => assert_eq!(found, path),
        other => panic!("{other:?}"),
    };
    let with = |region: Value| json!({"$schema": "ultragit/v1", "regions": [{"file": "a"}, region]});
    check(with(json!({})), "regions[1].file");
    check(with(json!({"file": "a", "lines": {"start": -1, "end": 2}})), "regions[1].lines.start");
    check(with(json!({"file": "a", "constraints": [{"source": "author"}]})), "regions[1].constraints[0].text");
    check(with(json!({"file": "a", "timestamp": "yesterday"})), "regions[1].timestamp");
    check(json!({"$schema": "ultragit/v1", "regions": {}}), "regions");
    check(json!([]), "the document");
}

#[test]
fn keys_of_a_note_are_documented_and_golden() {
    let golden: Value = serde_json::from_str(&golden("note.json")).unwrap();
    let keys = |values: Vec<&Value>| -> BTreeSet<String> {
        values.iter().flat_map(|value| value.as_object().unwrap().keys().cloned()).collect()
    };
    let first = &golden["regions"][0];
    assert_eq!(documented("Keys of a note"), keys(vec![&golden]));
    let mut of_regions = keys(golden["regions"].as_array().unwrap().iter().collect());
    assert!(of_regions.remove("owner"), "an unknown key");
    assert_eq!(documented("Keys of a region"), of_regions);
    assert_eq!(documented("Keys of a correction"), keys(vec![&first["corrections"][0]]));
    assert_eq!(documented("Keys of the provenance"), keys(vec![&golden["provenance"]]));
}

/// The reader takes keys apart by itself; what JSON says of them holds nevertheless.
#[test]
fn keys_are_read_as_json_has_them() {
    let text = r#"{ "$schema" : "ultragit/v1" , "summary":"first", "regions":[ {"file":"a","file":null,"\u0066ile":"b" ,
        "odd key":{"z":1,"a":[{"y":2,"b":"\u00e9\ud83d\ude00"}]}, "odd key": {"z":3,"a":null} } ], "summary":"last","task":null}"#;
    let note = annotation::read(text.as_bytes()).unwrap();
    assert_eq!((note.summary.as_str(), &note.task, note.regions[0].file.as_str()), ("last", &None, "b"));
    assert_eq!(note.regions[0].extra["odd key"].to_string(), r#"{"a":null,"z":3}"#);
    let refused = |region: &str| {
        let text = format!(r#"{{"$schema":"ultragit/v1","regions":[{{"file":"a",{region}}}]}}"#);
        annotation::read(text.as_bytes()).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused(r#""intent":"\ud800""#), @"it is not valid JSON: unexpected end of hex escape at line 1 column 8");
    insta::assert_snapshot!(refused(r#""x":"\udc00""#), @"it is not valid JSON: lone leading surrogate in hex escape at line 1 column 7");
    insta::assert_snapshot!(refused(&format!(r#""x":{}1{}"#, "[".repeat(300), "]".repeat(300))), @"it is not valid JSON: recursion limit exceeded at line 1 column 128");
    insta::assert_snapshot!(refused(r#""tags":["a",1]"#), @"`regions[0].tags` must be a list of texts");
    insta::assert_snapshot!(refused(r#""lines":{"start":1.5,"end":2}"#), @"`regions[0].lines.start` must be a line number");
    insta::assert_snapshot!(refused(r#""constraints":[{"text":"c"},7]"#), @"`regions[0].constraints[1]` must be an object");
}

#[test]
fn note_that_no_reader_accepts_is_not_written() {
    let mut note = annotation::read(golden("note.json").as_bytes()).unwrap();
    assert_eq!(annotation::write_readable(&note), Ok(annotation::write(&note)));
    note.regions[0].intent = "x".repeat(usize::try_from(annotation::MAX_BYTES).unwrap());
    assert_eq!(annotation::write_readable(&note), Err(BadNote::TooLong));
}
