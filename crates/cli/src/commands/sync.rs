//! `cairn sync`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use app::verb::GitProgress;
use app::view::{Reference, SyncView, TrafficView};
use app::{Error, Project};
use clap::Args;

use super::log::entry_line;
use crate::output::{FAINT, NOTABLE, Screen, safe};

/// Share the work with a remote: fetch, merge, push.
///
/// Never forced, and never a conflict: when someone else was faster, it merges and tries again. Works on a fresh clone
/// without any set-up.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn sync
  cairn sync upstream
  cairn sync /mnt/usb/project.git")]
pub(crate) struct Arguments {
    /// The remote, a URL or a path; the usual remote when left out.
    remote: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, screen: &Screen) -> Result<ExitCode, Error> {
    let is_watched = std::io::stderr().is_terminal() && !screen.json;
    let progress = if is_watched { GitProgress::Show } else { GitProgress::Quiet };
    let remote = arguments.remote.as_deref().map(absolute);
    let sync = project.sync(remote.as_deref(), progress)?;
    if screen.json {
        screen.data(&sync);
    } else {
        print(screen, &sync);
    }
    Ok(ExitCode::SUCCESS)
}

// git runs at the top of the repository, the person may stand elsewhere.
fn absolute(remote: &str) -> String {
    let is_path = remote.starts_with('.') || remote.contains('/') && !remote.contains(':');
    let path = Path::new(remote);
    match path.canonicalize() {
        Ok(path) if is_path => path.display().to_string(),
        _ => remote.to_owned(),
    }
}

fn print(screen: &Screen, sync: &SyncView) {
    let remote = safe(&sync.remote);
    if sync.received.total == 0 && sync.sent.total == 0 && sync.notes == "same" {
        screen.line(&format!("already the same as `{remote}`"));
    }
    traffic(screen, &format!("received from `{remote}`"), &sync.received);
    traffic(screen, &format!("sent to `{remote}`"), &sync.sent);
    for one in &sync.renumbered {
        let title = safe(&one.item.title);
        let (from, to) = (one.item.name_with(one.from), one.item.name());
        screen.line(&format!("{NOTABLE}renumbered:{NOTABLE:#} {from} → {to} {title}"));
    }
    match sync.notes.as_str() {
        "shared" => screen.line("annotations are the same on both sides now"),
        "merged" => screen.line("annotations of both sides were merged"),
        _ => {}
    }
    if !sync.stranded.is_empty() {
        let n = sync.stranded.commits.len();
        let commits = if n == 1 { "commit has a note" } else { "commits have notes" };
        screen.note(&format!("{NOTABLE}warning:{NOTABLE:#} {n} {commits} that no branch or tag reaches"));
        for one in &sync.stranded.matches {
            screen.note(&format!("  `{}` carries {} to what took their place", one.command, one.n_commits));
        }
        if sync.stranded.matches.is_empty() {
            screen.note("  `cairn annotate --carry OLD..NEW` carries notes to what took their place");
        }
    }
    for ring in &sync.cycles {
        let numbers: Vec<String> = ring.iter().map(Reference::name).collect();
        screen.note(&format!(
            "{NOTABLE}warning:{NOTABLE:#} these items wait for each other in a ring: {}; open it with `cairn unlink`",
            numbers.join(" → ")
        ));
    }
}

fn traffic(screen: &Screen, what: &str, traffic: &TrafficView) {
    if traffic.total == 0 {
        return;
    }
    let changes = if traffic.total == 1 { "change" } else { "changes" };
    screen.line(&format!("{what}: {} {changes}", traffic.total));
    for entry in &traffic.newest {
        screen.line(&format!("  {}", entry_line(entry)));
    }
    if traffic.newest.len() < traffic.total {
        screen.line(&format!("  {FAINT}and {} more{FAINT:#}", traffic.total - traffic.newest.len()));
    }
}
