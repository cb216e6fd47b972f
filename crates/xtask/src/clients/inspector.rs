//! The Inspector's command line: a process for each question, with exit codes of its own.

use std::process::Command;

use super::Programs;
use super::expected::{self, Ending, Era};
use super::scene::{Scene, Transport};

const PROGRAM: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

const LIST: &[&str] = &["--method", "tools/call", "--tool-name", "git_mile.list", "--tool-args-json"];

/// Asks everything once, and tells of each answer that is not what it must be.
pub(super) fn converse(programs: &Programs, scene: &Scene, transport: Transport, era: Era) -> Result<(), String> {
    let ask = |target: Vec<String>, question: &[&str], ending: &Ending| {
        let mut command = inspector(programs, scene, era);
        command.args(["--transport", transport.name()]);
        let ended = scene.run(command.args(target).args(question))?;
        ending.judge(&ended).map_err(|error| format!("Inspector, {}:\n{error}", question.join(" ")))
    };
    let here = || scene.target(transport);
    let call = |arguments| [LIST, &[arguments]].concat();
    let unknown = ["--method", "tools/call", "--tool-name", "git_mile.close", "--tool-args-json", "{}"];
    let filter = "{\"entity\":\"issue\",\"filter\":\"colour == red\"}";
    let mut answers = vec![
        ask(here(), &["--method", "initialize"], &expected::initialized(era)),
        ask(here(), &["--method", "tools/list", "--strict"], &expected::listed()),
        ask(here(), &call("{\"entity\":\"issue\",\"limit\":1}"), &expected::called()),
        ask(here(), &call(filter), &expected::bad_filter(era)),
        ask(here(), &unknown, &expected::unknown_tool()),
    ];
    if transport == Transport::Stdio {
        answers.push(ask(scene.nowhere(), &call("{\"entity\":\"issue\"}"), &expected::no_repository()));
    }
    let wrong: Vec<String> = answers.into_iter().filter_map(Result::err).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn inspector(programs: &Programs, scene: &Scene, era: Era) -> Command {
    let mut command = programs.script(&programs.packages.join(PROGRAM));
    // Its catalogue and settings are the person's own.
    command.env("MCP_CATALOG_PATH", scene.path("catalog.json"));
    command.env("MCP_CLIENT_CONFIG_PATH", scene.path("client.json"));
    command.args(["--cli", "--format", "json", "--protocol-era", era.name()]);
    command
}
