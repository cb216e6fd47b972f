//! Random logs, drawn from small pools so that operations collide, with everything that a hostile or newer writer could
//! write.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::item::ItemKind;
use model::member::Member;
use model::op::{Change, Op, Stamp};
use model::person::Person;
use model::workflow::Workflow;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use store::format::{v1, write_message};
use store::git::{CommitId, FixedIdentity, Identity, NewCommit, Repository};
use store::index::Index;
use uuid::Uuid;

/// A number of cases that a person can wait for; `PROPTEST_CASES` asks for more.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 2_000,
        max_shrink_time: 30_000,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = usual;
    }
    config
}

/// One line of a log, shown as text when a test fails.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line(pub(crate) Vec<u8>);

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// A line: mostly an operation.
pub(crate) fn line() -> impl Strategy<Value = Line> {
    prop_oneof![12 => op().prop_map(|op| written(&op)), 2 => foreign_line().prop_map(Line)]
}

pub(crate) fn written(op: &Op) -> Line {
    let mut line = Vec::new();
    v1::write(op, &mut line);
    line.pop();
    Line(line)
}

/// An operation on one of a few entities, with one of a few stamps: mostly a suitable one.
pub(crate) fn op() -> impl Strategy<Value = Op> {
    let on = |ids: Vec<EntityId>, change: BoxedStrategy<Change>| (select(ids), change).boxed();
    let suitable = prop_oneof![
        8 => on(item_ids(), item_change().boxed()),
        2 => on(workflow_ids(), workflow_change().boxed()),
        1 => on(member_ids(), member_change().boxed()),
        2 => on(entity_pool(), change().boxed()),
    ];
    let imported = proptest::option::weighted(0.2, Just("github".into()));
    let undoes = proptest::option::weighted(0.2, stamp().prop_map(|stamp| stamp.id));
    (stamp(), instant(), person(), imported, undoes, suitable).prop_map(
        |(stamp, at, by, imported, undoes, (entity, change))| Op { stamp, entity, at, by, imported, undoes, change },
    )
}

fn item_change() -> impl Strategy<Value = Change> {
    let kind = select(vec!["issue", "issue", "issue", "task", "story", "epic", "milestone", "board"]);
    let status = select(vec!["backlog", "ready", "done", "odd"]);
    let create = (create(kind), status).prop_map(|(mut change, status)| {
        if let Change::Create { fields, .. } = &mut change {
            fields.entry("status".to_owned()).or_insert_with(|| status.into());
        }
        change
    });
    prop_oneof![2 => create, 3 => change()]
}

fn workflow_change() -> impl Strategy<Value = Change> {
    prop_oneof![1 => create(Just("workflow")), 4 => meaning().prop_map(|(field, value)| Change::Set { field, value })]
}

fn member_change() -> impl Strategy<Value = Change> {
    let field = (select(vec!["name".to_owned(), "username".to_owned()]), word())
        .prop_map(|(field, value)| Change::Set { field, value: value.into() });
    prop_oneof![2 => create(Just("member")), 1 => field, 1 => Just(Change::Delete), 1 => Just(Change::Restore)]
}

/// Clocks mostly count by one; some jump to the limit, or beyond.
fn stamp() -> impl Strategy<Value = Stamp> {
    let jump = 1_u64 << 20;
    let lamport = prop_oneof![20 => 0..12_u64, 1 => select(vec![jump, jump + 5, 2 * jump + 7, u64::MAX])];
    (lamport, 0..60_u128).prop_map(|(lamport, id)| Stamp { lamport, id: op_id(id) })
}

pub(crate) fn op_id(n: u128) -> OpId {
    OpId::new(Uuid::from_u128((1 << 100) + n))
}

pub(crate) fn item_ids() -> Vec<EntityId> {
    (0..6).map(|n| EntityId::new(Uuid::from_u128(n))).collect()
}

fn workflow_ids() -> Vec<EntityId> {
    [ItemKind::Issue, ItemKind::Task].map(Workflow::id).to_vec()
}

fn member_ids() -> Vec<EntityId> {
    ["bob@example.org", "eve@example.org"].map(Member::id).to_vec()
}

fn entity_pool() -> Vec<EntityId> {
    [item_ids(), workflow_ids(), member_ids()].concat()
}

