//! `cairn flag` and `cairn correct`: report and fix errors in annotations.

use std::process::ExitCode;

use annotations::Annotated as _;
use annotations::AnnotationName;
use annotations::view::CorrectedView;
use app::{Error, Project};
use clap::Args;

use crate::output::{GOOD, Ui, safe};

/// Which annotation is meant.
#[derive(Debug, Clone, Args)]
struct Name {
    /// The file, from the top of the repository.
    path: String,
    /// The function or type.
    anchor: String,
    /// The commit of the annotation; the newest annotation if omitted.
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// The notes ref, instead of `ultragit.noteref` or refs/notes/ultragit.
    #[arg(long, value_name = "REF")]
    noteref: Option<String>,
}

impl Name {
    fn read(&self) -> AnnotationName {
        AnnotationName {
            path: self.path.clone(),
            anchor: self.anchor.clone(),
            commit: self.commit.clone(),
            noteref: self.noteref.clone(),
        }
    }
}

/// Flag an annotation as wrong; it stays, with a lower confidence.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn flag src/net.rs Client::open --reason 'It has not retried since the rewrite.'")]
pub(crate) struct Flag {
    #[command(flatten)]
    name: Name,
    /// The reason.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: String,
}

/// Correct a field of an annotation; the original text is kept.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn correct src/net.rs Client::open --field intent --text 'Opens one connection; the pool retries.'")]
pub(crate) struct Correct {
    #[command(flatten)]
    name: Name,
    /// The field to correct: `intent`, `reasoning`, `constraints`, `semantic_dependencies`, `risk_notes` or `tags`.
    #[arg(long, value_name = "FIELD")]
    field: String,
    /// The correct text.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
}

impl Flag {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let view = project.annotations_mut().flag(&self.name.read(), &self.reason)?;
        print(ui, "flagged", &view);
        Ok(ExitCode::SUCCESS)
    }
}

impl Correct {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let view = project.annotations_mut().correct(&self.name.read(), &self.field, &self.text)?;
        print(ui, "corrected", &view);
        Ok(ExitCode::SUCCESS)
    }
}

fn print(ui: &Ui, verb: &str, view: &CorrectedView) {
    if ui.json {
        ui.data(view);
        return;
    }
    let (file, anchor) = (safe(&view.file), safe(&view.anchor));
    ui.line(&format!("{GOOD}{verb}{GOOD:#} the annotation of {anchor} in {file}, commit {}", &view.commit[..7]));
}
