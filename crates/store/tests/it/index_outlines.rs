//! The cache of symbols: found by content, language and version, bounded in size, and not believed when damaged.

use std::path::Path;

use store::git::ObjectId;
use store::index::{Index, OutlineKey};
use testkit::{Layout, TestRepository};

fn key(digit: &str) -> OutlineKey<'static> {
    OutlineKey { blob: digit.repeat(40).parse::<ObjectId>().unwrap(), language: "rust", version: 1 }
}

fn create(path: &Path) -> Index {
    Index::create(path).unwrap()
}

#[test]
fn outline_is_found_by_content_language_and_version() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let index = create(&fixture.directory_path().join("index.db"));
    let (a, b) = (key("a"), key("b"));
    index.keep_outline(&a, b"symbols").unwrap();
    assert_eq!(index.known_outline(&a).unwrap().as_deref(), Some(&b"symbols"[..]));
    for other in [b, OutlineKey { language: "go", ..a }, OutlineKey { version: 2, ..a }] {
        assert_eq!(index.known_outline(&other).unwrap(), None, "{other:?}");
    }
    let newer = OutlineKey { version: 2, ..a };
    index.keep_outline(&newer, b"others").unwrap();
    assert_eq!(index.known_outline(&a).unwrap(), None, "the newer version replaces it");
    assert_eq!(index.known_outline(&newer).unwrap().as_deref(), Some(&b"others"[..]));
}

#[test]
fn oldest_outlines_are_deleted() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let index = create(&fixture.directory_path().join("index.db"));
    let large = vec![7; 30 * 1024 * 1024];
    for digit in ["a", "b", "c"] {
        index.keep_outline(&key(digit), &large).unwrap();
    }
    let known = ["a", "b", "c"].map(|digit| index.known_outline(&key(digit)).unwrap().is_some());
    assert_eq!(known, [false, true, true]);
    index.keep_outline(&key("d"), &vec![7; 70 * 1024 * 1024]).unwrap();
    let known = ["b", "c", "d"].map(|digit| index.known_outline(&key(digit)).unwrap().is_some());
    assert_eq!(known, [false, false, true], "the newest stays, whatever its size");
}

#[test]
fn damaged_outline_is_an_error() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let path = fixture.directory_path().join("index.db");
    let index = create(&path);
    index.keep_outline(&key("a"), b"symbols").unwrap();
    rusqlite::Connection::open(&path).unwrap().execute("UPDATE outline SET symbols = x'00'", ()).unwrap();
    index.known_outline(&key("a")).unwrap_err();
    index.keep_outline(&key("a"), b"symbols").unwrap();
    assert!(index.known_outline(&key("a")).unwrap().is_some(), "it can be replaced");
}
