//! A repository and a home folder for one program, apart from those of whoever runs the benchmark.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::measure::{children_cpu, read, run};
use super::super::scratch::Repository;
use super::background::{Background, VARIABLE};
use super::items::{self, Item};
use super::review;
use super::subject::{Action, Arguments, Field, Installed, ItemName, Seed, Subject};
use super::work;

/// A program that needs more CPU time to create its items one by one is not measured with so many.
const MAX_SEED_CPU: Duration = Duration::from_mins(4);

/// A program with its own repository.
pub(crate) struct Sandbox<'a> {
    pub(crate) subject: &'a Subject,
    program: PathBuf,
    folder: PathBuf,
    path: OsString,
    /// The commits of the code, oldest first.
    commits: Vec<String>,
    /// The item that `show` shows.
    item: String,
}

impl<'a> Sandbox<'a> {
    /// Creates a repository and prepares it, without items.
    pub(crate) fn new(
        subject: &'a Subject,
        installed: &Installed,
        folder: PathBuf,
        path: &OsString,
    ) -> Result<Self, String> {
        fs::create_dir_all(folder.join("home"))
            .map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        let mut sandbox = Self {
            subject,
            program: installed.program.clone(),
            folder,
            path: path.clone(),
            commits: Vec::new(),
            item: "1".to_owned(),
        };
        let repository = match subject.field {
            Field::Annotations | Field::Review => Repository::with_code(sandbox.work(), work::write)?,
            Field::Tracker | Field::Server => Repository::empty(sandbox.work())?,
        };
        if matches!(subject.field, Field::Annotations | Field::Review) {
            run(&mut repository.git(&["reset", "--quiet", "--hard"]))?;
            let commits = read(&mut repository.git(&["log", "--reverse", "--format=%H", "--", work::FILE]))?;
            sandbox.commits = commits.lines().map(str::to_owned).collect();
        }
        if subject.name == "tuicr" {
            review::write_session(&sandbox.work(), &sandbox.folder.join("home"))?;
        }
        if subject.seed == Seed::TaskMasterFile {
            // It adds tasks to a file, and never makes one.
            sandbox.fill(0)?;
        }
        for arguments in subject.setup {
            read(&mut sandbox.command(arguments, &Values::default()))?;
        }
        Ok(sandbox)
    }

    /// Fills the repository with items.
    pub(crate) fn fill(&mut self, n_items: usize) -> Result<(), String> {
        let items = items::generate(n_items);
        self.item = match self.subject.item_name {
            ItemName::Beads => items::beads_id(n_items / 2),
            ItemName::Number | ItemName::Printed => (n_items / 2).to_string(),
        };
        let cannot = |error: std::io::Error| format!("cannot write the items: {error}");
        match self.subject.seed {
            Seed::BeadsFile(arguments) => {
                fs::write(self.folder.join("items.jsonl"), items::beads_file(&items)).map_err(cannot)?;
                read(&mut self.command(arguments, &Values::default())).map(drop)
            }
            Seed::BacklogFiles => items.iter().try_for_each(|item| {
                let (name, text) = items::backlog_file(item);
                fs::write(self.work().join("backlog/tasks").join(name), text).map_err(cannot)
            }),
            Seed::TaskMasterFile => {
                let folder = self.work().join(".taskmaster/tasks");
                fs::create_dir_all(&folder).map_err(cannot)?;
                fs::write(folder.join("tasks.json"), items::task_master_file(&items)).map_err(cannot)
            }
            Seed::OneByOne(action) => self.fill_one_by_one(action, &items),
        }
    }

    /// As after a while of use: git packs what the program wrote.
    fn fill_one_by_one(&mut self, action: Action, items: &[Item]) -> Result<(), String> {
        let arguments = self.subject.arguments(action).ok_or("there is no command that writes")?;
        let before = children_cpu().unwrap_or_default();
        for item in items {
            let values = Values { n: item.number, title: item.title.clone(), text: item.description.clone() };
            let printed = read(&mut self.command(arguments, &values))?;
            if item.number == items.len() / 2 && self.subject.item_name == ItemName::Printed {
                self.item = printed_id(&printed).ok_or_else(|| format!("no id in: {printed}"))?;
            }
            let spent = children_cpu().unwrap_or_default().saturating_sub(before);
            if spent > MAX_SEED_CPU {
                let (seconds, n_items) = (spent.as_secs(), items.len());
                return Err(format!("created {} of {n_items} items in {seconds} s of CPU time", item.number));
            }
        }
        run(&mut Repository(self.work()).git(&["gc", "--quiet"]))
    }

