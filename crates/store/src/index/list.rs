//! Pages of items: filtered, sorted, with keyset pagination, so that changes between two pages neither repeat nor hide
//! other items.

use model::filter::Expr;
use model::item::ItemKind;
use model::sort::{SortField, SortKey};
use rusqlite::types::Value;

use super::checksum::damage;
use super::item_table::{N_SELECTED, SELECTED};
use super::row::{RANK_KEY, Row, read};
use super::where_clause::{Clause, narrowing_index};
use super::{Index, IndexError};

/// A list query.
#[derive(Debug, Clone, Default)]
pub struct ItemQuery<'a> {
    /// Only these kinds; empty means all.
    pub kinds: &'a [ItemKind],
    /// Only items that match this filter.
    pub filter: Option<&'a Expr>,
    /// Only items that contain all these words.
    pub words: Option<&'a str>,
    /// Include closed items.
    pub include_closed: bool,
    /// Include deleted items.
    pub include_deleted: bool,
    /// Only items that are ready: not started and not blocked.
    pub ready: bool,
    /// Sort order. If it is empty and there are `words`, matches in titles come first, then the newest.
    pub sort: &'a [SortKey],
    /// The end of the previous page.
    pub after: Option<&'a Position>,
    /// Offset, for callers that count instead of using a position.
    pub skip: usize,
    /// Maximum number of items; `None` means all.
    pub limit: Option<usize>,
}

/// A keyset position: the sort values of the last item of a page, and its id.
#[derive(Debug, Clone, PartialEq)]
pub struct Position(pub Vec<serde_json::Value>);

/// One page.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPage {
    /// The items, in order.
    pub rows: Vec<Row>,
    /// Number of items on all pages.
    pub total: u64,
    /// Start of the next page; `None` on the last one.
    pub next: Option<Position>,
}

impl Index {
    /// Returns one page of a list.
    pub fn list(&self, query: &ItemQuery<'_>) -> Result<RowPage, IndexError> {
        self.check(self.list_inside(query))
    }

    fn list_inside(&self, query: &ItemQuery<'_>) -> rusqlite::Result<RowPage> {
        let mut clause = clause_of(query);
        // The total is counted over all pages, so without the keyset position.
        let counted = clause.clone();
        let total = self.total(query, &counted)?;
        if query.limit == Some(0) {
            // Only the number was asked for; finding the first row would look at every item again.
            return Ok(RowPage { rows: Vec::new(), total, next: None });
        }
        let keys = SortTerms::new(query, &mut clause);
        if let Some(position) = query.after {
            keys.after(position, &mut clause);
        }
        // One more row than the limit tells whether there is another page; -1 means no limit in SQL.
        let limit = query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1));
        let skip = i64::try_from(query.skip).unwrap_or(i64::MAX);
        let (columns, order, condition) = (keys.columns(), keys.order(), clause.sql());
        let sql = match (index_of(query), query.limit) {
            // The page is found in the index alone; then only its rows are read.
            (Some(_), Some(_)) => format!(
                "SELECT {}{columns} FROM item LEFT JOIN body USING (key) WHERE item.key IN
                     (SELECT item.key FROM {} {} {condition} ORDER BY {order} LIMIT {limit} OFFSET {skip})
                 ORDER BY {order}",
                *SELECTED,
                source(query),
                body(&condition),
            ),
            _ => format!(
                "SELECT {}{columns} FROM {} LEFT JOIN body USING (key) {condition} ORDER BY {order}
                 LIMIT {limit} OFFSET {skip}",
                *SELECTED,
                source(query),
            ),
        };
        let mut statement = self.connection.prepare_cached(&sql)?;
        let n_keys = keys.terms.len();
        let mut found = statement.query(rusqlite::params_from_iter(clause.values()))?;
        let (mut rows, mut last, mut has_more) = (Vec::new(), None, false);
        while let Some(row) = found.next()? {
            has_more = query.limit == Some(rows.len());
            if has_more {
                break;
            }
            rows.push(read(row)?);
            // Only the last position of a page is needed; making one for every row would take longer than some rows.
            if query.limit == Some(rows.len()) {
                last = Some(position(row, n_keys)?);
            }
        }
        drop(found);
        let n_found = rows.len() + usize::from(has_more);
        // A damaged index entry hides rows without an error, so compare with the count. Count again before reporting
        // damage: another process may have written in between.
        if query.after.is_none() && !is_complete(query, total, n_found) && self.total(query, &counted)? == total {
            return Err(damage("a list has other items than were counted"));
        }
        Ok(RowPage { rows, total, next: last.filter(|_| has_more) })
    }

    // Without a filter the maintained counts are used; with one the items are counted.
    fn total(&self, query: &ItemQuery<'_>, clause: &Clause) -> rusqlite::Result<u64> {
        if query.filter.is_none() && query.words.is_none() && !query.ready {
            let mut kept = Clause::default();
            kept.visible("visibility", query);
            kept.kinds("kind", query.kinds);
            let sql = format!("SELECT coalesce(sum(n), 0) FROM tally {}", kept.sql());
            let mut statement = self.connection.prepare_cached(&sql)?;
            return statement.query_row(rusqlite::params_from_iter(kept.values()), |row| row.get(0));
        }
        let mut statement = self.connection.prepare_cached(&count_sql(query, clause))?;
        statement.query_row(rusqlite::params_from_iter(clause.values()), |row| row.get(0))
    }
}

