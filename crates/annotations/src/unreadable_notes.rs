//! Notes that cannot be read. Nobody knows which code they are about, so every query reports those of its history, and
//! `cairn doctor` lists all.

use app::Error;
use app::view::{CheckOutcome, CheckView};
use model::text::counted;
use store::format::annotation::BadNote;
use store::git::CommitId;

use crate::Annotations;

/// Maximum number of notes that a result or a check names.
const MAX_NAMED: usize = 5;

impl Annotations<'_> {
    /// Returns a warning for each note of a history that cannot be read. If there are many, only those of `nearby`
    /// commits, such as the blamed ones, are named.
    pub(super) fn warnings(&self, head: &CommitId, nearby: &[CommitId]) -> Result<Vec<String>, Error> {
        let mut broken = self.index().broken_notes()?;
        if broken.is_empty() {
            return Ok(Vec::new());
        }
        let outside = self.store().unreachable_annotations(head)?;
        broken.retain(|(commit, _)| !outside.contains(commit));
        let n_broken = broken.len();
        if n_broken > MAX_NAMED {
            broken.retain(|(commit, _)| nearby.contains(commit));
        }
        let n_others = n_broken - broken.len();
        let named = broken.iter().map(|(commit, why)| format!("skipped the note of commit {commit}: {why}"));
        let others = (n_others > 0)
            .then(|| format!("skipped {} of other commits that cannot be read", counted(n_others, "note")));
        Ok(named.chain(others).collect())
    }

    /// Checks for notes that cannot be read, among those that are indexed; `None` if there are none.
    pub(super) fn check_unreadable(&self) -> Result<Option<CheckView>, Error> {
        let broken = self.index().broken_notes()?;
        let Some((first, _)) = broken.first() else { return Ok(None) };
        let mut named: Vec<String> =
            broken.iter().take(MAX_NAMED).map(|(commit, why)| format!("{} ({why})", short(commit))).collect();
        if broken.len() > MAX_NAMED {
            named.push(format!("{} more", broken.len() - MAX_NAMED));
        }
        let (notes, them) = (counted(broken.len(), "note"), if broken.len() == 1 { "it" } else { "them" });
        let text = format!("{notes} cannot be read, so queries leave {them} out: {}", named.join(", "));
        let worst = self.problems(&broken)?.into_iter().max_by_key(BadNote::hides_annotations);
        let outcome = match &worst {
            Some(problem) if problem.hides_annotations() => CheckOutcome::Broken,
            _ => CheckOutcome::Warning,
        };
        let hint = Some(self.remedy(worst.as_ref(), first)?);
        Ok(Some(CheckView { name: "unreadable".into(), outcome, text, hint }))
    }

    fn problems(&self, broken: &[(CommitId, String)]) -> Result<Vec<BadNote>, Error> {
        let mut problems = Vec::new();
        for (commit, _) in broken {
            let Some(blob) = self.index().note_blob(commit)? else { continue };
            problems.extend(self.store().read_note(&blob)?.err());
        }
        Ok(problems)
    }

    fn remedy(&self, problem: Option<&BadNote>, commit: &CommitId) -> Result<String, Error> {
        let git = format!("git notes --ref={}", self.notes_ref()?.as_str().trim_start_matches("refs/notes/"));
        let commit = short(commit);
        Ok(match problem {
            Some(BadNote::Unreadable(_)) => "`cairn sync` fetches missing objects".to_owned(),
            Some(BadNote::TooLong | BadNote::TooManyRegions) => format!(
                "save the note with `{git} show {commit}`, remove it with `{git} remove {commit}`, and annotate its code in \
                 parts, at several commits"
            ),
            _ => format!("`{git} show {commit}` shows the note, `{git} remove {commit}` removes it"),
        })
    }
}

fn short(commit: &CommitId) -> String {
    commit.to_string()[..10].to_owned()
}
