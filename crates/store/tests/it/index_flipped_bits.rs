//! One flipped bit anywhere in the index file: results are right, or the damage is detected. A known gap: a damaged
//! entry of a secondary index or of the full-text index may hide an item (see `HIDING`) until a thorough check, which
//! finds every such bit.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use model::filter::Filter;
use model::id::{EntityId, OpId};
use model::item::ItemKind;
use model::number::{ItemNumber, NumberSpace};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use model::sort::{SortField, SortKey};
use serde_json::json;
use store::git::{BlameHunk, CommitId, ObjectId, Repository, TreePath};
use store::index::{Ancestry, Index, IndexError, ItemQuery, OutlineKey, StrayRegions};
use testkit::{Layout, Random, TestRepository};
use uuid::Uuid;

use crate::git_support::open;
use crate::random_log::{Line, commit, written};

const N_ITEMS: usize = 120;

fn id(n: usize) -> EntityId {
    EntityId::new(Uuid::from_u128(n as u128 + 1))
}

/// Items of all kinds with texts, labels, links and people, each changed once and commented on.
fn log() -> Vec<Line> {
    let mut ops = Vec::new();
    let mut say = |entity: EntityId, change: Change| {
        let n = ops.len() + 1;
        let stamp = Stamp { lamport: n as u64, id: OpId::new(Uuid::from_u128((n as u128) << 64)) };
        let at = Timestamp::from_second(1_773_144_000 + i64::try_from(n).unwrap()).unwrap();
        let by = Person::parse(["Ada <ada@example.org>", "Bob <bob@example.org>"][n % 2]);
        ops.push(written(&Op { stamp, entity, at, by, imported: None, undoes: None, change }));
    };
    for n in 0..N_ITEMS {
        let kind = ItemKind::ALL[n % ItemKind::ALL.len()].name();
        let fields = BTreeMap::from([
            ("title".to_owned(), json!(format!("Item number {n}"))),
            ("status".to_owned(), json!(if n % 5 == 0 { "done" } else { "backlog" })),
            ("description".to_owned(), json!(format!("What {n} is about. {}", "More of it. ".repeat(n % 9)))),
            ("priority".to_owned(), json!(n % 11)),
            ("parent".to_owned(), json!(id(n / 2).to_string())),
        ]);
        let sets = BTreeMap::from([("labels".to_owned(), vec![format!("label{}", n % 7)])]);
        say(id(n), Change::Create { kind: kind.to_owned(), number: Some(n as u64 / 6 + 1), fields, sets });
    }
    for n in 0..N_ITEMS {
        say(id(n), Change::Comment { body: format!("said of {n}: fine") });
        say(id(n), Change::Set { field: "assignee".to_owned(), value: json!("Bob <bob@example.org>") });
    }
    ops
}

/// Results of searches and filters: SQL skips a damaged row that no longer matches, without an error.
const HIDING: [&str; 4] = ["words", "labels", "children", "text"];

/// Runs all queries that people see, each with a name.
fn answers(index: &Index) -> Result<Vec<(&'static str, String)>, IndexError> {
    let mut said = Vec::new();
    let all = ItemQuery { include_closed: true, include_deleted: true, ..ItemQuery::default() };
    let by_number = [SortKey { by: SortField::Number, descending: false }];
    let filter = |text: &str| Filter::parse(text, Timestamp::UNIX_EPOCH).unwrap();
    let filters = [
        ("labels", filter("labels ~ label3")),
        ("status", filter("status == done")),
        ("text", filter("text ~ \"said of 7\"")),
        ("people", filter("assignee ~ bob and priority > 5")),
    ];
    let mut list = |name, query: &ItemQuery<'_>| index.list(query).map(|page| said.push((name, format!("{page:?}"))));
    list("all", &all)?;
    list("list", &ItemQuery::default())?;
    list("page", &ItemQuery { limit: Some(10), sort: &by_number, ..ItemQuery::default() })?;
    list("kind", &ItemQuery { kinds: &[ItemKind::Task], limit: Some(5), ..ItemQuery::default() })?;
    list("ready", &ItemQuery { ready: true, ..ItemQuery::default() })?;
    list("words", &ItemQuery { words: Some("about"), ..all })?;
    for (name, filter) in &filters {
        list(name, &ItemQuery { filter: Some(filter.expr()), ..all })?;
    }
    for n in [0, 7, 50, 119] {
        let kind = ItemKind::ALL[n % ItemKind::ALL.len()];
        said.push(("item", format!("{:?}", index.item_by_number(ItemNumber::of_kind(kind, n as u64 / 6 + 1))?)));
        said.push(("history", format!("{:?}", index.ops(id(n))?)));
        said.push(("children", format!("{:?}", index.children(id(n))?)));
    }
    for kind in ItemKind::ALL {
        said.push(("titles", format!("{:?}", index.titles(kind, 0, 200)?)));
    }
    for space in NumberSpace::ALL {
        said.push(("next number", format!("{:?}", index.next_number(space)?)));
    }
    said.push(("clock", format!("{:?} {:?}", index.clock()?, index.warnings()?)));
    said.push(("people", format!("{:?}", index.person_numbers()?.len())));
    let (mut places, mut lines) = (Vec::new(), Vec::new());
    index.each_line(|place, line| {
        places.push(place);
        lines.push(line.to_vec());
    })?;
    let again = places.iter().map(|place| index.line_at(*place)).collect::<Result<Vec<_>, _>>()?;
    assert_eq!(again, lines);
    said.push(("export", String::from_utf8_lossy(&lines.concat()).into_owned()));
    Ok(said)
}

