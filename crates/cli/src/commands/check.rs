//! `cairn check`: what a change touches, for a pull request or a hook.

mod markdown;
mod sarif;

use std::process::ExitCode;

use annotations::view::{DiffCheckView, FindingKind};
use annotations::{Annotated as _, CheckedChange};
use app::{Env, Error};
use clap::{Args, ValueEnum};
use inbox::Inbox;

use super::RepoPath;
use crate::output::{Ui, safe_block};

/// Check a change against constraints, stale annotations, dependents, items and remarks.
///
/// Without arguments: the uncommitted changes. `A` is everything since the merge base of A and HEAD, as in a pull
/// request; `A..B` and `A...B` mean the same as in `git diff`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn check
  cairn check --staged
  cairn check origin/main --fail-on constraint,stale
  cairn check HEAD~3..HEAD --format sarif > cairn.sarif")]
pub(crate) struct Arguments {
    /// The commits; by default the uncommitted changes.
    #[arg(value_name = "RANGE", conflicts_with = "staged")]
    range: Option<String>,
    /// The staged changes.
    #[arg(long)]
    staged: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: CheckFormat,
    /// Exit with 1 if there is a finding of one of these kinds.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    fail_on: Vec<CheckKind>,
    /// The notes ref to read; by default git's `ultragit.noteref`, else `refs/notes/ultragit`.
    #[arg(long, value_name = "REF")]
    noteref: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// For a comment on a pull request.
    Markdown,
    /// One JSON document, the same as `--json`.
    Json,
    /// SARIF 2.1.0, which code hosts show beside the lines.
    Sarif,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckKind {
    /// Something that must stay true about the changed code.
    Constraint,
    /// An annotation of the changed code that does not describe it anymore.
    Stale,
    /// Other code that relies on the changed code.
    Dependent,
    /// An open item about the changed code.
    Item,
    /// An unresolved review message about a changed file.
    Remark,
}

impl From<CheckKind> for FindingKind {
    fn from(kind: CheckKind) -> Self {
        match kind {
            CheckKind::Constraint => Self::Constraint,
            CheckKind::Stale => Self::Stale,
            CheckKind::Dependent => Self::Dependent,
            CheckKind::Item => Self::Item,
            CheckKind::Remark => Self::Remark,
        }
    }
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let mut project = place.open()?;
    project.follow_annotations(arguments.noteref.as_deref())?;
    let inbox = Inbox::open(place.path(), Env::default())?;
    let change = match (&arguments.range, arguments.staged) {
        (Some(range), _) => CheckedChange::Range(range.clone()),
        (None, true) => CheckedChange::Staged,
        (None, false) => CheckedChange::WorkTree,
    };
    let view = project.annotations().check_change(&inbox, &change)?;
    let fatal: Vec<FindingKind> = arguments.fail_on.iter().map(|kind| (*kind).into()).collect();
    ui.warn(&view.warnings);
    print(arguments, ui, &view, &fatal);
    let has_failed = view.findings.iter().any(|finding| fatal.contains(&finding.kind));
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print(arguments: &Arguments, ui: &Ui, view: &DiffCheckView, fatal: &[FindingKind]) {
    match arguments.format {
        _ if ui.json => ui.data(view),
        CheckFormat::Json => ui.data(view),
        CheckFormat::Sarif => ui.data(&sarif::report(view, fatal)),
        CheckFormat::Markdown => ui.print(&safe_block(&markdown::report(view))),
    }
}
