//! A generated project history, deterministic per seed: files in several languages whose functions are edited, renamed
//! and moved between files, with branches that are merged. Written by `git fast-import`, so that thousands of commits
//! take seconds.

use std::fmt::Write as _;
use std::path::Path;

use crate::random::Random;
use crate::repository::git_with_input;

/// Time of the first commit; each further one is an hour later.
const BEGINNING: u64 = 1_600_000_000;

/// A project after all its commits.
#[derive(Debug, Clone)]
pub struct CodeHistory {
    /// Its files at the end.
    pub files: Vec<CodeFile>,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// Path.
    pub path: String,
    /// Its functions, in order.
    pub functions: Vec<Function>,
}

/// A function of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Name; unique among all functions at any time.
    pub name: String,
    body: Vec<String>,
}

/// Writes a history onto `refs/heads/main` of an empty repository, and returns the final state.
pub fn write_code_history(directory: &Path, seed: u64, n_commits: usize, n_files: usize) -> CodeHistory {
    let mut project = Project::new(seed, n_files);
    let mut stream = Stream::default();
    let all: Vec<usize> = (0..n_files).collect();
    stream.commit(&project, &all, &[], None);
    while stream.n_commits < n_commits {
        if project.random.below(40) == 0 {
            project.branch_and_merge(&mut stream);
        } else {
            project.change(&mut stream);
        }
    }
    git_with_input(directory, &["fast-import", "--quiet", "--force"], &stream.bytes);
    CodeHistory { files: project.files }
}

impl CodeFile {
    /// Returns the first and last line of a function, counted from 1.
    pub fn lines_of(&self, name: &str) -> Option<(u32, u32)> {
        let mut line = 2;
        for function in &self.functions {
            let length = u32::try_from(function.body.len()).expect("functions are short") + 2;
            if function.name == name {
                return Some((line, line + length - 1));
            }
            line += length + 1;
        }
        None
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let (comment, open, close) = match self.path.rsplit('.').next() {
            Some("py") => ("#", "def ", ":"),
            Some("go") => ("//", "func ", " {"),
            Some("js") => ("//", "function ", " {"),
            Some("c") => ("//", "int ", " {"),
            _ => ("//", "fn ", " {"),
        };
        // The first line belongs to the file and survives renames, like a license header.
        let mut text = format!("{comment} part of the project\n");
        for function in &self.functions {
            let _ = writeln!(text, "{open}{}(input){close}", function.name);
            for line in &function.body {
                let _ = writeln!(text, "    {line}");
            }
            let _ = writeln!(text, "{}\n", if comment == "#" { "    pass" } else { "}" });
        }
        text
    }
}

struct Project {
    random: Random,
    files: Vec<CodeFile>,
    n_names: usize,
}

impl Project {
    fn new(seed: u64, n_files: usize) -> Self {
        let mut project = Self { random: Random::new(seed), files: Vec::new(), n_names: 0 };
        for n in 0..n_files {
            let extension = ["rs", "py", "js", "go", "c"][n % 5];
            let functions = (0..3 + project.random.below(5)).map(|_| project.function()).collect();
            project.files.push(CodeFile { path: format!("src/part{}/file{n}.{extension}", n % 7), functions });
        }
        project
    }

    fn function(&mut self) -> Function {
        let body = (0..3 + self.random.below(8)).map(|_| self.line()).collect();
        Function { name: self.name(), body }
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("work_{}", self.n_names)
    }

    // Few different lines, so that blame must choose between equal ones, as in real code.
    fn line(&mut self) -> String {
        match self.random.below(4) {
            0 => "check(input);".to_owned(),
            1 => format!("step({});", self.random.below(6)),
            _ => format!("value = value * {} + {};", self.random.below(50), self.random.below(50)),
        }
    }

