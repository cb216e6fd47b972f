//! The bridge to a project on a Taiga server: `pull` brings its work here, `push` sends changes back. Items are linked by a
//! field in the log; what both sides agreed on last is kept with the link, so that either side's changes are seen, and
//! nothing that both changed is ever overwritten.
//!
//! Both may be killed at any moment and run again: what was done is found, not done twice.

mod comments;
mod compare;
mod here;
mod kind;
mod line;
mod link;
mod order;
mod pairing;
mod past;
mod people;
pub(crate) mod pull;
mod push;
mod reconcile;
mod remote;
mod report;
mod setting;
mod shape;
mod statuses;
mod terms;

use std::time::Duration;

use app::{Error, Project};
use model::item_ref::ItemRef;
use taiga::{Client, ServerUrl};

use crate::view::BridgeView;
pub use reconcile::after_sync;

/// The other end of a bridge.
#[derive(Debug, Clone)]
pub struct Target {
    /// Talks to the server as someone.
    pub client: Client,
    /// The server, as it is written down in links.
    pub server: ServerUrl,
    /// The project's id there.
    pub project: u64,
}

/// How to pull.
#[derive(Debug, Clone)]
pub struct PullOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Read the comments of all items: no list tells that one was edited or deleted there. Done once a day in any case.
    pub full: bool,
    /// Items in which the other side counts where both changed something.
    pub take_remote: Vec<ItemRef>,
    /// How long a pause the server may ask for; a longer one stops the work.
    pub longest_pause: Duration,
}

/// How to push.
#[derive(Debug, Clone)]
pub struct PushOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Leave items alone that the other side does not have.
    pub only_linked: bool,
    /// Items in which this side counts where both changed something.
    pub take_local: Vec<ItemRef>,
    /// How long a pause the server may ask for; a longer one stops the work.
    pub longest_pause: Duration,
}

/// The longest pause that is waited for unless someone says otherwise.
const PAUSE: Duration = Duration::from_mins(2);

impl Default for PullOptions {
    fn default() -> Self {
        Self { dry_run: false, full: false, take_remote: Vec::new(), longest_pause: PAUSE }
    }
}

impl Default for PushOptions {
    fn default() -> Self {
        Self { dry_run: false, only_linked: false, take_local: Vec::new(), longest_pause: PAUSE }
    }
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, in a word or two.
    pub stage: &'static str,
    /// How much of it is done.
    pub done: usize,
    /// How much there is.
    pub total: usize,
}

/// Brings the work of a project on a Taiga here.
pub fn pull(
    project: &mut Project,
    target: &Target,
    options: &PullOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BridgeView, Error> {
    pull::run(project, target, options, progress)
}

/// Sends what changed here to a project on a Taiga.
pub fn push(
    project: &mut Project,
    target: &Target,
    options: &PushOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BridgeView, Error> {
    push::run(project, target, options, progress)
}
