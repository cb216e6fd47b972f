//! Prepares a repository: configures git to keep annotations through rewrites and to fetch the log. Optional; it only
//! makes plain git commands helpful.

use serde::Serialize;

use crate::error::Error;
use crate::project::Project;

/// The result of `init`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InitReport {
    /// The project's name.
    pub project: String,
    /// Added git settings, as `name = value`.
    pub added: Vec<String>,
    /// Settings that existed already.
    pub kept: Vec<String>,
}

impl Project {
    /// Adds the missing settings; a second run changes nothing.
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
