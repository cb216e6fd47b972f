//! Completion of command lines in a shell: the script of `cairn completions` calls the program again, with the words
//! typed so far, and shows what it prints.
//!
//! Values are attached to the arguments only here, so that other commands do not pay for them. A failure never prints
//! anything: the shell would write it into the line being typed.

mod shell;
mod source;
mod values;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, ValueCompleter};

use crate::arguments::Cli;
use crate::output;
pub(crate) use shell::script;
use shell::{Line, TypedShell};
use source::Source;

/// The environment variable with the name of the shell that asks for completions.
const VARIABLE: &str = "CAIRN_COMPLETE";

/// Returns the shell that asks for completions; `None` for an ordinary call.
pub(crate) fn requesting_shell() -> Option<String> {
    let name = env::var_os(VARIABLE)?.into_string().ok()?;
    Some(name).filter(|name| !name.is_empty())
}

/// Prints the completions of a command line. `words` are those of this process: the typed ones stand after `--`.
pub(crate) fn run(shell: &str, words: &[OsString]) -> ExitCode {
    let typed = words.iter().position(|word| word == "--").map(|place| &words[place + 1..]).unwrap_or_default();
    let here = env::current_dir().ok();
    let printed = match TypedShell::named(shell) {
        Some(shell) => {
            let line = shell.line(typed);
            shell.format(&line, &candidates(&line, here.as_deref()))
        }
        None => shell::other(shell, typed, here.as_deref(), &|words| command(&Line::at_end(words))),
    };
    output::print_completions(&printed);
    ExitCode::SUCCESS
}

fn candidates(line: &Line, here: Option<&Path>) -> Vec<CompletionCandidate> {
    let mut command = command(line);
    let found = clap_complete::engine::complete(&mut command, line.words.clone(), line.index, here);
    values_first(line, found.unwrap_or_default())
}

/// Leaves flags out until a hyphen is typed, if there is something else to choose from.
fn values_first(line: &Line, mut found: Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    let is_flag = |one: &CompletionCandidate| one.get_value().to_string_lossy().starts_with('-');
    if line.current().is_empty() && !found.iter().all(is_flag) {
        found.retain(|one| !is_flag(one));
    }
    found
}

/// Returns the program's arguments with the values that each of them can have.
fn command(line: &Line) -> Command {
    let context = Arc::new(Context::of(line));
    with_values(Cli::full_command(), "", &context)
}

fn with_values(command: Command, parent: &str, context: &Arc<Context>) -> Command {
    let name = command.get_name().to_owned();
    command
        .mut_args(|argument| attach(argument, parent, &name, context))
        .mut_subcommands(|inner| with_values(inner, &name, context))
}

fn attach(argument: Arg, parent: &str, command: &str, context: &Arc<Context>) -> Arg {
    let Some(source) = Source::of(parent, command, &argument) else { return argument };
    argument.add(ArgValueCompleter::new(Completer { source, context: Arc::clone(context) }))
}

/// The parsed context of a completion.
struct Context {
    /// The repository: that of `-C`, or the current folder.
    repo: PathBuf,
    /// The words before the current one.
    before: Vec<String>,
}

impl Context {
    fn of(line: &Line) -> Self {
        let before = line.words.iter().take(line.index);
        let before: Vec<String> = before.map(|word| word.to_string_lossy().into_owned()).collect();
        Self { repo: repo(&before), before }
    }

    /// Returns whether something stands between the name of a command and the current word.
    fn has_value_of(&self, command: &str) -> bool {
        self.before.last().is_some_and(|word| word != command)
    }
}

/// Returns the repository that a command line names.
fn repo(words: &[String]) -> PathBuf {
    let mut found = None;
    for (place, word) in words.iter().enumerate() {
        found = match word.as_str() {
            "-C" | "--repo" => words.get(place + 1).map(String::as_str),
            word => word.strip_prefix("--repo="),
        }
        .or(found);
    }
    PathBuf::from(found.unwrap_or("."))
}

struct Completer {
    source: Source,
    context: Arc<Context>,
}

impl ValueCompleter for Completer {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else { return Vec::new() };
        values::of(self.source, &self.context, current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let found = candidates(&Line::at_end(&words), Some(Path::new("/")));
        let found: Vec<String> = found.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect();
        assert_eq!(found.join(" "), expected, "{typed}");
    }

    #[test]
    fn values_come_before_flags() {
        check("cairn new ", "issue task story epic milestone board");
        check("cairn new is", "issue");
        check("cairn -C / list --kind e", "epic");
        check("cairn new issue x --priority=h", "--priority=high");
        check("cairn edit 4 --size ", "small medium large xlarge");
        check("cairn list --sort du", "due due:desc");
        check("cairn list --over", "--overdue");
        check("cairn inbox send --kind q", "question");
    }

    #[test]
    fn outside_a_repository_nothing_is_offered() {
        check("cairn -C /nowhere/at/all list --label b", "");
        check("cairn -C /nowhere/at/all list --status r", "");
        check("cairn --repo=/nowhere/at/all assign 4 ", "");
    }

    #[test]
    fn the_last_repository_counts() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(repo(&words("cairn list")), PathBuf::from("."));
        assert_eq!(repo(&words("cairn -C a list --repo=b")), PathBuf::from("b"));
    }
}
