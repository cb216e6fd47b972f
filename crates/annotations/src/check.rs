//! The annotation checks of `cairn doctor`.

use app::Error;
use app::view::{CheckOutcome, CheckView};
use model::text::counted;

use crate::Annotations;

impl Annotations<'_> {
    /// Checks the notes that are indexed. Returns nothing for a repository without notes.
    pub fn check(&self) -> Result<Vec<CheckView>, Error> {
        if self.store().repository().read_ref(&self.notes_ref()?)?.is_none() {
            return Ok(Vec::new());
        }
        Ok([self.check_stranded()?].into_iter().chain(self.check_unreadable()?).collect())
    }

    /// Counts notes that no query can find, because their commits were rewritten without a hook.
    fn check_stranded(&self) -> Result<CheckView, Error> {
        let stranded = self.stranded()?;
        if stranded.commits.is_empty() {
            let text = "every annotated commit is part of a branch or was carried on".to_owned();
            return Ok(CheckView { name: "notes".into(), outcome: CheckOutcome::Ok, text, hint: None });
        }
        let of_commits = format!("the notes of {}", counted(stranded.commits.len(), "commit"));
        let text = format!("{of_commits} cannot be found: no branch or tag reaches them");
        let commands: Vec<String> = stranded.matches.iter().map(|one| format!("`{}`", one.command)).collect();
        let hint = match commands.as_slice() {
            [] => "`cairn annotate --carry OLD..NEW` carries them to the commits that replaced them".to_owned(),
            _ => format!("{} carries them to the commits that make the same changes", commands.join(", ")),
        };
        Ok(CheckView { name: "notes".into(), outcome: CheckOutcome::Warning, text, hint: Some(hint) })
    }
}
