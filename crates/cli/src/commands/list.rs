//! `cairn list`.

use std::process::ExitCode;

use app::verb::{Assigned, Conditions, ListOptions};
use app::{Error, Project};
use clap::Args;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::person::PersonRef;

use crate::output::{Ui, print_page};

/// List items, most recently updated first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn list
  cairn list issue --label bug --mine
  cairn list --status review --milestone 'Release 1.0'
  cairn list --overdue --sort due
  cairn list task --sort priority:desc --page 2
  cairn list --filter 'labels ~ bug and priority >= high'
  cairn list --all --filter 'updated > -7d'

Fields of a filter: id number title description status state kind labels milestone board parent assignee
author priority size severity type blocked waiting approved created updated started expected completed
due comment_count has_comments text. Operators: == != < <= > >= ~ (contains) in [a, b], and or not.
A word without an operator is searched for.")]
pub(crate) struct Arguments {
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
    /// Maximum number of items; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    page: PageFlags,
    /// Include closed items.
    #[arg(short, long)]
    all: bool,
    /// Include deleted items.
    #[arg(long)]
    deleted: bool,
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

impl Flags {
    /// Returns a filter for the flags and another filter together.
    pub(super) fn filter(&self, project: &Project, filter: Option<&str>) -> Result<Option<String>, Error> {
        project.filter_of(&self.conditions()?, filter)
    }

    fn conditions(&self) -> Result<Conditions, Error> {
        Ok(Conditions {
            statuses: self.status.clone(),
            labels: self.label.clone(),
            assignee: self.assigned()?,
            milestone: self.milestone.clone(),
            board: self.board.clone(),
            epic: self.epic.clone(),
            blocked: self.blocked,
            overdue: self.overdue,
            text: self.text.clone(),
        })
    }

    fn assigned(&self) -> Result<Option<Assigned>, Error> {
        match self.assignee.as_deref() {
            _ if self.mine => Ok(Some(Assigned::To(PersonRef::Me))),
            Some("none") => Ok(Some(Assigned::Nobody)),
            Some(text) => Ok(Some(Assigned::To(PersonRef::parse(text)?))),
            None => Ok(None),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let kind = arguments.kind.or(arguments.conditions.kind);
    let page = project.list(&ListOptions {
        kinds: kind.into_iter().collect(),
        filter: arguments.conditions.filter(project, arguments.filter.as_deref())?,
        sort: arguments.sort.clone(),
        limit: limit(arguments.limit),
        skip: arguments.page.skip(arguments.limit),
        cursor: arguments.page.cursor.clone(),
        all: arguments.all,
        deleted: arguments.deleted,
        ..ListOptions::default()
    })?;
    print_page(ui, &page, arguments.page.number(), "nothing to show; `cairn list --all` includes closed items");
    Ok(ExitCode::SUCCESS)
}

/// Zero means all.
pub(super) fn limit(n: usize) -> Option<usize> {
    (n > 0).then_some(n)
}
