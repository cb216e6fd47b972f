//! `cairn agents`: instructions and hooks for coding agents in the repository.

mod hook;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::Error;
use clap::{Args, Subcommand};
use serde::Serialize;

use self::hook::AgentHook;
use super::RepoPath;
use crate::agents::{Agent, BEFORE_EDIT, PARTS, Part, PartError, PartState};
use crate::clients::diff;
use crate::clients::settings::{Change, Settings};
use crate::output::{FAINT, GOOD, NOTABLE, Ui, safe};

/// Tell coding agents about Cairn: instructions, session hooks and a skill in this repository.
///
/// The files are meant to be committed and contain no path of this machine. Only marked parts change; `remove` restores
/// every other byte.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn agents install --print
  cairn agents install --before-edit
  cairn agents status
  cairn agents remove")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write the instructions and hooks; running it twice changes nothing.
    ///
    /// By default AGENTS.md, Claude Code, and every other agent that has files in this repository.
    #[command(after_help = "Examples:
  cairn agents install
  cairn agents install --agent claude --agent cursor
  cairn agents install --all --print
  cairn agents install --before-edit")]
    Install {
        #[command(flatten)]
        chosen: AgentSelection,
        /// Also a hook that shows the context of a file to Claude Code before it edits the file.
        #[arg(long)]
        before_edit: bool,
        /// Print what would change, and write nothing.
        #[arg(long)]
        print: bool,
    },
    /// Remove the instructions and hooks of all agents.
    #[command(after_help = "Examples:
  cairn agents remove
  cairn agents remove --print")]
    Remove {
        /// Print what would change, and write nothing.
        #[arg(long)]
        print: bool,
    },
    /// Show what is installed.
    #[command(after_help = "Example:\n  cairn agents status")]
    Status,
    /// Answer an agent's hook; called by the installed hooks, never fails.
    #[command(after_help = "Example:\n  cairn agents hook session-start")]
    Hook {
        /// The event.
        event: AgentHook,
    },
}

#[derive(Debug, Args)]
struct AgentSelection {
    /// Which agent, besides AGENTS.md; may be given several times.
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<Agent>,
    /// Every agent.
    #[arg(long, conflicts_with = "agents")]
    all: bool,
}

/// The JSON output of `install` and `remove`.
#[derive(Debug, Serialize)]
struct Report {
    changes: Vec<PartChange>,
    written: bool,
}

