//! `cairn export` and `cairn import`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;

use crate::output::Ui;

/// Export the whole log as JSON lines.
///
/// One operation per line, nothing omitted; `cairn import` reads it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn export > work.jsonl
  cairn export work.jsonl")]
pub(crate) struct Export {
    /// The file to write; standard output if it is `-` or omitted.
    file: Option<PathBuf>,
}

/// Import an export, or create items from JSON lines.
///
/// A line that creates an item is an object with at least a `title`. Operations that exist already are
/// skipped, so an import can be repeated.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn import work.jsonl
  echo '{\"kind\":\"task\",\"title\":\"Buy milk\",\"labels\":[\"home\"]}' | cairn import -")]
pub(crate) struct Import {
    /// The file to read; `-` is standard input.
    file: PathBuf,
}

impl Export {
    pub(crate) fn run(&self, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
        let Some(path) = self.file.as_ref().filter(|path| path.as_os_str() != "-") else {
            let mut bytes = Vec::new();
            project.export(&mut bytes)?;
            ui.raw(&bytes);
            return Ok(ExitCode::SUCCESS);
        };
        let n_operations = export_to(project, path)?;
        if ui.json {
            ui.data(&serde_json::json!({"operations": n_operations, "file": path.display().to_string()}));
        } else {
            ui.line(&format!("operations written to `{}`: {n_operations}", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

// Written to a temporary file and renamed, so that an export is complete or absent.
fn export_to(project: &Project, path: &Path) -> Result<usize, Error> {
    let cannot = |error: std::io::Error| Error::unavailable(format!("cannot write `{}`: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder).map_err(cannot)?;
    let mut writer = BufWriter::new(file);
    let n_operations = project.export(&mut writer)?;
    writer.flush().map_err(cannot)?;
    let file = writer.into_inner().map_err(|error| cannot(error.into_error()))?;
    file.persist(path).map_err(|error| cannot(error.error))?;
    Ok(n_operations)
}

impl Import {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let report = if self.file == Path::new("-") {
            project.import(&mut std::io::stdin().lock())?
        } else {
            let file = File::open(&self.file)
                .map_err(|error| Error::invalid(format!("cannot read `{}`: {error}", self.file.display())))?;
            project.import(&mut BufReader::new(file))?
        };
        if ui.json {
            ui.data(&report);
            return Ok(ExitCode::SUCCESS);
        }
        ui.line(&format!(
            "operations taken in: {}, here already: {}; items made: {}",
            report.operations, report.known, report.created
        ));
        Ok(ExitCode::SUCCESS)
    }
}
