//! Synchronizes the log and the annotations with a remote.

use store::StoreError;
use store::git::{GitProgress, RefName};
use store::sync::{SyncReport, Traffic};

use super::log::entry_view;
use super::ready::cycles;
use crate::error::Error;
use crate::project::Project;
use crate::view::{RenumberedView, SyncView, TrafficView, reference};

impl Project {
    /// Synchronizes this repository with a remote, or with the default one.
    ///
    /// `after_receive` runs after operations were received, to resolve concurrent changes of clones.
    pub fn sync(
        &mut self,
        remote: Option<&str>,
        progress: GitProgress,
        after_receive: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<SyncView, Error> {
        let _settings = self.store.repository().hold_settings()?;
        let remote = match remote {
            Some(remote) => remote.to_owned(),
            None => self.store.repository().default_remote()?.ok_or_else(|| {
                Error::not_found("this repository has no remote to sync with")
                    .hint("name one: `cairn sync REMOTE`, or add one with `git remote add origin URL`")
            })?,
        };
        let notes = self.notes_ref()?;
        let report = self.store.sync(&remote, &notes, progress)?;
        if report.received.n_entries > 0 {
            after_receive(self)?;
        }
        self.sync_view(remote, report)
    }

    /// Returns the ref of the annotations.
    pub fn notes_ref(&self) -> Result<RefName, Error> {
        self.store.notes_ref(None).map_err(|error| match error {
            StoreError::NotForNotes { name } => {
                Error::invalid(format!("invalid notes ref `{name}` in the setting `ultragit.noteref`"))
                    .hint("`git config --unset ultragit.noteref` takes it away")
            }
            other => other.into(),
        })
    }

    fn sync_view(&self, remote: String, report: SyncReport) -> Result<SyncView, Error> {
        let mut renumbered = Vec::new();
        for one in report.renumbered {
            let Some(row) = self.index().item(one.id)? else { continue };
            renumbered.push(RenumberedView { item: reference(&row), from: one.from.number, to: one.to.number });
        }
        let has_news = report.received.n_entries > 0;
        Ok(SyncView {
            remote,
            received: traffic_view(report.received),
            sent: traffic_view(report.sent),
            renumbered,
            notes: report.notes,
            cycles: if has_news { cycles(self.index())? } else { Vec::new() },
            n_tries: report.n_tries,
        })
    }
}

fn traffic_view(traffic: Traffic) -> TrafficView {
    TrafficView { total: traffic.n_entries, newest: traffic.newest.into_iter().map(entry_view).collect() }
}
