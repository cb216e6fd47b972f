//! `cargo xtask clients`: runs the official MCP clients against the built server, over stdio and HTTP, in both protocol
//! eras, for every dialect. The expectations are only in `conversation`; the results are the page
//! `docs/reference/mcp-clients.md`.

mod conversation;
mod inspector;
mod page;
mod scene;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use conversation::{CONVERSATIONS, Conversation, Era};
use scene::{Scene, Transport};
use xtask::tools::node::Node;
use xtask::tools::python;
use xtask::{program, report};

/// A client and how it is run.
struct Client {
    /// Package name.
    name: &'static str,
    /// Its version; the lock files of `tests/clients` have the same.
    version: &'static str,
    program: Program,
    /// The era that it negotiates with a server that supports both.
    era: Era,
}

/// The program of a client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    /// A script of `tests/clients` with the SDK generation to load and the mode.
    TypeScript(&'static str, &'static str),
    Python(&'static str, &'static str),
    Inspector,
}

static CLIENTS: &[Client] = &[
    client("@modelcontextprotocol/sdk", "1.32.2", Program::TypeScript("sdk1", "legacy"), Era::Legacy),
    client("@modelcontextprotocol/client", "2.4.0", Program::TypeScript("sdk2", "legacy"), Era::Legacy),
    client("@modelcontextprotocol/client", "2.4.0", Program::TypeScript("sdk2", "auto"), Era::Modern),
    client("mcp (Python)", "1.30.0", Program::Python("sdk1", "legacy"), Era::Legacy),
    client("mcp (Python)", "2.3.0", Program::Python("sdk2", "legacy"), Era::Legacy),
    client("mcp (Python)", "2.3.0", Program::Python("sdk2", "auto"), Era::Modern),
    client("@modelcontextprotocol/inspector", "2.12.0", Program::Inspector, Era::Legacy),
    client("@modelcontextprotocol/inspector", "2.12.0", Program::Inspector, Era::Modern),
];

const fn client(name: &'static str, version: &'static str, program: Program, era: Era) -> Client {
    Client { name, version, program, era }
}

/// Runs every client over every transport with every dialect; fails on any unexpected result, or if the page is
/// outdated.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let is_written = match arguments {
        [] => false,
        [word] if word == "--write" => true,
        [unknown, ..] => return Err(format!("`clients` takes `--write` or nothing, not `{unknown}`")),
    };
    let page = converse_all(root, &Programs::find_or_install(root)?)?;
    if is_written {
        fs::write(root.join(page::PATH), page).map_err(|error| error.to_string())
    } else {
        check(root, &page)
    }
}

/// Runs every client with the given programs.
pub(crate) fn converse(root: &Path, programs: &Programs) -> Result<(), String> {
    check(root, &converse_all(root, programs)?)
}

fn check(root: &Path, page: &str) -> Result<(), String> {
    let path = page::PATH;
    let is_same = fs::read_to_string(root.join(path)).is_ok_and(|written| written == page);
    if is_same { Ok(()) } else { Err(format!("`{path}` is stale; `cargo xtask clients --write` writes it")) }
}

/// Runs all conversations and returns the page.
fn converse_all(root: &Path, programs: &Programs) -> Result<String, String> {
    program::build(root)?;
    let scene = Scene::new(root)?;
    let mut rows = Vec::new();
    for client in CLIENTS {
        for transport in [Transport::Stdio, Transport::Http] {
            for conversation in CONVERSATIONS {
                rows.push(row(client, transport, conversation, || {
                    programs.converse(client, &scene, transport, conversation)
                }));
            }
        }
    }
    programs.meet_another_server(&scene)?;
    report::answer(&table(&rows));
    let n_failed = rows.iter().filter(|row| row.outcome.is_err()).count();
    if n_failed == 0 { Ok(page::page(&rows)) } else { Err(format!("conversations that went otherwise: {n_failed}")) }
}

/// The programs that run the clients.
pub(crate) struct Programs {
    node: Node,
    packages: PathBuf,
    first_python: PathBuf,
    second_python: PathBuf,
    scripts: PathBuf,
}

impl Programs {
    /// Finds or installs all of them; npm and Python are required.
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

