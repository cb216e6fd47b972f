//! `cairn link` and `cairn unlink`.

use std::process::ExitCode;

use app::verb::LinkTarget;
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use super::known::check_touch;
use super::print_changed;
use crate::output::Ui;

/// Link an item to another one, to code or to a commit.
///
/// Commits whose messages say `Fixes #42` or `Refs #42` need no link: `cairn show 42` lists them.
///
/// A link that would make an item block itself is refused, and so is a name of code that its file does not have.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn link 42 --blocks 43
  cairn link 42 --parent 7
  cairn link 42 --relates 12
  cairn link 42 --touches src/login.rs:Session::open
  cairn link 42 --commit HEAD")]
pub(crate) struct Link {
    /// The item.
    id: ItemRef,
    #[command(flatten)]
    target: Target,
    /// Link code by a name that its file does not have.
    #[arg(long, requires = "touches")]
    create: bool,
    /// Fail if the item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

/// Remove a link.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn unlink 42 --blocks 43")]
pub(crate) struct Unlink {
    /// The item.
    id: ItemRef,
    #[command(flatten)]
    target: Target,
    /// Fail if the item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Target {
    /// This item blocks the other one.
    #[arg(long, value_name = "ID")]
    blocks: Option<ItemRef>,
    /// This item is blocked by the other one.
    #[arg(long, value_name = "ID")]
    blocked_by: Option<ItemRef>,
    /// This item is a part of the other one.
    #[arg(long, value_name = "ID")]
    parent: Option<ItemRef>,
    /// The other item is related.
    #[arg(long, value_name = "ID")]
    relates: Option<ItemRef>,
    /// This item is about this code.
    #[arg(long, value_name = "PATH[:ANCHOR]")]
    touches: Option<String>,
    /// This commit belongs to this item.
    #[arg(long, value_name = "REV")]
    commit: Option<String>,
}

impl Link {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let (id, target) = self.target.read(&self.id);
        if let (LinkTarget::Touches(code), false) = (&target, self.create) {
            check_touch(&project, code)?;
        }
        let item = project.link(&id, &target, self.if_unchanged.as_deref())?;
        print_changed(ui, "linked", &[item]);
        Ok(ExitCode::SUCCESS)
    }
}

impl Unlink {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let (id, target) = self.target.read(&self.id);
        let item = project.unlink(&id, &target, self.if_unchanged.as_deref())?;
        print_changed(ui, "unlinked", &[item]);
        Ok(ExitCode::SUCCESS)
    }
}

impl Target {
    // `blocked-by` is the same link in the other direction.
    fn read(&self, id: &ItemRef) -> (ItemRef, LinkTarget) {
        let own = id.clone();
        if let Some(other) = &self.blocked_by {
            return (other.clone(), LinkTarget::Blocks(own));
        }
        let blocks = self.blocks.clone().map(LinkTarget::Blocks);
        let parent = self.parent.clone().map(LinkTarget::Parent);
        let relates = self.relates.clone().map(LinkTarget::Relates);
        let touches = self.touches.clone().map(LinkTarget::Touches);
        let commit = self.commit.clone().map(LinkTarget::Commit);
        let target = blocks.or(parent).or(relates).or(touches).or(commit);
        (own, target.expect("the group requires exactly one"))
    }
}
