//! `cairn assign` and `cairn status`: short forms of `cairn edit` for the two fields that change most.

use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;
use model::field;
use model::item_ref::ItemRef;

use super::known::UnknownNameFlags;
use super::{RepoPath, dashboard, print_changed};
use crate::fields;
use crate::output::Ui;

/// Assign items to a person.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn assign 42 grace
  cairn assign 42 43 me")]
pub(crate) struct Assign {
    /// Items, then the person: a name, an address or `me`.
    #[arg(required = true, num_args = 2.., value_names = ["ID", "WHO"])]
    words: Vec<String>,
    #[command(flatten)]
    insist: UnknownNameFlags,
}

/// Show what to do next, or set the status of items.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn status
  cairn status 42 review")]
pub(crate) struct Status {
    /// Items, then the status.
    #[arg(num_args = 2.., value_names = ["ID", "STATUS"])]
    words: Vec<String>,
}

impl Assign {
    pub(crate) fn run(&self, project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        set(project, &field::ASSIGN, &self.words, Some(self.insist), ui)
    }
}

impl Status {
    pub(super) fn run(&self, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
        if self.words.is_empty() {
            return dashboard::run(place, ui);
        }
        set(place.open()?, &field::STATUS, &self.words, None, ui)
    }
}

/// Sets a field; the last word is the value, the words before it are items.
fn set(
    mut project: Project,
    field: &'static field::Field,
    words: &[String],
    insist: Option<UnknownNameFlags>,
    ui: &Ui,
) -> Result<ExitCode, Error> {
    let Some((value, items)) = words.split_last() else { return Err(Error::invalid("no item was given")) };
    let items: Vec<ItemRef> = items.iter().map(|item| ItemRef::parse(item)).collect();
    let mut changes = app::ChangeSet { fields: vec![fields::parse(field, value)?], ..app::ChangeSet::default() };
    if let Some(insist) = insist {
        insist.check_changes(&mut project, &mut changes)?;
    }
    let verb = if insist.is_some() { "assigned" } else { "updated" };
    print_changed(ui, verb, &project.edit(&items, &changes)?);
    Ok(ExitCode::SUCCESS)
}
