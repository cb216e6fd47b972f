//! Runs a hook. Nothing is opened that is not needed: most commits have no notes to carry and no trailers.

use std::path::Path;

use app::Error;
use app::{Env, Project};
use model::text::counted;
use store::git::{CommitId, RefName, Repository, squashed_commits};
use store::{Listener, Store, StoreError};

use super::Hook;
use crate::view::{AnnotatedView, CarriedView, PlaceMatch};
use crate::{Annotated as _, CommitReplacement, MAX_MESSAGE, commit_replacements, may_have_trailers};

/// The reminder for a commit without an annotation.
const REMINDER: &str =
    "this commit does not say why; `cairn annotate` adds it (`git config cairn.remind false` ends this)";

/// Runs a hook; `input` is its standard input. Returns the messages for the user, one line each.
pub fn run_hook(start: &Path, env: Env, listener: &Listener, hook: Hook, input: &str) -> Result<Vec<String>, Error> {
    let repository = Repository::discover(start)?;
    let open = || Project::open(start, env, Listener::clone(listener));
    match hook {
        Hook::PrepareCommitMsg => {
            let sources = if repository.is_rebasing() { Vec::new() } else { repository.sources_in_the_making()? };
            repository.remember_sources(&sources)?;
            Ok(Vec::new())
        }
        Hook::PostCommit => {
            let mut lines = after_commit(&repository, &open)?;
            if head_names_items(&repository)? {
                lines.extend(close_items(&repository, &open)?);
            }
            Ok(lines)
        }
        Hook::PostMerge => close_items(&repository, &open),
        Hook::PostRewrite => {
            let pairs = rewritten(input);
            let mut lines = after_rewrite(&repository, &pairs, &open)?;
            if has_work(&repository)? {
                open()?.follow_rewritten_commits(&pairs)?;
            }
            lines.extend(close_items(&repository, &open)?);
            Ok(lines)
        }
    }
}

/// Returns whether the message of `HEAD` contains an item number. Most commits have none, and then nothing is opened.
fn head_names_items(repository: &Repository) -> Result<bool, Error> {
    let Some(head) = repository.head()? else { return Ok(false) };
    let commit = repository.read_commit(&head, MAX_MESSAGE).map_err(StoreError::from)?;
    Ok(commit.message.windows(2).any(|pair| pair[0] == b'#' && pair[1].is_ascii_digit()))
}

fn has_work(repository: &Repository) -> Result<bool, Error> {
    Ok(repository.read_ref(&RefName::WORK)?.is_some())
}

/// Closes the items that commits of the default branch close. During a rebase nothing has reached it yet.
fn close_items(repository: &Repository, open: &impl Fn() -> Result<Project, Error>) -> Result<Vec<String>, Error> {
    if repository.is_rebasing() || !has_work(repository)? {
        return Ok(Vec::new());
    }
    let closed = open()?.close_from_commits()?;
    Ok(closed.iter().map(|one| format!("closed {} by {}", one.item.name(), &one.commit[..7])).collect())
}

fn after_commit(repository: &Repository, open: &impl Fn() -> Result<Project, Error>) -> Result<Vec<String>, Error> {
    let left = repository.take_sources()?;
    // A rebase reports the rewritten commits at its end; intermediate ones are ignored.
    if repository.is_rebasing() {
        return Ok(Vec::new());
    }
    let Some(head) = repository.head()? else { return Ok(Vec::new()) };
    let commit = repository.read_commit(&head, MAX_MESSAGE).map_err(StoreError::from)?;
    let message = String::from_utf8_lossy(&commit.message);
    let sources = if left.is_empty() { sources_in(&message) } else { left };
    if sources.is_empty() && !may_have_trailers(&message) {
        // git runs this hook for an amended commit too; its parent is not the previous `HEAD`.
        let is_amend = repository.previous_head()?.is_some_and(|before| !commit.parents.contains(&before));
        let is_merge = commit.parents.len() > 1;
        return Ok(if is_amend || is_merge { Vec::new() } else { reminder(repository)? });
    }
    let mut project = open()?;
    let carried = match sources.as_slice() {
        [] => Vec::new(),
        _ => project.annotations_mut().carry(&[CommitReplacement { old: sources, new: head }], None)?,
    };
    let annotated = project.annotations_mut().trailers_to_note(head, None)?;
    Ok(user_messages(&carried, annotated.as_ref()))
}

/// Returns the source commits that a message refers to.
fn sources_in(message: &str) -> Vec<CommitId> {
    let squashed = squashed_commits(message);
    if !squashed.is_empty() {
        return squashed;
    }
    let picked = message.lines().filter_map(|line| line.trim().strip_prefix("(cherry picked from commit "));
    // The last one: a commit that was picked repeatedly has one line per pick.
    picked.filter_map(|rest| rest.strip_suffix(')')?.parse().ok()).next_back().into_iter().collect()
}

/// Reminds of annotations if there are any already, unless the user disabled it.
fn reminder(repository: &Repository) -> Result<Vec<String>, Error> {
    let wanted = repository.config_string("cairn.remind")?;
    let is_unwanted =
        wanted.is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0"));
    if is_unwanted || repository.read_ref(&Store::notes_ref_of(repository, None)?)?.is_none() {
        return Ok(Vec::new());
    }
    Ok(vec![REMINDER.to_owned()])
}

/// Parses git's lines of old and new commits.
fn rewritten(input: &str) -> Vec<(CommitId, CommitId)> {
    let pair = |line: &str| {
        let mut words = line.split(' ');
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    input.lines().filter_map(pair).collect()
}

fn after_rewrite(
    repository: &Repository,
    pairs: &[(CommitId, CommitId)],
    open: &impl Fn() -> Result<Project, Error>,
) -> Result<Vec<String>, Error> {
    let commit_replacements = commit_replacements(pairs.iter().copied());
    let has_notes = repository.read_ref(&Store::notes_ref_of(repository, None)?)?.is_some();
    let mut with_trailers = Vec::new();
    for one in &commit_replacements {
        let commit = repository.read_commit(&one.new, MAX_MESSAGE).map_err(StoreError::from)?;
        if may_have_trailers(&String::from_utf8_lossy(&commit.message)) {
            with_trailers.push(one.new);
        }
    }
    if commit_replacements.is_empty() || (!has_notes && with_trailers.is_empty()) {
        return Ok(Vec::new());
    }
    let mut project = open()?;
    let carried = project.annotations_mut().carry(&commit_replacements, None)?;
    let missing = with_trailers.into_iter().filter(|new| !carried.iter().any(|one| one.commit == new.to_string()));
    for new in missing {
        project.annotations_mut().trailers_to_note(new, None)?;
    }
    Ok(user_messages(&carried, None))
}

/// Returns the messages on which the user can act: lost regions, and notes that cannot be parsed.
fn user_messages(carried: &[CarriedView], annotated: Option<&AnnotatedView>) -> Vec<String> {
    let mut lines: Vec<String> = carried.iter().flat_map(|one| one.warnings.clone()).collect();
    for one in carried {
        let lost = one.regions.iter().filter(|region| region.resolution == PlaceMatch::Lost);
        lines.extend(lost.map(|region| {
            format!("carried the annotation of `{}` in `{}`, but its code was not found", region.given, region.file)
        }));
    }
    if let Some(annotated) = annotated {
        let places = counted(annotated.regions.len(), "place");
        lines.push(format!("the trailers of {} annotate {places}", &annotated.commit[..7]));
    }
    lines
}
