//! Notes of commits that were rewritten without a hook: squashed by a server, rewritten by a filter. Commits are
//! matched by their changes, never by their messages: by patch id, then as a squash, then by added lines.

use std::collections::{HashMap, HashSet};

use app::Error;
use model::text::escape_line;
use store::git::CommitId;

use super::carry::commit_replacements;
use crate::view::{CarryView, StrandedMatchView, StrandedView};
use crate::{Annotations, AnnotationsMut};

/// Maximum number of commits compared on either side.
const MAX_COMMITS: usize = 5_000;
/// Maximum number of commits whose lines are compared: each needs a git query.
const MAX_COMPARED: usize = 200;
/// Minimum share of a commit's lines that its replacement must add.
const MIN_ADDED_SHARE: f64 = 0.6;
/// Maximum number of stranded histories that are matched, and of candidate commits.
const MAX_PROPOSALS: usize = 3;
const MAX_PROPOSAL_COMMITS: usize = 200;

impl Annotations<'_> {
    /// Finds the commits with the same changes as the annotated ones of an old history: individually, or squashed.
    fn match_by_change(
        &self,
        old: CommitId,
        new: CommitId,
        noteref: Option<&str>,
        limit: usize,
    ) -> Result<Matches, Error> {
        let repository = self.store().repository();
        let reference = self.store().notes_ref(noteref)?;
        let annotated: HashSet<CommitId> = self.store().notes(&reference)?.list()?.into_iter().collect();
        let all_old = repository.non_merges_beyond(&old, &new, limit)?;
        let mut open: Vec<CommitId> = all_old.into_iter().filter(|commit| annotated.contains(commit)).collect();
        if open.is_empty() {
            return Ok(Matches::default());
        }
        let candidates = repository.non_merges_beyond(&new, &old, limit)?;
        let changes = repository.patch_ids(&candidates)?;
        // The oldest of equal changes: later ones were cherry-picked or repeated.
        let by_change: HashMap<&str, CommitId> =
            candidates.iter().rev().filter_map(|commit| Some((changes.get(commit)?.as_str(), *commit))).collect();
        let own = repository.patch_ids(&open)?;
        let same = |commit: &CommitId| Some((*commit, *by_change.get(own.get(commit)?.as_str())?));
        let mut pairs: Vec<(CommitId, CommitId)> = open.iter().filter_map(same).collect();
        open.retain(|commit| same(commit).is_none());
        if let Some(squash) = self.squash_of(old, new, &by_change)? {
            pairs.extend(open.drain(..).map(|commit| (commit, squash)));
        }
        Ok(Matches { pairs, open, candidates })
    }

    /// Finds the commit that contains all changes of an old history.
    fn squash_of(
        &self,
        old: CommitId,
        new: CommitId,
        by_change: &HashMap<&str, CommitId>,
    ) -> Result<Option<CommitId>, Error> {
        let repository = self.store().repository();
        let Some(base) = repository.only_merge_base(old, new)? else { return Ok(None) };
        let change = repository.patch_id_between(&base, &old)?;
        Ok(change.and_then(|change| by_change.get(change.as_str()).copied()))
    }

    /// Matches the remaining commits with the one that adds most of their lines; returns those without a match.
    fn match_by_lines(&self, found: &mut Matches) -> Result<Vec<CommitId>, Error> {
        let mut unmatched = Vec::new();
        if found.open.is_empty() {
            return Ok(unmatched);
        }
        let repository = self.store().repository();
        let mut added = Vec::new();
        // The newest ones: rewriting usually happened recently.
        for candidate in found.candidates.iter().rev().take(MAX_COMPARED) {
            added.push((*candidate, repository.added_lines(candidate)?));
        }
        for commit in found.open.drain(..) {
            match most_alike(&repository.added_lines(&commit)?, &added) {
                Some(new) => found.pairs.push((commit, new)),
                None => unmatched.push(commit),
            }
        }
        Ok(unmatched)
    }

    /// Counts the notes of unreachable commits that were not carried, and returns their replacements.
    pub fn stranded(&self) -> Result<StrandedView, Error> {
        let reference = self.store().notes_ref(None)?;
        let notes = self.store().notes(&reference)?;
        let repository = self.store().repository();
        let mut stranded = repository.unreached(&notes.list()?)?;
        if stranded.is_empty() {
            return Ok(StrandedView::default());
        }
        let carried = notes.carried(&stranded)?;
        stranded.retain(|commit| !carried.contains(commit));
        if stranded.is_empty() {
            return Ok(StrandedView::default());
        }
        let commits = stranded.iter().map(CommitId::to_string).collect();
        Ok(StrandedView { commits, matches: self.propose(&stranded)? })
    }

    /// Searches the current history for replacements of stranded commits.
    fn propose(&self, stranded: &[CommitId]) -> Result<Vec<StrandedMatchView>, Error> {
        let mut matches = Vec::new();
        let Some(head) = self.store().repository().head()? else { return Ok(matches) };
        let some = &stranded[..stranded.len().min(MAX_COMPARED)];
        for tip in self.store().repository().independent(some)?.into_iter().take(MAX_PROPOSALS) {
            let pairs = self.match_by_change(tip, head, None, MAX_PROPOSAL_COMMITS)?.pairs;
            let Some((_, new)) = pairs.last() else { continue };
            let command = format!("cairn annotate --carry {}..{}", &tip.to_string()[..10], &new.to_string()[..10]);
            let (commit, new) = (tip.to_string(), new.to_string());
            matches.push(StrandedMatchView { commit, new, n_commits: pairs.len(), command });
        }
        Ok(matches)
    }
}

