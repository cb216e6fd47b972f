//! A raw MCP client, and a project to serve.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestRepository;

/// Generous timeout for a loaded machine.
const READ_TIMEOUT: Duration = Duration::from_mins(2);

/// The items of the recorded session: milestone 1, issues 2 and 3, closed issue 4.
const WORK: &str = include_str!("work.jsonl");

/// The milestone of the fixture.
pub(crate) const MILESTONE: &str = "01a1e1b4-9890-7776-b60a-e4f768d7d87c";
/// An issue of the fixture, with two comments.
pub(crate) const ISSUE: &str = "01a1e1b4-98e3-74a2-99c7-91d1f8425ef1";

/// A server process and both ends of its pipes.
pub(crate) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    n_sent: u64,
}

impl Client {
    /// Starts a server in a folder.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// Starts a server in a folder, with more options.
    pub(crate) fn start_with(folder: &Path, options: &[&str]) -> Self {
        let mut command = cairn(folder);
        // Most tests concern all dialects; `mile` is the one with the recorded session.
        let dialect: &[&str] = if options.contains(&"--dialect") { &[] } else { &["--dialect", "mile"] };
        command.args(["mcp", "start"]).args(dialect).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("the output is UTF-8");
                let answer: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                // The response to a batch is an array of responses.
                let answers = answer.as_array().map_or(std::slice::from_ref(&answer), Vec::as_slice);
                assert!(answers.iter().all(|answer| answer["jsonrpc"] == "2.0"), "{line}");
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        let input = process.stdin.take();
        Self { process, input, answers, n_sent: 0 }
    }

    /// Writes raw bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Takes the input, to be written from elsewhere.
    pub(crate) fn take_input(&mut self) -> ChildStdin {
        self.input.take().expect("the input is open")
    }

    /// Returns the next response.
    pub(crate) fn next(&self) -> Value {
        self.answers.recv_timeout(READ_TIMEOUT).expect("an answer comes")
    }

    /// Returns the next message, if one arrives in time.
    pub(crate) fn next_within(&self, patience: Duration) -> Option<Value> {
        self.answers.recv_timeout(patience).ok()
    }

    /// Sends a request and returns its response, which must have its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.n_sent += 1;
        let id = self.n_sent;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns the response.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// Calls a tool and returns the JSON in its text.
    pub(crate) fn value(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.call(name, arguments);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        text(&answer)
    }

    /// Closes the input and returns the remaining responses, and the exit status.
    pub(crate) fn finish(mut self) -> (Vec<Value>, ExitStatus) {
        drop(self.input.take());
        self.wait()
    }

    /// Waits for the exit of a server.
    pub(crate) fn wait(&mut self) -> (Vec<Value>, ExitStatus) {
        let rest = self.answers.iter().collect();
        (rest, self.process.wait().expect("it can be waited for"))
    }

    /// Returns the server's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It has exited already unless the test failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the JSON in the text of a tool result.
pub(crate) fn text(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"));
    serde_json::from_str(text).expect("the text is JSON")
}

/// Prepares our program in a folder.
pub(crate) fn cairn(folder: &Path) -> Command {
    program(env!("CARGO_BIN_EXE_cairn"), folder)
}

/// Prepares a program in a folder, without the machine's own settings.
pub(crate) fn program(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs our program and returns its output.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> String {
    finish(cairn(folder).args(arguments))
}

/// Runs a command that must succeed and returns its output.
pub(crate) fn finish(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Creates a project with the fixture's items, always the same.
pub(crate) fn project() -> TestRepository {
    let repository = TestRepository::new();
    import(&repository, WORK);
    repository
}

/// Imports lines into a project.
pub(crate) fn import(repository: &TestRepository, lines: &str) {
    let file = repository.directory_path().join("import.jsonl");
    std::fs::write(&file, lines).expect("it can be written");
    run(repository.path(), &["import", file.to_str().expect("temporary paths are UTF-8")]);
}
