//! `cairn taiga pull` and `cairn taiga push`.

use std::process::ExitCode;

use app::Error;
use clap::Args;
use model::item_ref::ItemRef;
use tracker::Servers;
use tracker::bridge::{PullOptions, PushOptions, Target};
use tracker::view::{BridgeItemView, BridgeStepView, BridgeView};

use super::{instance, project_name};
use crate::commands::RepoPath;
use crate::output::{BAD, Bar, FAINT, NOTABLE, STRONG, Ui, safe};

/// Which project of which server.
#[derive(Debug, Args)]
struct RemoteProjectArguments {
    /// The slug or the id of the project; the one of `cairn taiga use` when left out.
    project: Option<String>,
    /// The server, when you are logged in to several.
    #[arg(long, value_name = "NAME")]
    instance: Option<String>,
}

/// Pull the work of a Taiga project into this repository.
///
/// Changes made only on the server are applied; conflicting changes are reported and left alone, and the exit code is 1.
/// Can be interrupted and run again at any time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn taiga pull
  cairn taiga pull --dry-run
  cairn taiga pull harbour-logistics --take-remote 12")]
pub(super) struct Pull {
    #[command(flatten)]
    from: RemoteProjectArguments,
    /// Print what would be done, and change nothing on either side.
    #[arg(long)]
    dry_run: bool,
    /// Read the comments of all items, to find edited and deleted ones.
    #[arg(long)]
    full: bool,
    /// Resolve conflicts in these items with the server's values.
    #[arg(long, value_name = "ID", num_args = 1..)]
    take_remote: Vec<ItemRef>,
}

/// Push local changes to a Taiga project.
///
/// Changes made only here are sent; conflicting changes are reported and left alone, and the exit code is 1. Items
/// that exist only here are created there. Can be interrupted and run again at any time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn taiga push --dry-run
  cairn taiga push --only-linked
  cairn taiga push --take-local 12")]
pub(super) struct Push {
    #[command(flatten)]
    to: RemoteProjectArguments,
    /// Print what would be done, and change nothing on either side.
    #[arg(long)]
    dry_run: bool,
    /// Skip items that exist only here.
    #[arg(long)]
    only_linked: bool,
    /// Resolve conflicts in these items with the local values.
    #[arg(long, value_name = "ID", num_args = 1..)]
    take_local: Vec<ItemRef>,
}

impl Pull {
    pub(super) fn run(&self, servers: &Servers, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
        let target = self.from.target(servers, place)?;
        let options = PullOptions {
            dry_run: self.dry_run,
            full: self.full,
            take_remote: self.take_remote.clone(),
            ..PullOptions::default()
        };
        let mut bar = Bar::default();
        let done = tracker::bridge::pull(&mut place.open()?, &target, &options, &mut |progress| {
            bar.update(progress.stage, progress.done, progress.total);
        });
        bar.finish();
        Ok(print(ui, "pulled from", &done?))
    }
}

impl Push {
    pub(super) fn run(&self, servers: &Servers, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
        let target = self.to.target(servers, place)?;
        let options = PushOptions {
            dry_run: self.dry_run,
            only_linked: self.only_linked,
            take_local: self.take_local.clone(),
            ..PushOptions::default()
        };
        let mut bar = Bar::default();
        let done = tracker::bridge::push(&mut place.open()?, &target, &options, &mut |progress| {
            bar.update(progress.stage, progress.done, progress.total);
        });
        bar.finish();
        Ok(print(ui, "pushed to", &done?))
    }
}

impl RemoteProjectArguments {
    fn target(&self, servers: &Servers, place: &RepoPath) -> Result<Target, Error> {
        let binding = servers.binding(place.path())?;
        let instance = instance(servers, self.instance.as_deref(), Some(&binding))?;
        let project = self.project.as_deref().map(project_name);
        servers.bridge(&instance, &binding, project.as_ref())
    }
}

