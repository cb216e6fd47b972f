//! Prepares a repository: tells git to carry annotations through rewrites and to fetch the work along. Everything
//! works without it; it only makes plain git commands help.

use serde::Serialize;

use crate::error::Error;
use crate::project::Project;

/// What was prepared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InitReport {
    /// The project's name.
    pub project: String,
    /// Settings of git that were added, as `name = value`.
    pub added: Vec<String>,
    /// Settings that were there already.
    pub kept: Vec<String>,
}

impl Project {
    /// Adds the settings that are missing; running it twice changes nothing.
    pub fn init(&mut self) -> Result<InitReport, Error> {
        let notes = self.notes_ref()?;
        let repository = self.store.repository();
        let mut wanted = vec![("notes.rewriteRef".to_owned(), notes.to_string())];
        for remote in repository.remotes()? {
            let spec = repository.fetch_spec(&remote, &store::git::RefName::WORK)?;
            wanted.push((format!("remote.{remote}.fetch"), spec));
        }
        let mut report = InitReport { project: self.name(), added: Vec::new(), kept: Vec::new() };
        for (name, value) in wanted {
            let is_there = repository.config_all(&name)?.contains(&value);
            if is_there {
                report.kept.push(format!("{name} = {value}"));
            } else {
                repository.add_config(&name, &value)?;
                report.added.push(format!("{name} = {value}"));
            }
        }
        Ok(report)
    }
}
