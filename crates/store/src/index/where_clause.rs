//! Compiles a filter to SQL. The evaluator in `model` is the reference: for every item both give the same result, which
//! a property test checks. What SQL cannot express identically (case folding, people) calls the evaluator's own
//! functions.

use jiff::Timestamp;
use model::filter::{
    Comparison, DateField, Expr, FlagField, InstantField, MatchTest, NumberField, OptionalField, Order, PersonField,
    ReferenceField, TextField, TextTest, contains_folded, person_is, reference_is, title_is,
};
use model::item::ItemKind;
use model::number::{ItemNumber, NumberSpace};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

use super::list::ItemQuery;
use super::{checksum, ranks};

/// Whether an open item blocks the item.
const WAITING: &str = "EXISTS (SELECT 1 FROM link JOIN item AS blocker USING (key)
     WHERE link.target = item.id AND link.kind = 'blocks' AND blocker.visibility = 'open')";

/// Conditions joined by AND, with their bound values.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Clause {
    pub(super) fn sql(&self) -> String {
        if self.conditions.is_empty() { String::new() } else { format!("WHERE {}", self.conditions.join(" AND ")) }
    }

    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    pub(super) fn and(&mut self, condition: &str) {
        self.conditions.push(condition.to_owned());
    }

    /// Binds a value and returns its SQL parameter.
    pub(super) fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// Restricts to the items that a query may return.
    pub(super) fn visible(&mut self, column: &str, query: &ItemQuery<'_>) {
        match (query.include_closed, query.include_deleted) {
            (false, false) => self.and(&format!("{column} = 'open'")),
            (true, false) => self.and(&format!("{column} <> 'deleted'")),
            (false, true) => self.and(&format!("{column} <> 'closed'")),
            (true, true) => {}
        }
    }

    /// Restricts to items of these kinds; none means all.
    pub(super) fn kinds(&mut self, column: &str, kinds: &[ItemKind]) {
        if kinds.is_empty() {
            return;
        }
        let places: Vec<String> = kinds.iter().map(|kind| self.bind(kind.name().to_owned())).collect();
        self.and(&format!("{column} IN ({})", places.join(", ")));
    }

    /// Restricts to ready items: not started, not blocked, and without an open blocker.
    pub(super) fn ready(&mut self) {
        self.and("item.category = 'todo' AND item.blocked = 0");
        self.and(&format!("NOT {WAITING}"));
    }

    /// Adds a full-text search: every word must match, at least as a prefix.
    pub(super) fn words(&mut self, text: &str) {
        let words = quoted_words(text);
        if words.is_empty() {
            self.and("0");
            return;
        }
        let place = self.bind(words);
        self.and(&format!("words MATCH {place}"));
    }

    /// Returns a sort term that is lower for items with all these words in the title.
    pub(super) fn titles_first(&mut self, text: &str) -> String {
        let words = quoted_words(text);
        if words.is_empty() {
            // Not a plain number, which SQL would read as a column index.
            return "item.key IS NULL".to_owned();
        }
        let place = self.bind(format!("title : ({words})"));
        format!("item.key NOT IN (SELECT rowid FROM words WHERE words MATCH {place})")
    }

    pub(super) fn filter(&mut self, expr: &Expr) {
        let condition = self.expression(expr);
        self.conditions.push(condition);
    }

    fn expression(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::True => "1".to_owned(),
            Expr::And(operands) => self.joined(operands, " AND "),
            Expr::Or(operands) => self.joined(operands, " OR "),
            Expr::Not(operand) => format!("NOT {}", self.expression(operand)),
            Expr::Compare(comparison) => format!("({})", self.comparison(comparison)),
        }
    }

    // As a balanced tree: a long chain would exceed SQLite's expression depth.
    fn joined(&mut self, operands: &[Expr], by: &str) -> String {
        if let [one] = operands {
            return self.expression(one);
        }
        let (left, right) = operands.split_at(operands.len() / 2);
        format!("({}{by}{})", self.joined(left, by), self.joined(right, by))
    }

    fn comparison(&mut self, comparison: &Comparison) -> String {
        match comparison {
            Comparison::Text { field, test, value } => self.text(text_column(*field), *test, value),
            Comparison::IdPrefix { prefix } => {
                // An id contains no wildcard, and a prefix only digits and dashes.
                let place = self.bind(format!("{prefix}*"));
                format!("item.id GLOB {place}")
            }
            Comparison::Status { test: TextTest::Order(Order::Equal), value } => {
                let place = self.bind(value.clone());
                format!("item.status = {place} OR item.state = {place}")
            }
            Comparison::Status { test, value } => self.text("item.status", *test, value),
            Comparison::Label { test, value } => {
                let place = self.bind(value.clone());
                match test {
                    MatchTest::Is => format!("item.key IN (SELECT key FROM label WHERE label = {place})"),
                    MatchTest::Contains => {
                        format!("item.key IN (SELECT key FROM label WHERE contains_folded(label, {place}))")
                    }
                }
            }
            Comparison::Number { field, order, value } => {
                let place = self.bind(*value);
                format!("{} {} {place}", number_column(*field), operator(*order))
            }
            Comparison::Instant { field, order, value } => self.instant(*field, *order, *value),
            Comparison::Date { field, order, value } => {
                let place = self.bind(value.to_string());
                format!("coalesce({} {} {place}, 0)", date_column(*field), operator(*order))
            }
            Comparison::Flag { field, value } => format!("{} = {}", flag_column(*field), i32::from(*value)),
            Comparison::Person { field: PersonField::Assignee, test: MatchTest::Is, value } if !value.is_empty() => {
                let place = self.bind(value.clone());
                let used = used_values("assigned", "> ''");
                format!(
                    "item.assigned > '' AND item.assigned IN ({used} SELECT used.value FROM used
                     WHERE used.value IS NOT NULL AND person_is(used.value, {place}))"
                )
            }
            Comparison::Person { field, test, value } => {
                let place = self.bind(value.clone());
                let function = match test {
                    MatchTest::Is => "person_is",
                    MatchTest::Contains => "contains_folded",
                };
                format!("{function}({}, {place})", person_column(*field))
            }
            Comparison::Reference { field, test, value } => {
                let place = self.bind(value.clone());
                let implied = field.space().word();
                let test = match test {
                    MatchTest::Is => format!(
                        "reference_is(target.id, target.kind, target.number, target.title, '{implied}', {place})"
                    ),
                    MatchTest::Contains => format!("contains_folded(target.title, {place})"),
                };
                let column = reference_column(*field);
                let used = used_values(column, "IS NOT NULL");
                // Only items that others refer to are compared, a few of many. CROSS JOIN keeps SQLite from scanning
                // all items first.
                format!(
                    "item.{column} IS NOT NULL AND item.{column} IN ({used}
                     SELECT target.id FROM used CROSS JOIN item AS target ON target.id = used.value WHERE {test})"
                )
            }
            Comparison::Absent { field } => absent(*field),
        }
    }

    fn text(&mut self, column: &str, test: TextTest, value: &str) -> String {
        let place = self.bind(value.to_owned());
        match test {
            TextTest::Order(order) => format!("{column} {} {place}", operator(order)),
            TextTest::Contains => format!("contains_folded({column}, {place})"),
        }
    }

    // The index stores microseconds; a filter may name a time between two of them.
    fn instant(&mut self, field: InstantField, order: Order, value: Timestamp) -> String {
        let column = match field {
            InstantField::Created => "item.created",
            InstantField::Updated => "item.updated",
        };
        let below = value.as_nanosecond().div_euclid(1_000);
        let is_between = value.as_nanosecond().rem_euclid(1_000) != 0;
        let operator = match (order, is_between) {
            (Order::Equal, true) => return "0".to_owned(),
            (Order::Less, true) => "<=",
            (Order::GreaterOrEqual, true) => ">",
            (order, _) => operator(order),
        };
        let place = self.bind(i64::try_from(below).unwrap_or(i64::MAX));
        format!("{column} {operator} {place}")
    }
}

