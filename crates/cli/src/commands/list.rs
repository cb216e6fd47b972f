//! `cairn list`.

use std::process::ExitCode;

use app::verb::{CategoryCounts, ListOptions, SharesById};
use app::view::ListView;
use app::{Error, Project};
use clap::Args;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::saved_view::ViewQuery;

use crate::output::{ItemColumn, PageTable, Ui, print_page_with};

/// List items, most recently updated first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn list
  cairn list issue --label bug --mine
  cairn list --status review --milestone 'Release 1.0'
  cairn list --overdue --sort due
  cairn list task --sort priority:desc --page 2
  cairn list milestone
  cairn list --columns number,title,due,milestone
  cairn list --filter 'labels ~ bug and priority >= high'
  cairn list --all --filter 'updated > -7d'

Fields of a filter: id number title description status state kind labels milestone board parent assignee author \
priority size severity type blocked waiting approved created updated started expected completed due comment_count \
has_comments text.
Operators: == != < <= > >= ~ (contains) in [a, b], and or not.
A word without an operator is searched for.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    query: QueryFlags,
    /// Maximum number of items; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    page: PageFlags,
    /// Include deleted items.
    #[arg(long)]
    deleted: bool,
}

/// Which items to list, and how; what `cairn view save` saves.
#[derive(Debug, Args)]
pub(super) struct QueryFlags {
    /// Only this kind: issue, task, story, epic, milestone or board.
    kind: Option<ItemKind>,
    #[command(flatten)]
    conditions: Flags,
    /// Only items that match this filter.
    #[arg(short, long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Sort by this field, as FIELD or FIELD:desc; may be given several times.
    #[arg(short, long, value_name = "FIELD[:desc]")]
    sort: Vec<String>,
    /// Show these columns, in this order; the title keeps most of the width.
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    columns: Vec<ItemColumn>,
    /// Include closed items.
    #[arg(short, long)]
    all: bool,
}

/// Which page to show.
#[derive(Debug, Args)]
pub(super) struct PageFlags {
    /// Show this page, counted from 1.
    #[arg(long = "page", value_name = "N", default_value_t = 1, conflicts_with = "cursor")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..), hide_default_value = true)]
    number: u32,
    /// Continue after the previous page, for programs: unlike a page, it does not shift when items change.
    #[arg(long, value_name = "CURSOR")]
    pub(super) cursor: Option<String>,
}

impl PageFlags {
    /// Returns the number of the page, from 1.
    pub(super) fn number(&self) -> usize {
        self.number as usize
    }

    /// Returns how many items stand on the pages before, with `limit` items on each.
    pub(super) fn skip(&self, limit: usize) -> usize {
        (self.number() - 1).saturating_mul(limit)
    }
}

/// Conditions without the filter language; all must hold.
#[derive(Debug, Args)]
#[command(next_help_heading = "Conditions")]
pub(super) struct Flags {
    /// With this status or state (open, closed); may be given several times.
    #[arg(long, value_name = "STATUS")]
    status: Vec<String>,
    /// With this label; may be given several times.
    #[arg(short, long, value_name = "LABEL")]
    label: Vec<String>,
    /// Assigned to this person; `none` for nobody.
    #[arg(long, value_name = "WHO")]
    assignee: Option<String>,
    /// Assigned to you.
    #[arg(long, conflicts_with = "assignee")]
    mine: bool,
    /// In this milestone, by number or title.
    #[arg(long, value_name = "ID")]
    milestone: Option<ItemRef>,
    /// On this board, by number or title.
    #[arg(long, value_name = "ID")]
    board: Option<ItemRef>,
    /// A sub-item of this epic, by number or title.
    #[arg(long, value_name = "ID")]
    epic: Option<ItemRef>,
    /// Of this kind, as the argument KIND.
    #[arg(long = "kind", value_name = "KIND", id = "kind_flag")]
    kind: Option<ItemKind>,
    /// Blocked, or waiting for an open item.
    #[arg(long)]
    blocked: bool,
    /// Open and due before today.
    #[arg(long)]
    overdue: bool,
    /// With this text in the title, the description or a comment.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
}

impl QueryFlags {
    /// Returns the query of the flags.
    pub(super) fn query(&self) -> ViewQuery {
        let flags = &self.conditions;
        let reference = |item: &Option<ItemRef>| item.as_ref().map(ToString::to_string);
        let assignee = if flags.mine { Some("me".to_owned()) } else { flags.assignee.clone() };
        ViewQuery {
            kind: self.kind.or(flags.kind).map(|kind| kind.name().to_owned()),
            statuses: flags.status.clone(),
            labels: flags.label.clone(),
            assignee,
            milestone: reference(&flags.milestone),
            board: reference(&flags.board),
            epic: reference(&flags.epic),
            blocked: flags.blocked,
            overdue: flags.overdue,
            text: flags.text.clone(),
            filter: self.filter.clone(),
            sort: self.sort.clone(),
            columns: self.columns.iter().map(|column| column.name()).collect(),
            all: self.all,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let query = arguments.query.query();
    let mut page = project.list(&ListOptions {
        limit: limit(arguments.limit),
        skip: arguments.page.skip(arguments.limit),
        cursor: arguments.page.cursor.clone(),
        deleted: arguments.deleted,
        ..project.view_options(&query)?
    })?;
    let empty = "nothing to show; `cairn list --all` includes closed items";
    let table = page_table(project, &query)?;
    add_progress(&mut page, &table);
    print_page_with(ui, &page, arguments.page.number(), empty, &table);
    Ok(ExitCode::SUCCESS)
}

/// Adds what the column of progress shows to the items, for programs.
pub(super) fn add_progress(page: &mut ListView, table: &PageTable) {
    if !table.columns.contains(&ItemColumn::Progress) {
        return;
    }
    for item in &mut page.items {
        let counts = table.shares.get(&item.id).copied();
        let has_parts = matches!(item.kind, ItemKind::Epic | ItemKind::Milestone);
        item.progress = counts.or(has_parts.then(CategoryCounts::default)).map(Into::into);
    }
}

/// Returns the columns of a query with what they need; the usual ones of its kind if it names none.
pub(super) fn page_table(project: &Project, query: &ViewQuery) -> Result<PageTable, Error> {
    // A newer version may have saved a column that this one does not know.
    let named: Vec<ItemColumn> = query.columns.iter().filter_map(|name| ItemColumn::try_find(name)).collect();
    let kind = query.kind.as_deref().and_then(|kind| kind.parse().ok());
    let columns = if named.is_empty() { ItemColumn::defaults(kind).to_vec() } else { named };
    let mut shares = SharesById::new();
    if columns.contains(&ItemColumn::Progress) {
        shares = project.shares_by_parent()?;
        shares.extend(project.shares_by_milestone()?);
    }
    Ok(PageTable { columns, shares })
}

/// Zero means all.
pub(super) fn limit(n: usize) -> Option<usize> {
    (n > 0).then_some(n)
}