fn clause_of(query: &ItemQuery<'_>) -> Clause {
    let mut clause = Clause::default();
    clause.visible("item.visibility", query);
    clause.kinds("item.kind", query.kinds);
    if let Some(filter) = query.filter {
        clause.filter(filter);
    }
    if let Some(words) = query.words {
        clause.words(words);
    }
    if query.ready {
        clause.ready();
    }
    clause
}

fn count_sql(query: &ItemQuery<'_>, clause: &Clause) -> String {
    let condition = clause.sql();
    format!("SELECT count(*) FROM {} {} {condition}", source(query), body(&condition))
}

/// Returns whether as many rows were found as expected on a first page: one more than the limit means that there is
/// another page.
fn is_complete(query: &ItemQuery<'_>, total: u64, n_found: usize) -> bool {
    let total = usize::try_from(total).unwrap_or(usize::MAX).saturating_sub(query.skip);
    n_found == query.limit.map_or(total, |limit| total.min(limit.saturating_add(1)))
}

/// The sort expressions of a list; the id comes last, so that the order is total.
struct SortTerms {
    terms: Vec<(String, bool)>,
}

impl SortTerms {
    fn new(query: &ItemQuery<'_>, clause: &mut Clause) -> Self {
        let mut terms: Vec<(String, bool)> = query.sort.iter().map(|key| (expression(*key), key.descending)).collect();
        // Titles first, then newest. The relevance must depend on the item alone: a rank based on term frequency would
        // move untouched items between two pages.
        if let (true, Some(words)) = (terms.is_empty(), query.words) {
            terms.extend([(clause.titles_first(words), false), ("item.updated".to_owned(), true)]);
        }
        terms.push(("item.id".to_owned(), false));
        Self { terms }
    }

    fn columns(&self) -> String {
        self.terms.iter().flat_map(|(term, _)| [", ", term.as_str()]).collect()
    }

    fn order(&self) -> String {
        let terms =
            self.terms.iter().map(|(term, descending)| format!("{term}{}", if *descending { " DESC" } else { "" }));
        terms.collect::<Vec<_>>().join(", ")
    }

    // (a, b, c) after (x, y, z) is: a > x, or a = x and (b > y, or b = y and (c > z)).
    fn after(&self, position: &Position, clause: &mut Clause) {
        let last = self.terms.len() - 1;
        let mut sql = Vec::new();
        for (n, ((term, descending), value)) in self.terms.iter().zip(&position.0).enumerate() {
            let place = clause.bind(to_sql(value));
            let beyond = if *descending { "<" } else { ">" };
            sql.push(if n == last {
                format!("{term} {beyond} {place}")
            } else {
                format!("({term} {beyond} {place} OR ({term} = {place} AND ")
            });
        }
        sql.push("))".repeat(last));
        clause.and(&sql.concat());
    }
}

// `INDEXED BY`, because without statistics SQLite chooses any other index that contains the visibility.
fn source(query: &ItemQuery<'_>) -> String {
    match (query.words.is_some(), query.ready) {
        (true, _) => "item JOIN words ON words.rowid = item.key".to_owned(),
        (false, true) => "item INDEXED BY item_ready".to_owned(),
        (false, false) => index_of(query).map_or_else(|| "item".to_owned(), |name| format!("item INDEXED BY {name}")),
    }
}

