//! Checks a project for problems and suggests fixes. It changes nothing.

use store::git::RefStorage;
use store::{IndexCheck, Store};

use super::ready::cycles;
use crate::error::Error;
use crate::project::Project;
use crate::view::{CheckOutcome, CheckView, DoctorView, Reference};

impl Project {
    /// Runs all checks.
    pub fn doctor(&self) -> Result<DoctorView, Error> {
        let mut checks = vec![self.check_repository()?, self.check_identity(), self.check_log()?];
        checks.extend(self.check_skipped()?);
        checks.push(self.check_missing_creations()?);
        checks.push(self.check_numbers()?);
        checks.push(self.check_cycles()?);
        checks.extend(self.check_index()?);
        checks.push(self.check_remote()?);
        let ok = checks.iter().all(|check| check.outcome != CheckOutcome::Broken);
        Ok(DoctorView { checks, ok })
    }

    fn check_repository(&self) -> Result<CheckView, Error> {
        let repository = self.store.repository();
        let refs = match repository.ref_storage() {
            RefStorage::Files => "files",
            RefStorage::Reftable => "reftable",
        };
        let place = repository.common_dir().display();
        let hash = if repository.hash_length() == 32 { "SHA-256" } else { "SHA-1" };
        let text = format!("{place}, {hash}, refs in {refs}");
        if repository.is_shallow()? {
            return Ok(warning(
                "repository",
                format!("{text}, shallow"),
                "`git fetch --unshallow` brings the whole history",
            ));
        }
        Ok(ok("repository", text))
    }

    fn check_identity(&self) -> CheckView {
        match self.me() {
            Ok(me) => ok("identity", me.to_string()),
            Err(error) => warning("identity", error.message, "without a name nothing can be written"),
        }
    }

    fn check_log(&self) -> Result<CheckView, Error> {
        let Some(tip) = self.index().tip()? else {
            return Ok(ok("log", "empty; `cairn new issue TITLE` creates the first item".to_owned()));
        };
        Ok(ok("log", format!("operations: {}, the last in {tip}", self.index().n_ops()?)))
    }

    fn check_skipped(&self) -> Result<Vec<CheckView>, Error> {
        let found = self.index().warnings()?;
        let hint = "unreadable entries are skipped; everything else is served";
        Ok(found
            .into_iter()
            .map(|one| warning("log", format!("{}: {}", one.place, model::text::escape_line(&one.text)), hint))
            .collect())
    }

    fn check_missing_creations(&self) -> Result<CheckView, Error> {
        Ok(match self.index().entities_without_creation()? {
            0 => ok("history", "complete".to_owned()),
            n => warning(
                "history",
                format!("items without their creation: {n}; only later changes of them were received"),
                "`cairn sync` with a remote that has it",
            ),
        })
    }

    fn check_numbers(&self) -> Result<CheckView, Error> {
        let unsettled = self.index().unsettled()?;
        if unsettled.is_empty() {
            return Ok(ok("numbers", "unique".to_owned()));
        }
        let numbers: Vec<String> = unsettled.iter().map(|(_, reference)| reference.to_string()).collect();
        let text = format!("provisional until they are in the log: {}", numbers.join(", "));
        Ok(warning("numbers", text, "`cairn sync` makes them permanent"))
    }

    fn check_cycles(&self) -> Result<CheckView, Error> {
        let found = cycles(self.index())?;
        if found.is_empty() {
            return Ok(ok("links", "no cycle of blocking items".to_owned()));
        }
        let shown: Vec<String> = found
            .iter()
            .map(|cycle| {
                let numbers: Vec<String> = cycle.iter().map(Reference::name).collect();
                numbers.join(" → ")
            })
            .collect();
        let text = format!("items block each other in a cycle: {}", shown.join("; "));
        Ok(warning("links", text, "`cairn unlink ID --blocks ID` breaks the cycle"))
    }

    // The index must equal a rebuilt one: only then can it be deleted at any time.
    fn check_index(&self) -> Result<Vec<CheckView>, Error> {
        let path = Store::index_path(self.store.repository());
        let found = self.store.verify_index()?;
        let mut checks = Vec::new();
        if !found.lost.is_empty() {
            checks.push(self.lost_commits(&found)?);
        }
        if found.is_true {
            checks.push(ok("index", format!("{} matches the log", path.display())));
        } else if found.lost.is_empty() {
            let text = format!("{} does not match the log", path.display());
            checks.push(broken("index", text, "`cairn reindex` rebuilds it; nothing is lost"));
        }
        Ok(checks)
    }

    fn lost_commits(&self, found: &IndexCheck) -> Result<CheckView, Error> {
        let names: Vec<String> = found.lost.iter().map(ToString::to_string).collect();
        let names = names.join(", ");
        if !found.is_true {
            // The index is then the only copy of these commits, so it must not be deleted first.
            let text = format!("commits of the log cannot be read any more, only the index knows them: {names}");
            let hint = "`cairn export FILE` keeps all that is known; after that, `cairn reindex` and `cairn sync` bring back \
                what the remote has, and `cairn import FILE` the rest";
            return Ok(broken("log", text, hint));
        }
        let text = format!("commits of the log are missing or damaged: {names}");
        let hint = "`cairn sync` brings back what the remote has; everything else is served";
        // A shallow clone lacks old commits by design.
        let is_shallow = self.store.repository().is_shallow()?;
        Ok(if is_shallow { warning("log", text, hint) } else { broken("log", text, hint) })
    }

    fn check_remote(&self) -> Result<CheckView, Error> {
        let repository = self.store.repository();
        if let Some(remote) = repository.default_remote()? {
            return Ok(ok("remote", format!("`cairn sync` goes to `{remote}`")));
        }
        let remotes = repository.remotes()?;
        Ok(if remotes.is_empty() {
            warning("remote", "none".to_owned(), "`git remote add origin URL`, then `cairn sync` shares the work")
        } else {
            let hint = "`cairn sync REMOTE` names one; `origin` and the upstream of the current branch need no name";
            warning("remote", format!("several, and no default: {}", remotes.join(", ")), hint)
        })
    }
}

fn ok(name: &str, text: String) -> CheckView {
    CheckView { name: name.into(), outcome: CheckOutcome::Ok, text, hint: None }
}

fn warning(name: &str, text: String, hint: &str) -> CheckView {
    CheckView { name: name.into(), outcome: CheckOutcome::Warning, text, hint: Some(hint.to_owned()) }
}

fn broken(name: &str, text: String, hint: &str) -> CheckView {
    CheckView { name: name.into(), outcome: CheckOutcome::Broken, text, hint: Some(hint.to_owned()) }
}
