//! The bridge to a project on a Taiga server: `pull` imports remote changes, `push` sends local ones. Items are linked
//! by a field in the log. The link also stores fingerprints of the values both sides agreed on last, so that a change
//! on either side is detected and a field that both sides changed is never overwritten.
//!
//! Both may be killed at any moment and run again: finished steps are detected and not repeated.

mod agreed_values;
mod bridge_context;
mod comments;
mod compare;
mod field_set;
mod kind;
mod link;
mod local_item;
mod mapping;
mod order;
mod pairing;
mod people;
pub(crate) mod pull;
mod push;
mod reconcile;
mod remote;
mod report;
mod retrying_client;
mod statuses;

use std::time::Duration;

use app::{Error, Project};
use model::item_ref::ItemRef;
use taiga::{Client, ServerUrl};

use crate::view::BridgeView;
pub use reconcile::after_sync;

/// The remote project of a bridge.
#[derive(Debug, Clone)]
pub struct Target {
    /// The client that is logged in to the server.
    pub client: Client,
    /// The server URL as it is stored in links.
    pub server: ServerUrl,
    /// The project's id on the server.
    pub project: u64,
}

/// Options of `pull`.
#[derive(Debug, Clone)]
pub struct PullOptions {
    /// Only report what would be done.
    pub dry_run: bool,
    /// Read the comments of all items: lists do not show that a comment was edited or deleted. Done once a day in any
    /// case.
    pub full: bool,
    /// Items whose conflicts are resolved with the remote value.
    pub take_remote: Vec<ItemRef>,
    /// The longest pause (`Retry-After`) to wait for; a longer one ends the run.
    pub longest_pause: Duration,
}

/// Options of `push`.
#[derive(Debug, Clone)]
pub struct PushOptions {
    /// Only report what would be done.
    pub dry_run: bool,
    /// Do not create items on the server.
    pub only_linked: bool,
    /// Items whose conflicts are resolved with the local value.
    pub take_local: Vec<ItemRef>,
    /// The longest pause (`Retry-After`) to wait for; a longer one ends the run.
    pub longest_pause: Duration,
}

/// Default for the longest pause to wait for.
const DEFAULT_MAX_PAUSE: Duration = Duration::from_mins(2);

impl Default for PullOptions {
    fn default() -> Self {
        Self { dry_run: false, full: false, take_remote: Vec::new(), longest_pause: DEFAULT_MAX_PAUSE }
    }
}

impl Default for PushOptions {
    fn default() -> Self {
        Self { dry_run: false, only_linked: false, take_local: Vec::new(), longest_pause: DEFAULT_MAX_PAUSE }
    }
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BridgeProgress {
    /// The current stage, in a word or two.
    pub stage: &'static str,
    /// Steps of the stage that are done.
    pub done: usize,
    /// Steps of the stage in total.
    pub total: usize,
}

/// Imports the changes of a Taiga project.
pub fn pull(
    project: &mut Project,
    target: &Target,
    options: &PullOptions,
    progress: &mut dyn FnMut(BridgeProgress),
) -> Result<BridgeView, Error> {
    pull::run(project, target, options, progress)
}

/// Sends local changes to a Taiga project.
pub fn push(
    project: &mut Project,
    target: &Target,
    options: &PushOptions,
    progress: &mut dyn FnMut(BridgeProgress),
) -> Result<BridgeView, Error> {
    push::run(project, target, options, progress)
}
