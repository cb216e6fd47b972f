//! The steps: what each runs. A step that installs what it needs says so in its own function.

use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::{env, thread};

use xtask::tools::node::Node;
use xtask::tools::{BEADS, CARGO_DENY, LAZYGIT, TYPOS};
use xtask::tools::{chromium, system};
use xtask::{command, program, report};

use super::Outcome;
use crate::{agents, bench, browser, clients, conformance, schemathesis, truth};

fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    command::run(&mut command::cargo(root, arguments)).into()
}

/// Installs what later steps need, or fails with one list of what may not be installed here, before an hour is spent.
pub(super) fn programs(root: &Path) -> Outcome {
    let mut missing = missing_test_programs(root);
    missing.extend(chromium::find_or_install().err());
    missing.extend(truth::needs().err());
    if missing.is_empty() { Outcome::Passed } else { Outcome::LeftOut(missing.join("\n")) }
}

/// Installs the programs that the tests of the workspace run; returns why some are missing.
fn missing_test_programs(root: &Path) -> Vec<String> {
    // First, because the others are built with some of these.
    let packages = system::install_test_programs();
    let trackers = Node::find_or_install(root).and_then(|node| node.packages(root, "tests/importers"));
    let programs = [&LAZYGIT, &BEADS].map(|tool| tool.find_or_install(root).map(drop));
    let found = programs.into_iter().chain([trackers.map(drop), packages]);
    found.filter_map(Result::err).collect()
}

pub(super) fn fmt(root: &Path) -> Outcome {
    let check = |what: &[&str]| command::run(&mut command::cargo(root, &[&["fmt", "--check"], what].concat()));
    // The fuzz targets are not part of the workspace.
    check(&["--all"]).and_then(|()| check(&["--manifest-path", "fuzz/Cargo.toml"])).into()
}

pub(super) fn clippy(root: &Path) -> Outcome {
    let what = ["clippy", "--workspace", "--all-targets", "--locked"];
    let lints = ["--", "-D", "warnings"];
    cargo(root, &[&what[..], &lints[..]].concat())
}

pub(super) fn test(root: &Path) -> Outcome {
    // For `--only test`; a test without its program skips, and fails if `CI` is set.
    for missing in missing_test_programs(root) {
        report::note(&format!("programs for the tests are missing: {missing}"));
    }
    let mut tests = command::cargo(root, &["test", "--workspace", "--locked", "--no-fail-fast"]);
    if env::var_os("RUST_TEST_THREADS").is_none() {
        // A third of the time of a test is spent waiting for processes that it starts, and for the disk.
        let n_cores = thread::available_parallelism().map_or(1, NonZero::get);
        tests.env("RUST_TEST_THREADS", (2 * n_cores).to_string());
    }
    command::run(&mut tests).into()
}

/// Runs the README's commands in a new root file system, as far as they build nothing again; `just bare` runs them whole.
pub(super) fn bare(root: &Path) -> Outcome {
    if !system::is_root() {
        return Outcome::LeftOut("only root can change the root file system of a process".to_owned());
    }
    match system::find_or_install("debootstrap", "debootstrap") {
        Ok(()) => command::run(&mut Command::new(root.join("tests/bare/run"))).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn doc(root: &Path) -> Outcome {
    let mut cargo = command::cargo(root, &["doc", "--no-deps", "--workspace", "--locked"]);
    command::run(cargo.env("RUSTDOCFLAGS", "-D warnings")).into()
}

pub(super) fn bench_smoke(root: &Path) -> Outcome {
    let bench = |arguments: &[&str]| bench::run(root, &arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
    bench(&["--smoke", "--items", "200"]).and_then(|()| bench(&["instructions"])).into()
}

/// Packs the program that the tests have built; the wheel is left out, since maturin would build another one.
pub(super) fn packages(root: &Path) -> Outcome {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return Outcome::LeftOut("there is no `dpkg-deb`, which only Debian and its relatives have".to_owned());
    }
    let pack = |program: &Path| {
        let mut dist = Command::new("python3");
        command::run(dist.arg("packaging/dist.py").arg("--program").arg(program).current_dir(root))
    };
    program::build(root).and_then(|program| pack(&program)).into()
}

pub(super) fn truth_short(root: &Path) -> Outcome {
    match truth::needs() {
        Ok(()) => truth::check(root, &["--short".to_owned()]).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn conformance(root: &Path) -> Outcome {
    // Without a package registry it cannot be installed, so the result is unknown.
    match Node::find_or_install(root) {
        Ok(_) => conformance::run(root, &[]).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn agents(root: &Path) -> Outcome {
    match clients::Programs::find_or_install(root) {
        Ok(programs) => agents::play(root, &programs).map(drop).into(),
        Err(error) => Outcome::LeftOut(error),
    }
}

pub(super) fn clients(root: &Path) -> Outcome {
    match clients::Programs::find_or_install(root) {
        Ok(programs) => clients::converse(root, &programs).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn made_up_requests(root: &Path) -> Outcome {
    match schemathesis::find_or_install(root) {
        Ok(python) => schemathesis::ask(root, &python, "10").into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn browser(root: &Path) -> Outcome {
    match browser::Programs::find_or_install(root) {
        Ok(programs) => browser::play(root, &programs, None).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn typos(root: &Path) -> Outcome {
    match TYPOS.find_or_install(root) {
        // `--hidden` because `.ci` and `.cargo` are ours as well; `typos.toml` excludes `.git`.
        Ok(typos) => command::run(Command::new(typos).arg("--hidden").current_dir(root)).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

pub(super) fn deny(root: &Path) -> Outcome {
    let program = match CARGO_DENY.find_or_install(root) {
        Ok(program) => program,
        Err(reason) => return Outcome::LeftOut(reason),
    };
    let deny = |arguments: &[&str]| command::run(Command::new(&program).args(arguments).current_dir(root));
    let check = ["--locked", "check", "--hide-inclusion-graph"];
    if let Err(error) = deny(&[&check[..], &["bans", "licenses", "sources"]].concat()) {
        return Outcome::Failed(error);
    }
    // The advisory database is a repository on GitHub, which not every machine can reach.
    if deny(&["fetch", "db"]).is_err() {
        let note = "advisories LEFT OUT: the database cannot be fetched from github.com";
        return Outcome::PassedExcept(note.to_owned());
    }
    deny(&[&check[..], &["advisories"]].concat()).into()
}
