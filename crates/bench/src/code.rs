//! A generated project with annotations: one long file that changed often, a folder of short ones, and notes on
//! commits.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Functions of the long file, ten lines each.
pub(crate) const N_FUNCTIONS: usize = 300;
/// Short files, five functions each.
pub(crate) const N_FILES: usize = 200;
/// Notes that depend on one popular function, independent of the number of notes.
const N_DEPENDENTS: usize = 20;

/// The size of a history.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeSize {
    /// Commits that change the long file.
    pub(crate) n_long: usize,
    /// Commits with notes, each of which changes one short file.
    pub(crate) n_notes: usize,
}

/// Returns the first and the last line of a function of the long file.
pub(crate) fn lines_of(function: usize) -> (usize, usize) {
    (function * 10 + 1, function * 10 + 9)
}

/// Writes the history for `git fast-import`, on top of `main`.
pub(crate) fn write(size: CodeSize, out: &mut impl Write) -> io::Result<()> {
    let mut versions = vec![0_usize; N_FUNCTIONS];
    let mut stream = Stream { out, n_commits: 0 };
    stream.commit("Begin the code", |stream| {
        stream.file("src/long.rs", &long(&[0; N_FUNCTIONS]))?;
        stream.file("src/target.rs", "pub fn target() -> u8 {\n    4\n}\n")?;
        (0..N_FILES).try_for_each(|n| stream.file(&short_name(n), &short(n, 0)))
    })?;
    for n in 0..size.n_long {
        versions[n * 7 % N_FUNCTIONS] = n + 1;
        stream.commit("Change a function", |stream| stream.file("src/long.rs", &long(&versions)))?;
    }
    let first = stream.n_commits + 1;
    for n in 0..size.n_notes {
        stream.commit("Change a file", |stream| stream.file(&short_name(n % N_FILES), &short(n % N_FILES, n + 1)))?;
    }
    stream.notes(first, size.n_notes)
}

/// The size of a history in which many files have a function of the same name.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "`n_` is a count, everywhere")]
pub(crate) struct RunnersSize {
    /// Files with a function `run` and four others each; every `run` is annotated by the commit that adds it.
    pub(crate) n_files: usize,
    /// Files that were renamed afterwards.
    pub(crate) n_renamed: usize,
    /// Notes about functions of other names.
    pub(crate) n_other_notes: usize,
}

/// Writes a history in which one name occurs in many files.
pub(crate) fn write_runners(size: RunnersSize, out: &mut impl Write) -> io::Result<()> {
    let mut stream = Stream { out, n_commits: 0 };
    for n in 0..size.n_files {
        stream.commit("Add a runner", |stream| stream.file(&runner_name(n), &runner(n)))?;
    }
    for n in 0..size.n_other_notes {
        stream.commit("Change a file", |stream| stream.file(&short_name(n % N_FILES), &short(n % N_FILES, n + 1)))?;
    }
    stream.commit("Rename some", |stream| {
        let rename = |n: usize| writeln!(stream.out, "R {} src/renamed/run_{n}.rs", runner_name(n));
        (0..size.n_renamed).try_for_each(rename)
    })?;
    let of_runners = (0..size.n_files).map(|n| note_of(&runner_name(n), "run", N_RUN_LINES, "[]"));
    stream.all_notes(1, of_runners.chain((0..size.n_other_notes).map(note)))
}

/// Returns the path of a file with a function `run`.
pub(crate) fn runner_name(n: usize) -> String {
    format!("src/runners/run_{n}.rs")
}

/// Lines of `run`.
const N_RUN_LINES: usize = 4;

fn runner(n: usize) -> String {
    let mut text = format!("pub fn run() -> usize {{\n    let started = {n};\n    started + {n}\n}}\n\n");
    for other in 0..4 {
        let _ = writeln!(text, "pub fn other_{n}_{other}() -> usize {{\n    {other}\n}}\n");
    }
    text
}

struct Stream<'a, W> {
    out: &'a mut W,
    n_commits: usize,
}

impl<W: Write> Stream<'_, W> {
    fn commit(&mut self, message: &str, files: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.n_commits += 1;
        let (mark, at) = (self.n_commits, 1_700_000_000 + self.n_commits * 60);
        writeln!(self.out, "commit refs/heads/main\nmark :{mark}")?;
        writeln!(self.out, "committer Ada Byron <ada@example.org> {at} +0000")?;
        self.data(message)?;
        if mark == 1 {
            writeln!(self.out, "from refs/heads/main^0")?;
        }
        files(self)
    }

    fn file(&mut self, name: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, "M 100644 inline {name}")?;
        self.data(text)
    }

    fn notes(&mut self, first: usize, n_notes: usize) -> io::Result<()> {
        self.all_notes(first, (0..n_notes).map(note))
    }

    fn all_notes(&mut self, first: usize, notes: impl Iterator<Item = String>) -> io::Result<()> {
        writeln!(self.out, "commit refs/notes/ultragit\ncommitter Ada Byron <ada@example.org> 1800000000 +0000")?;
        self.data("Notes")?;
        for (mark, note) in (first..).zip(notes) {
            writeln!(self.out, "N inline :{mark}")?;
            self.data(&note)?;
        }
        Ok(())
    }

    fn data(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "data {}\n{text}", text.len())
    }
}

fn long(versions: &[usize]) -> String {
    let mut text = String::new();
    for (n, version) in versions.iter().enumerate() {
        let _ =
            writeln!(text, "pub fn long_{n}(x: u64) -> u64 {{\n    // Version {version}.\n    let a = x + {version};");
        let _ = writeln!(
            text,
            "    let b = a * 2;\n    let c = b - 1;\n    let d = c / 3;\n    let e = d + a;\n    e\n}}\n"
        );
    }
    text
}

fn short_name(n: usize) -> String {
    format!("src/short/file_{n}.rs")
}

fn short(n: usize, version: usize) -> String {
    let mut text = String::new();
    for function in 0..5 {
        let _ = writeln!(text, "pub fn short_{n}_{function}() -> usize {{\n    {version}\n}}\n");
    }
    text
}

fn note(n: usize) -> String {
    let file = short_name(n % N_FILES);
    let name = format!("short_{}_0", n % N_FILES);
    let target = if n < N_DEPENDENTS {
        r#"[{"file":"src/target.rs","anchor":"target","nature":"assumes that it is 4"}]"#
    } else {
        "[]"
    };
    note_of(&file, &name, 3, target)
}

fn note_of(file: &str, name: &str, n_lines: usize, target: &str) -> String {
    format!(
        r#"{{"$schema":"ultragit/v1","commit":"","timestamp":"2026-01-01T00:00:00Z","summary":"A change","context_level":"enhanced","regions":[{{"file":"{file}","ast_anchor":{{"type":"function","name":"{name}","signature":"pub fn {name}() -> usize"}},"lines":{{"start":1,"end":{n_lines}}},"intent":"Counts what the caller asks for","reasoning":"Nothing else was fast enough","constraints":[{{"text":"never negative","source":"author"}}],"semantic_dependencies":{target},"tags":[],"related_annotations":[],"corrections":[]}}],"cross_cutting":[],"provenance":{{"operation":"initial","derived_from":[],"original_annotations_preserved":true}}}}"#
    )
}
