//! The requests and expected responses of each dialect, defined only here. The scripts of `tests/clients` and the
//! Inspector use the same ones.

use std::fmt::Write as _;

use super::scene::Ended;

/// The protocol era of a conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// It begins with `initialize`.
    Legacy,
    /// Every request names its version: 2026-07-28.
    Modern,
}

impl Era {
    /// Returns the Inspector's name for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// A conversation with one dialect.
pub(super) struct Conversation {
    pub(super) dialect: &'static str,
    /// The expected server name.
    pub(super) server: &'static str,
    /// The version negotiated with clients that begin with `initialize`.
    protocol: &'static str,
    n_tools: usize,
    pub(super) steps: &'static [Step],
}

/// A request with its expected responses.
pub(super) struct Step {
    pub(super) ask: Ask,
    /// Path to the compared part of the response, as a JSON array; empty for all of it.
    pick: &'static str,
    legacy: &'static str,
    modern: &'static str,
}

/// A request. Arguments are JSON.
pub(super) enum Ask {
    /// Calls a tool.
    Call(&'static str, &'static str),
    Read(&'static str),
    /// Checks whether a resource is listed.
    Listed(&'static str),
    /// Gets a prompt.
    Prompt(&'static str, &'static str),
}

const fn step(ask: Ask, pick: &'static str, answer: &'static str) -> Step {
    Step { ask, pick, legacy: answer, modern: answer }
}

/// Modern clients get what the specification says where a contract deviates.
const fn differs(ask: Ask, pick: &'static str, legacy: &'static str, modern: &'static str) -> Step {
    Step { ask, pick, legacy, modern }
}

/// All dialects. The last request of each repeats an earlier one: the session must survive errors.
pub(super) const CONVERSATIONS: &[Conversation] = &[
    Conversation {
        dialect: "cairn",
        server: "cairn",
        protocol: "2025-11-25",
        n_tools: 13,
        steps: &[
            step(
                Ask::Call("create", r#"{"kind":"task","title":"Made by a client"}"#),
                r#"["items",0,"title"]"#,
                "Made by a client",
            ),
            step(
                Ask::Call("create", r#"{"kind":"task","titel":"x"}"#),
                "[]",
                "failed unknown argument `titel`; did you mean `title`?",
            ),
            step(Ask::Prompt("review", "{}"), "[]", "1"),
            differs(Ask::Read("cairn://item/999999"), "[]", "error -32002", "error -32602"),
            step(Ask::Call("list", r#"{"limit":1}"#), r#"["items",0,"kind"]"#, "task"),
        ],
    },
    Conversation {
        dialect: "mile",
        server: "git-mile",
        protocol: "2024-11-05",
        n_tools: 2,
        steps: &[
            step(
                Ask::Call("git_mile.list", r#"{"entity":"issue"}"#),
                r#"["items",0,"title"]"#,
                "Login fails on Safari",
            ),
            step(
                Ask::Call("git_mile.show", r#"{"entity":"issue","id":"01a1e1b4-98e3-74a2-99c7-91d1f8425ef1"}"#),
                r#"["description"]"#,
                "The button does nothing.",
            ),
            differs(
                Ask::Call("git_mile.list", r#"{"entity":"issue","filter":"colour == red"}"#),
                r#"["error","code"]"#,
                "error -32602",
                "failed -32602",
            ),
            differs(Ask::Call("git_mile.close", "{}"), "[]", "error -32601", "error -32602"),
            step(
                Ask::Call("git_mile.list", r#"{"entity":"issue"}"#),
                r#"["items",0,"title"]"#,
                "Login fails on Safari",
            ),
        ],
    },
    Conversation {
        dialect: "lazygit",
        server: "lazygit-mcp-bridge",
        protocol: "2024-11-05",
        n_tools: 1,
        steps: &[
            step(Ask::Call("check_lazygit_messages", "{}"), "[]", "No new messages from lazygit"),
            step(Ask::Listed("lazygit://messages"), "[]", "True"),
            step(Ask::Read("lazygit://messages"), "[]", "No new messages from lazygit"),
            step(Ask::Read("lazygit://nothing"), "[]", "error -32602"),
            step(Ask::Call("check_lazygit_messages", "{}"), "[]", "No new messages from lazygit"),
        ],
    },
    Conversation {
        dialect: "quicksilver",
        server: "quicksilver-mcp",
        protocol: "2025-06-18",
        n_tools: 3,
        steps: &[
            step(
                Ask::Call("create_task", r#"{"title":"Made by a client","priority":2}"#),
                r#"["task","title"]"#,
                "Made by a client",
            ),
            differs(
                Ask::Call("create_task", r#"{"title":"x","size":"huge"}"#),
                "[]",
                "error -32602",
                "failed size must be one of small, medium, large, xlarge",
            ),
            differs(Ask::Read("quicksilver://tasks/999999"), "[]", "error -32002", "error -32602"),
            step(Ask::Call("create_task", r#"{"title":"Another"}"#), r#"["task","title"]"#, "Another"),
        ],
    },
    Conversation {
        dialect: "ultragit",
        server: "ultragit",
        protocol: "2025-11-25",
        n_tools: 4,
        steps: &[
            step(Ask::Call("ultragit_read", r#"{"path":"lib.rs"}"#), r#"["regions",0,"intent"]"#, "adds two numbers"),
            step(Ask::Call("ultragit_read", "{}"), "[]", "failed Missing required argument: path"),
            step(Ask::Call("ultragit_write", "{}"), "[]", "error -32602"),
            step(
                Ask::Call("ultragit_history", r#"{"path":"lib.rs"}"#),
                r#"["timeline",0,"intent"]"#,
                "adds two numbers",
            ),
        ],
    },
    Conversation {
        dialect: "taiga",
        server: "taiga-mcp",
        protocol: "2025-11-25",
        n_tools: 29,
        steps: &[
            step(Ask::Call("taiga.list_projects", "{}"), r#"["data","items",0,"slug"]"#, "repository"),
            step(
                Ask::Call("taiga.create_epic", r#"{"subject":"Made by a client"}"#),
                r#"["data","subject"]"#,
                "Made by a client",
            ),
            step(Ask::Call("taiga.create_issue", "{}"), r#"["error","message"]"#, "failed subject: Required"),
            step(Ask::Call("taiga.close_issue", "{}"), "[]", "error -32602"),
            step(Ask::Call("taiga.list_projects", "{}"), r#"["data","items",0,"slug"]"#, "repository"),
        ],
    },
];

impl Conversation {
    /// Serializes the requests for a script.
    pub(super) fn steps(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(Step::written).collect();
        format!("[{}]", steps.join(","))
    }

    /// Checks the report of a script.
    pub(super) fn judge(&self, era: Era, ended: &Ended) -> Result<(), String> {
        let expected = self.report(era);
        if ended.code == Some(0) && ended.stdout.trim_end() == expected {
            return Ok(());
        }
        Err(format!("{}\nexpected: {expected}\n   heard: {ended}", self.dialect))
    }

    fn report(&self, era: Era) -> String {
        let mut report = String::from("{\"answers\":[");
        for (n, step) in self.steps.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let _ = write!(report, "{comma}\"{}\"", step.answer(era));
        }
        let protocol = if era == Era::Legacy { self.protocol } else { "2026-07-28" };
        let _ =
            write!(report, "],\"protocol\":\"{protocol}\",\"server\":\"{}\",\"tools\":{}}}", self.server, self.n_tools);
        report
    }
}

impl Step {
    /// Returns the expected response.
    pub(super) fn answer(&self, era: Era) -> &'static str {
        if era == Era::Legacy { self.legacy } else { self.modern }
    }

    fn written(&self) -> String {
        let pick = self.pick;
        match &self.ask {
            Ask::Call(name, arguments) => format!(r#"{{"call":"{name}","arguments":{arguments},"pick":{pick}}}"#),
            Ask::Read(uri) => format!(r#"{{"read":"{uri}","pick":{pick}}}"#),
            Ask::Listed(uri) => format!(r#"{{"listed":"{uri}"}}"#),
            Ask::Prompt(name, arguments) => format!(r#"{{"prompt":"{name}","arguments":{arguments}}}"#),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_words_of_the_era_will_do() {
        let mile = CONVERSATIONS.iter().find(|one| one.dialect == "mile").expect("it is there");
        let ended =
            |code| Ended { code: Some(code), stdout: format!("{}\n", mile.report(Era::Legacy)), stderr: "a".into() };
        assert!(mile.judge(Era::Legacy, &ended(0)).is_ok());
        assert!(mile.judge(Era::Legacy, &ended(1)).is_err());
        let error = mile.judge(Era::Modern, &ended(0)).unwrap_err();
        insta::assert_snapshot!(error, @r#"
        mile
        expected: {"answers":["Login fails on Safari","The button does nothing.","failed -32602","error -32602","Login fails on Safari"],"protocol":"2026-07-28","server":"git-mile","tools":2}
           heard: code 0
          stdout: {"answers":["Login fails on Safari","The button does nothing.","error -32602","error -32601","Login fails on Safari"],"protocol":"2024-11-05","server":"git-mile","tools":2}
          stderr: a
        "#);
    }

    #[test]
    fn questions_are_written_for_the_scripts() {
        let lazygit = CONVERSATIONS.iter().find(|one| one.dialect == "lazygit").expect("it is there");
        assert!(
            lazygit.steps().starts_with(r#"[{"call":"check_lazygit_messages","arguments":{},"pick":[]},{"listed":"#)
        );
    }
}