pub(crate) fn instant() -> impl Strategy<Value = Timestamp> {
    let near = (0..5_i64, select(vec![0, 1, 999, 1_000, 1_500, 999_999_999]))
        .prop_map(|(second, nanosecond)| Timestamp::new(1_773_100_800 + second, nanosecond).unwrap());
    prop_oneof![8 => near, 1 => select(vec![Timestamp::MIN, Timestamp::MAX, Timestamp::UNIX_EPOCH])]
}

fn person() -> impl Strategy<Value = Person> {
    select(vec!["Ada <ada@example.org>", "Bob <bob@example.org>", "ada@example.org", "Straße", ""])
        .prop_map(Person::parse)
}

/// Words that occur in titles, labels and filters, in several scripts.
pub(crate) const WORDS: [&str; 16] = [
    "crash",
    "Crash at start",
    "größe",
    "STRASSE",
    "Straße",
    "bug",
    "BUG fix",
    "none",
    "",
    "12",
    "#3",
    "оШИБка",
    "e\u{301}cole",
    "\u{202e}forged\u{1b}[31m",
    "nul\0inside",
    "🎉 done",
];

pub(crate) fn word() -> impl Strategy<Value = String> {
    prop_oneof![20 => select(&WORDS[..]).prop_map(str::to_owned), 1 => any::<String>()]
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![12 => 0..6_u64, 1 => select(vec![100_001, 100_040, 4_000_000_000, 1 << 53, (1 << 53) + 1, u64::MAX])]
}

/// A field with a suitable or an unsuitable value.
fn field() -> impl Strategy<Value = (String, Value)> {
    let status = select(vec!["backlog", "ready", "in_progress", "done", "open", "odd", ""]);
    let date = select(vec!["2026-03-10", "2026-03-11", "0001-01-01", "9999-12-31", "2026-02-30", "-000001-01-01"]);
    let reference = select((0..8).map(|n| Uuid::from_u128(n).to_string()).collect::<Vec<_>>());
    let size = select(vec!["small", "medium", "large", "xlarge", "odd"]);
    let who = select(vec!["Ada <ada@example.org>", "bob@example.org", "STRASSE", "broken>", ""]);
    let named = |names: &'static [&'static str]| select(names).prop_map(str::to_owned);
    prop_oneof![
        4 => (named(&["title", "description", "severity", "type", "blocked", "colour"]), word().prop_map(Value::from)),
        3 => (Just("status".to_owned()), status.prop_map(Value::from)),
        3 => (named(&["started", "expected", "completed", "due"]), date.prop_map(Value::from)),
        3 => (named(&["board", "milestone", "parent"]), reference.prop_map(Value::from)),
        2 => (Just("size".to_owned()), size.prop_map(Value::from)),
        2 => (named(&["assignee", "name", "email", "username"]), who.prop_map(Value::from)),
        2 => (Just("priority".to_owned()), (0..13_u64).prop_map(Value::from)),
        2 => (Just("rank".to_owned()), select(vec!["a1", "a1i", "a3", "Zy", "b10", "a10", ""]).prop_map(Value::from)),
        1 => (Just("approved".to_owned()), any::<bool>().prop_map(Value::from)),
        1 => meaning(),
        2 => (named(&["title", "priority", "due", "status", "x-new"]), odd_value()),
        2 => (named(&["title", "due", "milestone", "size", "assignee", "x-new"]), Just(Value::Null)),
    ]
}

/// The meaning of a status in a workflow, or an invalid one.
fn meaning() -> impl Strategy<Value = (String, Value)> {
    let field = select(vec!["status:backlog", "status:ready", "status:done", "status:odd"]).prop_map(str::to_owned);
    let meaning = select(vec![
        json!({"category": "done", "order": 1, "closed": true}),
        json!({"category": "draft", "order": 5}),
        json!({"category": "doing", "closed": true}),
        json!({"category": "todo", "closed": false}),
        json!({"category": "odd"}),
        json!(null),
    ]);
    (field, meaning)
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"of": ["day", 1, null]})),
        Just(json!(-3)),
        Just(json!(true)),
        (1..126_usize).prop_map(|depth| (0..depth).fold(json!("deep"), |inner, _| json!([inner]))),
    ]
}