/// Returns the index that a query is narrowed by, if its filter has one.
fn index_of(query: &ItemQuery<'_>) -> Option<&'static str> {
    let is_plain = query.words.is_none() && !query.ready;
    query.filter.filter(|_| is_plain).and_then(narrowing_index)
}

/// Returns the join with the texts, for a condition that reads them.
fn body(condition: &str) -> &'static str {
    if condition.contains("body.") { "LEFT JOIN body USING (key)" } else { "" }
}

fn expression(key: SortKey) -> String {
    let column = match key.by {
        SortField::Id => "item.id",
        SortField::Number => "item.number",
        SortField::Title => "item.title",
        SortField::Status => "item.status",
        SortField::Kind => "item.kind",
        SortField::Priority => "item.priority",
        SortField::Size => {
            "CASE item.size WHEN 'small' THEN 1 WHEN 'medium' THEN 2 WHEN 'large' THEN 3 WHEN 'xlarge' THEN 4 ELSE 0 END"
        }
        SortField::Assignee => "item.assignee",
        SortField::Author => "item.author",
        SortField::Created => "item.created",
        SortField::Updated => "item.updated",
        SortField::Started => return date_expression("item.started", key),
        SortField::Expected => return date_expression("item.expected", key),
        SortField::Completed => return date_expression("item.completed", key),
        SortField::Due => return date_expression("item.due", key),
        SortField::CommentCount => "item.comment_count",
        SortField::Rank => RANK_KEY,
    };
    column.to_owned()
}

/// Items without a date come last in either direction: `~` sorts after every digit.
fn date_expression(column: &str, key: SortKey) -> String {
    let absent = if key.descending { "" } else { "~" };
    format!("coalesce({column}, '{absent}')")
}

fn position(row: &rusqlite::Row<'_>, n_keys: usize) -> rusqlite::Result<Position> {
    (N_SELECTED..N_SELECTED + n_keys)
        .map(|column| Ok(from_sql(row.get(column)?)))
        .collect::<Result<_, _>>()
        .map(Position)
}

fn from_sql(value: Value) -> serde_json::Value {
    match value {
        // No sort term has these types.
        Value::Null | Value::Blob(_) | Value::Real(_) => serde_json::Value::Null,
        Value::Integer(n) => n.into(),
        Value::Text(text) => text.into(),
    }
}

fn to_sql(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Number(n) => n.as_i64().map_or(Value::Null, Value::Integer),
        serde_json::Value::String(text) => Value::Text(text.clone()),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::filter::Filter;

    use super::*;

    const WORK: [ItemKind; 3] = [ItemKind::Issue, ItemKind::Task, ItemKind::Story];

    /// Returns how SQLite reads the items that it counts for a filter.
    fn plan(index: &Index, filter: &str) -> String {
        let filter = Filter::parse(filter, Timestamp::UNIX_EPOCH).unwrap();
        let query = ItemQuery { kinds: &WORK, filter: Some(filter.expr()), ..ItemQuery::default() };
        let clause = clause_of(&query);
        let sql = format!("EXPLAIN QUERY PLAN {}", count_sql(&query, &clause));
        let mut statement = index.connection.prepare(&sql).unwrap();
        let steps = statement.query_map(rusqlite::params_from_iter(clause.values()), |row| row.get::<_, String>(3));
        steps.unwrap().map(Result::unwrap).find(|step| step.contains(" item ")).unwrap()
    }

    // A row of an item is ten times as long as its entry in an index: of a milestone of fifty thousand items, reading the
    // rows takes half a second.
    #[test]
    fn items_in_one_place_are_counted_from_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::create(&folder.path().join("index.db")).unwrap();
        insta::assert_snapshot!(plan(&index, "board == 1"), @"SEARCH item USING COVERING INDEX item_board (board=? AND visibility=? AND kind=?)");
        insta::assert_snapshot!(plan(&index, "milestone == 1 and due < 2026-11-18"), @"SEARCH item USING COVERING INDEX item_milestone (milestone=?)");
        insta::assert_snapshot!(plan(&index, "parent == 1"), @"SEARCH item USING COVERING INDEX item_parent (parent=?)");
        insta::assert_snapshot!(plan(&index, "assignee == ada"), @"SEARCH item USING COVERING INDEX item_assigned (assigned=? AND visibility=? AND kind=?)");
    }
}
