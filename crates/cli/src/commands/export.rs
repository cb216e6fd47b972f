//! `cairn export`: work for other tools, a subcommand for each format.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{Error, Project};
use clap::{Args, Command, Subcommand};
use exchange::{ExportFormat, ExportOptions, ExportView};
use model::nearest::nearest;

use crate::output::Ui;

/// Export items for other tools, or the whole log.
///
/// Without a format, all operations are written as JSON lines, nothing left out; `cairn import` reads them back.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  cairn export > work.jsonl
  cairn export work.jsonl
  cairn export csv open.csv --filter 'state == open'
  cairn export markdown work/ --split"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    format: Option<Format>,
    #[command(flatten)]
    target: Target,
}

/// The destination and the items of an export.
#[derive(Debug, Args)]
struct Target {
    /// The file to write; `-` is standard output, the default.
    file: Option<PathBuf>,
    /// Only what this filter matches, open or closed.
    #[arg(short, long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
}

/// The formats.
#[derive(Debug, Subcommand)]
enum Format {
    /// All operations as JSON lines, nothing left out.
    #[command(after_help = "Examples:
  cairn export jsonl work.jsonl")]
    Jsonl(Target),
    /// A table for spreadsheets; texts that look like formulas begin with `'`.
    #[command(after_help = "Examples:
  cairn export csv work.csv
  cairn export csv --filter 'labels ~ bug'")]
    Csv(Target),
    /// Markdown that `cairn import markdown` reads back: one file, or one for each item.
    #[command(after_help = "Examples:
  cairn export markdown work.md
  cairn export markdown work/ --split")]
    Markdown(Files),
    /// JSON lines as beads keeps them in `.beads/issues.jsonl`.
    #[command(after_help = "Examples:
  cairn export beads .beads/issues.jsonl")]
    Beads(Target),
    /// Requests for GitHub's import of issues, one per line.
    #[command(after_help = "Examples:
  cairn export github issues.jsonl
  while read -r line; do gh api repos/OWNER/NAME/import/issues --input - <<< \"$line\"; done < issues.jsonl")]
    Github(Target),
    /// A board to read in a browser, in one file.
    #[command(after_help = "Examples:
  cairn export html board.html")]
    Html(Target),
    /// The due dates of open items, for a calendar.
    #[command(after_help = "Examples:
  cairn export ics due.ics --filter 'assignee == me'")]
    Ics(Target),
}

/// One file, or one for each item.
#[derive(Debug, Args)]
struct Files {
    #[command(flatten)]
    target: Target,
    /// Write a file for each item into the folder FILE.
    #[arg(long, requires = "file")]
    split: bool,
}

impl Arguments {
    pub(crate) fn run(&self, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
        let (format, target) = match &self.format {
            None => (ExportFormat::Jsonl, self.target.checked()?),
            Some(Format::Jsonl(target)) => (ExportFormat::Jsonl, target),
            Some(Format::Csv(target)) => (ExportFormat::Csv, target),
            Some(Format::Markdown(files)) if files.split => return split(project, &files.target, ui),
            Some(Format::Markdown(files)) => (ExportFormat::Markdown, &files.target),
            Some(Format::Beads(target)) => (ExportFormat::Beads, target),
            Some(Format::Github(target)) => (ExportFormat::Github, target),
            Some(Format::Html(target)) => (ExportFormat::Html, target),
            Some(Format::Ics(target)) => (ExportFormat::Ics, target),
        };
        let options = target.options();
        let Some(path) = target.file.as_ref().filter(|path| path.as_os_str() != "-") else {
            let mut bytes = Vec::new();
            exchange::export(project, format, &options, &mut bytes)?;
            ui.raw(&bytes);
            return Ok(ExitCode::SUCCESS);
        };
        let view = export_to(project, format, &options, path)?;
        print(ui, &ExportView { file: Some(path.display().to_string()), ..view });
        Ok(ExitCode::SUCCESS)
    }
}

impl Target {
    /// Refuses a file whose name is nearly that of a format: it would silently get all operations.
    fn checked(&self) -> Result<&Self, Error> {
        let formats = Format::augment_subcommands(Command::new("export"));
        let formats = formats.get_subcommands().map(Command::get_name);
        let name = self.file.as_deref().and_then(Path::to_str).filter(|name| !name.contains(['.', '/']));
        match name.and_then(|name| Some((name, nearest(name, formats)?))) {
            Some((name, format)) => Err(Error::invalid(format!("unknown format `{name}`; did you mean `{format}`?"))
                .hint(format!("`cairn export jsonl {name}` writes all operations to a file of that name"))),
            None => Ok(self),
        }
    }

    fn options(&self) -> ExportOptions {
        ExportOptions { filter: self.filter.clone() }
    }
}

fn split(project: &Project, target: &Target, ui: &Ui) -> Result<ExitCode, Error> {
    let folder = target.file.as_deref().unwrap_or(Path::new("."));
    print(ui, &exchange::export_folder(project, &target.options(), folder)?);
    Ok(ExitCode::SUCCESS)
}

fn print(ui: &Ui, view: &ExportView) {
    if ui.json {
        ui.data(view);
        return;
    }
    let file = view.file.as_deref().unwrap_or("-");
    let (what, n) = if view.operations > 0 { ("operations", view.operations) } else { ("items", view.items) };
    ui.line(&format!("{what} written to `{file}`: {n}"));
}

// Written to a temporary file and renamed, so that an export is complete or absent.
fn export_to(
    project: &Project,
    format: ExportFormat,
    options: &ExportOptions,
    path: &Path,
) -> Result<ExportView, Error> {
    let cannot = |error: std::io::Error| Error::unavailable(format!("cannot write `{}`: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder).map_err(cannot)?;
    let mut writer = BufWriter::new(file);
    let view = exchange::export(project, format, options, &mut writer)?;
    writer.flush().map_err(cannot)?;
    let file = writer.into_inner().map_err(|error| cannot(error.into_error()))?;
    file.persist(path).map_err(|error| cannot(error.error))?;
    Ok(view)
}