/// Returns a table `used` of the different values of an indexed column, and NULL at its end. Each step seeks the next one in the index, so that
/// the cost is that of the values, not of the items that have them.
fn used_values(column: &str, present: &str) -> String {
    format!(
        "WITH RECURSIVE used (value) AS (
             SELECT min(one.{column}) FROM item AS one WHERE one.{column} {present}
             UNION ALL
             SELECT (SELECT min(next.{column}) FROM item AS next WHERE next.{column} {present} AND next.{column} > used.value)
             FROM used WHERE used.value IS NOT NULL)"
    )
}

/// Returns the index that serves a filter best: that of a reference or an assignee that every item must have.
pub(super) fn narrowing_index(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::And(operands) => operands.iter().find_map(narrowing_index),
        Expr::Compare(
            Comparison::Reference { field, .. } | Comparison::Absent { field: OptionalField::Reference(field) },
        ) => Some(match field {
            ReferenceField::Milestone => "item_milestone",
            ReferenceField::Board => "item_board",
            ReferenceField::Parent => "item_parent",
        }),
        Expr::Compare(Comparison::Person { field: PersonField::Assignee, test: MatchTest::Is, value })
            if !value.is_empty() =>
        {
            Some("item_assigned")
        }
        _ => None,
    }
}

fn quoted_words(text: &str) -> String {
    // A NUL would truncate the search text.
    let words = text.split(|c: char| c.is_whitespace() || c == '\0');
    let words = words.filter(|word| word.chars().any(char::is_alphanumeric));
    let quoted: Vec<String> = words.map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect();
    quoted.join(" ")
}

