//! The bytes in git, frozen: version 1 as in `docs/format.md`, against files that are never regenerated. If one of
//! these tests fails, the format has changed, and existing logs would be read differently.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::entity::Entity;
use model::field::FIELDS;
use model::id::EntityId;
use model::item::ItemKind;
use model::label::DeclaredLabels;
use model::member::Member;
use model::number::{self, Claim, NumberSpace};
use model::op::{Change, Op, Stamp};
use model::workflow::Workflow;
use serde_json::Value;
use store::format::{self, read_message, v1, write_message};
use store::git::{CommitId, FixedIdentity, GitProgress, Identity, NewCommit, RefName, Repository};
use store::{Notice, Store};
use testkit::{Layout, TestRepository};

use crate::git_support::append_lines;

/// The merge of the golden histories, and the commit that renumbers items.
const MERGE: &str = "5c36f37ad1d7ea48d7f77317fb0691cfdff667ca";
const RENUMBER: &str = "600f6b2632ff22fd4841c7d0298005988c35b779";

pub(crate) fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn operations() -> Vec<Op> {
    golden("operations.jsonl").lines().map(|line| v1::read(line.as_bytes()).unwrap()).collect()
}

#[test]
fn every_line_is_written_back_byte_for_byte() {
    for file in [
        "operations.jsonl",
        "imported.jsonl",
        "labels.jsonl",
        "attachment.jsonl",
        "undo.jsonl",
        "base.jsonl",
        "ours.jsonl",
        "theirs.jsonl",
    ] {
        for line in golden(file).lines() {
            let mut written = Vec::new();
            v1::write(&v1::read(line.as_bytes()).unwrap(), &mut written);
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"), "{file}");
        }
    }
}

#[test]
fn message_is_written_back_byte_for_byte() {
    let message = golden("message.txt");
    let read = read_message(message.as_bytes());
    assert_eq!(read.subject, b"task #2: link (blocks 1)");
    let op = v1::read(read.body.trim_ascii()).unwrap();
    assert!(operations().contains(&op));
    assert_eq!(write_message(std::str::from_utf8(read.subject).unwrap(), read.body), message.as_bytes());
}

#[test]
fn foreign_lines_keep_their_place_and_change_nothing() {
    let read = |line: &str| v1::read(line.as_bytes()).unwrap();
    let foreign: Vec<Op> = golden("foreign.jsonl").lines().map(read).collect();
    for op in &foreign {
        assert!(matches!(op.change, Change::Unknown { .. }), "{op:?}");
    }
    let without = operations();
    let with = [without.clone(), foreign].concat();
    // All of them touch the issue, so only its revision may differ.
    let plain = |dump: String| dump.lines().filter(|line| !line.contains("revision")).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(dump(&with)), plain(dump(&without)));
    assert_ne!(dump(&with), dump(&without));
}

#[test]
fn log_folds_to_the_recorded_state() {
    let ops = operations();
    assert_eq!(dump(&ops), golden("state.txt"));
    let reversed: Vec<Op> = ops.iter().rev().cloned().collect();
    assert_eq!(dump(&reversed), golden("state.txt"), "in any order");
    assert_eq!(dump(&[reversed, ops].concat()), golden("state.txt"), "however often");
}

/// Prints the folded state of all entities.
fn dump(ops: &[Op]) -> String {
    let mut entities: BTreeMap<EntityId, Entity> = BTreeMap::new();
    for op in ops {
        entities.entry(op.entity).or_insert_with(|| Entity::new(op.entity)).apply(op);
    }
    let mut held = BTreeMap::new();
    for space in [NumberSpace::Work, NumberSpace::Milestone, NumberSpace::Board] {
        let items: Vec<&Entity> = entities.values().filter(|entity| is_in(entity, space)).collect();
        let claims: Vec<Claim> = items.iter().flat_map(|entity| claims(entity)).collect();
        let numbered: Vec<(Stamp, EntityId)> =
            items.iter().map(|entity| (entity.creation().unwrap().stamp, entity.id)).collect();
        held.extend(number::assign(space, &claims, &numbered).held);
    }
    let mut out = String::new();
    for entity in entities.values() {
        describe(&mut out, entity, held.get(&entity.id));
    }
    out
}

fn is_in(entity: &Entity, space: NumberSpace) -> bool {
    let kind = entity.creation().and_then(|creation| creation.kind.parse::<ItemKind>().ok());
    kind.is_some_and(|kind| kind.space() == space)
}

fn claims(entity: &Entity) -> impl Iterator<Item = Claim> {
    entity.claims().map(|(stamp, number)| Claim { stamp, entity: entity.id, number })
}

