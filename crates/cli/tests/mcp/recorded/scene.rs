//! A repository with code, a hub and a Taiga, and the requests that a file can make to them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use testkit::taiga::{FakeTaiga, PASSWORD};
use testkit::{Cairn, Layout, Ran, TestRepository};

use super::normalize::Normalizer;

/// Begins a line with an answer.
pub(super) const ANSWER: &str = "= ";
/// Begins a command line; `--json` is added.
const COMMAND: &str = "$ ";
/// Begins a method of the Model Context Protocol, followed by its parameters.
const METHOD: &str = "> ";
/// Begins the options of a server to start; it takes the place of the one before.
const SERVER: &str = "@ ";
/// Begins a file to write: its name, then its lines, separated by `\n`.
const FILE: &str = "! ";
/// Begins a git command.
const GIT: &str = "% ";

pub(super) struct Scene {
    repository: TestRepository,
    cairn: Cairn,
    normalizer: Normalizer,
    server: Option<Server>,
    // Both are used by their address only, and end with the scene.
    _hub: TestRepository,
    _taiga: FakeTaiga,
}

impl Scene {
    pub(super) fn new() -> Self {
        let program = env!("CARGO_BIN_EXE_cairn");
        let repository = TestRepository::new();
        let hub = TestRepository::with(Layout::BARE);
        let taiga = FakeTaiga::start();
        let cairn = Cairn::new(program, repository.path());
        let mut normalizer = Normalizer::default();
        let home = cairn.gitconfig();
        normalizer.name(program, "<cairn>");
        normalizer.name(taiga.url(), "<taiga>");
        // The name that a server gets from its address.
        normalizer.name(&taiga.url().trim_start_matches("http://").replace(':', "-"), "<server>");
        normalizer.name(&hub.path().display().to_string(), "<hub>");
        normalizer.name(&repository.path().display().to_string(), "<project>");
        normalizer.name(&repository.directory_path().display().to_string(), "<folder>");
        normalizer.name(&home.parent().unwrap().display().to_string(), "<home>");
        Self { repository, cairn, normalizer, server: None, _hub: hub, _taiga: taiga }
    }

    /// Does what a line of a file says, and returns the answer to record, if it is a request.
    pub(super) fn request(&mut self, line: &str) -> Option<String> {
        let expanded = self.normalizer.expand(line);
        let answer = if let Some(command) = expanded.strip_prefix(COMMAND) {
            self.command(command)
        } else if let Some(call) = expanded.strip_prefix(METHOD) {
            self.server.as_mut().expect("a server was started").request(call)
        } else {
            self.prepare(&expanded);
            return None;
        };
        Some(self.normalizer.normalize(&answer))
    }

    fn prepare(&mut self, line: &str) {
        if let Some(options) = line.strip_prefix(SERVER) {
            self.server = None;
            let words = [vec!["mcp".to_owned(), "start".to_owned()], words(options)].concat();
            self.server = Some(Server::start(&self.cairn, &words));
        } else if let Some(file) = line.strip_prefix(FILE) {
            let (name, text) = file.split_once(' ').expect("a name and a text");
            let path = self.repository.directory_path().join("project").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text.replace("\\n", "\n")).unwrap();
        } else if let Some(command) = line.strip_prefix(GIT) {
            let words = words(command);
            self.repository.git(&words.iter().map(String::as_str).collect::<Vec<_>>());
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "not a request: {line}");
        }
    }

    fn command(&self, line: &str) -> String {
        let words = [words(line), vec!["--json".to_owned()]].concat();
        let input = if line.starts_with("taiga login") { PASSWORD } else { "" };
        let ran = self.cairn.run_with_input(&words, input.as_bytes());
        let Ran { stdout, stderr, .. } = &ran;
        // Warnings beside a result are for people.
        let output = if stdout.is_empty() { stderr } else { stdout };
        let output = String::from_utf8(output.clone()).unwrap();
        let output = output.strip_suffix('\n').unwrap_or(&output);
        assert!(!output.contains('\n'), "{line}: more than one line: {output}");
        format!("{} {output}", ran.code().unwrap())
    }
}

/// A server over stdio.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    n_sent: u64,
}

impl Server {
    fn start(cairn: &Cairn, words: &[String]) -> Self {
        let mut process = cairn.command(words).stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output, n_sent: 0 }
    }

    /// Sends a request and returns the line of its response. Notifications come when they come: they are left out.
    fn request(&mut self, call: &str) -> String {
        let (method, params) = call.split_once(' ').unwrap_or((call, "{}"));
        self.n_sent += 1;
        let id = self.n_sent;
        let params: Value = serde_json::from_str(params).unwrap_or_else(|error| panic!("{call}: {error}"));
        writeln!(self.input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).unwrap();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{call}: the server ended");
            if serde_json::from_str::<Value>(&line).unwrap()["id"] == id {
                return line.trim_end().to_owned();
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Splits a line into words; single quotes keep spaces.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (n, part) in line.split('\'').enumerate() {
        if n % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