fn absent(field: OptionalField) -> String {
    match field {
        OptionalField::Labels => "NOT EXISTS (SELECT 1 FROM json_each(item.doc, '$.labels'))".to_owned(),
        OptionalField::Date(field) => format!("{} IS NULL", date_column(field)),
        OptionalField::Reference(field) => {
            let column = reference_column(field);
            let used = used_values(column, "IS NOT NULL");
            format!(
                "item.{column} IS NULL OR item.{column} IN ({used} SELECT used.value FROM used
                 WHERE used.value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM item AS target WHERE target.id = used.value))"
            )
        }
    }
}

fn operator(order: Order) -> &'static str {
    match order {
        Order::Equal => "=",
        Order::Less => "<",
        Order::LessOrEqual => "<=",
        Order::Greater => ">",
        Order::GreaterOrEqual => ">=",
    }
}

fn text_column(field: TextField) -> &'static str {
    match field {
        TextField::Id => "item.id",
        TextField::Title => "item.title",
        TextField::Description => "coalesce(body.description, '')",
        TextField::State => "item.state",
        TextField::Kind => "item.kind",
        TextField::Size => "item.size",
        TextField::Severity => "item.severity",
        TextField::Type => "item.type",
        TextField::Text => {
            "(item.title || char(10) || coalesce(body.description, '') || char(10) || coalesce(body.comments, ''))"
        }
    }
}

fn number_column(field: NumberField) -> &'static str {
    match field {
        NumberField::Number => "item.number",
        NumberField::Priority => "item.priority",
        NumberField::CommentCount => "item.comment_count",
    }
}

fn date_column(field: DateField) -> &'static str {
    match field {
        DateField::Started => "item.started",
        DateField::Expected => "item.expected",
        DateField::Completed => "item.completed",
        DateField::Due => "item.due",
    }
}

fn flag_column(field: FlagField) -> &'static str {
    match field {
        FlagField::Blocked => "item.blocked",
        FlagField::Waiting => WAITING,
        FlagField::Approved => "item.approved",
        FlagField::HasComments => "(item.comment_count > 0)",
    }
}

fn person_column(field: PersonField) -> &'static str {
    match field {
        PersonField::Assignee => "item.assigned",
        PersonField::Author => "item.author",
    }
}

fn reference_column(field: ReferenceField) -> &'static str {
    match field {
        ReferenceField::Milestone => "milestone",
        ReferenceField::Board => "board",
        ReferenceField::Parent => "parent",
    }
}

/// Registers the evaluator's functions in SQL.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    checksum::register(connection)?;
    ranks::register(connection)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("contains_folded", 2, flags, |context| {
        Ok(contains_folded(context.get_raw(0).as_str()?, context.get_raw(1).as_str()?))
    })?;
    connection.create_scalar_function("person_is", 2, flags, |context| {
        Ok(person_is(context.get_raw(0).as_str()?, context.get_raw(1).as_str()?))
    })?;
    connection.create_scalar_function("title_is", 2, flags, |context| {
        Ok(title_is(context.get_raw(0).as_str()?, context.get_raw(1).as_str()?))
    })?;
    connection.create_scalar_function("reference_is", 6, flags, |context| {
        let (id, title) = (context.get_raw(0).as_str()?, context.get_raw(3).as_str()?);
        let number = context.get_raw(2).as_i64()?.cast_unsigned();
        // The index stores names of kinds and spaces; other values have no number.
        let kind: Option<ItemKind> = context.get_raw(1).as_str()?.parse().ok();
        let reference = kind.map_or(ItemNumber::work(0), |kind| ItemNumber::of_kind(kind, number));
        let implied = context.get_raw(4).as_str()?;
        let implied = NumberSpace::ALL.into_iter().find(|space| space.word() == implied).unwrap_or(NumberSpace::Work);
        Ok(reference_is(id, reference, title, implied, context.get_raw(5).as_str()?))
    })
}
