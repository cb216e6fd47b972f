//! `cargo xtask clients`: the official MCP clients hold a conversation with the built server, over stdio and over HTTP,
//! in both eras of the protocol. What they must hear is in `expected`, and nowhere else.

mod expected;
mod inspector;
mod scene;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use expected::Era;
use scene::{Scene, Transport};

use crate::tools::node::Node;
use crate::tools::python;
use crate::{command, report};

/// A client that answers in the words of `tests/clients`.
struct Client {
    name: &'static str,
    language: Language,
    /// Which generation of the SDK the script loads.
    sdk: &'static str,
    /// How the script is told to begin.
    mode: &'static str,
    /// What that comes to with a server that speaks both.
    era: Era,
}

#[derive(Clone, Copy)]
enum Language {
    TypeScript,
    Python,
}

const CLIENTS: &[Client] = &[
    client("TypeScript sdk 1.32", Language::TypeScript, "sdk1", "legacy", Era::Legacy),
    client("TypeScript client 2.4", Language::TypeScript, "sdk2", "legacy", Era::Legacy),
    client("TypeScript client 2.4, auto", Language::TypeScript, "sdk2", "auto", Era::Modern),
    client("Python mcp 1.30", Language::Python, "sdk1", "legacy", Era::Legacy),
    client("Python mcp 2.3", Language::Python, "sdk2", "legacy", Era::Legacy),
    client("Python mcp 2.3, auto", Language::Python, "sdk2", "auto", Era::Modern),
];

const fn client(name: &'static str, language: Language, sdk: &'static str, mode: &'static str, era: Era) -> Client {
    Client { name, language, sdk, mode, era }
}

/// Runs every client over every transport; fails when one of them hears anything else than it must.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("`clients` takes no argument, not `{unknown}`"));
    }
    converse(root, &Programs::find_or_install(root)?)
}

/// Runs every client with programs that were found.
pub(crate) fn converse(root: &Path, programs: &Programs) -> Result<(), String> {
    command::run(&mut command::cargo(root, &["build", "--locked", "--package", "git-cairn"]))?;
    let scene = Scene::new(root)?;
    let mut rows = Vec::new();
    for transport in [Transport::Stdio, Transport::Http] {
        for client in CLIENTS {
            rows.push(row(client.name, transport, || programs.converse(client, &scene, transport)));
        }
        if transport == Transport::Http {
            for client in CLIENTS {
                let name = format!("{}, tasks", client.name);
                rows.push(row(&name, transport, || programs.converse_about_tasks(client, &scene)));
            }
        }
        for era in [Era::Legacy, Era::Modern] {
            let name = format!("Inspector 2.12, {}", era.name());
            rows.push(row(&name, transport, || inspector::converse(programs, &scene, transport, era)));
        }
    }
    report::answer(&table(&rows));
    let n_failed = rows.iter().filter(|row| row.outcome.is_err()).count();
    if n_failed == 0 { Ok(()) } else { Err(format!("clients that heard something else: {n_failed}")) }
}

/// What runs the clients.
pub(crate) struct Programs {
    node: Node,
    packages: PathBuf,
    first_python: PathBuf,
    second_python: PathBuf,
    scripts: PathBuf,
}

impl Programs {
    /// Finds or installs all of them; npm and Python must be there.
    pub(crate) fn find_or_install(root: &Path) -> Result<Self, String> {
        let scripts = root.join("tests/clients");
        let node = Node::find_or_install(root)?;
        Ok(Self {
            packages: node.packages(root, "tests/clients")?,
            node,
            first_python: python::environment(root, "tests-clients-mcp-1", &scripts.join("python-mcp-1.txt"))?,
            second_python: python::environment(root, "tests-clients-mcp-2", &scripts.join("python-mcp-2.txt"))?,
            scripts,
        })
    }

    fn converse(&self, client: &Client, scene: &Scene, transport: Transport) -> Result<(), String> {
        let mut command = self.command(client, transport);
        let ended = scene.run(command.args(scene.target(transport)))?;
        expected::conversation(client.era, &ended)
    }

    fn converse_about_tasks(&self, client: &Client, scene: &Scene) -> Result<(), String> {
        let mut command = self.command(client, Transport::Http);
        let ended = scene.run(command.arg(scene.tasks()).env("CLIENT_TOKEN", scene::TOKEN))?;
        expected::conversation_about_tasks(client.era, &ended)
    }

    fn command(&self, client: &Client, transport: Transport) -> Command {
        let mut command = match (client.language, client.sdk) {
            (Language::TypeScript, _) => self.script(&self.scripts.join("client.mjs")),
            (Language::Python, "sdk1") => self.python(&self.first_python),
            (Language::Python, _) => self.python(&self.second_python),
        };
        command.env("CLIENT_PACKAGES", &self.packages).args([client.sdk, client.mode]).arg(transport.name());
        command
    }

    fn script(&self, script: &Path) -> Command {
        let mut command = self.node.command("node");
        command.arg(script);
        command
    }

    fn python(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.arg(self.scripts.join("client.py"));
        command
    }
}

struct Row {
    name: String,
    transport: Transport,
    outcome: Result<(), String>,
    took: Duration,
}

fn row(name: &str, transport: Transport, converse: impl FnOnce() -> Result<(), String>) -> Row {
    let start = Instant::now();
    let outcome = converse();
    let row = Row { name: name.to_owned(), transport, outcome, took: start.elapsed() };
    report::note(&line(&row));
    if let Err(error) = &row.outcome {
        report::note(error);
    }
    row
}

fn table(rows: &[Row]) -> String {
    let mut table = String::new();
    for row in rows {
        let _ = writeln!(table, "{}", line(row));
    }
    table.trim_end().to_owned()
}

fn line(row: &Row) -> String {
    let word = if row.outcome.is_ok() { "passed" } else { "FAILED" };
    format!("{:<36} {:<6} {word:<7} {:>5.1} s", row.name, row.transport.name(), row.took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_client_transport_and_outcome() {
        let row = |name: &str, transport, outcome| {
            let took = Duration::from_millis(1234);
            Row { name: name.to_owned(), transport, outcome, took }
        };
        let rows = [row("one", Transport::Stdio, Ok(())), row("two", Transport::Http, Err("no".to_owned()))];
        let expected = "\
one                                  stdio  passed    1.2 s
two                                  http   FAILED    1.2 s";
        assert_eq!(table(&rows), expected);
    }
}