fn describe(out: &mut String, entity: &Entity, number: Option<&u64>) {
    let creation = entity.creation().unwrap();
    let _ = writeln!(out, "{} {}", creation.kind, entity.id);
    let _ = writeln!(out, "  made by {} at {}", creation.by, creation.at);
    if let Some(number) = number {
        let claimed: Vec<String> = entity.claims().map(|(_, claimed)| claimed.to_string()).collect();
        let _ = writeln!(out, "  number {number}, claimed {}", claimed.join(", "));
    }
    for (name, value) in entity.all_values() {
        let _ = writeln!(out, "  {name} = {value}");
    }
    for name in entity.set_names() {
        let _ = writeln!(out, "  {name} has {}", entity.set_members(name).join(", "));
    }
    for comment in entity.comments() {
        let _ = writeln!(out, "  {} said {:?} at {}", comment.author, comment.body, comment.created);
        for former in comment.former {
            let _ = writeln!(out, "    before that {:?}", former.body);
        }
    }
    let _ = writeln!(out, "  deleted {}, revision {}", entity.is_deleted(), entity.revision());
}

/// A clone with the golden base and one side, and a hub with the base and the other.
struct Fork {
    clone: TestRepository,
    hub: TestRepository,
}

impl Fork {
    fn new(here: &str, there: &str) -> Self {
        let fork = Self { clone: TestRepository::new(), hub: TestRepository::with(Layout::BARE) };
        write_history(fork.clone.path(), here);
        write_history(fork.hub.path(), there);
        fork
    }
}

fn write_history(path: &Path, side: &str) {
    let repository = Repository::discover(path).unwrap();
    let mut tip: Option<CommitId> = None;
    // The sides are written on different days, so that one parent of the merge is newer.
    let day = if side == "ours.jsonl" { 1 } else { 2 };
    for (day, file) in [(0, "base.jsonl"), (day, side)] {
        let person = Identity { name: "Ada Lovelace".into(), email: "ada@example.com".into() };
        let message = write_message(file, golden(file).as_bytes());
        let parents: Vec<CommitId> = tip.into_iter().collect();
        let author = FixedIdentity { identity: person, seconds: 1_767_225_600 + day * 86_400 };
        let commit = NewCommit { parents: &parents, message: &message, files: &[], author: Some(&author) };
        let commit = repository.write_commit(&commit).unwrap();
        repository.move_ref(&RefName::WORK, tip, commit, "golden").unwrap();
        tip = Some(commit);
    }
}

#[test]
fn merge_and_renumbering_are_the_same_commits_in_every_clone() {
    for (here, there) in [("ours.jsonl", "theirs.jsonl"), ("theirs.jsonl", "ours.jsonl")] {
        let fork = Fork::new(here, there);
        // Another remote has our tip, so it cannot be dropped.
        fork.clone.git(&["update-ref", "refs/cairn/remotes/other/work", RefName::WORK.as_str()]);
        let mut store = Store::open(fork.clone.path(), Arc::new(|_| {})).unwrap();
        let hub: PathBuf = fork.hub.path().to_owned();
        store.sync(hub.to_str().unwrap(), &"refs/notes/none".parse().unwrap(), GitProgress::Quiet).unwrap();
        let work = RefName::WORK.to_string();
        let parent = format!("{work}^");
        assert_eq!(fork.clone.git(&["cat-file", "commit", &parent]) + "\n", golden("merge.txt"));
        assert_eq!(fork.clone.git(&["rev-parse", &parent]), MERGE);
        assert_eq!(fork.clone.git(&["cat-file", "commit", &work]) + "\n", golden("renumber.txt"));
        assert_eq!(fork.clone.git(&["rev-parse", &work]), RENUMBER);
        assert_eq!(fork.hub.git(&["rev-parse", &work]), RENUMBER);
    }
}

#[test]
fn clock_may_jump_so_far_and_no_further() {
    const JUMP: u64 = 1 << 20;
    let fixture = TestRepository::new();
    let warnings = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&warnings);
    let listener = Arc::new(move |notice| {
        if let Notice::Skipped(warning) = notice {
            heard.lock().unwrap().push(warning.text);
        }
    });
    let mut store = Store::open(fixture.path(), listener).unwrap();
    let line = |lamport: u64| golden("base.jsonl").replace("\"lamport\":1,", &format!("\"lamport\":{lamport},"));
    append_lines(&mut store, "as far as it may", &line(JUMP));
    assert_eq!(store.index().clock().unwrap(), JUMP);
    append_lines(&mut store, "one too far", &line(JUMP + JUMP + 1));
    assert_eq!(store.index().clock().unwrap(), JUMP);
    assert_eq!(warnings.lock().unwrap().len(), 1);
}

/// The tables of the specification, by heading: the first cell of each row, without backticks, and the rest.
fn specification() -> BTreeMap<String, Vec<(String, String)>> {
    let mut tables: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut heading = String::new();
    for line in specification_text().lines() {
        if let Some(name) = line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")) {
            name.clone_into(&mut heading);
        } else if let Some((first, rest)) = line.strip_prefix("| `").and_then(|row| row.split_once("` |")) {
            tables.entry(heading.clone()).or_default().push((first.to_owned(), rest.to_owned()));
        }
    }
    tables
}

