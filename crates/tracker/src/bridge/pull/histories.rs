//! Records when the comments of all items were last read. Taiga shows edits and deletions of comments only in an item's
//! history, so the histories of all commented items are read once a day.

use app::Error;
use app::Project;
use jiff::{SignedDuration, Timestamp};
use store::intents::Intents;
use uuid::Uuid;

use super::super::link::RemoteRef;

const INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// The time of the last full read, in a file of the git directory.
pub(super) struct Histories {
    times: Intents,
    name: String,
}

impl Histories {
    pub(super) fn of(project: &Project, remote_ref: &RemoteRef) -> Self {
        let text = format!("{} {}", remote_ref.server, remote_ref.project);
        let name = Uuid::new_v5(&Uuid::NAMESPACE_URL, text.as_bytes()).simple().to_string();
        Self { times: Intents::of(project.store().repository(), "taiga-histories"), name }
    }

    /// Returns whether the last full read is more than a day ago, or in the future.
    pub(super) fn are_due(&self, now: Timestamp) -> Result<bool, Error> {
        let times = self.times.all()?;
        let last = times.iter().find(|(name, _)| *name == self.name);
        let last = last.and_then(|(_, text)| std::str::from_utf8(text).ok()?.trim().parse::<Timestamp>().ok());
        Ok(last.is_none_or(|last| last > now || now.duration_since(last) >= INTERVAL))
    }

    pub(super) fn record(&self, now: Timestamp) -> Result<(), Error> {
        Ok(self.times.put(&self.name, now.to_string().as_bytes())?)
    }
}