fn print(ui: &Ui, verb: &str, view: &BridgeView) -> ExitCode {
    if ui.json {
        ui.data(view);
    } else {
        print_words(ui, verb, view);
    }
    let is_done = view.conflicts.is_empty() && !view.left.iter().any(|left| left.refused);
    if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Maximum number of new or changed items that are listed.
const MAX_LISTED: usize = 20;

fn print_words(ui: &Ui, verb: &str, view: &BridgeView) {
    let (slug, server) = (safe(&view.project.slug), safe(&view.server));
    let dry = if view.dry_run { " (dry run: nothing was changed)" } else { "" };
    ui.line(&format!("{verb} {STRONG}{slug}{STRONG:#} on {server}{dry}"));
    steps(ui, "new", &view.created);
    steps(ui, "changed", &view.changed);
    for item in &view.deleted {
        ui.line(&format!("deleted: {}", named(item)));
    }
    for item in &view.adopted {
        ui.line(&format!("found again: {}", named(item)));
    }
    for conflict in &view.conflicts {
        ui.line(&format!("{BAD}conflict:{BAD:#} {}: {}", named(&conflict.item), safe(&conflict.why)));
        for field in &conflict.fields {
            let (here, there) = (quoted_value(field.local.as_deref()), quoted_value(field.remote.as_deref()));
            let was =
                field.base.as_deref().map(|base| format!("was {}, ", quoted_value(Some(base)))).unwrap_or_default();
            ui.line(&format!("  {}: {was}here {here}, there {there}", safe(&field.field)));
        }
    }
    for left in &view.left {
        let field = left.field.as_ref().map(|field| format!("{}: ", safe(field))).unwrap_or_default();
        ui.line(&format!("{NOTABLE}left:{NOTABLE:#} {}: {field}{}", named(&left.item), safe(&left.why)));
    }
    for warning in &view.warnings {
        ui.line(&format!("{NOTABLE}warning:{NOTABLE:#} {}", safe(warning)));
    }
    for (what, names) in [("new members", &view.members), ("statuses", &view.statuses)] {
        if !names.is_empty() {
            ui.line(&format!("{what}: {}", safe(&names.join(", "))));
        }
    }
    ui.line(&format!(
        "{} new, {} changed, {} deleted, {} in conflict, {} left, {} unchanged",
        view.created.len(),
        view.changed.len(),
        view.deleted.len(),
        view.conflicts.len(),
        view.left.len(),
        view.unchanged
    ));
    if !view.conflicts.is_empty() {
        ui.note("resolve conflicts with `cairn taiga pull --take-remote ID` or `cairn taiga push --take-local ID`");
    }
}

fn steps(ui: &Ui, what: &str, steps: &[BridgeStepView]) {
    for step in steps.iter().take(MAX_LISTED) {
        let mut parts: Vec<String> = step.fields.iter().map(|field| safe(field)).collect();
        match step.comments {
            0 => {}
            1 => parts.push("1 comment".to_owned()),
            n => parts.push(format!("{n} comments")),
        }
        let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        ui.line(&format!("{what}: {}{parts}", named(&step.item)));
    }
    if steps.len() > MAX_LISTED {
        ui.line(&format!("{FAINT}{what}: and {} more{FAINT:#}", steps.len() - MAX_LISTED));
    }
}

fn named(item: &BridgeItemView) -> String {
    let name = match (item.kind.as_str(), item.number) {
        ("milestone", Some(number)) => format!("milestone/{number}"),
        (kind, Some(number)) => format!("{kind} #{number}"),
        (kind, None) => kind.to_owned(),
    };
    let reference = item.reference.map(|reference| format!(" TG-{reference}")).unwrap_or_default();
    format!("{name}{reference} {}", short(&item.title))
}

/// Truncates a long text.
fn short(text: &str) -> String {
    const MAX_LENGTH: usize = 80;
    let is_long = text.chars().count() > MAX_LENGTH;
    let shown: String = text.chars().take(MAX_LENGTH).collect();
    format!("{}{}", safe(&shown), if is_long { "…" } else { "" })
}

fn quoted_value(value: Option<&str>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |text| format!("`{}`", short(text)))
}