    fn change(&mut self, stream: &mut Stream) {
        let n = self.random.below(self.files.len());
        let renamed = (self.random.below(25) == 0).then(|| self.rename_file(n));
        let mut touched = vec![n];
        match self.random.below(10) {
            0..6 => self.edit(n),
            6 => self.rename_function(n),
            7 => {
                let function = self.function();
                let at = self.random.below(self.files[n].functions.len() + 1);
                self.files[n].functions.insert(at, function);
            }
            _ => touched.extend(self.move_function(n)),
        }
        stream.commit(self, &touched, renamed.as_slice(), None);
    }

    fn edit(&mut self, n: usize) {
        let Some(place) = self.pick_function(n) else { return };
        let line = self.line();
        let at = self.random.below(self.files[n].functions[place].body.len() + 1);
        let body = &mut self.files[n].functions[place].body;
        match self.random.below(3) {
            0 if body.len() > 2 => drop(body.remove(at.min(body.len() - 1))),
            1 if at < body.len() => body[at] = line,
            _ => body.insert(at, line),
        }
    }

    fn rename_function(&mut self, n: usize) {
        let name = self.name();
        if let Some(place) = self.pick_function(n) {
            self.files[n].functions[place].name = name;
        }
    }

    fn move_function(&mut self, n: usize) -> Option<usize> {
        let place = self.pick_function(n)?;
        let function = self.files[n].functions.remove(place);
        let to = self.random.below(self.files.len());
        let at = self.random.below(self.files[to].functions.len() + 1);
        self.files[to].functions.insert(at, function);
        (to != n).then_some(to)
    }

    fn rename_file(&mut self, n: usize) -> (String, String) {
        let old = self.files[n].path.clone();
        let extension = old.rsplit('.').next().unwrap_or("rs").to_owned();
        self.n_names += 1;
        self.files[n].path = format!("src/part{}/moved {}.{extension}", self.n_names % 7, self.n_names);
        (old, self.files[n].path.clone())
    }

    // Two branches change different files, and a merge combines them.
    fn branch_and_merge(&mut self, stream: &mut Stream) {
        let base = stream.n_commits;
        let (ours, theirs) = (self.random.below(self.files.len()), self.random.below(self.files.len()));
        if ours == theirs {
            return;
        }
        self.edit(ours);
        stream.commit(self, &[ours], &[], None);
        let main = stream.n_commits;
        self.edit(theirs);
        stream.commit(self, &[theirs], &[], Some(&[base]));
        let side = stream.n_commits;
        stream.commit(self, &[theirs], &[], Some(&[main, side]));
    }

    fn pick_function(&mut self, n: usize) -> Option<usize> {
        let n_functions = self.files[n].functions.len();
        (n_functions > 0).then(|| self.random.below(n_functions))
    }
}

/// The input of `git fast-import`.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    n_commits: usize,
}

impl Stream {
    fn commit(&mut self, project: &Project, files: &[usize], renames: &[(String, String)], parents: Option<&[usize]>) {
        let before = self.n_commits;
        self.n_commits += 1;
        let (mark, time) = (self.n_commits, BEGINNING + 3_600 * self.n_commits as u64);
        let message = format!("change {mark}\n\nIt was time.\n");
        let mut text =
            format!("commit refs/heads/main\nmark :{mark}\ncommitter Ada Lovelace <ada@example.com> {time} +0000\n");
        let _ = write!(text, "data {}\n{message}", message.len());
        let parents: Vec<usize> =
            parents.map_or_else(|| (before > 0).then_some(before).into_iter().collect(), <[_]>::to_vec);
        for (n, parent) in parents.iter().enumerate() {
            let _ = writeln!(text, "{} :{parent}", if n == 0 { "from" } else { "merge" });
        }
        for (old, new) in renames {
            let _ = writeln!(text, "R \"{old}\" \"{new}\"");
        }
        for file in files.iter().map(|n| &project.files[*n]) {
            let content = file.text();
            let _ = write!(text, "M 100644 inline \"{}\"\ndata {}\n{content}\n", file.path, content.len());
        }
        text.push('\n');
        self.bytes.extend_from_slice(text.as_bytes());
    }
}
