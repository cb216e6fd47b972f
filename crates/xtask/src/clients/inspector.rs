//! The Inspector's command line: one process per request, with its own exit codes.

use std::process::Command;

use super::Programs;
use super::conversation::{Ask, Conversation, Era};
use super::scene::{self, Ended, Scene, Transport};

const PROGRAM: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// The Inspector's exit code for a failed tool result and for an unknown tool.
const TOOL_FAILED: i32 = 5;

/// How a command must end.
struct Ending {
    /// Expected exit code.
    code: i32,
    /// Text that the output must contain.
    says: String,
    /// Whether stderr must be empty.
    is_quiet: bool,
}

impl Ending {
    fn well(says: impl Into<String>) -> Self {
        Self { code: 0, says: says.into(), is_quiet: true }
    }
}

/// Requests the server info, the tools in strict mode, one existing and one unknown tool; reports each unexpected
/// result.
pub(super) fn converse(
    programs: &Programs,
    scene: &Scene,
    transport: Transport,
    era: Era,
    conversation: &Conversation,
) -> Result<(), String> {
    let ask = |question: &[&str], ending: &Ending| {
        let mut command = inspector(programs, scene, era);
        command.args(["--transport", transport.name()]);
        command.args(scene.target(transport, conversation.dialect)).args(question);
        if transport == Transport::Http {
            command.args(["--header", &format!("Authorization: Bearer {}", scene::TOKEN)]);
        }
        let ended = scene.run(&mut command)?;
        ending.judge(&ended).map_err(|error| format!("Inspector, {}:\n{error}", question.join(" ")))
    };
    let initialized = match era {
        Era::Legacy => format!("\"name\":\"{}\"", conversation.server),
        Era::Modern => "\"protocolVersion\":\"2026-07-28\"".to_owned(),
    };
    let call = |name, arguments| ["--method", "tools/call", "--tool-name", name, "--tool-args-json", arguments];
    let first = conversation.steps.first().ok_or("a conversation asks something")?;
    let Ask::Call(name, arguments) = first.ask else { return Err("a conversation begins with a call".to_owned()) };
    let unknown = Ending { code: TOOL_FAILED, says: "tool_not_found".to_owned(), is_quiet: false };
    let answers = [
        ask(&["--method", "initialize"], &Ending::well(initialized)),
        // Not even a schema warning.
        ask(&["--method", "tools/list", "--strict"], &Ending::well(format!("\"name\":\"{name}\""))),
        ask(&call(name, arguments), &Ending::well(first.answer(era))),
        ask(&call("no_such_tool", "{}"), &unknown),
    ];
    let wrong: Vec<String> = answers.into_iter().filter_map(Result::err).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn inspector(programs: &Programs, scene: &Scene, era: Era) -> Command {
    let mut command = programs.script(&programs.packages.join(PROGRAM));
    // Otherwise it would use the person's own catalog and settings.
    command.env("MCP_CATALOG_PATH", scene.path("catalog.json"));
    command.env("MCP_CLIENT_CONFIG_PATH", scene.path("client.json"));
    command.args(["--cli", "--format", "json", "--protocol-era", era.name()]);
    command
}

impl Ending {
    fn judge(&self, ended: &Ended) -> Result<(), String> {
        let is_said = ended.stdout.contains(&self.says) || ended.stderr.contains(&self.says);
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

    #[test]
    fn warning_code_and_words_all_count() {
        let ended = |code, stdout: &str, stderr: &str| Ended {
            code: Some(code),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let ending = Ending::well("words");
        assert!(ending.judge(&ended(0, "the words", "")).is_ok());
        assert!(ending.judge(&ended(6, "the words", "")).is_err());
        assert!(ending.judge(&ended(0, "the words", "1 schema warning")).is_err());
        assert!(ending.judge(&ended(0, "{}", "")).is_err());
    }
}