#[derive(Debug, Serialize)]
struct PartChange {
    path: &'static str,
    title: &'static str,
    outcome: PartOutcome,
    diff: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum PartOutcome {
    Unchanged,
    Added,
    Updated,
    Removed,
    /// Changed by hand, or of another shape; left alone.
    Skipped,
}

/// The JSON output of `status`.
#[derive(Debug, Serialize)]
struct StatusReport {
    parts: Vec<PartStatus>,
}

#[derive(Debug, Serialize)]
struct PartStatus {
    path: &'static str,
    title: &'static str,
    state: PartState,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    match &arguments.action {
        Action::Install { chosen, before_edit, print } => {
            let root = work_tree(place)?;
            let mut parts = chosen.parts(&root);
            parts.extend(before_edit.then_some(&BEFORE_EDIT));
            apply_changes(&root, &parts, Direction::Install, InstallMode::of(*print), ui)
        }
        Action::Remove { print } => {
            let parts: Vec<&Part> = [&BEFORE_EDIT].into_iter().chain(PARTS).collect();
            apply_changes(&work_tree(place)?, &parts, Direction::Remove, InstallMode::of(*print), ui)
        }
        Action::Status => show_status(&work_tree(place)?, ui),
        Action::Hook { event } => {
            hook::run(*event, place, ui);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns whether any part is installed in the repository.
pub(super) fn is_installed(place: &RepoPath) -> bool {
    let Ok(root) = work_tree(place) else { return false };
    PARTS
        .iter()
        .any(|part| matches!(read(&root, part).map(|text| part.state(text.as_deref())), Ok(PartState::Installed)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Install,
    Remove,
}

/// Whether an installer changes files, or shows the changes (`--print`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallMode {
    Write,
    Print,
}

impl InstallMode {
    pub(crate) fn of(print: bool) -> Self {
        if print { Self::Print } else { Self::Write }
    }
}

impl AgentSelection {
    fn parts(&self, root: &Path) -> Vec<&'static Part> {
        let is_chosen = |agent: Agent| match (self.all, self.agents.as_slice()) {
            (true, _) => true,
            (false, []) => agent.traces().iter().any(|trace| root.join(trace).exists()),
            (false, agents) => agents.contains(&agent),
        };
        let is_wanted = |part: &&Part| part.agent.is_none_or(is_chosen);
        let is_possible = |part: &&Part| !part.only_if_present || root.join(part.path).exists();
        PARTS.iter().filter(is_wanted).filter(is_possible).collect()
    }
}

/// Changes the files, or shows the changes. All of them are planned before the first is written.
fn apply_changes(
    root: &Path,
    parts: &[&Part],
    direction: Direction,
    mode: InstallMode,
    ui: &Ui,
) -> Result<ExitCode, Error> {
    type Changes<'a> = Vec<(&'a Part, Option<Change>)>;
    let plan = |mode| -> Result<Changes<'_>, Error> {
        parts.iter().map(|part| Ok((*part, change(root, part, direction, mode)?))).collect()
    };
    let mut changes = plan(InstallMode::Print)?;
    if mode == InstallMode::Write {
        // Two parts may be in one file, so each is planned again on the text that the one before left.
        changes = plan(InstallMode::Write)?;
    }
    let rows: Vec<PartChange> = changes.iter().map(|(part, change)| row(part, change.as_ref())).collect();
    let report = Report { changes: rows, written: mode == InstallMode::Write };
    if ui.json {
        ui.data(&report);
    } else {
        print(ui, &report);
    }
    Ok(ExitCode::SUCCESS)
}

/// Changes one file; `None` if it is not changed.
fn change(root: &Path, part: &Part, direction: Direction, mode: InstallMode) -> Result<Option<Change>, Error> {
    let settings = file(root, part)?;
    let edit = |text: &str| match direction {
        Direction::Install => part.install(text),
        Direction::Remove => part.remove(text),
    };
    let before = settings.read()?;
    if let Err(PartError::Foreign | PartError::Edit(_)) = edit(before.as_deref().unwrap_or_default()) {
        return Ok(None);
    }
    let edit =
        |text: &str| edit(text).map_err(|error| Error::conflict(format!("`{}` was not changed: {error}", part.path)));
    let planned = settings.plan(edit)?;
    if mode == InstallMode::Print || !planned.is_one() {
        return Ok(Some(planned));
    }
    if direction == Direction::Remove && planned.after.is_empty() {
        settings.delete()?;
        remove_empty_folders(root, part.path);
        return Ok(Some(planned));
    }
    settings.change(edit).map(Some)
}

/// Removes the folders of a deleted file that are empty now.
fn remove_empty_folders(root: &Path, path: &str) {
    for folder in Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        // It fails for a folder that is not empty, which ends the walk.
        if std::fs::remove_dir(root.join(folder)).is_err() {
            return;
        }
    }
}

fn row(part: &Part, change: Option<&Change>) -> PartChange {
    let (path, title) = (part.path, part.title);
    let Some(change) = change else {
        return PartChange { path, title, outcome: PartOutcome::Skipped, diff: String::new() };
    };
    let had_part = part
        .remove(change.before.as_deref().unwrap_or_default())
        .is_ok_and(|bare| Some(&bare) != change.before.as_ref());
    let has_part = part.remove(&change.after).is_ok_and(|bare| bare != change.after);
    let outcome = match (change.is_one(), has_part, had_part && change.before.is_some()) {
        (false, _, _) => PartOutcome::Unchanged,
        (true, false, _) => PartOutcome::Removed,
        (true, true, false) => PartOutcome::Added,
        (true, true, true) => PartOutcome::Updated,
    };
    let diff = if change.is_one() {
        diff::unified(Path::new(path), change.before.as_deref(), &change.after)
    } else {
        String::new()
    };
    PartChange { path, title, outcome, diff }
}

fn print(ui: &Ui, report: &Report) {
    for row in &report.changes {
        if !report.written && !row.diff.is_empty() {
            ui.print(&crate::output::safe_block(&row.diff));
            continue;
        }
        let (path, title) = (safe(row.path), row.title);
        match row.outcome {
            PartOutcome::Unchanged if report.written => {}
            PartOutcome::Unchanged => ui.line(&format!("{FAINT}unchanged{FAINT:#} `{path}` ({title})")),
            PartOutcome::Added => ui.line(&format!("{GOOD}added{GOOD:#} {title} to `{path}`")),
            PartOutcome::Updated => ui.line(&format!("{GOOD}updated{GOOD:#} {title} in `{path}`")),
            PartOutcome::Removed => ui.line(&format!("{GOOD}removed{GOOD:#} {title} from `{path}`")),
            PartOutcome::Skipped => {
                ui.note(&format!(
                    "{NOTABLE}skipped{NOTABLE:#} `{path}` ({title}): it was changed by hand, or cannot be parsed"
                ));
            }
        }
    }
    if report.written && report.changes.iter().all(|row| row.outcome == PartOutcome::Unchanged) {
        ui.line("nothing to change");
    }
}

fn show_status(root: &Path, ui: &Ui) -> Result<ExitCode, Error> {
    let mut parts = Vec::new();
    for part in PARTS.iter().chain([&BEFORE_EDIT]) {
        let state = part.state(read(root, part)?.as_deref());
        parts.push(PartStatus { path: part.path, title: part.title, state });
    }
    if ui.json {
        ui.data(&StatusReport { parts });
        return Ok(ExitCode::SUCCESS);
    }
    for part in &parts {
        let style = if part.state == PartState::Installed { GOOD } else { NOTABLE };
        ui.line(&format!("{:<32}  {:<17}  {style}{}{style:#}", part.path, part.title, part.state));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(root: &Path, part: &Part) -> Result<Option<String>, Error> {
    file(root, part)?.read()
}

/// Resolves the file of a part. The hint names no flags: those of `mcp install` do not exist here.
fn file(root: &Path, part: &Part) -> Result<Settings, Error> {
    let settings = Settings::in_work_tree(root, &root.join(part.path));
    settings.map_err(|error| error.hint("replace the link by a file, or leave the file out: `--agent` selects agents"))
}

fn work_tree(place: &RepoPath) -> Result<PathBuf, Error> {
    place.check()?;
    app::locate(place.path())?.work_tree.ok_or_else(|| {
        Error::invalid("this repository is bare: it has no files for agents")
            .hint("run the command in a work tree of it")
    })
}
