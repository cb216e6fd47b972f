//! One flipped bit anywhere in the file of the index: the answers are right, or the damage is noticed. What is known to be
//! left: an entry of a secondary index or of the word index that is damaged may hide an item; see `HIDING`.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use model::filter::Filter;
use model::id::{EntityId, OpId};
use model::item::ItemKind;
use model::number::{ItemRef, NumberSpace};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use model::sort::{SortField, SortKey};
use serde_json::json;
use store::git::{CommitId, Repository};
use store::index::{Index, IndexError, Query};
use testkit::{Layout, TestRepository};
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
        ops.push(written(&Op { stamp, entity, at, by, change }));
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

/// Answers that are looked up by what is in no other place: an item that is missing there is missed by nobody.
const HIDING: [&str; 3] = ["words", "labels", "children"];

/// Asks everything that people see; each answer has a name.
fn answers(index: &Index) -> Result<Vec<(&'static str, String)>, IndexError> {
    let mut said = Vec::new();
    let all = Query { include_closed: true, include_deleted: true, ..Query::default() };
    let by_number = [SortKey { by: SortField::Number, descending: false }];
    let filter = |text: &str| Filter::parse(text, Timestamp::UNIX_EPOCH).unwrap();
    let filters = [
        ("labels", filter("labels ~ label3")),
        ("status", filter("status == done")),
        ("text", filter("text ~ \"said of 7\"")),
        ("people", filter("assignee ~ bob and priority > 5")),
    ];
    let mut list = |name, query: &Query<'_>| index.list(query).map(|page| said.push((name, format!("{page:?}"))));
    list("all", &all)?;
    list("list", &Query::default())?;
    list("page", &Query { limit: Some(10), sort: &by_number, ..Query::default() })?;
    list("kind", &Query { kinds: &[ItemKind::Task], limit: Some(5), ..Query::default() })?;
    list("ready", &Query { ready: true, ..Query::default() })?;
    list("words", &Query { words: Some("about"), ..all })?;
    for (name, filter) in &filters {
        list(name, &Query { filter: Some(filter.expr()), ..all })?;
    }
    for n in [0, 7, 50, 119] {
        let kind = ItemKind::ALL[n % ItemKind::ALL.len()];
        said.push(("item", format!("{:?}", index.item_by_number(ItemRef::of_kind(kind, n as u64 / 6 + 1))?)));
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
    let mut lines = Vec::new();
    let kept = index.each_line(|line| {
        lines.extend_from_slice(line);
        Ok(())
    })?;
    said.push(("export", format!("{kept:?} {}", String::from_utf8_lossy(&lines))));
    Ok(said)
}

/// What became of a damaged file.
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
    let n_flips: u64 = std::env::var("CAIRN_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let (mut n_noticed, mut n_hidden, mut wrong) = (0, 0, Vec::new());
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..n_flips {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = usize::try_from(random >> 20).unwrap() % (whole.len() * 8);
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        std::fs::write(&path, damaged).unwrap();
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
