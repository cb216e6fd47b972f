//! Groups work by status, for boards.

use model::filter::{Comparison, Expr, MatchTest, Order, ReferenceField, TextTest};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::sort::{SortField, SortKey};
use model::workflow::{Category, Status};
use store::index::ItemQuery;

use super::list::parse_filter;
use crate::error::Error;
use crate::project::Project;
use crate::view::{ColumnView, ColumnsView, item_views, one_item_view};

/// The kinds shown on boards.
const KINDS: [ItemKind; 4] = [ItemKind::Issue, ItemKind::Task, ItemKind::Story, ItemKind::Epic];

const BY_RANK: [SortKey; 1] = [SortKey { by: SortField::Rank, descending: false }];
// Nobody ranks finished work; the newest is what people look for.
const LAST_COMPLETED: [SortKey; 2] =
    [SortKey { by: SortField::Completed, descending: true }, SortKey { by: SortField::Number, descending: true }];

/// Options of `columns`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnsOptions {
    /// Only items on this board; all work items by default.
    pub board: Option<ItemRef>,
    /// A filter expression.
    pub filter: Option<String>,
    /// Only items with these words.
    pub words: Option<String>,
    /// `field[:asc|desc]`, most important first. By default open columns are sorted by rank, closed ones by the date of
    /// completion, newest first.
    pub sort: Vec<String>,
    /// Maximum number of cards per column.
    pub limit: usize,
    /// Columns with a higher limit: status and limit.
    pub longer: Vec<(String, usize)>,
}

impl Project {
    /// Returns work items in columns by status, including closed ones. Statuses that are no longer in a workflow come
    /// last.
    pub fn columns(&self, options: &ColumnsOptions) -> Result<ColumnsView, Error> {
        let filter = options.filter.as_deref().map(|text| parse_filter(text, (self.env.now)())).transpose()?;
        let filter = filter.map(|filter| self.with_me(filter.expr())).transpose()?.unwrap_or(Expr::True);
        let board = options.board.as_ref().map(|board| self.find_of(ItemKind::Board, board)).transpose()?;
        let on_board = board.as_ref().map_or(Expr::True, |row| is_on_board(&row.item.id.to_string()));
        let sort = options.sort.iter().map(|key| Ok(key.parse()?));
        let sort: Vec<SortKey> = sort.collect::<Result<_, Error>>()?;
        let mut columns = Vec::new();
        for status in self.statuses_of_work()? {
            let longer = options.longer.iter().find(|(name, _)| *name == status.name);
            let limit = longer.map_or(options.limit, |(_, limit)| *limit);
            let parts = [on_board.clone(), has_status(&status.name), filter.clone()];
            let parts = parts.into_iter().filter(|part| *part != Expr::True);
            let default: &[SortKey] = if status.closed { &LAST_COMPLETED } else { &BY_RANK };
            let query = ItemQuery {
                kinds: &KINDS,
                include_closed: true,
                filter: Some(&Expr::all(parts)),
                words: options.words.as_deref(),
                sort: if sort.is_empty() { default } else { &sort },
                limit: Some(limit),
                ..ItemQuery::default()
            };
            columns.push(self.column(status, &query)?);
        }
        let board = board.map(|row| one_item_view(self.index(), row)).transpose()?;
        Ok(ColumnsView { board, columns })
    }

    fn column(&self, status: Status, query: &ItemQuery<'_>) -> Result<ColumnView, Error> {
        let page = self.index().list(query)?;
        Ok(ColumnView {
            status: status.name,
            category: status.category,
            color: status.color,
            closed: status.closed,
            limit: status.limit,
            items: item_views(self.index(), page.rows)?,
            total: page.total,
        })
    }

    // Kinds may have their own workflows: statuses of the same name share a column.
    fn statuses_of_work(&self) -> Result<Vec<Status>, Error> {
        let mut statuses: Vec<Status> = Vec::new();
        for kind in KINDS {
            let workflow = self.index().workflow(kind)?;
            for status in workflow.statuses() {
                let same = statuses.iter_mut().find(|known| known.name == status.name);
                if let Some(known) = same {
                    known.limit = [known.limit, status.limit].into_iter().flatten().min();
                }
            }
            let new = |status: &&Status| !statuses.iter().any(|known| known.name == status.name);
            let new: Vec<Status> = workflow.statuses().iter().filter(new).cloned().collect();
            statuses.extend(new);
        }
        statuses.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        for one in self.index().statuses_in_use()? {
            if KINDS.contains(&one.kind) && !statuses.iter().any(|known| known.name == one.status) {
                statuses.push(forgotten(one.status));
            }
        }
        Ok(statuses)
    }
}

/// A placeholder for a status that is no longer in a workflow.
fn forgotten(name: String) -> Status {
    Status { name, category: Category::Todo, order: i64::MAX, color: "#97a0af".to_owned(), closed: false, limit: None }
}

// Two comparisons instead of equality, which would also match the state of that name: `open` may be the name of a
// status.
fn has_status(status: &str) -> Expr {
    let bound = |order| Expr::Compare(Comparison::Status { test: TextTest::Order(order), value: status.to_owned() });
    Expr::all([bound(Order::LessOrEqual), bound(Order::GreaterOrEqual)])
}

fn is_on_board(board: &str) -> Expr {
    let field = ReferenceField::Board;
    Expr::Compare(Comparison::Reference { field, test: MatchTest::Is, value: board.to_owned() })
}
