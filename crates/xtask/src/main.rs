//! The workspace's tasks, run as `cargo xtask TASK`: the checks of `ci` and the generators.
//!
//! Few dependencies, so that a fresh clone can run its checks before anything else is built.

mod agents;
mod bench;
mod browser;
mod ci;
mod clients;
mod conformance;
mod fuzz;
mod generate;
mod pictures;
mod schemathesis;
mod tidy;
mod truth;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use xtask::{command, program, report};

struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(root: &Path, arguments: &[String]) -> Result<(), String>,
}

/// A new task is one line here and one module next to this one.
const TASKS: &[Task] = &[
    Task { name: "ci", about: "all checks and tests; `--list` names the steps, `--only STEP` runs one", run: ci::run },
    Task { name: "tidy", about: "check the project rules that the compiler does not", run: tidy::run },
    Task {
        name: "generate",
        about: "write the generated files; `--check` only says which are stale",
        run: generate::run,
    },
    Task {
        name: "conformance",
        about: "run the public suite of the protocol; `--write` its results into docs/conformance.md",
        run: conformance::run,
    },
    Task {
        name: "bench",
        about: "measure speed beside git's; `--quick`, `--smoke`, `--items N`, `--only WORD`, `--write` into docs/benchmarks.md, `--keep`; `peers` measures other programs beside ours",
        run: bench::run,
    },
    Task { name: "browser", about: "the board in a browser; a word selects the scenes by name", run: browser::run },
    Task {
        name: "agents",
        about: "an agent's session with the official SDK, and its tokens; `--write` them into docs/benchmarks.md",
        run: agents::run,
    },
    Task { name: "clients", about: "official MCP clients against the server, over stdio and HTTP", run: clients::run },
    Task {
        name: "schemathesis",
        about: "generated requests against the web API; `--examples N` for each operation",
        run: schemathesis::run,
    },
    Task { name: "pictures", about: "draw the terminal for README and guide, from real output", run: pictures::run },
    Task {
        name: "truth",
        about: "annotations of published packages after later releases; `--short`, `--seed N`, `--package NAME`",
        run: truth::run,
    },
    Task {
        name: "fuzz",
        about: "coverage-guided fuzzing of the parsers; `--seconds N`, `--replay TARGET FILE`",
        run: fuzz::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        return usage("no task given");
    };
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        return usage(&format!("unknown task `{name}`"));
    };
    match command::workspace_root().and_then(|root| (task.run)(&root, rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            report::note(&format!("error: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn usage(problem: &str) -> ExitCode {
    report::note(&format!("error: {problem}\n\nusage: cargo xtask TASK\n"));
    for task in TASKS {
        report::note(&format!("  {:<12} {}", task.name, task.about));
    }
    ExitCode::from(2)
}
