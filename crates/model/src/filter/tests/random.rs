//! Random expressions, facts and token sequences, for the properties.
//!
//! Values come from small pools that facts and filters share: values that never match would test nothing.

use jiff::civil::Date;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const WORDS: [&str; 16] = [
    "open",
    "closed",
    "In Progress",
    "bug",
    "BUG",
    "none",
    "",
    "and",
    "ada@example.org",
    "Ada <ada@example.org>",
    "12",
    "#12",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "straße",
    "STRASSE",
    "a\"b\\c\n\u{202e}",
];

/// A text from the pool, or any other.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(&WORDS[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

pub(super) fn instant() -> impl Strategy<Value = Timestamp> {
    let near = (-3i64..3, select(vec![0i64, 1, 43_200, 86_399]))
        .prop_map(|(day, second)| Timestamp::from_second(1_773_100_800 + day * 86_400 + second).expect("is near"));
    let any = (Timestamp::MIN.as_second()..Timestamp::MAX.as_second(), 0..1_000_000_000)
        .prop_map(|(second, nanosecond)| Timestamp::new(second, nanosecond).expect("is in range"));
    prop_oneof![4 => near, 1 => any]
}

pub(super) fn date() -> impl Strategy<Value = Date> {
    let near = (8i8..13).prop_map(|day| jiff::civil::date(2026, 3, day));
    let any = (-9999i16..=9999, 1i8..=12, 1i8..=28).prop_map(|(y, m, d)| jiff::civil::date(y, m, d));
    prop_oneof![4 => near, 1 => any]
}

fn order() -> impl Strategy<Value = Order> {
    use Order::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    select(vec![Equal, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn text_test() -> impl Strategy<Value = TextTest> {
    prop_oneof![order().prop_map(TextTest::Order), Just(TextTest::Contains)]
}

fn match_test() -> impl Strategy<Value = MatchTest> {
    select(vec![MatchTest::Is, MatchTest::Contains])
}

/// A comparison as the parser makes it.
fn comparison() -> impl Strategy<Value = Comparison> {
    let field = select(Field::all().collect::<Vec<_>>());
    let tests = (order(), text_test(), match_test(), any::<bool>());
    let values = (text(), prop_oneof![-3i64..5, any::<i64>()], instant(), date());
    (field, tests, values).prop_map(|(field, (order, test, matching, flag), (text, number, at, date))| {
        let is_equality = test == TextTest::Order(Order::Equal);
        let is_absent = matching == MatchTest::Is && text.is_empty();
        match field {
            Field::Text(TextField::Id) if is_equality => {
                let prefix = literal::read_id_prefix(&text).unwrap_or_else(|| "0189".to_owned());
                Comparison::IdPrefix { prefix }
            }
            Field::Text(field) => Comparison::Text { field, test, value: text },
            Field::Status => Comparison::Status { test, value: text },
            Field::Labels if is_absent => Comparison::Absent { field: OptionalField::Labels },
            Field::Labels => Comparison::Label { test: matching, value: text },
            Field::Number(field) => Comparison::Number { field, order, value: number },
            Field::Instant(field) => Comparison::Instant { field, order, value: at },
            Field::Date(field) if flag => Comparison::Absent { field: OptionalField::Date(field) },
            Field::Date(field) => Comparison::Date { field, order, value: date },
            Field::Flag(field) => Comparison::Flag { field, value: flag },
            Field::Person(field) => Comparison::Person { field, test: matching, value: text },
            Field::Reference(field) if is_absent => Comparison::Absent { field: OptionalField::Reference(field) },
            Field::Reference(field) => Comparison::Reference { field, test: matching, value: text },
        }
    })
}

/// An expression as the parser makes it.
pub(super) fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![15 => comparison().prop_map(Expr::Compare), 1 => Just(Expr::True)];
    leaf.prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Expr::all),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Expr::any),
            inner.prop_map(Expr::negate),
        ]
    })
}

/// The facts of one item, owned.
#[derive(Clone, Debug)]
pub(super) struct Item {
    texts: Vec<String>,
    labels: Vec<String>,
    milestone: Option<(u64, String)>,
    priority: i64,
    blocked: bool,
    instants: (Timestamp, Timestamp),
    due: Option<Date>,
}

pub(super) fn item() -> impl Strategy<Value = Item> {
    let texts = prop::collection::vec(text(), 4);
    let labels = prop::collection::vec(text(), 0..3);
    let milestone = prop::option::of((10u64..14, text()));
    let rest = (-3i64..5, any::<bool>(), (instant(), instant()), prop::option::of(date()));
    (texts, labels, milestone, rest).prop_map(|(texts, labels, milestone, (priority, blocked, instants, due))| Item {
        texts,
        labels,
        milestone,
        priority,
        blocked,
        instants,
        due,
    })
}

impl Item {
    pub(super) fn with_facts<T>(&self, use_facts: impl FnOnce(&Facts<'_>) -> T) -> T {
        with_sample(|sample| {
            use_facts(&Facts {
                title: &self.texts[0],
                status: &self.texts[1],
                assignee: &self.texts[2],
                size: &self.texts[3],
                labels: &self.labels,
                milestone: self.milestone.as_ref().map(|(number, title)| ReferenceFacts {
                    id: "01890a5d-ac96-774b-bcce-b302099a8057",
                    reference: ItemNumber { space: NumberSpace::Milestone, number: *number },
                    title,
                }),
                priority: self.priority,
                blocked: self.blocked,
                waiting: !self.blocked,
                created: self.instants.0,
                updated: self.instants.1,
                due: self.due,
                ..*sample
            })
        })
    }
}

/// Random sequences of tokens.
pub(super) fn soup() -> impl Strategy<Value = String> {
    let token = select(vec![
        "(",
        ")",
        "[",
        "]",
        ",",
        "=",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "~",
        "!",
        "&&",
        "||",
        "and",
        "or",
        "not",
        "in",
        "contains",
        "true",
        "status",
        "labels",
        "priority",
        "due",
        "created",
        "blocked",
        "waiting",
        "assignee",
        "milestone",
        "id",
        "open",
        "\"x\"",
        "'",
        "\"",
        "\\u12",
        "\\",
        "-7d",
        "2026-01-31",
        "none",
        "#12",
        "ü",
        "\u{0}",
        "“",
        "0189",
    ]);
    (prop::collection::vec(token, 0..24), select(vec!["", " ", "\n"]))
        .prop_map(|(tokens, separator)| tokens.join(separator))
}
