//! `cargo xtask schemathesis`: property-based requests generated from the `OpenAPI` description, against the built
//! server. There must be no server error, and no response that the description does not declare.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::scratch::{Scratch, isolated};
use xtask::served::Served;
use xtask::tools::python;
use xtask::{command, program, report};

/// Default number of generated requests per operation.
const DEFAULT_EXAMPLES: &str = "100";

/// The checks of each response.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance,unsupported_method,allow_header_conformance,missing_required_header";

/// The project's data: one item of each kind, with a link to code and a comment.
const WORK: &[&[&str]] = &[
    &["new", "issue", "An issue", "--priority", "3", "--label", "bug"],
    &["new", "task", "A task"],
    &["new", "milestone", "A milestone"],
    &["new", "board", "A board"],
    &["edit", "1", "2", "--milestone", "1", "--board", "1"],
    &["link", "1", "--touches", "code.rs:open"],
    &["comment", "1", "Said."],
    &["inbox", "send", "--file", "code.rs", "--line", "1", "--comment", "why?"],
];

/// Runs the tests; `--examples N` sets the number of generated requests per operation.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let n_examples = match arguments {
        [] => DEFAULT_EXAMPLES,
        [flag, n] if flag == "--examples" => n,
        _ => return Err(format!("`schemathesis` takes `--examples N` or nothing, not `{}`", arguments.join(" "))),
    };
    ask(root, &find_or_install(root)?, n_examples)
}

/// Returns the Python with schemathesis, installing it first if needed.
pub(crate) fn find_or_install(root: &Path) -> Result<PathBuf, String> {
    python::environment(root, "tests-api", &root.join("tests/api/schemathesis.txt"))
}

/// Runs the tests against a new server.
pub(crate) fn ask(root: &Path, python: &Path, n_examples: &str) -> Result<(), String> {
    let cairn = program::build(root)?;
    let scratch = Scratch::new("schemathesis")?;
    let here = |program: &Path| {
        let mut command = Command::new(program);
        isolated(command.current_dir(scratch.path("")));
        command
    };
    prepare(&scratch, |program, arguments| {
        let program = if program == "git" { Path::new("git") } else { &cairn };
        command::read(here(program).args(arguments)).map(|_| ())
    })?;
    let served = Served::start(&mut here(&cairn), &[])?;
    let address = served.url().split("/mcp").next().unwrap_or_default();
    report::note(&format!("asking {address}, {n_examples} times for each operation"));
    let mut schemathesis = here(python);
    schemathesis.args(["-m", "schemathesis.cli", "run", &format!("{address}/api/openapi.json")]);
    // Event streams never end; other tests cover them.
    schemathesis.args(["--exclude-path", "/api/events", "--checks", CHECKS, "--max-examples", n_examples]);
    schemathesis.args(["--phases", "examples,coverage,fuzzing", "--seed", "1", "--no-color", "--warnings", "off"]);
    schemathesis.args(["--request-timeout", "60", "--suppress-health-check", "all"]);
    command::run(&mut schemathesis)
}

fn prepare(scratch: &Scratch, run: impl Fn(&str, &[&str]) -> Result<(), String>) -> Result<(), String> {
    for setting in [
        &["init", "--quiet"][..],
        &["config", "user.name", "Ada Lovelace"],
        &["config", "user.email", "ada@example.com"],
    ] {
        run("git", setting)?;
    }
    std::fs::write(scratch.path("code.rs"), "fn open() {}\n")
        .map_err(|error| format!("cannot write a file: {error}"))?;
    run("git", &["add", "code.rs"])?;
    run("git", &["commit", "--quiet", "-m", "Code"])?;
    WORK.iter().try_for_each(|arguments| run("cairn", arguments))
}