impl AnnotationsMut<'_> {
    /// Carries notes of rewritten commits, given as `OLD..NEW`: from the commits only in OLD to those only in NEW.
    pub fn carry_range(&mut self, range: &str, noteref: Option<&str>) -> Result<CarryView, Error> {
        let (old, new) = read_range(range)?;
        let (old, new) = (self.shared().commit_named(Some(old))?, self.shared().commit_named(Some(new))?);
        let mut found = self.shared().match_by_change(old, new, noteref, MAX_COMMITS)?;
        let unmatched = self.shared().match_by_lines(&mut found)?;
        let carried = self.carry(&commit_replacements(found.pairs), noteref)?;
        Ok(CarryView { carried, unmatched: unmatched.iter().map(CommitId::to_string).collect() })
    }
}

/// Replacements of commits.
#[derive(Debug, Default)]
struct Matches {
    /// Old and new.
    pairs: Vec<(CommitId, CommitId)>,
    /// Old ones without a match.
    open: Vec<CommitId>,
    /// All new ones, oldest first.
    candidates: Vec<CommitId>,
}

fn read_range(range: &str) -> Result<(&str, &str), Error> {
    let parts = range.split_once("..").filter(|(old, new)| !old.is_empty() && !new.is_empty() && !new.starts_with('.'));
    parts.ok_or_else(|| {
        Error::invalid(format!("`{}` is not a range of two commits", escape_line(range)))
            .hint("write OLD..NEW: the tip of the replaced commits, and the tip of their replacements")
    })
}

/// Returns the candidate that adds the most of the lines, if that is a sufficient share and unique.
fn most_alike(lines: &HashSet<String>, candidates: &[(CommitId, HashSet<String>)]) -> Option<CommitId> {
    let shared = |added: &HashSet<String>| lines.iter().filter(|line| added.contains(*line)).count();
    let mut ranked: Vec<(usize, CommitId)> =
        candidates.iter().map(|(commit, added)| (shared(added), *commit)).collect();
    ranked.sort_by_key(|(n_shared, _)| std::cmp::Reverse(*n_shared));
    let is_enough = |n: usize| n > 0 && as_share(n) >= MIN_ADDED_SHARE * as_share(lines.len());
    match ranked.as_slice() {
        [(first, _), (second, _), ..] if first == second => None,
        [(first, commit), ..] if is_enough(*first) => Some(*commit),
        _ => None,
    }
}

fn as_share(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(words: &[&str]) -> HashSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_range_has_two_ends() {
        assert_eq!(read_range("feature..main~2").unwrap(), ("feature", "main~2"));
        for bad in ["", "main", "..main", "main..", "a...b"] {
            assert!(read_range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_commit_with_most_of_the_lines_takes_the_place() {
        let id = |digit: &str| digit.repeat(40).parse::<CommitId>().unwrap();
        let all = [(id("a"), lines(&["x", "y"])), (id("b"), lines(&["x", "y", "z", "other"]))];
        assert_eq!(most_alike(&lines(&["x", "y", "z"]), &all), Some(id("b")));
        assert_eq!(most_alike(&lines(&["x", "y"]), &all), None, "both have all of it");
        assert_eq!(most_alike(&lines(&["z", "p", "q"]), &all), None, "a third is too little");
        assert_eq!(most_alike(&lines(&[]), &all), None);
    }
}
