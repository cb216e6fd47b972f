//! Checks the messages of the newest commits: a short subject, then a body that says why.

use std::path::Path;
use std::process::Command;

/// Maximum length of a subject: `git log --oneline` must show it whole beside a graph.
const MAX_SUBJECT: usize = 60;
/// How many commits are checked: those that one branch brings. Published ones cannot be corrected.
const N_NEWEST: &str = "-10";

/// Checks the newest commits that are not merges. A repository without one passes.
pub(super) fn check_newest(root: &Path) -> Result<(), String> {
    let log =
        Command::new("git").current_dir(root).args(["log", N_NEWEST, "-z", "--no-merges", "--format=%B"]).output();
    match log {
        Ok(output) if output.status.success() => check_messages(&String::from_utf8_lossy(&output.stdout)),
        _ => Ok(()),
    }
}

/// Checks messages that are separated by NUL.
fn check_messages(log: &str) -> Result<(), String> {
    log.split('\0').try_for_each(check_message)
}

fn check_message(message: &str) -> Result<(), String> {
    let mut lines = message.trim().lines();
    let subject = lines.next().unwrap_or_default();
    let length = subject.chars().count();
    if length > MAX_SUBJECT {
        return Err(format!("the subject of a commit has {length} characters, more than {MAX_SUBJECT}: {subject}"));
    }
    if !subject.is_empty() && lines.all(|line| line.trim().is_empty()) {
        return Err(format!("a commit has no body that says why: {subject}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_is_short_and_a_body_follows() {
        assert_eq!(check_message("store: group commit\n\nOne fsync for many writers.\n"), Ok(()));
        assert_eq!(check_message(""), Ok(()));
        insta::assert_snapshot!(check_message("store: group commit\n").unwrap_err(), @"a commit has no body that says why: store: group commit");
        insta::assert_snapshot!(check_message(&format!("{}\n\nwhy\n", "x".repeat(61))).unwrap_err(), @"the subject of a commit has 61 characters, more than 60: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        assert_eq!(check_message(&format!("{}\n\nwhy\n", "é".repeat(60))), Ok(()));
    }

    #[test]
    fn every_message_is_checked() {
        assert_eq!(check_messages("a: b\n\nwhy\n\0c: d\n\nwhy\n\0"), Ok(()));
        insta::assert_snapshot!(check_messages("a: b\n\nwhy\n\0c: d\n\0").unwrap_err(), @"a commit has no body that says why: c: d");
    }
}
