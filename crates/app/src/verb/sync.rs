//! Synchronizes the log and the annotations with a remote.

use store::StoreError;
use store::git::{GitProgress, RefName};
use store::sync::{NotesOutcome, SyncReport, Traffic};

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
                    .tool_hint("name one in `remote`, or ask the person to add one")
            })?,
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
            closed: Vec::new(),
            n_tries: report.n_tries,
        })
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

fn traffic_view(traffic: Traffic) -> TrafficView {
    TrafficView { total: traffic.n_entries, newest: traffic.newest.into_iter().map(entry_view).collect() }
}
