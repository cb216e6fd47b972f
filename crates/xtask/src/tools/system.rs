//! Packages of the system's package manager: the only change outside of `target`, so only where it needs no permission:
//! as root, or if `CI` is set.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::{command, program, report};

/// Programs that tests run, or files that building them needs, each with its package. A test without its program skips, and fails if `CI` is set.
const TEST_PROGRAMS: &[(&str, &str)] = &[
    ("cc", "gcc"),
    ("curl", "curl"),
    ("faketime", "faketime"),
    ("tmux", "tmux"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("vim", "vim"),
    ("initdb", "postgresql"),
    ("valgrind", "valgrind"),
    // For the Rust programs that are built from source and use OpenSSL.
    ("pkg-config", "pkg-config"),
    ("/usr/include/openssl/ssl.h", "libssl-dev"),
];

/// Where Debian's packages put the programs of PostgreSQL's server, by version; they are not on the path.
const POSTGRES_FOLDER: &str = "/usr/lib/postgresql";

/// Installs the programs that tests run and that are missing.
pub fn install_test_programs() -> Result<(), String> {
    let is_missing = |program: &str| !is_installed(program);
    let missing: Vec<(&str, &str)> = TEST_PROGRAMS.iter().copied().filter(|(program, _)| is_missing(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (programs, packages): (Vec<&str>, Vec<&str>) = missing.into_iter().unzip();
    install(&programs.join(", "), &packages)
}

/// Installs the package of one program, unless it is there.
pub fn find_or_install(program: &str, package: &str) -> Result<(), String> {
    if is_installed(program) { Ok(()) } else { install(program, &[package]) }
}

fn is_installed(program: &str) -> bool {
    if Path::new(program).is_absolute() {
        return Path::new(program).is_file();
    }
    let versions = Path::new(POSTGRES_FOLDER).read_dir().into_iter().flatten().flatten();
    let mut folders = versions.map(|version| version.path().join("bin"));
    folders.any(|folder| folder.join(program).is_file()) || Command::new(program).arg("--version").output().is_ok()
}

/// Installs packages that provide `program`, or says what to install.
pub fn install(program: &str, packages: &[&str]) -> Result<(), String> {
    if !may_install() {
        let names = packages.join(" ");
        return Err(format!("there is no {program} on the path; install one, such as with `apt-get install {names}`"));
    }
    report::note(&format!("installing {}", packages.join(", ")));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        command::run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // A fresh machine has no package lists.
    apt(&["update", "--quiet"])?;
    apt(&[&["install", "--yes", "--quiet", "--no-install-recommends"], packages].concat())
}

fn may_install() -> bool {
    Path::new("/usr/bin/apt-get").is_file() && (program::is_ci() || is_root())
}

/// Returns whether the variables of the user say root.
pub fn is_root() -> bool {
    let is = |name: &str, value: &str| env::var_os(name).is_some_and(|given| given == value);
    is("USER", "root") || is("HOME", "/root")
}
