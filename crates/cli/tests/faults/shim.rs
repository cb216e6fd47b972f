//! The library that injects system call errors, built from `shim.c` with the system's C compiler.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;
use testkit::{Cairn, Ran};

/// An injected error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) &'static str, pub(crate) i32);

/// Too many open files, a disk error, no memory, a file replaced by another machine, a full disk.
pub(crate) const ERRNOS: [Errno; 5] =
    [Errno("EMFILE", 24), Errno("EIO", 5), Errno("ENOMEM", 12), Errno("ESTALE", 116), Errno("ENOSPC", 28)];

/// The calls that fail: `length` of them from number `at`, counted from 1; none for 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) at: u64,
    pub(crate) length: u64,
    pub(crate) errno: Errno,
}

impl Fault {
    pub(crate) const NONE: Fault = Fault { at: 0, length: 0, errno: ERRNOS[0] };
}

struct Shim {
    _folder: TempDir,
    library: PathBuf,
}

/// Returns the library; `None` if it cannot be built.
fn library() -> Option<&'static PathBuf> {
    static SHIM: OnceLock<Option<Shim>> = OnceLock::new();
    SHIM.get_or_init(build).as_ref().map(|shim| &shim.library)
}

fn build() -> Option<Shim> {
    let folder = TempDir::new().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
    let library = folder.path().join("shim.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
    let built = cfg!(target_os = "linux") && compiler.status().is_ok_and(|status| status.success());
    built.then_some(Shim { _folder: folder, library })
}

/// Returns whether faults can be injected; prints a note if not, and fails in CI.
pub(crate) fn is_available() -> bool {
    let is_available = library().is_some();
    if !is_available {
        testkit::skip("there is no C compiler here, or this is not Linux");
    }
    is_available
}

/// The library's report about a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// Number of calls on files of the project.
    pub(crate) n_calls: u64,
    /// The operation of the first failed call.
    pub(crate) failed: Option<Operation>,
}

/// The operation of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Operation {
    Open,
    Read,
    Write,
    Sync,
    Inspect,
    Name,
}

impl Operation {
    pub(crate) const ALL: [Self; 6] = [Self::Open, Self::Read, Self::Write, Self::Sync, Self::Inspect, Self::Name];

    fn of(call: &str) -> Option<Self> {
        match call {
            "-" => None,
            "open" | "open64" | "openat" | "openat64" | "opendir" => Some(Self::Open),
            "read" | "pread" | "pread64" | "readv" | "mmap" | "mmap64" | "readdir64" => Some(Self::Read),
            "write" | "pwrite" | "pwrite64" | "writev" | "ftruncate" | "ftruncate64" => Some(Self::Write),
            "fsync" | "fdatasync" | "flock" => Some(Self::Sync),
            "rename" | "renameat" | "link" | "linkat" | "mkdir" | "unlink" | "unlinkat" | "rmdir" => Some(Self::Name),
            _ => Some(Self::Inspect),
        }
    }
}

impl Report {
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let n_calls = words.next()?.parse().ok()?;
        Some(Self { n_calls, failed: Operation::of(words.next()?) })
    }
}

/// Runs a command with a fault, with a fixed time and fixed random bytes, and returns the result.
pub(crate) fn run_with(cairn: &Cairn, arguments: &[&str], fault: Fault, clock: u64) -> (Ran, Report) {
    let report = cairn.directory().with_extension("report");
    let _ = std::fs::remove_file(&report);
    let mut command = cairn.command(arguments);
    command
        .env("LD_PRELOAD", library().unwrap())
        .env("FAULT_PROGRAM", "cairn")
        .env("FAULT_ROOT", cairn.directory())
        .env("FAULT_AT", fault.at.to_string())
        .env("FAULT_LENGTH", fault.length.to_string())
        .env("FAULT_ERRNO", fault.errno.1.to_string())
        .env("FAULT_CLOCK", clock.to_string())
        .env("FAULT_REPORT", &report);
    let ran = Ran::of(command.spawn().unwrap());
    let seen = std::fs::read_to_string(&report).ok().and_then(|text| Report::read(&text));
    (ran, seen.unwrap_or_default())
}
