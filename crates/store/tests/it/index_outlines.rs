//! The cache of symbols: found by content, language and version, bounded in size, and not believed when damaged.

use std::path::Path;
use std::time::Instant;

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
fn many_small_outlines_are_bounded_too() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let index = create(&fixture.directory_path().join("index.db"));
    let small = vec![7; 250 * 1024];
    let keys: Vec<String> = (0..400).map(|n| format!("{n:040x}")).collect();
    let key = |id: &String| OutlineKey { blob: id.parse::<ObjectId>().unwrap(), language: "rust", version: 1 };
    for id in &keys {
        index.keep_outline(&key(id), &small).unwrap();
    }
    let n_known = keys.iter().filter(|id| index.known_outline(&key(id)).unwrap().is_some()).count();
    // 64 MiB hold 262 of them; up to 63 more are there until the size is checked again.
    assert!((262..262 + 64).contains(&n_known), "{n_known}");
    assert!(index.known_outline(&key(&keys[399])).unwrap().is_some(), "the newest stays");
}

#[test]
fn outlines_do_not_wait_one_by_one_for_another_writer() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let path = fixture.directory_path().join("index.db");
    let index = create(&path);
    index.keep_outline(&key("a"), b"symbols").unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    let n_refused = (0..1_000).filter(|_| index.keep_outline(&key("b"), b"symbols").is_err()).count();
    // One attempt per second.
    assert!(0 < n_refused && n_refused as u64 <= began.elapsed().as_secs() + 1, "{n_refused}");
    assert_eq!(index.known_outline(&key("b")).unwrap(), None);
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
