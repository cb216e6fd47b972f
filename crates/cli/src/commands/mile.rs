//! `git mile`: the command line under the program name `git-mile`. It prints issues and milestones in the shapes of
//! that tool's contract, so that existing scripts and clients keep working.

use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::Style;
use app::verb::{CloseOptions, ListOptions};
use app::view::ItemView;
use app::{ChangeSet, Env, Error, NewItem, Project, ProjectPool};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dialects::mile::{ItemShape, PageShape};
use model::field;
use model::filter::BareWords;
use model::item::ItemKind;
use model::item_ref::ItemRef;

use super::mcp::{Choice, serve_dialect};
use super::{RepoPath, print_changed};
use crate::arguments::Global;
use crate::fields::parse;
use crate::output::{self, Column, Detail, STRONG, Table, Ui, print_item};

/// Maximum number of entries of a list, as in the tool.
const MAX_LIMIT: usize = 200;

/// Issues and milestones, kept in git.
///
/// This is `cairn` under its older name; `cairn --help` shows everything it can do.
#[derive(Debug, Parser)]
#[command(name = "git-mile", bin_name = "git mile", version, disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct MileCli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List issues or milestones.
    List(List),
    /// Show one with its description and comments.
    Show(ItemArgument),
    /// Make an issue or a milestone.
    Create(Create),
    /// Open them again.
    Open(ItemsArgument),
    /// Close them.
    Close(ItemsArgument),
    /// Say something on one.
    Comment(Comment),
    /// Add and remove labels: `git mile label 42 --add bug --remove later`.
    Label(Label),
    /// Serve the tools `git_mile.list` and `git_mile.show` on standard input and output.
    McpServer(Choice),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Entity {
    /// Something to look into.
    Issue,
    /// A date or a release that work leads to.
    Milestone,
}

#[derive(Debug, Args)]
struct List {
    /// What to list.
    entity: Entity,
    /// Only items that match this filter.
    #[arg(short, long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Sort by this field, as FIELD or FIELD:desc; may be given several times.
    #[arg(short, long, value_name = "FIELD[:desc]")]
    sort: Vec<String>,
    /// How many to show, from 1 to 200.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: u64,
    /// Continue after the last page, with its cursor.
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Closed ones too.
    #[arg(short, long)]
    all: bool,
}

#[derive(Debug, Args)]
struct ItemArgument {
    /// A UUID, a unique beginning of one, or a number.
    id: ItemRef,
}

#[derive(Debug, Args)]
struct ItemsArgument {
    /// UUIDs, unique beginnings of them, or numbers.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<ItemRef>,
}

#[derive(Debug, Args)]
struct Create {
    /// What to make.
    entity: Entity,
    /// The title, in one line.
    title: String,
    /// The description, in Markdown.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// A label; may be given several times.
    #[arg(short, long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// The milestone it leads to.
    #[arg(short, long, value_name = "ID")]
    milestone: Option<String>,
}

#[derive(Debug, Args)]
struct Comment {
    /// A UUID, a unique beginning of one, or a number.
    id: ItemRef,
    /// The text, in Markdown.
    #[arg(allow_hyphen_values = true)]
    text: String,
}

#[derive(Debug, Args)]
struct Label {
    /// A UUID, a unique beginning of one, or a number.
    id: ItemRef,
    /// A label to add; may be given several times.
    #[arg(short, long, value_name = "LABEL", required_unless_present = "remove")]
    add: Vec<String>,
    /// A label to take away; may be given several times.
    #[arg(short, long, value_name = "LABEL")]
    remove: Vec<String>,
}

