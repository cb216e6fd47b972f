//! The reflog of a reference that we move: written only where git itself would write it.

use std::fs::OpenOptions;
use std::io::Write;

use super::gix;
use super::identity::{Role, Signature};
use super::{CommitId, GitError, RefName, Repository, durable};

impl Repository {
    /// Appends an entry if the reference has a reflog, or if the person enabled them for all references.
    pub(super) fn append_reflog(
        &self,
        name: &RefName,
        from: Option<CommitId>,
        to: CommitId,
        reason: &str,
    ) -> Result<(), GitError> {
        let path = self.common_dir().join("logs").join(name.as_str());
        let settings = self.settings()?;
        let wants_all = settings.string("core.logAllRefUpdates").is_some_and(|value| value == "always");
        if !wants_all && !path.is_file() {
            return Ok(());
        }
        let who = Signature::resolve(&settings, Role::Committer)?;
        let from = from.map_or_else(|| gix::ObjectId::null(self.format.hash), |id| id.0);
        let reason = reason.replace('\n', " ");
        let line = format!("{} {to} {}\t{reason}\n", from.to_hex(), who.line());
        durable::create_directory(path.parent().unwrap_or(&path), self.format.sharing)?;
        let written = OpenOptions::new().append(true).create(true).open(&path);
        written
            .and_then(|mut file| file.write_all(line.as_bytes()))
            .and_then(|()| self.format.sharing.apply(&path))
            .map_err(|source| GitError::writing(&path, source))
    }
}
