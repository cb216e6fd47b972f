//! Files in other encodings than UTF-8. Windows PowerShell writes what `>` redirects as UTF-16.

use exchange::ImportFormat::{Csv, Github, Jira, Jsonl, Markdown};
use exchange::ImportOptions;
use serde_json::json;

use crate::harness::TestProject;

const ISSUES: &str =
    r#"[{"number": 1, "title": "Größe 🎉", "state": "open", "html_url": "https://github.com/o/p/issues/1"}]"#;

fn utf_16(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(encode).collect()
}

#[test]
fn utf_16_is_read() {
    for encode in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let mut test = TestProject::new();
        let mut import = |format, text: &str| {
            let path = test.files.path().join("input");
            std::fs::write(&path, utf_16(text, encode)).unwrap();
            exchange::import(&mut test.project, format, &[path], &ImportOptions::default(), &mut |_| {}).unwrap();
        };
        import(Github, ISSUES);
        import(Csv, "title\tlabels\r\nÜber\tä\r\n");
        import(Markdown, "---\ntitle: \"Straße\"\n---\n");
        test.check("1", &json!({"title": "Größe 🎉"}));
        test.check("2", &json!({"title": "Über", "labels": ["ä"]}));
        test.check("3", &json!({"title": "Straße"}));
    }
}

#[test]
fn cut_off_utf_16_is_refused() {
    let mut test = TestProject::new();
    let mut check = |bytes: &[u8]| {
        let path = test.files.path().join("input");
        std::fs::write(&path, bytes).unwrap();
        let options = ImportOptions::default();
        exchange::import(&mut test.project, Jsonl, &[path], &options, &mut |_| {}).map(|_| ()).unwrap_err().message
    };
    let whole = utf_16("{\"title\": \"a\"}\n🎉", u16::to_le_bytes);
    assert!(check(&whole[..whole.len() - 1]).ends_with("line 2, column 1: not UTF-16"));
    assert!(check(&whole[..whole.len() - 2]).ends_with("line 2, column 1: not UTF-16"));
}

#[test]
fn other_encodings_are_refused_with_a_way_out() {
    let mut test = TestProject::new();
    let mut check = |format, bytes: &[u8], message: &str| {
        let path = test.files.path().join("input");
        std::fs::write(&path, bytes).unwrap();
        let options = ImportOptions::default();
        let error =
            exchange::import(&mut test.project, format, &[path], &options, &mut |_| {}).map(|_| ()).unwrap_err();
        assert_eq!(testkit::redact(&error.message), message);
        assert!(error.hint.unwrap().contains("iconv -f WINDOWS-1252 -t UTF-8"));
    };
    check(Csv, b"title,labels\nx,y\n\xdcber,y\n", "`<tmp>/input`: line 3, column 1: not UTF-8");
    check(Jsonl, b"{\"title\": \"a\"}\n{\"title\": \"\xdcber\"}", "`<tmp>/input`: line 2, column 12: not UTF-8");
    check(Github, b"[{\"number\": 1,\n\"title\": \"\xdcber\"}]", "`<tmp>/input`: line 2, column 11: not UTF-8");
    check(
        Jira,
        b"<rss><item><key>A-1</key>\n<summary>\xdcber</summary></item></rss>",
        "`<tmp>/input`: line 2, column 10: not UTF-8",
    );
    check(Markdown, b"---\ntitle: \"\xdcber\"\n---\n", "`<tmp>/input`: line 2, column 9: not UTF-8");
}

#[test]
fn separator_line_of_a_spreadsheet_is_read() {
    let mut test = TestProject::new();
    test.import(Csv, "sep=;\r\ntitle;labels\r\nOne;a\r\n");
    test.check("1", &json!({"title": "One", "labels": ["a"]}));
}