pub(crate) fn run(cli: &MileCli, ui: &Ui) -> Result<ExitCode, Error> {
    let place = RepoPath(cli.global.repo.clone().unwrap_or_else(|| PathBuf::from(".")));
    match &cli.command {
        Command::McpServer(choice) => return serve_dialect("mile", choice, &place),
        Command::List(asked) => print_list(ui, &place.read(|project| list(project, asked))?),
        Command::Show(one) => print_shown(ui, &place.read(|project| find(project, &one.id))?),
        Command::Create(asked) => print_done(ui, "created", &[create(&mut place.open()?, asked)?]),
        Command::Open(many) => {
            let mut project = place.open()?;
            let ids = find_all(&project, &many.ids)?;
            print_done(ui, "reopened", &project.reopen(&ids, None)?);
        }
        Command::Close(many) => {
            let mut project = place.open()?;
            let ids = find_all(&project, &many.ids)?;
            print_done(ui, "closed", &project.close(&ids, &CloseOptions::default())?);
        }
        Command::Comment(asked) => {
            let mut project = place.open()?;
            let ids = find_all(&project, std::slice::from_ref(&asked.id))?;
            let commented =
                ids.iter().map(|id| project.comment(id, &asked.text, None)).collect::<Result<Vec<_>, _>>()?;
            print_done(ui, "commented on", &commented);
        }
        Command::Label(asked) => {
            let mut project = place.open()?;
            let ids = find_all(&project, std::slice::from_ref(&asked.id))?;
            let (add_labels, remove_labels) = (asked.add.clone(), asked.remove.clone());
            let edit = ChangeSet { add_labels, remove_labels, ..ChangeSet::default() };
            print_done(ui, "labelled", &project.edit(&ids, &edit)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl MileCli {
    /// Returns whether this command starts a server.
    pub(super) fn starts_server(&self) -> bool {
        matches!(self.command, Command::McpServer(_))
    }
}

impl RepoPath {
    fn read<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.check()?;
        ProjectPool::new(self.0.clone(), Env::default(), output::listener()).read(question)
    }
}

impl Entity {
    fn kind(self) -> ItemKind {
        match self {
            Self::Issue => ItemKind::Issue,
            Self::Milestone => ItemKind::Milestone,
        }
    }
}

fn list(project: &Project, asked: &List) -> Result<PageShape, Error> {
    let kind = asked.entity.kind();
    let limit = usize::try_from(asked.limit).ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    let limit = limit.ok_or_else(|| Error::invalid(format!("`limit` must lie between 1 and {MAX_LIMIT}")))?;
    let open = if kind == ItemKind::Milestone { Some(project.open_issues_by_milestone()?) } else { None };
    let page = project.list(&ListOptions {
        kinds: vec![kind],
        filter: asked.filter.clone(),
        bare_words: BareWords::Refuse,
        sort: asked.sort.clone(),
        limit: Some(limit),
        cursor: asked.cursor.clone(),
        all: asked.all,
        ..ListOptions::default()
    })?;
    Ok(PageShape::new(page, open.as_ref()))
}

fn create(project: &mut Project, asked: &Create) -> Result<ItemView, Error> {
    let mut fields = Vec::new();
    fields.extend(asked.description.as_deref().map(|text| parse(&field::DESCRIPTION, text)).transpose()?);
    fields.extend(asked.milestone.as_deref().map(|text| parse(&field::MILESTONE, text)).transpose()?);
    let labels = asked.labels.clone();
    let new = NewItem { fields, labels, ..NewItem::new(asked.entity.kind(), asked.title.clone()) };
    project.create(&new)
}

/// Finds an issue or a milestone.
fn find(project: &Project, item: &ItemRef) -> Result<ItemView, Error> {
    project.show_among(&[ItemKind::Issue, ItemKind::Milestone], item)
}

// Items of other kinds are not accepted.
fn find_all(project: &Project, items: &[ItemRef]) -> Result<Vec<ItemRef>, Error> {
    items.iter().map(|item| Ok(ItemRef::parse(&find(project, item)?.id))).collect()
}

fn print_list(ui: &Ui, page: &PageShape) {
    if ui.json {
        ui.data(page);
        return;
    }
    if page.items.is_empty() {
        ui.note("nothing to show; `--all` includes closed ones");
        return;
    }
    let columns =
        [Column::fixed("ID"), Column::fixed("STATUS"), Column::main("TITLE"), Column::gives_way("LABELS", 8, 24)];
    let mut table = Table::new(&columns);
    for item in &page.items {
        table.row(vec![
            (item.id.clone(), STRONG),
            (item.status.to_owned(), Style::new()),
            (item.title.clone(), Style::new()),
            (item.labels.join(", "), Style::new()),
        ]);
    }
    ui.print(&table.render());
    if let Some(cursor) = &page.next_cursor {
        ui.note(&format!("the next page: --cursor {cursor}"));
    }
}

fn print_shown(ui: &Ui, item: &ItemView) {
    if ui.json { ui.data(&ItemShape::from(item.clone())) } else { print_item(ui, item, Detail::Verbose) }
}

fn print_done(ui: &Ui, verb: &str, items: &[ItemView]) {
    if !ui.json {
        print_changed(ui, verb, items);
        return;
    }
    let mut shapes: Vec<ItemShape> = items.iter().cloned().map(ItemShape::from).collect();
    match (shapes.pop(), shapes.is_empty()) {
        (Some(shape), true) => ui.data(&shape),
        (last, _) => {
            shapes.extend(last);
            ui.data(&shapes);
        }
    }
}