    /// Returns a command of the program, or of git.
    pub(crate) fn command(&self, arguments: Arguments, values: &Values) -> Command {
        let (program, arguments) = match arguments.split_first() {
            Some((&"git", rest)) => (Path::new("git"), rest),
            _ => (self.program.as_path(), arguments),
        };
        let mut command = Command::new(program);
        command.args(arguments.iter().map(|argument| self.replace(argument, values)));
        self.isolate(&mut command);
        command
    }

    /// Returns the command for an action, with the values of its `n`-th run.
    pub(crate) fn action(&self, action: Action, n: usize) -> Result<Command, String> {
        let arguments = self.subject.arguments(action);
        let arguments = arguments.ok_or_else(|| format!("{} has no `{}`", self.subject.name, action.name()))?;
        Ok(self.command(arguments, &Values::nth(n)))
    }

    pub(crate) fn isolate(&self, command: &mut Command) {
        let home = self.folder.join("home");
        command.env_clear().current_dir(self.work()).env("PATH", &self.path).env("HOME", &home);
        // No settings of the user, no colors, and no questions.
        let fixed = [("LANG", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("CI", "1")];
        command.envs(fixed).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("XDG_RUNTIME_DIR", &home).env(VARIABLE, &self.folder);
        for (name, value) in self.subject.environment {
            command.env(name, self.replace(value, &Values::default()));
        }
    }

    pub(crate) fn background(&self) -> Background {
        Background::of(&self.folder)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    pub(crate) fn replace(&self, text: &str, values: &Values) -> String {
        // Annotations and comments stay within the code.
        let place = values.n % work::N_FUNCTIONS;
        let commit = self.commits.get(place).map_or("HEAD", String::as_str);
        let number = if self.commits.is_empty() { values.n } else { place + 1 };
        let path = |name: &str| self.folder.join(name).display().to_string();
        let known: BTreeMap<&str, String> = [
            ("{title}", values.title.clone()),
            ("{text}", values.text.clone()),
            ("{id}", self.item.clone()),
            ("{n}", number.to_string()),
            ("{commit}", commit.to_owned()),
            ("{home}", path("home")),
            ("{work}", path("work")),
            ("{file}", path("items.jsonl")),
        ]
        .into();
        known.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

impl Drop for Sandbox<'_> {
    fn drop(&mut self) {
        self.background().end();
    }
}

/// What is different in each run of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) n: usize,
    pub(crate) title: String,
    pub(crate) text: String,
}

impl Values {
    /// Returns the values of the `n`-th run of a timed command.
    pub(crate) fn nth(n: usize) -> Self {
        let text = "The cache of the login page is kept for a week, although the session behind it ends after a day.";
        Self { n, title: format!("Keep the stale cache of login page {n}"), text: text.to_owned() }
    }
}

/// Finds the first UUID, or else the first long hexadecimal word: a program with UUIDs may print commits too.
fn printed_id(output: &str) -> Option<String> {
    let words = output.split(|letter: char| !(letter.is_ascii_hexdigit() || letter == '-'));
    let words: Vec<&str> = words.map(|word| word.trim_matches('-')).filter(|word| word.len() >= 32).collect();
    words.iter().find(|word| word.contains('-')).or(words.first()).map(|word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_in_what_is_printed() {
        let uuid = "019a0b1c-2d3e-7f40-8a9b-0c1d2e3f4a5b";
        let commit = "638c97dea47f552f9c0433423bb3255364f4f975";
        assert_eq!(printed_id(&format!("oid={commit}\ncreated task: {uuid}\n")).as_deref(), Some(uuid));
        let issue = "│ Issue   0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c │";
        assert_eq!(printed_id(issue).as_deref(), Some("0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"));
        assert_eq!(printed_id("created issue #1: deadbeef"), None);
    }
}
