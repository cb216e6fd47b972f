//! `cairn import`: work from other tools, a subcommand for each format.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use annotations::{Annotated as _, Decision};
use anstyle::Style;
use app::{Error, Project};
use clap::{Args, Subcommand, ValueEnum};
use exchange::{DateOrder, ImportFormat, ImportOptions, ImportView, ImportedDecision, ReadOptions};

use crate::output::{Bar, Column, FAINT, NOTABLE, Table, Ui};

/// Import items from other tools, or an export of Cairn.
///
/// Authors, times, states, labels, links and comments are kept as the source has them, marked as imported. Items are
/// found again by their ids in the source, so that a second import updates and creates nothing twice; what was changed
/// here in between stays. Each file is imported whole or not at all.
///
/// Without a format, FILE is read as JSON lines: an export of Cairn, or one object with at least a `title` per item.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  cairn import work.jsonl
  cairn import github issues.json --dry-run
  echo '{\"kind\":\"task\",\"title\":\"Buy milk\",\"labels\":[\"home\"]}' | cairn import -"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    format: Option<Format>,
    #[command(flatten)]
    source: Source,
}

/// The input and the options of an import.
#[derive(Debug, Clone, Args)]
struct Source {
    /// The files to read, in order; `-` is standard input.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Show how values would be mapped, and write nothing.
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Map the status OLD of the source to the status NEW; may be given several times.
    #[arg(long = "status", value_name = "OLD=NEW", value_parser = pair)]
    statuses: Vec<(String, String)>,
}

/// The formats.
#[derive(Debug, Subcommand)]
enum Format {
    /// An export of Cairn, or one JSON object per line and item.
    #[command(after_help = "Examples:
  cairn import jsonl work.jsonl")]
    Jsonl(Source),
    /// Markdown that `cairn export markdown` wrote: a file or a folder.
    #[command(after_help = "Examples:
  cairn import markdown work.md
  cairn import markdown work/")]
    Markdown(Source),
    /// Issues, comments, milestones and labels of GitHub, as `gh` prints them.
    #[command(after_help = "Examples:
  gh api --paginate 'repos/OWNER/NAME/issues?state=all' > issues.json
  gh api --paginate repos/OWNER/NAME/issues/comments > comments.json
  cairn import github issues.json comments.json
  gh api --paginate repos/OWNER/NAME/labels > labels.json
  cairn import github labels.json")]
    Github(HostedSource),
    /// Issues, notes and labels of GitLab, as `glab api` prints them.
    #[command(after_help = "Examples:
  glab api --paginate projects/:id/issues > issues.json
  cairn import gitlab issues.json")]
    Gitlab(HostedSource),
    /// Issues of Jira, exported as CSV (all fields) or XML.
    #[command(after_help = "Examples:
  cairn import jira issues.csv --status 'Ready for QA=review'
  cairn import jira issues.xml --dry-run")]
    Jira(DatedSource),
    /// Issues of Linear, exported as CSV.
    #[command(after_help = "Examples:
  cairn import linear issues.csv")]
    Linear(DatedSource),
    /// The export of a Taiga project, as JSON.
    #[command(after_help = "Examples:
  cairn import taiga project.json")]
    Taiga(Source),
    /// The issues of beads: `.beads/issues.jsonl`.
    #[command(after_help = "Examples:
  cairn import beads .beads/issues.jsonl")]
    Beads(Source),
    /// The folder of Backlog.md.
    #[command(after_help = "Examples:
  cairn import backlog backlog/")]
    Backlog(Source),
    /// The bugs of git-bug: the references of a repository, or its JSON.
    #[command(after_help = "Examples:
  cairn import git-bug .
  cairn import git-bug bugs.json")]
    GitBug(Source),
    /// The tasks of git-mile: the references of a repository.
    #[command(after_help = "Examples:
  cairn import git-mile .")]
    GitMile(Source),
    /// Any table, with a file that says which column is which field.
    #[command(after_help = "Examples:
  cairn import csv tickets.csv --mapping fields.txt

A mapping has a line for each field:
  id = Ticket
  title = Summary
  extra.customer = Customer")]
    Csv(Tabular),
    /// To-do comments in the code of a repository, at its last commit.
    #[command(after_help = "Examples:
  cairn import todo . --dry-run")]
    Todo(Source),
}

/// A source whose dates may have the order of a country.
#[derive(Debug, Args)]
struct DatedSource {
    #[command(flatten)]
    source: Source,
    /// How dates such as 03/04/2024 are read; without it, they are refused.
    #[arg(long, value_name = "ORDER")]
    dates: Option<Dates>,
}

/// The order of day and month.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Dates {
    /// 31/12/2026.
    DayFirst,
    /// 12/31/2026.
    MonthFirst,
}

impl From<Dates> for DateOrder {
    fn from(dates: Dates) -> Self {
        match dates {
            Dates::DayFirst => Self::DayFirst,
            Dates::MonthFirst => Self::MonthFirst,
        }
    }
}

/// A table.
#[derive(Debug, Args)]
struct Tabular {
    #[command(flatten)]
    dated: DatedSource,
    /// The file that maps columns to fields; without it, columns are named like fields.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
}

/// A source whose items belong to a project.
#[derive(Debug, Args)]
struct HostedSource {
    #[command(flatten)]
    source: Source,
    /// The project, such as OWNER/NAME, if the file does not say it: a part of the ids.
    #[arg(long)]
    project: Option<String>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once('=').ok_or("write it as OLD=NEW")?;
    Ok((from.to_owned(), to.to_owned()))
}

