//! The items a command changes: named, or all that match a filter. For a filter the count is shown and confirmed.

use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;
use model::text::counted;

use super::print_changed;
use crate::output::{GOOD, Ui};

/// Changed items that are printed one by one; more are counted.
const MAX_LINES: usize = 20;

/// Several items by a filter.
#[derive(Debug, Args)]
pub(super) struct Matching {
    /// All items that match this filter, as in `cairn list`; asks first.
    #[arg(long = "where", id = "matching", value_name = "FILTER", allow_hyphen_values = true)]
    #[arg(conflicts_with = "if_unchanged")]
    filter: Option<String>,
    /// Do not ask.
    #[arg(short, long, requires = "matching")]
    yes: bool,
}

/// The items to change.
#[derive(Debug)]
pub(super) enum Selection {
    /// Named by the caller.
    Named(Vec<ItemRef>),
    /// Found by a filter, and confirmed.
    Matching(Vec<ItemRef>),
}

impl Matching {
    /// Returns the items to change; none if nothing matches. `action` is what happens to them: `close`.
    pub(super) fn select(&self, named: &[ItemRef], action: &str, project: &Project) -> Result<Selection, Error> {
        let Some(filter) = &self.filter else { return Ok(Selection::Named(named.to_vec())) };
        if !named.is_empty() {
            return Err(Error::invalid("items are given both by name and by `--where`"));
        }
        let filter = Some(filter.clone());
        let found = project.list(&ListOptions { filter, sort: vec!["number".to_owned()], ..ListOptions::default() })?;
        if !found.items.is_empty() && !self.yes {
            confirm(action, &found.items)?;
        }
        Ok(Selection::Matching(found.items.iter().map(|item| ItemRef::parse(&item.id)).collect()))
    }

    /// Returns whether items are chosen by a filter.
    pub(super) fn is_given(&self) -> bool {
        self.filter.is_some()
    }
}

impl Selection {
    /// Changes the items and prints them. `verb` is what happened to them: `closed`.
    pub(super) fn apply(
        &self,
        ui: &Ui,
        verb: &str,
        change: impl FnOnce(&[ItemRef]) -> Result<Vec<ItemView>, Error>,
    ) -> Result<(), Error> {
        match self {
            Self::Named(ids) => print_changed(ui, verb, &change(ids)?),
            Self::Matching(ids) if ids.is_empty() => {
                if ui.json {
                    ui.data(&Vec::<ItemView>::new());
                }
                ui.note("no item matches; nothing was changed");
            }
            Self::Matching(ids) => print_many(ui, verb, &change(ids)?),
        }
        Ok(())
    }
}

fn print_many(ui: &Ui, verb: &str, items: &[ItemView]) {
    if ui.json {
        ui.data(&items);
    } else if items.len() <= MAX_LINES {
        print_changed(ui, verb, items);
    } else {
        ui.line(&format!("{GOOD}{verb}{GOOD:#} {}", counted(items.len(), "item")));
    }
}

/// Asks on the terminal whether to go on; without a terminal the answer is no.
fn confirm(action: &str, items: &[ItemView]) -> Result<(), Error> {
    let n = items.len();
    let what = if let [item] = items { format!("{} {}", item.name(), item.title) } else { counted(n, "item") };
    let what = crate::output::safe(&what);
    if !crate::input::can_ask() {
        return Err(Error::invalid(format!("the filter matches {what}; nothing was changed"))
            .hint(format!("`--yes` confirms to {action} without a question")));
    }
    let answer = crate::input::ask(&format!("{action} {what}? [y/N] "))?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Error::conflict("not confirmed; nothing was changed"))
}
