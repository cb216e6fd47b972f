//! A filter compiled to SQL gives the same results as the evaluator in `model`, for every field and every operator.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use model::entity::Entity;
use model::filter::{
    Comparison, Expr, Facts, Field, Filter, MatchTest, OptionalField, Order, ReferenceFacts, TextField, TextTest,
};
use model::id::EntityId;
use model::item::{Item, ItemKind};
use model::number::ItemNumber;
use model::op::Op;
use model::workflow::{State, Workflow};
use proptest::prelude::*;
use proptest::sample::select;
use store::format::v1;
use store::index::{Index, ItemQuery};
use testkit::{Layout, TestRepository};
use uuid::Uuid;

use crate::git_support::open;
use crate::random_log::{Line, cases, commit, fresh, instant, op, word, written};

/// Values that items have: words, statuses, states, people, numbers and ids.
fn value() -> impl Strategy<Value = String> {
    let id = (0..8_u128).prop_map(|n| Uuid::from_u128(n).to_string());
    let known = select(vec![
        "backlog",
        "done",
        "open",
        "closed",
        "draft",
        "odd",
        "issue",
        "milestone",
        "small",
        "2",
        "#2",
        "bob@example.org",
        "BOB",
        "ada <ADA@example.org>",
        "strasse",
        "ошибка",
        "00000000",
    ]);
    prop_oneof![6 => word(), 4 => known.prop_map(str::to_owned), 1 => id.clone(), 1 => id.prop_map(|id| id.to_uppercase())]
}

fn order() -> impl Strategy<Value = Order> {
    use Order::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    select(vec![Equal, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn date() -> impl Strategy<Value = Date> {
    let near = (9..13_i8).prop_map(|day| jiff::civil::date(2026, 3, day));
    prop_oneof![4 => near, 1 => select(vec![Date::MIN, Date::MAX, jiff::civil::date(1, 1, 1), Date::ZERO])]
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -1..8_i64, 1 => select(vec![i64::MIN, i64::MAX, 100_001, 1 << 53])]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    let field = select(Field::all().collect::<Vec<_>>());
    let text_test = prop_oneof![order().prop_map(TextTest::Order), Just(TextTest::Contains)];
    let tests = (order(), text_test, select(vec![MatchTest::Is, MatchTest::Contains]), any::<bool>());
    let id_prefix =
        (0..8_u128, 4..37_usize).prop_map(|(n, length)| Uuid::from_u128(n).to_string()[..length].to_owned());
    (field, tests, (value(), number(), instant(), date(), id_prefix)).prop_map(
        |(field, (order, test, matching, flag), (text, number, at, date, prefix))| match field {
            Field::Text(TextField::Id) if flag => Comparison::IdPrefix { prefix },
            Field::Text(field) => Comparison::Text { field, test, value: text },
            Field::Status => Comparison::Status { test, value: text },
            Field::Labels if text.is_empty() => Comparison::Absent { field: OptionalField::Labels },
            Field::Labels => Comparison::Label { test: matching, value: text },
            Field::Number(field) => Comparison::Number { field, order, value: number },
            Field::Instant(field) => Comparison::Instant { field, order, value: at },
            Field::Date(field) if flag => Comparison::Absent { field: OptionalField::Date(field) },
            Field::Date(field) => Comparison::Date { field, order, value: date },
            Field::Flag(field) => Comparison::Flag { field, value: flag },
            Field::Person(field) => Comparison::Person { field, test: matching, value: text },
            Field::Reference(field) if flag => Comparison::Absent { field: OptionalField::Reference(field) },
            Field::Reference(field) => Comparison::Reference { field, test: matching, value: text },
        },
    )
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![20 => comparison().prop_map(Expr::Compare), 1 => Just(Expr::True)];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Expr::all),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Expr::any),
            inner.prop_map(Expr::negate),
        ]
    })
}

/// The evaluator's input, folded from the operations without the index; only numbers come from the index.
struct Oracle {
    items: BTreeMap<EntityId, (Item, u64)>,
    workflows: BTreeMap<ItemKind, Workflow>,
}

impl Oracle {
    fn new(ops: &[Op], index: &Index) -> Self {
        let fold = |id: EntityId| Entity::fold(id, ops.iter().filter(|op| op.entity == id));
        let ids: BTreeSet<EntityId> = ops.iter().map(|op| op.entity).collect();
        let number = |item: &Item| index.item(item.id).unwrap().unwrap().number;
        let items = ids.iter().filter_map(|id| Item::from_entity(&fold(*id)));
        let workflow = |kind| (kind, Workflow::from_entity(kind, &fold(Workflow::id(kind))));
        Self {
            items: items.map(|item| (item.id, (item.clone(), number(&item)))).collect(),
            workflows: ItemKind::ALL.into_iter().map(workflow).collect(),
        }
    }