impl Arguments {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let (format, source, read) = self.chosen();
        let options = ImportOptions { dry_run: source.dry_run, statuses: source.statuses.clone(), read };
        let mut bar = Bar::default();
        let view = exchange::import(&mut project, format, &source.paths, &options, &mut |progress| {
            bar.update(progress.stage, progress.done, progress.total);
        });
        bar.finish();
        let (mut view, decisions) = view?;
        record_decisions(&mut project, &decisions, &mut view)?;
        print(ui, &view);
        Ok(ExitCode::SUCCESS)
    }

    fn chosen(&self) -> (ImportFormat, &Source, ReadOptions) {
        let plain = ReadOptions::default;
        let of_project =
            |hosted: &HostedSource| ReadOptions { project: hosted.project.clone(), ..ReadOptions::default() };
        let of_dates =
            |dated: &DatedSource| ReadOptions { dates: dated.dates.map(DateOrder::from), ..ReadOptions::default() };
        match &self.format {
            None => (ImportFormat::Jsonl, &self.source, plain()),
            Some(Format::Jsonl(source)) => (ImportFormat::Jsonl, source, plain()),
            Some(Format::Markdown(source)) => (ImportFormat::Markdown, source, plain()),
            Some(Format::Github(hosted)) => (ImportFormat::Github, &hosted.source, of_project(hosted)),
            Some(Format::Gitlab(hosted)) => (ImportFormat::Gitlab, &hosted.source, of_project(hosted)),
            Some(Format::Jira(dated)) => (ImportFormat::Jira, &dated.source, of_dates(dated)),
            Some(Format::Linear(dated)) => (ImportFormat::Linear, &dated.source, of_dates(dated)),
            Some(Format::Taiga(source)) => (ImportFormat::Taiga, source, plain()),
            Some(Format::Beads(source)) => (ImportFormat::Beads, source, plain()),
            Some(Format::Backlog(source)) => (ImportFormat::Backlog, source, plain()),
            Some(Format::GitBug(source)) => (ImportFormat::GitBug, source, plain()),
            Some(Format::GitMile(source)) => (ImportFormat::GitMile, source, plain()),
            Some(Format::Todo(source)) => (ImportFormat::Todo, source, plain()),
            Some(Format::Csv(table)) => {
                let read = ReadOptions { mapping: table.mapping.clone(), ..of_dates(&table.dated) };
                (ImportFormat::Csv, &table.dated.source, read)
            }
        }
    }
}

/// Writes decisions as conventions of the repository; with `--dry-run`, counts those that are new.
fn record_decisions(project: &mut Project, all: &[ImportedDecision], view: &mut ImportView) -> Result<(), Error> {
    if all.is_empty() {
        return Ok(());
    }
    if !project.annotations().has_commit()? {
        view.leave_out_decisions(all, "it becomes an annotation, and there is no commit to annotate");
        return Ok(());
    }
    let decisions: Vec<Decision> = all.iter().cloned().map(decision).collect();
    let new = project.annotations_mut().new_decisions(&decisions)?;
    view.decisions = new.len();
    if !view.dry_run && !new.is_empty() {
        project.annotations_mut().record_decisions(&new)?;
    }
    Ok(())
}

fn decision(one: ImportedDecision) -> Decision {
    Decision { name: one.name, text: one.text, reasoning: one.reasoning }
}

fn print(ui: &Ui, view: &ImportView) {
    if ui.json {
        ui.data(view);
        return;
    }
    if view.operations + view.known > 0 {
        let would = if view.dry_run { "would be " } else { "" };
        ui.line(&format!("operations {would}added: {}, here already: {}", view.operations, view.known));
        return note_dry_run(ui, view);
    }
    if view.dry_run && !view.mapped.is_empty() {
        ui.print(&mapped(view).render());
        ui.line("");
    }
    if !view.left_out.is_empty() {
        ui.print(&left_out(view).render());
        ui.line("");
    }
    let ImportView { created, updated, unchanged, comments, .. } = view;
    let would = if view.dry_run { "would be " } else { "" };
    let mut others = String::new();
    for (what, n) in [("labels declared", view.labels), ("decisions annotated", view.decisions)] {
        if n > 0 {
            let _ = write!(others, "; {what}: {n}");
        }
    }
    ui.line(&format!(
        "items {would}created: {created}, updated: {updated}, unchanged: {unchanged}; comments: {comments}{others}"
    ));
    note_dry_run(ui, view);
}

fn note_dry_run(ui: &Ui, view: &ImportView) {
    if view.dry_run {
        ui.line("nothing was written");
    }
}

fn mapped(view: &ImportView) -> Table {
    let columns = [Column::fixed("FIELD"), Column::main("THERE"), Column::fixed("HERE"), Column::number("ITEMS")];
    let mut table = Table::new(&columns);
    for one in &view.mapped {
        table.row(vec![
            (one.field.clone(), FAINT),
            (one.from.clone(), Style::new()),
            (one.to.clone(), Style::new()),
            (one.count.to_string(), Style::new()),
        ]);
    }
    table
}

fn left_out(view: &ImportView) -> Table {
    let columns =
        [Column::fixed("LEFT OUT"), Column::number("COUNT"), Column::fixed("WHY"), Column::main("FOR EXAMPLE")];
    let mut table = Table::new(&columns);
    for one in &view.left_out {
        table.row(vec![
            (one.what.clone(), NOTABLE),
            (one.count.to_string(), Style::new()),
            (one.why.clone(), Style::new()),
            (one.example.clone(), FAINT),
        ]);
    }
    table
}
