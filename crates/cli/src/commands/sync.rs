//! `cairn sync`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use annotations::Annotated as _;
use annotations::view::StrandedView;
use app::verb::{GitProgress, NotesOutcome};
use app::view::{Reference, SyncView, TrafficView};
use app::{Error, Project};
use clap::Args;
use model::text::counted;
use serde::Serialize;

use super::items::print_closed_by_commits;
use crate::output::{FAINT, NOTABLE, Ui, entry_lines, safe};

/// Share the work with a remote: fetch, merge, push.
///
/// Never forced and without conflicts: if the remote has changed, it merges and retries. Works on a fresh clone
/// without any set-up.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn sync
  cairn sync upstream
  cairn sync /mnt/usb/project.git")]
pub(crate) struct Arguments {
    /// The remote, a URL or a path; the default remote if omitted.
    remote: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let is_watched = std::io::stderr().is_terminal() && !ui.json;
    let progress = if is_watched { GitProgress::Show } else { GitProgress::Quiet };
    let remote = arguments.remote.as_deref().map(absolute);
    let sync = project.sync(remote.as_deref(), progress, tracker::bridge::after_sync)?;
    let answer = SyncOutput { sync, stranded: project.annotations().stranded()? };
    if ui.json {
        ui.data(&answer);
    } else {
        print(ui, &answer.sync);
        print_stranded(ui, &answer.stranded);
        print_cycles(ui, &answer.sync);
    }
    Ok(ExitCode::SUCCESS)
}

/// The JSON output of `cairn sync`.
#[derive(Serialize)]
struct SyncOutput {
    #[serde(flatten)]
    sync: SyncView,
    /// Annotations of commits that no branch or tag reaches; omitted if there are none.
    #[serde(skip_serializing_if = "StrandedView::is_empty")]
    stranded: StrandedView,
}

// git runs in the repository root, which may not be the working directory.
fn absolute(remote: &str) -> String {
    let is_path = remote.starts_with('.') || remote.contains('/') && !remote.contains(':');
    let path = Path::new(remote);
    match path.canonicalize() {
        Ok(path) if is_path => path.display().to_string(),
        _ => remote.to_owned(),
    }
}

fn print(ui: &Ui, sync: &SyncView) {
    let remote = safe(&sync.remote);
    if sync.received.total == 0 && sync.sent.total == 0 && sync.notes == NotesOutcome::Same {
        ui.line(&format!("already the same as `{remote}`"));
    }
    print_closed_by_commits(ui, "closed", &sync.closed);
    traffic(ui, &format!("received from `{remote}`"), &sync.received);
    traffic(ui, &format!("sent to `{remote}`"), &sync.sent);
    for one in &sync.renumbered {
        let title = safe(&one.item.title);
        let (from, to) = (one.item.name_with(one.from), one.item.name());
        ui.line(&format!("{NOTABLE}renumbered:{NOTABLE:#} {from} → {to} {title}"));
    }
    match sync.notes {
        NotesOutcome::Same => {}
        NotesOutcome::Shared => ui.line("annotations are the same on both sides now"),
        NotesOutcome::Merged => ui.line("annotations of both sides were merged"),
    }
}

fn print_stranded(ui: &Ui, stranded: &StrandedView) {
    if stranded.is_empty() {
        return;
    }
    let n = stranded.commits.len();
    let commits = if n == 1 { "commit has a note" } else { "commits have notes" };
    ui.note(&format!("{NOTABLE}warning:{NOTABLE:#} {n} {commits} that no branch or tag reaches"));
    for one in &stranded.matches {
        ui.note(&format!("  `{}` carries {} to the commits that replaced them", one.command, one.n_commits));
    }
    if stranded.matches.is_empty() {
        ui.note("  `cairn annotate --carry OLD..NEW` carries notes to the commits that replaced them");
    }
}

fn print_cycles(ui: &Ui, sync: &SyncView) {
    for cycle in &sync.cycles {
        let numbers: Vec<String> = cycle.iter().map(Reference::name).collect();
        ui.note(&format!(
            "{NOTABLE}warning:{NOTABLE:#} these items wait for each other in a cycle: {}; open it with `cairn unlink`",
            numbers.join(" → ")
        ));
    }
}

fn traffic(ui: &Ui, what: &str, traffic: &TrafficView) {
    if traffic.total == 0 {
        return;
    }
    ui.line(&format!("{what}: {}", counted(traffic.total, "change")));
    for line in traffic.newest.iter().flat_map(|entry| entry_lines(entry, ui.detail())) {
        ui.line(&format!("  {line}"));
    }
    if traffic.newest.len() < traffic.total {
        ui.line(&format!("  {FAINT}and {} more{FAINT:#}", traffic.total - traffic.newest.len()));
    }
}
