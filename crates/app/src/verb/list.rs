//! Lists and searches items.

mod conditions;

use jiff::Timestamp;
use model::filter::{BareWords, Comparison, Expr, Field, Filter, FilterError, MatchTest, TextField};
use model::item::ItemKind;
use model::sort::{DEFAULT, SortKey};
use store::index::ItemQuery;

use crate::cursor;
use crate::error::{Detail, Error};
use crate::project::Project;
use crate::view::{ListView, item_views};
pub use conditions::{AssigneeFilter, Conditions};

/// Options of `list`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Only these kinds; empty for all.
    pub kinds: Vec<ItemKind>,
    /// A filter expression.
    pub filter: Option<String>,
    /// Whether the filter may contain words to search for.
    pub bare_words: BareWords,
    /// Only items with these words: matches in titles first, then the newest.
    pub words: Option<String>,
    /// `field[:asc|desc]`, most important first.
    pub sort: Vec<String>,
    /// Maximum number of items; `None` for all.
    pub limit: Option<usize>,
    /// Number of items to skip, for callers that count pages.
    pub skip: usize,
    /// The cursor of the previous page.
    pub cursor: Option<String>,
    /// Include closed items.
    pub all: bool,
    /// Include deleted items.
    pub deleted: bool,
}

impl Project {
    /// Returns a page of items.
    pub fn list(&self, options: &ListOptions) -> Result<ListView, Error> {
        let parse = |text| parse_filter_with(text, (self.env.now)(), options.bare_words);
        let filter = options.filter.as_deref().map(parse).transpose()?;
        let expr = filter.as_ref().map(|filter| self.with_me(filter.expr())).transpose()?;
        let sort = sort_keys(options)?;
        let name = query_name(options, &sort);
        let after = options.cursor.as_deref().map(|text| cursor::read(&name, text)).transpose()?;
        let names_status = |filter: &Filter| filter.names(Field::Status) || filter.names(Field::Text(TextField::State));
        let page = self.index().list(&ItemQuery {
            kinds: &options.kinds,
            filter: expr.as_ref(),
            words: options.words.as_deref(),
            include_closed: options.all || filter.as_ref().is_some_and(names_status),
            include_deleted: options.deleted,
            sort: &sort,
            after: after.as_ref(),
            skip: options.skip,
            limit: options.limit,
            ready: false,
        })?;
        Ok(ListView {
            items: item_views(self.index(), page.rows)?,
            total: page.total,
            next_cursor: page.next.map(|position| cursor::write(&name, &position)),
        })
    }
}

impl Project {
    /// Replaces `me` by the acting person.
    pub(super) fn with_me(&self, expr: &Expr) -> Result<Expr, Error> {
        let all = |operands: &[Expr]| operands.iter().map(|operand| self.with_me(operand)).collect::<Result<_, _>>();
        Ok(match expr {
            Expr::And(operands) => Expr::And(all(operands)?),
            Expr::Or(operands) => Expr::Or(all(operands)?),
            Expr::Not(operand) => Expr::negate(self.with_me(operand)?),
            Expr::Compare(Comparison::Person { field, test: MatchTest::Is, value }) if value == "me" => {
                let value = self.me()?.to_string();
                Expr::Compare(Comparison::Person { field: *field, test: MatchTest::Is, value })
            }
            other => other.clone(),
        })
    }
}

/// Parses a filter, or returns an error with its position.
pub(super) fn parse_filter(text: &str, now: Timestamp) -> Result<Filter, Error> {
    parse_filter_with(text, now, BareWords::Search)
}

fn parse_filter_with(text: &str, now: Timestamp, bare_words: BareWords) -> Result<Filter, Error> {
    Filter::parse_with(text, now, bare_words).map_err(|error| explain(text, &error))
}

fn explain(text: &str, error: &FilterError) -> Error {
    let explained =
        Error::invalid(format!("in the filter, {error}\n{}", error.pointer(text))).detail(Detail::Column(error.column));
    match &error.hint {
        Some(hint) => explained.hint(hint),
        None => explained,
    }
}

fn sort_keys(options: &ListOptions) -> Result<Vec<SortKey>, Error> {
    let is_search = options.words.is_some();
    if options.sort.is_empty() {
        return Ok(if is_search { Vec::new() } else { DEFAULT.to_vec() });
    }
    options.sort.iter().map(|key| Ok(key.parse()?)).collect()
}

// Binds a cursor to everything that decides the items and their order. Uses the filter's text, not its parsed form,
// since `-7d` is another moment on the next page.
fn query_name(options: &ListOptions, sort: &[SortKey]) -> String {
    let kinds: Vec<&str> = options.kinds.iter().map(|kind| kind.name()).collect();
    let sort: Vec<String> = sort.iter().map(ToString::to_string).collect();
    format!("{:?}", (kinds, &options.filter, &options.words, sort, options.all, options.deleted))
}
