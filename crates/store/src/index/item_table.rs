//! The table `item`, one row per item: columns for the fields that are filtered and sorted by, one JSON document for the
//! rest. Every column is declared once, below; the table's definition, writing, selecting and reading follow from it.

use std::sync::LazyLock;

use jiff::civil::Date;
use model::id::EntityId;
use model::item::Item;
use model::size::Size;
use model::workflow::{Category, State};
use rusqlite::{ToSql, params};

use super::checksum::Checksum;
use super::row::Doc;
use super::visibility::Visibility;

/// A row to be written.
pub(super) struct NewRow<'a> {
    /// The key of its entity.
    pub(super) key: i64,
    pub(super) number: i64,
    pub(super) state: State,
    pub(super) category: Category,
    pub(super) visibility: Visibility,
    pub(super) item: &'a Item,
    pub(super) doc: &'a Doc,
}

macro_rules! item_columns {
    (|$row:ident| $($column:ident $name:literal $declaration:literal = $value:expr;)+) => {
        /// A column of the table, by its position.
        #[derive(Debug, Clone, Copy)]
        #[expect(dead_code, reason = "some columns are only written and filtered by")]
        pub(super) enum ItemColumn {
            $($column),+
        }

        /// The names and declarations of all columns, in order.
        const COLUMNS: [(&str, &str); N_COLUMNS] = [$(($name, $declaration)),+];

        /// Number of columns.
        pub(super) const N_COLUMNS: usize = [$($name),+].len();

        /// Writes a row; the statement is from [`INSERT`].
        pub(super) fn write(statement: &mut rusqlite::Statement<'_>, $row: &NewRow<'_>) -> rusqlite::Result<usize> {
            execute(statement, params![$($value),+])
        }
    };
}

/// Binds the values and their checksum: computed here, because a call from SQL converts each of them once more.
fn execute(statement: &mut rusqlite::Statement<'_>, values: &[&dyn ToSql]) -> rusqlite::Result<usize> {
    let mut sum = Checksum::new();
    for (place, value) in (1..).zip(values) {
        let value = value.to_sql()?;
        sum = sum.add_output(&value)?;
        statement.raw_bind_parameter(place, value)?;
    }
    statement.raw_bind_parameter(values.len() + 1, sum.finish())?;
    statement.raw_execute()
}

item_columns! { |row|
    Key "key" "INTEGER PRIMARY KEY" = row.key;
    Id "id" "TEXT NOT NULL" = row.item.id.to_string();
    Number "number" "INTEGER NOT NULL" = row.number;
    Kind "kind" "TEXT NOT NULL" = row.item.kind.name();
    Title "title" "TEXT NOT NULL" = row.item.title;
    Status "status" "TEXT NOT NULL" = row.item.status;
    State "state" "TEXT NOT NULL" = row.state.name();
    Category "category" "TEXT NOT NULL" = row.category.name();
    Visibility "visibility" "TEXT NOT NULL" = row.visibility;
    Priority "priority" "INTEGER NOT NULL" = row.item.priority;
    Size "size" "TEXT NOT NULL" = row.item.size.map_or("", Size::name);
    Severity "severity" "TEXT NOT NULL" = or_empty(row.item.severity.as_deref());
    Type "type" "TEXT NOT NULL" = or_empty(row.item.type_.as_deref());
    Assignee "assignee" "TEXT NOT NULL" = row.item.assignee.as_ref().map(ToString::to_string).unwrap_or_default();
    Author "author" "TEXT NOT NULL" = row.item.author.to_string();
    Board "board" "TEXT" = id(row.item.board);
    Milestone "milestone" "TEXT" = id(row.item.milestone);
    Parent "parent" "TEXT" = id(row.item.parent);
    Blocked "blocked" "INTEGER NOT NULL" = row.item.blocked.is_some();
    Approved "approved" "INTEGER NOT NULL" = row.item.approved;
    // Microseconds since 1970.
    Created "created" "INTEGER NOT NULL" = row.item.created.as_microsecond();
    Updated "updated" "INTEGER NOT NULL" = row.item.updated.as_microsecond();
    Started "started" "TEXT" = date(row.item.started);
    Expected "expected" "TEXT" = date(row.item.expected);
    Completed "completed" "TEXT" = date(row.item.completed);
    Due "due" "TEXT" = date(row.item.due);
    CommentCount "comment_count" "INTEGER NOT NULL" = row.item.comments.len();
    // The rest, as JSON.
    Doc "doc" "TEXT NOT NULL" = serde_json::to_string(row.doc).expect("strings and JSON values always serialise");
    // Empty until someone moves it; `rank_key` is its effective value.
    Rank "rank" "TEXT NOT NULL" = row.item.rank.as_ref().map(ToString::to_string).unwrap_or_default();
    // All assignees, each on a line, as filters read them.
    Assigned "assigned" "TEXT NOT NULL" = assigned(row.item);
}

fn or_empty(text: Option<&str>) -> &str {
    text.unwrap_or_default()
}

fn id(id: Option<EntityId>) -> Option<String> {
    id.map(|id| id.to_string())
}

fn date(date: Option<Date>) -> Option<String> {
    date.map(|date| date.to_string())
}

fn assigned(item: &Item) -> String {
    item.assignees.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The definition of the table. `sum` is the checksum of all other columns, in their order.
pub(super) fn definition() -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|(name, declaration)| format!("{name} {declaration}")).collect();
    format!("CREATE TABLE item ({}, sum INTEGER NOT NULL);", columns.join(", "))
}

/// Returns all columns, each qualified by a table or row.
pub(super) fn columns_of(row: &str) -> String {
    COLUMNS.map(|(name, _)| format!("{row}.{name}")).join(", ")
}

/// All columns of `item`; fixed, since every list needs them.
pub(super) static ITEM_COLUMNS: LazyLock<String> = LazyLock::new(|| columns_of("item"));

/// The columns that a query must select for `row::read`: those of the item, its checksum, and its text with its own.
pub(super) static SELECTED: LazyLock<String> =
    LazyLock::new(|| format!("{}, item.sum, body.description, body.sum", *ITEM_COLUMNS));

/// Number of columns in [`SELECTED`]: what a query selects besides begins there.
pub(super) const N_SELECTED: usize = N_COLUMNS + 3;

/// The row that `INSERT INTO` or `INSERT OR REPLACE INTO` takes: all columns and their checksum.
pub(super) static INSERT: LazyLock<String> = LazyLock::new(|| {
    let places: Vec<String> = (1..=N_COLUMNS + 1).map(|place| format!("?{place}")).collect();
    format!("item VALUES ({})", places.join(", "))
});

/// Maintains the checksum of an item whose number or state changes because of other items.
pub(super) fn triggers() -> String {
    format!(
        "CREATE TRIGGER item_is_sound BEFORE UPDATE OF number, state, category, visibility ON item BEGIN
             SELECT sound(OLD.sum, {});
         END;
         CREATE TRIGGER item_sum AFTER UPDATE OF number, state, category, visibility ON item BEGIN
             UPDATE item SET sum = checksum({}) WHERE key = NEW.key;
         END;",
        columns_of("OLD"),
        columns_of("NEW"),
    )
}
