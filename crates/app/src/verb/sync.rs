//! Synchronizes the log and the annotations with a remote.

use store::StoreError;
use store::git::{GitProgress, RefName};
use store::sync::{NotesOutcome, SyncReport, Traffic};

use super::ready::cycles;
use crate::error::Error;
use crate::project::Project;
use crate::view::{RenumberedView, SyncStateView, SyncView, TrafficView, reference};

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
            None => self.default_remote()?,
        };
        let notes = self.notes_ref()?;
        // Before the exchange, so that the closings are sent.
        let mut closed = self.close_from_commits()?;
        let mut report = self.store.sync(&remote, &notes, progress)?;
        if report.received.n_entries > 0 {
            after_receive(self)?;
            // The commits may have arrived before their items.
            let late = self.close_from_commits()?;
            if !late.is_empty() {
                report = merged(report, self.store.sync(&remote, &notes, progress)?);
                closed.extend(late);
            }
        }
        Ok(SyncView { closed, ..self.sync_view(remote, report)? })
    }

    fn default_remote(&self) -> Result<String, Error> {
        let repository = self.store.repository();
        if let Some(remote) = repository.default_remote()? {
            return Ok(remote);
        }
        let remotes = repository.remotes()?;
        Err(if remotes.is_empty() {
            Error::not_found("this repository has no remote to sync with")
                .hint("name one: `cairn sync REMOTE`, or add one with `git remote add origin URL`")
                .tool_hint("name one in `remote`, or ask the person to add one")
        } else {
            Error::not_found(format!("none of the remotes is the default: {}", remotes.join(", ")))
                .hint("name one: `cairn sync REMOTE`")
                .tool_hint("name one in `remote`")
        })
    }

    /// Returns how far the default remote is behind this repository, as of the last sync; asks no remote.
    pub fn sync_state(&self) -> Result<SyncStateView, Error> {
        let repository = self.store.repository();
        let Some(remote) = repository.default_remote()? else {
            return Ok(SyncStateView { remote: None, n_unsent: 0, is_synced: false });
        };
        let tracked = repository.read_ref(&repository.tracking_ref(&remote, &RefName::WORK)?)?;
        let n_unsent = match self.index().tip()? {
            Some(tip) if tracked != Some(tip) => repository.log_between(tracked, tip, 0)?.0,
            _ => 0,
        };
        Ok(SyncStateView { remote: Some(remote), n_unsent, is_synced: tracked.is_some() })
    }

    /// Returns the ref of the annotations.
    pub fn notes_ref(&self) -> Result<RefName, Error> {
        self.store.notes_ref(None).map_err(|error| match error {
            StoreError::NotForNotes { name } => {
                Error::invalid(format!("invalid notes ref `{name}` in the setting `ultragit.noteref`"))
                    .hint("`git config --unset ultragit.noteref` removes it")
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
            received: self.traffic_view(report.received)?,
            sent: self.traffic_view(report.sent)?,
            renumbered,
            notes: report.notes,
            cycles: if has_news { cycles(self.index())? } else { Vec::new() },
            closed: Vec::new(),
            n_tries: report.n_tries,
        })
    }

    fn traffic_view(&self, traffic: Traffic) -> Result<TrafficView, Error> {
        Ok(TrafficView { total: traffic.n_entries, newest: self.entry_views(traffic.newest)? })
    }
}

/// Joins the reports of two exchanges in a row.
fn merged(first: SyncReport, second: SyncReport) -> SyncReport {
    let traffic = |first: Traffic, second: Traffic| Traffic {
        n_entries: first.n_entries + second.n_entries,
        newest: second.newest.into_iter().chain(first.newest).collect(),
    };
    SyncReport {
        received: traffic(first.received, second.received),
        sent: traffic(first.sent, second.sent),
        renumbered: first.renumbered.into_iter().chain(second.renumbered).collect(),
        notes: if second.notes == NotesOutcome::Same { first.notes } else { second.notes },
        n_tries: first.n_tries + second.n_tries,
    }
}
