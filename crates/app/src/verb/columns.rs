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

const URGENT_FIRST: [SortKey; 2] =
    [SortKey { by: SortField::Priority, descending: true }, SortKey { by: SortField::Number, descending: false }];

/// Options of `columns`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnsOptions {
    /// Only items on this board; all work items by default.
    pub board: Option<ItemRef>,
    /// A filter expression.
    pub filter: Option<String>,
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
        let on_board = board.as_ref().map_or(Expr::True, |row| lies_on(&row.item.id.to_string()));
        let mut columns = Vec::new();
        for status in self.statuses_of_work()? {
            let longer = options.longer.iter().find(|(name, _)| *name == status.name);
            let limit = longer.map_or(options.limit, |(_, limit)| *limit);
            let parts = [on_board.clone(), stands_in(&status.name), filter.clone()];
            let parts = parts.into_iter().filter(|part| *part != Expr::True);
            columns.push(self.column(status, &Expr::all(parts), limit)?);
        }
        let board = board.map(|row| one_item_view(self.index(), row)).transpose()?;
        Ok(ColumnsView { board, columns })
    }

    fn column(&self, status: Status, filter: &Expr, limit: usize) -> Result<ColumnView, Error> {
        let page = self.index().list(&ItemQuery {
            kinds: &KINDS,
            filter: Some(filter),
            include_closed: true,
            sort: &URGENT_FIRST,
            limit: Some(limit),
            ..ItemQuery::default()
        })?;
        Ok(ColumnView {
            status: status.name,
            category: status.category,
            colour: status.colour,
            closed: status.closed,
            items: item_views(self.index(), page.rows)?,
            total: page.total,
        })
    }

    // Kinds may have their own workflows: statuses of the same name share a column.
    fn statuses_of_work(&self) -> Result<Vec<Status>, Error> {
        let mut statuses: Vec<Status> = Vec::new();
        for kind in KINDS {
            let workflow = self.index().workflow(kind)?;
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
    Status { name, category: Category::Todo, order: i64::MAX, colour: "#97a0af".to_owned(), closed: false }
}

// Two comparisons instead of equality, which would also match the state of that name: `open` may be the name of a
// status.
fn stands_in(status: &str) -> Expr {
    let bound = |order| Expr::Compare(Comparison::Status { test: TextTest::Order(order), value: status.to_owned() });
    Expr::all([bound(Order::LessOrEqual), bound(Order::GreaterOrEqual)])
}

fn lies_on(board: &str) -> Expr {
    let field = ReferenceField::Board;
    Expr::Compare(Comparison::Reference { field, test: MatchTest::Is, value: board.to_owned() })
}