    fn converse(
        &self,
        client: &Client,
        scene: &Scene,
        transport: Transport,
        conversation: &Conversation,
    ) -> Result<(), String> {
        let (mut command, sdk, mode) = match client.program {
            Program::Inspector => return inspector::converse(self, scene, transport, client.era, conversation),
            Program::TypeScript(sdk, mode) => (self.script(&self.scripts.join("client.mjs")), sdk, mode),
            Program::Python("sdk1", mode) => (self.python(&self.first_python), "sdk1", mode),
            Program::Python(sdk, mode) => (self.python(&self.second_python), sdk, mode),
        };
        command.env("CLIENT_PACKAGES", &self.packages).env("CLIENT_STEPS", conversation.steps());
        command.env("CLIENT_TOKEN", scene::TOKEN).args([sdk, mode, transport.name()]);
        let ended = scene.run(command.args(scene.target(transport, conversation.dialect)))?;
        conversation.judge(client.era, &ended)
    }

    /// Sends requests of a session to a server that did not open it, with both generations of the TypeScript SDK.
    fn meet_another_server(&self, scene: &Scene) -> Result<(), String> {
        let other = scene.serve_again()?;
        for sdk in ["sdk1", "sdk2"] {
            let mut command = self.script(&self.scripts.join("other_server.mjs"));
            command.env("CLIENT_PACKAGES", &self.packages).env("CLIENT_TOKEN", scene::TOKEN).arg(sdk);
            command.args(scene.target(Transport::Http, "cairn")).arg(scene::url_of(&other, "cairn"));
            let ended = scene.run(&mut command)?;
            if ended.code != Some(0) {
                return Err(format!("a session at another server, {sdk}: {ended}"));
            }
            report::note(ended.stdout.trim_end());
        }
        Ok(())
    }

    /// Returns the folder of the packages of `tests/clients`.
    pub(crate) fn packages(&self) -> &Path {
        &self.packages
    }

    pub(crate) fn script(&self, script: &Path) -> Command {
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
    client: &'static Client,
    transport: Transport,
    dialect: &'static str,
    outcome: Result<(), String>,
    took: Duration,
}

fn row(
    client: &'static Client,
    transport: Transport,
    conversation: &Conversation,
    converse: impl FnOnce() -> Result<(), String>,
) -> Row {
    let start = Instant::now();
    let outcome = converse();
    let row = Row { client, transport, dialect: conversation.dialect, outcome, took: start.elapsed() };
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
    let Client { name, version, era, .. } = row.client;
    let client = format!("{name} {version}, {}", era.name());
    let (transport, dialect) = (row.transport.name(), row.dialect);
    format!("{client:<48} {transport:<6} {dialect:<12} {word:<7} {:>5.1} s", row.took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for client in CLIENTS {
            for transport in [Transport::Stdio, Transport::Http] {
                for conversation in CONVERSATIONS {
                    let took = Duration::from_millis(1234);
                    rows.push(Row { client, transport, dialect: conversation.dialect, outcome: Ok(()), took });
                }
            }
        }
        rows
    }

    #[test]
    fn table_names_client_transport_dialect_and_outcome() {
        let mut rows = rows();
        rows.truncate(2);
        rows[1].outcome = Err("no".to_owned());
        let expected = "\
@modelcontextprotocol/sdk 1.32.2, legacy         stdio  cairn        passed    1.2 s
@modelcontextprotocol/sdk 1.32.2, legacy         stdio  mile         FAILED    1.2 s";
        assert_eq!(table(&rows), expected);
    }

    #[test]
    fn page_tells_of_every_client_in_the_table() {
        assert_eq!(page::page(&rows()), include_str!("../../../docs/reference/mcp-clients.md"));
    }

    #[test]
    fn versions_are_those_of_the_lock_files() {
        let packages = include_str!("../../../tests/clients/package.json");
        let pythons = [
            include_str!("../../../tests/clients/python-mcp-1.txt"),
            include_str!("../../../tests/clients/python-mcp-2.txt"),
        ];
        for Client { name, version, program, .. } in CLIENTS {
            let is_locked = match program {
                Program::Python(..) => pythons.iter().any(|text| text.contains(&format!("\nmcp=={version} "))),
                _ => packages.contains(&format!("\"{name}\": \"{version}\"")),
            };
            assert!(is_locked, "{name} {version}");
        }
    }
}