fn specification_text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    fs::read_to_string(path).unwrap()
}

pub(crate) fn documented(heading: &str) -> BTreeSet<String> {
    let rows = specification().remove(heading).unwrap_or_else(|| panic!("there is no table under `{heading}`"));
    rows.into_iter().map(|(first, _)| first).collect()
}

fn in_golden_lines(read: impl Fn(&serde_json::Map<String, Value>) -> Vec<String>) -> BTreeSet<String> {
    let text = golden("operations.jsonl") + &golden("imported.jsonl") + &golden("undo.jsonl");
    let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.flat_map(|object| read(object.as_object().unwrap())).collect()
}

#[test]
fn keys_and_kinds_are_documented_and_golden() {
    assert_eq!(documented("Keys"), in_golden_lines(|object| object.keys().cloned().collect()));
    let kind = |object: &serde_json::Map<String, Value>| vec![object["kind"].as_str().unwrap().to_owned()];
    assert_eq!(documented("Kinds"), in_golden_lines(kind));
}

#[test]
fn keys_are_written_in_the_documented_order() {
    let order: Vec<String> = specification()["Keys"].iter().map(|(key, _)| key.clone()).collect();
    for line in golden("operations.jsonl").lines() {
        let object: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        let places: Vec<usize> =
            object.keys().map(|key| order.iter().position(|known| known == key).unwrap()).collect();
        assert!(places.is_sorted(), "{line}");
    }
}

#[test]
fn examples_are_golden() {
    let golden = [
        golden("operations.jsonl"),
        golden("labels.jsonl"),
        golden("attachment.jsonl"),
        golden("message.txt"),
        golden("merge.txt"),
        golden("renumber.txt"),
        golden("note.json"),
        golden("inbox-message.json"),
        golden("inbox-reply.json"),
    ];
    let golden: BTreeSet<&str> = golden.iter().flat_map(|text| text.lines()).collect();
    let text = specification_text();
    let examples: Vec<&str> = text.split("```json\n").skip(1).flat_map(|block| block.split("```").take(1)).collect();
    let lines: Vec<&str> = examples.iter().flat_map(|block| block.lines()).collect();
    assert!(lines.len() >= 9, "each kind has an example");
    for line in lines {
        assert!(golden.contains(line), "{line}");
    }
}

#[test]
fn fields_are_documented() {
    let mut fields: BTreeSet<String> = FIELDS.iter().map(|field| field.stored().to_owned()).collect();
    // Set by moving an item, never by a value that a person writes.
    fields.insert("rank".to_owned());
    assert_eq!(documented("Fields of an item"), fields);
    fields = ["labels", "assignees", "blocks", "relates", "touches", "commits", "closedBy"].map(str::to_owned).into();
    assert_eq!(documented("Sets of an item"), fields);
}

#[test]
fn shared_ids_are_documented() {
    let text = specification_text();
    for kind in ItemKind::ALL {
        let row = format!("| `workflow:{kind}` | `{}` |", Workflow::id(kind));
        assert!(text.contains(&row), "{row}");
    }
    let row = format!("| `labels` | `{}` |", DeclaredLabels::id());
    assert!(text.contains(&row), "{row}");
    let row = format!("| `member:grace@example.com` | `{}` |", Member::id(" Grace@Example.com "));
    assert!(text.contains(&row), "{row}");
}

#[test]
fn limits_are_documented() {
    let limits = [
        ("a commit", format::MESSAGE_LIMIT),
        ("an operation", format::OP_LIMIT as u64),
        ("a file", format::FILE_LIMITS.file_bytes),
        ("all files of a commit", format::FILE_LIMITS.total_bytes),
        ("operations received in one sync", format::RECEIVE_LIMIT),
        ("operations of an entity", format::OPS_PER_ENTITY_LIMIT.cast_unsigned()),
        ("operations in a message", format::MESSAGE_TARGET as u64),
        ("operations in a file", format::FILE_TARGET as u64),
        ("files of a commit", format::FILE_LIMITS.files as u64),
        ("title, label and other lines", model::text::TITLE_LIMIT as u64),
        ("description and comment", model::text::BODY_LIMIT as u64),
        ("an attachment", model::attachment::MAX_BYTES),
        ("number", number::MAX_NUMBER),
        ("a note", format::annotation::MAX_BYTES),
        ("regions of a note", format::annotation::MAX_REGIONS as u64),
    ];
    let table = &specification()["Limits"];
    assert_eq!(table.len(), limits.len());
    for (name, limit) in limits {
        let (_, row) = table.iter().find(|(first, _)| first == name).unwrap_or_else(|| panic!("{name}"));
        let digits: String = row.split('|').next().unwrap().chars().filter(char::is_ascii_digit).collect();
        assert_eq!(digits, limit.to_string(), "{name}");
    }
}
