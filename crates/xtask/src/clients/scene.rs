//! The test environment of the clients: a repository with the fixture's items, a folder without one, and an HTTP
//! server.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command;
use xtask::scratch::{Scratch, isolated};
use xtask::served::Served;

/// The items of the contract tests.
const WORK: &str = "crates/cli/tests/mcp/work.jsonl";

/// Timeout of a client; generous for a loaded machine, but a lost response must not block forever.
const CLIENT_TIMEOUT: Duration = Duration::from_mins(2);

/// Code with one annotated function.
const CODE: &str = "pub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n";

/// The token of the server.
pub(super) const TOKEN: &str = "a-token-for-the-clients-of-this-run";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Stdio,
    Http,
}

impl Transport {
    /// Returns the name of the transport in the scripts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// The environment of a client.
pub(super) struct Scene {
    // First field: the server must end before its folder is removed.
    served: Served,
    scratch: Scratch,
    cairn: PathBuf,
}

/// The result of a client.
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Scene {
    pub(super) fn new(root: &Path) -> Result<Self, String> {
        let scratch = Scratch::new("clients")?;
        let cairn = command::target(root).join(format!("debug/cairn{}", std::env::consts::EXE_SUFFIX));
        let repository = scratch.path("repository");
        for folder in [&repository, &scratch.path("nowhere")] {
            fs::create_dir_all(folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        }
        let here = |program: &Path| {
            let mut command = Command::new(program);
            isolated(command.current_dir(&repository));
            command
        };
        let git = Path::new("git");
        run_well(here(git).args(["init", "--quiet"]))?;
        run_well(here(git).args(["config", "user.name", "Ada Lovelace"]))?;
        run_well(here(git).args(["config", "user.email", "ada@example.com"]))?;
        run_well(here(&cairn).arg("import").arg(root.join(WORK)))?;
        fs::write(repository.join("lib.rs"), CODE).map_err(|error| format!("cannot write code: {error}"))?;
        run_well(here(git).args(["add", "lib.rs"]))?;
        run_well(here(git).args(["commit", "--quiet", "--message=code"]))?;
        run_well(here(&cairn).args(["annotate", "--anchor", "lib.rs:add", "--intent", "adds two numbers"]))?;
        let served = serve(here(&cairn))?;
        Ok(Self { served, scratch, cairn })
    }

    /// Starts another server of the repository. Sessions of the first one are unknown to it.
    pub(super) fn serve_again(&self) -> Result<Served, String> {
        let mut command = Command::new(&self.cairn);
        isolated(command.current_dir(self.path("repository")));
        serve(command)
    }

    /// Returns a path next to the repository.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path(name)
    }

    /// Returns the target of a client for a dialect: a command line, or a URL that requires [`TOKEN`].
    pub(super) fn target(&self, transport: Transport, dialect: &str) -> Vec<String> {
        match transport {
            Transport::Http => vec![url_of(&self.served, dialect)],
            Transport::Stdio => {
                let folder = self.path("repository").display().to_string();
                let cairn = self.cairn.display().to_string();
                [&cairn, "-C", &folder, "mcp", "start", "--dialect", dialect].map(str::to_owned).to_vec()
            }
        }
    }

    /// Runs a client to its end, or kills it on timeout.
    pub(super) fn run(&self, command: &mut Command) -> Result<Ended, String> {
        let places = [self.path("stdout"), self.path("stderr")];
        let file = |place: &PathBuf| File::create(place).map_err(|error| format!("cannot write a file: {error}"));
        isolated(command.current_dir(self.path("nowhere")));
        command.stdin(Stdio::null()).stdout(file(&places[0])?).stderr(file(&places[1])?);
        let mut process = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let start = Instant::now();
        let code = loop {
            match process.try_wait().map_err(|error| format!("cannot wait for {command:?}: {error}"))? {
                Some(status) => break status.code(),
                None if start.elapsed() > CLIENT_TIMEOUT => {
                    let _ = process.kill();
                    let _ = process.wait();
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let said = |place: &PathBuf| fs::read(place).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let [stdout, stderr] = places.each_ref().map(|place| said(place).unwrap_or_default());
        Ok(Ended { code, stdout, stderr })
    }
}

/// Returns the URL of a dialect.
pub(super) fn url_of(served: &Served, dialect: &str) -> String {
    served.url().replace("/mcp/mile", &format!("/mcp/{dialect}"))
}

fn serve(mut cairn: Command) -> Result<Served, String> {
    // One client loses its session on any status but 200.
    let options = ["serve", "--addr", "127.0.0.1:0", "--dialect", "mile", "--http-status", "spec"];
    Served::spawn(cairn.args(options).args(["--token", TOKEN]))
}

fn run_well(command: &mut Command) -> Result<(), String> {
    let ended = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(()) } else { Err(format!("{command:?} failed: {said}")) }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or_else(|| "no code, it was killed".to_owned(), |code| format!("code {code}"));
        write!(f, "{code}\n  stdout: {}\n  stderr: {}", self.stdout.trim_end(), self.stderr.trim_end())
    }
}
