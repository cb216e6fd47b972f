//! What clients must hear of the fixture's items: the one place that says so.
//!
//! The scripts print sorted keys and no blanks, so that two texts can be compared and no reader of JSON is needed.

use super::scene::Ended;

/// Which rules a conversation follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// It begins with `initialize`.
    Legacy,
    /// Every request says its version: 2026-07-28.
    Modern,
}

impl Era {
    /// Returns its name, as the Inspector has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }

    /// Returns the version of the protocol that is agreed on. The contract fixes the older one.
    pub(super) fn protocol(self) -> &'static str {
        match self {
            Self::Legacy => "2024-11-05",
            Self::Modern => "2026-07-28",
        }
    }
}

/// Judges what a script of `tests/clients` said about issues.
pub(super) fn conversation(era: Era, ended: &Ended) -> Result<(), String> {
    judge(&report(era), ended)
}

/// Judges what a script of `tests/clients` said about tasks.
pub(super) fn conversation_about_tasks(era: Era, ended: &Ended) -> Result<(), String> {
    let (bad_size, protocol) = match era {
        Era::Legacy => ("error -32602", "2025-06-18"),
        Era::Modern => ("result size must be one of small, medium, large, xlarge", era.protocol()),
    };
    let expected = format!(
        "{{\"badSize\":\"{bad_size}\",\
        \"completed\":\"2025-01-14\",\
        \"isListed\":true,\
        \"protocol\":\"{protocol}\",\
        \"server\":\"quicksilver-mcp\",\
        \"task\":\"Made by a client\",\
        \"tools\":[\"create_task\",\"update_task\",\"complete_task\"]}}"
    );
    judge(&expected, ended)
}

fn judge(expected: &str, ended: &Ended) -> Result<(), String> {
    if ended.code == Some(0) && ended.stdout.trim_end() == expected {
        return Ok(());
    }
    Err(format!("expected: {expected}\n   heard: {ended}"))
}

fn report(era: Era) -> String {
    // Of modern clients the specification wants faults of a known tool told to the model, and unknown ones refused.
    let (bad_filter, unknown_tool) = match era {
        Era::Legacy => ("error -32602", "error -32601"),
        Era::Modern => ("result -32602", "error -32602"),
    };
    let protocol = era.protocol();
    format!(
        "{{\"badFilter\":\"{bad_filter}\",\
        \"issues\":[\"Login fails on Safari\",\"Write the release notes\"],\
        \"issuesAgain\":2,\
        \"protocol\":\"{protocol}\",\
        \"server\":\"git-mile\",\
        \"shown\":\"The button does nothing.\",\
        \"tools\":[\"git_mile.list\",\"git_mile.show\"],\
        \"unknownTool\":\"{unknown_tool}\"}}"
    )
}

/// How one command of the Inspector must end.
pub(super) struct Ending {
    /// 0, or what the Inspector has for this failure.
    pub(super) code: i32,
    /// Must stand in what it prints.
    pub(super) says: &'static str,
    /// Whether it may say anything on stderr.
    pub(super) is_quiet: bool,
}

/// The Inspector's code for a result that says it failed, and for a tool that the server does not have.
const TOOL_FAILED: i32 = 5;

/// Returns how the Inspector must end for `initialize`.
pub(super) fn initialized(era: Era) -> Ending {
    let says = match era {
        Era::Legacy => "\"name\":\"git-mile\",\"title\":\"Issues and milestones in git\"",
        Era::Modern => "\"protocolVersion\":\"2026-07-28\"",
    };
    Ending { code: 0, says, is_quiet: true }
}

/// Returns how it must end for a strict `tools/list`: not even a warning about a schema.
pub(super) fn listed() -> Ending {
    Ending { code: 0, says: "{\"name\":\"git_mile.show\"", is_quiet: true }
}

/// Returns how it must end for a call that succeeds.
pub(super) fn called() -> Ending {
    Ending { code: 0, says: "\\\"title\\\":\\\"Login fails on Safari\\\"", is_quiet: true }
}

/// Returns how it must end for a filter with an unknown field.
pub(super) fn bad_filter(era: Era) -> Ending {
    match era {
        Era::Legacy => Ending { code: 1, says: "unknown field `colour` at column 1", is_quiet: false },
        Era::Modern => Ending { code: TOOL_FAILED, says: "\\\"code\\\":\\\"-32602\\\"", is_quiet: false },
    }
}

/// Returns how it must end for a tool that does not exist.
pub(super) fn unknown_tool() -> Ending {
    Ending { code: TOOL_FAILED, says: "tool_not_found", is_quiet: false }
}

/// Returns how it must end where there is no repository: work that fails is a result that says so, in both eras.
pub(super) fn no_repository() -> Ending {
    Ending { code: TOOL_FAILED, says: "\\\"code\\\":\\\"-32001\\\"", is_quiet: false }
}

impl Ending {
    /// Judges how the Inspector ended.
    pub(super) fn judge(&self, ended: &Ended) -> Result<(), String> {
        let is_said = ended.stdout.contains(self.says) || ended.stderr.contains(self.says);
        let is_quiet = !self.is_quiet || ended.stderr.trim().is_empty();
        if ended.code == Some(self.code) && is_said && is_quiet {
            return Ok(());
        }
        let quietly = if self.is_quiet { ", and nothing on stderr" } else { "" };
        Err(format!("expected: code {} and `{}`{quietly}\n   heard: {ended}", self.code, self.says))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: i32, stdout: &str, stderr: &str) -> Ended {
        Ended { code: Some(code), stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }

    #[test]
    fn only_the_very_words_of_the_era_will_do() {
        let heard = format!("{}\n", report(Era::Legacy));
        assert!(conversation(Era::Legacy, &ended(0, &heard, "a warning")).is_ok());
        assert!(conversation(Era::Legacy, &ended(1, &heard, "")).is_err());
        let error = conversation(Era::Modern, &ended(0, &heard, "")).unwrap_err();
        assert!(error.contains("2026-07-28") && error.contains("2024-11-05"), "{error}");
    }

    #[test]
    fn warning_code_and_words_of_the_inspector_all_count() {
        let says = listed().says;
        assert!(listed().judge(&ended(0, says, "")).is_ok());
        assert!(listed().judge(&ended(6, says, "")).is_err());
        assert!(listed().judge(&ended(0, says, "1 schema warning")).is_err());
        assert!(listed().judge(&ended(0, "{}", "")).is_err());
    }
}