/// A set with a suitable or an unsuitable member.
fn member() -> impl Strategy<Value = (String, String)> {
    let target = select((0..7).map(|n| Uuid::from_u128(n).to_string()).collect::<Vec<_>>());
    prop_oneof![
        3 => (Just("labels".to_owned()), word()),
        1 => (Just("assignees".to_owned()), select(vec!["Ada <ada@example.org>", "bob@example.org", "Straße", ""]).prop_map(str::to_owned)),
        3 => (select(vec!["blocks".to_owned(), "relates".to_owned()]), target),
        1 => (select(vec!["blocks".to_owned(), "touches".to_owned(), "reviewers".to_owned()]), word()),
    ]
}

fn create(kind: impl Strategy<Value = &'static str>) -> impl Strategy<Value = Change> {
    let fields = proptest::collection::vec(field(), 0..6);
    let sets = proptest::collection::vec(member(), 0..3);
    (kind, proptest::option::of(number()), fields, sets).prop_map(|(kind, number, fields, members)| {
        let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (set, member) in members {
            sets.entry(set).or_default().push(member);
        }
        Change::Create { kind: kind.to_owned(), number, fields: fields.into_iter().collect(), sets }
    })
}

/// Any change of an entity, including invalid ones.
fn change() -> impl Strategy<Value = Change> {
    let kinds = vec!["issue", "issue", "task", "story", "milestone", "board", "member", "workflow", "comet", ""];
    let create = create(select(kinds));
    let seen = proptest::collection::vec((0..60_u128).prop_map(op_id), 0..8);
    prop_oneof![
        6 => create,
        6 => field().prop_map(|(field, value)| Change::Set { field, value }),
        3 => member().prop_map(|(field, value)| Change::Add { field, value }),
        2 => (member(), seen).prop_map(|((field, value), seen)| Change::Remove { field, value, seen }),
        2 => word().prop_map(|body| Change::Comment { body }),
        1 => (word(), 0..60_u128).prop_map(|(body, id)| Change::EditComment { comment: op_id(id), body }),
        1 => Just(Change::Delete),
        1 => Just(Change::Restore),
        2 => (number(), proptest::collection::vec(number(), 0..3))
            .prop_map(|(number, releases)| Change::Renumber { number, releases }),
    ]
}

/// A line that no version of this program would write.
fn foreign_line() -> impl Strategy<Value = Vec<u8>> {
    let head = |v: u32, kind: &'static str| {
        (stamp(), select(entity_pool())).prop_map(move |(stamp, entity)| {
            json!({"v": v, "id": stamp.id.to_string(), "entity": entity.to_string(), "lamport": stamp.lamport,
                "kind": kind, "field": 7, "mood": {"of": ["day"]}})
            .to_string()
            .into_bytes()
        })
    };
    prop_oneof![
        3 => head(1, "set"),
        3 => head(1, "later"),
        3 => head(2, "set"),
        1 => Just(b"{}".to_vec()),
        1 => Just(b"not json \xff\xfe".to_vec()),
        1 => Just([b"[".repeat(200), b"]".repeat(200)].concat()),
        1 => proptest::collection::vec(1_u8.., 0..20)
            .prop_map(|bytes| bytes.into_iter().filter(|byte| *byte != b'\n').collect()),
    ]
}

/// Writes lines as one commit.
pub(crate) fn commit(repository: &Repository, parents: &[CommitId], lines: &[Line]) -> CommitId {
    let mut body = Vec::new();
    for line in lines {
        body.extend_from_slice(&line.0);
        body.push(b'\n');
    }
    write(repository, parents, &write_message("random", &body), &[])
}

/// Writes lines as one commit with a file.
pub(crate) fn commit_with_file(repository: &Repository, parents: &[CommitId], lines: &[Line]) -> CommitId {
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.0.as_slice()).collect();
    let body = lines.join(&b'\n');
    write(repository, parents, &write_message("random", b""), &[("ops/000001.jsonl", &body)])
}

fn write(repository: &Repository, parents: &[CommitId], message: &[u8], files: &[(&str, &[u8])]) -> CommitId {
    let identity = Identity { name: "Cairn".into(), email: "cairn@example.com".into() };
    let author = FixedIdentity { identity, seconds: 1_773_100_800 };
    repository.write_commit(&NewCommit { parents, message, files, author: Some(&author) }).unwrap()
}

/// Builds an index of one tip from scratch.
pub(crate) fn fresh(repository: &Repository, tip: Option<CommitId>) -> Index {
    let mut index = Index::in_memory().unwrap();
    index.catch_up(repository, &|| Ok(tip), &mut |_, _| {}).unwrap();
    index
}