    fn matching(&self, expr: &Expr) -> BTreeSet<String> {
        let found = self.items.values().filter(|(item, number)| self.matches(expr, item, *number));
        found.map(|(item, _)| item.id.to_string()).collect()
    }

    fn is_waiting(&self, item: &Item) -> bool {
        let is_open =
            |one: &Item| !one.deleted && self.workflows[&one.kind].state_and_category(&one.status).0 != State::Closed;
        self.items.values().any(|(other, _)| is_open(other) && other.blocks.contains(&item.id))
    }

    fn matches(&self, expr: &Expr, item: &Item, number: u64) -> bool {
        let id = item.id.to_string();
        let bodies: Vec<&str> = item.comments.iter().map(|comment| comment.body.as_str()).collect();
        let text = format!("{}\n{}\n{}", item.title, item.description, bodies.join("\n"));
        let assignee = item.assignees.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let author = item.author.to_string();
        let targets = [item.milestone, item.board, item.parent].map(|target| {
            let (item, number) = self.items.get(&target?)?;
            Some((item.id.to_string(), ItemNumber::of_kind(item.kind, *number), item.title.as_str()))
        });
        let [milestone, board, parent] = targets
            .each_ref()
            .map(|target| target.as_ref().map(|(id, number, title)| ReferenceFacts { id, reference: *number, title }));
        expr.matches(&Facts {
            id: &id,
            number,
            title: &item.title,
            description: &item.description,
            status: &item.status,
            state: self.workflows[&item.kind].state_and_category(&item.status).0.name(),
            kind: item.kind.name(),
            labels: &item.labels,
            milestone,
            board,
            parent,
            assignee: &assignee,
            author: &author,
            priority: item.priority.into(),
            size: item.size.map_or("", model::size::Size::name),
            severity: item.severity.as_deref().unwrap_or_default(),
            type_: item.type_.as_deref().unwrap_or_default(),
            blocked: item.blocked.is_some(),
            waiting: self.is_waiting(item),
            approved: item.approved,
            created: item.created,
            updated: item.updated,
            started: item.started,
            expected: item.expected,
            completed: item.completed,
            due: item.due,
            comment_count: item.comments.len() as u64,
            text: &text,
        })
    }
}

fn found(index: &Index, expr: &Expr) -> BTreeSet<String> {
    let query = ItemQuery { filter: Some(expr), include_closed: true, include_deleted: true, ..ItemQuery::default() };
    let page = index.list(&query).unwrap();
    assert_eq!(page.total, page.rows.len() as u64, "{expr}");
    page.rows.iter().map(|row| row.item.id.to_string()).collect()
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_compiled_filter_finds_what_the_evaluated_one_matches(
        ops in proptest::collection::vec(op(), 1..60),
        exprs in proptest::collection::vec(expr(), 60),
    ) {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let repository = open(fixture.path());
        let lines: Vec<Line> = ops.into_iter().map(|mut op| {
            op.stamp.lamport %= 20;
            written(&op)
        }).collect();
        let index = fresh(&repository, Some(commit(&repository, &[], &lines)));
        let ops: Vec<Op> = lines.iter().map(|line| v1::read(&line.0).unwrap()).collect();
        let oracle = Oracle::new(&ops, &index);
        for expr in &exprs {
            prop_assert_eq!(found(&index, expr), oracle.matching(expr), "{}", expr);
        }
    }
}

/// An empty index.
fn empty() -> Index {
    Index::in_memory().unwrap()
}

fn parse(source: &str) -> Filter {
    Filter::parse(source, Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn the_widest_filter_that_can_be_written_compiles() {
    let numbers: Vec<String> = (10..3_000).map(|number| number.to_string()).collect();
    let source = format!("number in [{}]", numbers.join(","));
    assert!(source.len() <= model::filter::MAX_LENGTH);
    assert!(found(&empty(), parse(&source).expr()).is_empty());
    let labels: Vec<&str> = (0..1_000).map(|_| "label == b").collect();
    assert!(found(&empty(), parse(&labels.join(" and ")).expr()).is_empty());
}

#[test]
fn the_deepest_filter_that_can_be_written_compiles() {
    for (open, close, depth) in [("not (", ")", 32), ("(priority > 1 and (priority < 3 or ", "))", 32), ("!", "", 64)] {
        let source = format!("{}labels ~ b{}", open.repeat(depth), close.repeat(depth));
        assert!(found(&empty(), parse(&source).expr()).is_empty(), "{source}");
    }
}
