//! Pushes our references. A push is the compare-and-swap of the remote: never forced, and [`PushSpec`] cannot express
//! force.

use super::program::GitProgress;
use super::{GitError, RefName, Repository, remote};

/// What to push where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSpec {
    /// The local reference.
    pub from: RefName,
    /// The reference on the remote.
    pub to: RefName,
}

/// The result for one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushStatus {
    /// Updated on the remote.
    Pushed,
    /// Already up to date.
    UpToDate,
    /// The remote has commits that we lack: fetch, merge and try again.
    RejectedNonFastForward,
    /// The remote's reference is locked, in git's words: a concurrent push, or one that was killed.
    Locked(String),
    /// The remote rejected it, in its own words.
    RejectedOther(String),
}

/// The results of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushOutcome {
    /// The remote's references and their results.
    pub refs: Vec<(RefName, PushStatus)>,
}

impl PushOutcome {
    /// Returns whether the remote has everything now.
    pub fn is_complete(&self) -> bool {
        self.refs.iter().all(|(_, status)| matches!(status, PushStatus::Pushed | PushStatus::UpToDate))
    }

    /// Returns whether a reference is locked on the remote.
    pub fn is_locked(&self) -> bool {
        self.refs.iter().any(|(_, status)| matches!(status, PushStatus::Locked(_)))
    }
}

impl Repository {
    /// Pushes references, each independently. A rejection is a result; only a push that did not happen is an error.
    pub fn push(&self, remote: &str, specs: &[PushSpec], progress: GitProgress) -> Result<PushOutcome, GitError> {
        remote::check(remote)?;
        let mut command = self.git_as_person();
        // With `mirror`, git refuses to push single references.
        command.args(["-c", &format!("remote.{remote}.mirror=false")]);
        command.args(["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"]);
        command.args([if progress == GitProgress::Show { "--progress" } else { "--no-progress" }, "--", remote]);
        command.args(specs.iter().map(|PushSpec { from, to }| format!("{from}:{to}")));
        let output = command.progress(progress).run_to_end()?;
        let refs = parse(&output.stdout, &output.stderr);
        if refs.is_empty() && output.code != Some(0) {
            return Err(command.failure(output));
        }
        Ok(PushOutcome { refs })
    }
}

/// Parses `git push --porcelain`: flag, `from:to` and summary, separated by tabs.
fn parse(stdout: &str, stderr: &str) -> Vec<(RefName, PushStatus)> {
    let mut refs = Vec::new();
    for line in stdout.lines() {
        let mut fields = line.splitn(3, '\t');
        let (Some(flag), Some(names), Some(summary)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let Some(Ok(to)) = names.split_once(':').map(|(_, to)| to.parse()) else {
            continue;
        };
        let status = match flag {
            "!" => rejected(summary, stderr),
            "=" => PushStatus::UpToDate,
            _ => PushStatus::Pushed,
        };
        refs.push((to, status));
    }
    refs
}

/// Recognizes rejections because the remote moved, also during the push, and rejections because of a lock.
fn rejected(summary: &str, stderr: &str) -> PushStatus {
    let is_behind = ["(fetch first)", "(non-fast-forward)", "(stale info)", "(incorrect old value provided)"];
    let lost_race = ["but expected", "reference already exists"];
    let is_race = |text: &str| lost_race.iter().any(|sign| text.contains(sign));
    let failed_to_update = summary.contains("failed to update ref") || summary.contains("cannot lock ref");
    if is_behind.iter().any(|sign| summary.contains(sign)) || is_race(summary) || (failed_to_update && is_race(stderr))
    {
        return PushStatus::RejectedNonFastForward;
    }
    let reason = if failed_to_update { stderr } else { summary };
    match reason.lines().chain(summary.lines()).find(|line| line.contains(".lock") && line.contains("File exists")) {
        Some(line) => PushStatus::Locked(without_prefix(line).to_owned()),
        None => PushStatus::RejectedOther(with_reason(summary, stderr)),
    }
}

/// Adds the remote's error message to the summary, which only says that it failed.
fn with_reason(summary: &str, stderr: &str) -> String {
    match stderr.lines().find(|line| line.starts_with("remote: ") && line.contains("error:")) {
        Some(line) => format!("{summary}: {}", without_prefix(line)),
        None => summary.to_owned(),
    }
}

fn without_prefix(line: &str) -> &str {
    let line = line.trim_start_matches("remote: ").trim();
    line.trim_start_matches("error: ").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_lines_are_sorted_by_flag() {
        let check = |line: &str, expected: PushStatus| {
            let stdout = format!("To /srv/hub.git\n{line}\nDone\n");
            assert_eq!(parse(&stdout, ""), [(RefName::WORK, expected)], "{line}");
        };
        check("*\trefs/cairn/work:refs/cairn/work\t[new reference]", PushStatus::Pushed);
        check(" \trefs/cairn/work:refs/cairn/work\t123..456", PushStatus::Pushed);
        check("=\trefs/cairn/work:refs/cairn/work\t[up to date]", PushStatus::UpToDate);
        check("!\trefs/cairn/work:refs/cairn/work\t[rejected] (fetch first)", PushStatus::RejectedNonFastForward);
        let hook = "[remote rejected] (pre-receive hook declined)";
        check(&format!("!\trefs/cairn/work:refs/cairn/work\t{hook}"), PushStatus::RejectedOther(hook.to_owned()));
    }

    #[test]
    fn a_race_lost_on_the_remote_is_no_other_rejection() {
        let summary = "[remote rejected] (failed to update ref)";
        let stderr = "remote: error: cannot lock ref 'refs/cairn/work': is at 1 but expected 2";
        assert_eq!(rejected(summary, stderr), PushStatus::RejectedNonFastForward);
        assert_eq!(rejected(summary, "remote: disk full"), PushStatus::RejectedOther(summary.to_owned()));
        let full = "remote: error: unable to write file: No space left on device";
        let why = format!("{summary}: unable to write file: No space left on device");
        assert_eq!(rejected(summary, full), PushStatus::RejectedOther(why));
    }

    #[test]
    fn a_lock_on_the_remote_is_reported_in_gits_words() {
        let why =
            "cannot lock ref 'refs/cairn/work': Unable to create '/srv/hub.git/refs/cairn/work.lock': File exists.";
        let stderr = format!("remote: error: {why}        \nremote: Another git process seems to be running");
        let summary = "[remote rejected] (failed to update ref)";
        assert_eq!(rejected(summary, &stderr), PushStatus::Locked(why.to_owned()));
    }
}