/// The effect of a damaged file.
enum Outcome {
    Right,
    Noticed,
    Wrong(&'static str),
}

fn outcome(path: &Path, repository: &Repository, tip: CommitId, expected: &[(&'static str, String)]) -> Outcome {
    let said = Index::open(path).and_then(|mut index| {
        index.catch_up(repository, &|| Ok(Some(tip)), &mut |_, _| {})?;
        answers(&index)
    });
    let Ok(said) = said else { return Outcome::Noticed };
    let mut wrong = said.iter().zip(expected).filter(|(one, other)| one != other).map(|((name, _), _)| *name);
    let first = wrong.next();
    let worst = wrong.find(|name| !HIDING.contains(name));
    first.map_or(Outcome::Right, |first| Outcome::Wrong(worst.unwrap_or(first)))
}

/// Returns whether a thorough check, like that of `cairn doctor`, finds damage.
fn is_found(path: &Path, repository: &Repository, tip: CommitId) -> bool {
    let mut fresh = Index::in_memory().unwrap();
    fresh.catch_up(repository, &|| Ok(Some(tip)), &mut |_, _| {}).unwrap();
    let is_same = Index::open(path).and_then(|mut index| {
        index.catch_up(repository, &|| Ok(Some(tip)), &mut |_, _| {})?;
        index.is_same_as(&fresh)
    });
    !matches!(is_same, Ok(true))
}

/// Replaces the index by a copy with one bit flipped.
fn write_flipped(path: &Path, whole: &[u8], bit: usize) {
    let mut damaged = whole.to_vec();
    damaged[bit / 8] ^= 1 << (bit % 8);
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    std::fs::write(path, damaged).unwrap();
}

/// Returns the pages of some tables, counted from 0.
fn pages_of(path: &Path, tables: &str) -> Vec<usize> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let sql = format!("SELECT pageno - 1 FROM dbstat WHERE name IN ({tables})");
    let mut statement = connection.prepare(&sql).unwrap();
    statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn n_flips() -> usize {
    std::env::var("CAIRN_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

#[test]
fn a_thorough_check_finds_every_bit_that_hides_an_item() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let repository = open(fixture.path());
    let tip = commit(&repository, &[], &log());
    let path = fixture.directory_path().join("index.db");
    let mut index = Index::create(&path).unwrap();
    index.catch_up(&repository, &|| Ok(Some(tip)), &mut |_, _| {}).unwrap();
    let expected = answers(&index).unwrap();
    drop(index);
    let pages = pages_of(&path, "'words_data', 'words_idx', 'label', 'item_parent', 'link', 'tally'");
    let whole = std::fs::read(&path).unwrap();
    assert!(!is_found(&path, &repository, tip), "it finds damage in what is whole");
    let (mut random, mut n_hidden) = (Random::new(7), 0);
    for _ in 0..n_flips() / 2 {
        let bit = (pages[random.below(pages.len())] * 4096) * 8 + random.below(4096 * 8);
        write_flipped(&path, &whole, bit);
        if let Outcome::Wrong(name) = outcome(&path, &repository, tip, &expected) {
            n_hidden += 1;
            assert!(is_found(&path, &repository, tip), "{name}: byte {} of page {}", bit / 8 % 4096, bit / 8 / 4096);
        }
    }
    assert!(n_hidden > 0, "no bit hid anything");
}

/// Cached answers of git are not in the log: a checksum per table detects damage.
#[test]
fn a_thorough_check_finds_damage_in_cached_facts_of_git() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let repository = open(fixture.path());
    let tip = commit(&repository, &[], &log());
    let path = fixture.directory_path().join("index.db");
    let mut index = Index::create(&path).unwrap();
    index.catch_up(&repository, &|| Ok(Some(tip)), &mut |_, _| {}).unwrap();
    let file = |n: u32| TreePath::from_bytes(format!("src/file{n}.rs").as_bytes()).unwrap();
    let hunk = |n: u32| BlameHunk { start: n * 10 + 1, n_lines: 10, commit: tip, path: file(n), source_start: n + 1 };
    for n in 0..8 {
        index.keep_blame(&tip, &file(n), 7, &(0..40).map(hunk).collect::<Vec<_>>()).unwrap();
    }
    let strays = |n: i64| StrayRegions { head: tip, last_note: n, regions: (0..n * 8).collect() };
    for n in 1..30 {
        // The second replaces the first.
        for strays in [strays(n), strays(n + 1)] {
            index.keep_strays(&format!("name{n}"), &strays).unwrap();
        }
    }
    index.keep_ancestry(&Ancestry { old: tip, new: tip, is_ancestor: true }).unwrap();
    let outline = OutlineKey { blob: ObjectId::from_bytes(tip.as_bytes()).unwrap(), language: "rust", version: 1 };
    index.keep_outline(&outline, &[7; 3_000]).unwrap();
    drop(index);
    let ask = |path: &Path| -> Result<String, IndexError> {
        let index = Index::open(path)?;
        let blame: Result<Vec<_>, _> = (0..8).map(|n| index.known_blame(&tip, &file(n), 7, (1, 400))).collect();
        let strays: Result<Vec<_>, _> = (1..30).map(|n| index.known_strays(&format!("name{n}"))).collect();
        Ok(format!("{:?} {:?} {:?}", blame?, strays?, index.known_ancestry(&tip, &tip)?))
    };
    let expected = ask(&path).unwrap();
    // Into the file itself: a write-ahead log would hide the damage.
    rusqlite::Connection::open(&path).unwrap().query_row("PRAGMA wal_checkpoint(truncate)", (), |_| Ok(())).unwrap();
    let pages = pages_of(&path, "'blame', 'blamed', 'stray', 'ancestry', 'outline'");
    let whole = std::fs::read(&path).unwrap();
    assert!(!is_found(&path, &repository, tip), "it finds damage in what is whole");
    let (mut random, mut n_wrong) = (Random::new(11), 0);
    for _ in 0..n_flips() / 4 {
        let bit = (pages[random.below(pages.len())] * 4096) * 8 + random.below(4096 * 8);
        write_flipped(&path, &whole, bit);
        if ask(&path).is_ok_and(|said| said != expected) {
            n_wrong += 1;
            assert!(is_found(&path, &repository, tip), "byte {} of page {}", bit / 8 % 4096, bit / 8 / 4096);
        }
    }
    assert!(n_wrong > 0, "no bit changed an answer");
}

#[test]
fn a_flipped_bit_is_never_believed() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let repository = open(fixture.path());
    let tip = commit(&repository, &[], &log());
    let path = fixture.directory_path().join("index.db");
    let mut index = Index::create(&path).unwrap();
    index.catch_up(&repository, &|| Ok(Some(tip)), &mut |_, _| {}).unwrap();
    let expected = answers(&index).unwrap();
    drop(index);
    let whole = std::fs::read(&path).unwrap();
    assert!(whole.len() > 200_000, "{} bytes", whole.len());
    let n_flips = n_flips();
    let (mut n_noticed, mut n_hidden, mut wrong) = (0, 0, Vec::new());
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    for _ in 0..n_flips {
        let bit = random.below(whole.len() * 8);
        write_flipped(&path, &whole, bit);
        match outcome(&path, &repository, tip, &expected) {
            Outcome::Right => {}
            Outcome::Noticed => n_noticed += 1,
            Outcome::Wrong(name) if HIDING.contains(&name) => n_hidden += 1,
            Outcome::Wrong(name) => wrong.push(format!("{name}: byte {} of page {}", bit / 8 % 4096, bit / 8 / 4096)),
        }
    }
    assert!(n_noticed * 4 > n_flips, "only {n_noticed} of {n_flips} were noticed");
    assert!(wrong.is_empty(), "{} of {n_flips} were believed: {wrong:#?}", wrong.len());
    assert!(n_hidden * 100 <= n_flips, "{n_hidden} of {n_flips} hid an item");
}
