//! `cairn` without a command, and `cairn status` without an item: what to do next, on one screen.

use std::process::ExitCode;

use app::verb::{AssigneeFilter, Conditions, ListOptions};
use app::view::{ItemView, ListView, SyncStateView};
use app::{Env, Error, Project};
use inbox::{Inbox, MessageFilter};
use model::person::PersonRef;
use model::text::counted;
use serde::Serialize;

use super::RepoPath;
use crate::output::{FAINT, NOTABLE, STRONG, Ui, item_table, safe};

/// Rows of each section.
const MAX_ROWS: usize = 5;

/// The JSON output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DashboardView {
    /// Open items assigned to the caller; started ones first.
    mine: ListView,
    /// Open items with a due date within a week, or in the past; earliest first.
    due: ListView,
    /// Items that can be started; most urgent first.
    ready: ListView,
    /// Number of unresolved review messages.
    unresolved_messages: usize,
    /// How far the remote is behind.
    sync: SyncStateView,
}

pub(super) fn run(place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let project = place.open()?;
    let view = DashboardView {
        mine: my_items(&project)?,
        due: due(&project)?,
        ready: ready(&project)?,
        unresolved_messages: Inbox::open(place.path(), Env::default())?.list(MessageFilter::Unresolved)?.total,
        sync: project.sync_state()?,
    };
    if ui.json {
        ui.data(&view);
    } else {
        print(ui, &view);
    }
    Ok(ExitCode::SUCCESS)
}

fn my_items(project: &Project) -> Result<ListView, Error> {
    // Reading needs no name, and nothing is assigned to nobody.
    let Some(me) = project.try_me()? else {
        return Ok(ListView { items: Vec::new(), total: 0, next_cursor: None });
    };
    let assignee = Some(AssigneeFilter::To(PersonRef::Known(me)));
    let conditions = Conditions { assignee, ..Conditions::default() };
    let filter = project.filter_of(&conditions, None)?;
    project.list(&ListOptions { filter, sort: sort(&["started:desc", "priority:desc"]), ..first_rows() })
}

fn due(project: &Project) -> Result<ListView, Error> {
    let filter = Some("due <= +7d".to_owned());
    project.list(&ListOptions { filter, sort: sort(&["due"]), ..first_rows() })
}

fn ready(project: &Project) -> Result<ListView, Error> {
    let ready = project.ready(Some(MAX_ROWS))?;
    Ok(ListView { items: ready.items, total: ready.total, next_cursor: None })
}

fn first_rows() -> ListOptions {
    ListOptions { limit: Some(MAX_ROWS), ..ListOptions::default() }
}

fn sort(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

fn print(ui: &Ui, view: &DashboardView) {
    section(ui, "Assigned to you", &view.mine, "cairn list --mine");
    section(ui, "Due", &view.due, "cairn list --sort due");
    section(ui, "Ready to start", &view.ready, "cairn ready");
    if view.unresolved_messages > 0 {
        let n = view.unresolved_messages;
        let messages = counted(n, "unresolved review message");
        ui.line(&format!("{NOTABLE}{messages}{NOTABLE:#}  {FAINT}cairn inbox list{FAINT:#}"));
    }
    if let Some(line) = sync_line(&view.sync) {
        ui.line(&line);
    }
    let is_empty = [&view.mine, &view.due, &view.ready].iter().all(|list| list.items.is_empty());
    if is_empty {
        ui.line("nothing to do; `cairn new issue TITLE` creates an item, `cairn --help` shows all commands");
    }
}

/// Says whether there is something to send; `None` without a remote.
fn sync_line(sync: &SyncStateView) -> Option<String> {
    let remote = safe(sync.remote.as_deref()?);
    Some(match sync.n_unsent {
        0 if !sync.is_synced => format!("{FAINT}never synced with `{remote}`  cairn sync{FAINT:#}"),
        0 => format!("{FAINT}nothing to send to `{remote}` since the last sync{FAINT:#}"),
        1 => format!("{NOTABLE}1 change is not sent to `{remote}`{NOTABLE:#}  {FAINT}cairn sync{FAINT:#}"),
        n => format!("{NOTABLE}{n} changes are not sent to `{remote}`{NOTABLE:#}  {FAINT}cairn sync{FAINT:#}"),
    })
}

fn section(ui: &Ui, name: &str, list: &ListView, command: &str) {
    if list.items.is_empty() {
        return;
    }
    let n_more = list.total.saturating_sub(list.items.len() as u64);
    let more = if n_more > 0 { format!("  {n_more} more: {command}") } else { String::new() };
    ui.line(&format!("{STRONG}{name}{STRONG:#}{FAINT}{more}{FAINT:#}"));
    let items: &[ItemView] = &list.items;
    ui.print(&item_table(items).render());
    ui.line("");
}
