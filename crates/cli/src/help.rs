//! The layout of `--help`: commands in groups, examples before options, global options in one line.
//!
//! Applied only when help is asked for, so that other commands do not pay for it.

use std::ffi::OsString;
use std::fmt::Write as _;

use anstyle::Style;
use clap::Command;

use crate::arguments::Cli;
use crate::output::terminal_width;

/// Every visible command, by what it is for.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Everyday",
        &[
            "new", "list", "ready", "show", "search", "edit", "start", "close", "reopen", "assign", "status",
            "comment", "attach", "label", "delete", "undo",
        ],
    ),
    ("Planning", &["view", "template", "tui", "move", "link", "unlink", "member", "workflow", "stats", "log"]),
    ("Code", &["context", "read", "deps", "history", "summary", "annotate", "flag", "correct", "check", "hooks"]),
    ("Review", &["inbox", "lazygit"]),
    ("Sharing", &["sync", "board", "serve", "token", "export", "import", "taiga"]),
    ("Agents", &["prime", "agents", "mcp", "compat"]),
    ("Administration", &["init", "doctor", "database", "reindex", "demo", "completions", "man"]),
];

/// Minimum width of a wrapped text; on a narrower terminal it is not wrapped.
const MIN_WIDTH: usize = 20;

const GLOBAL_OPTIONS: &str = "Global options: -C PATH (another repository), --json, --color auto|always|never, -v";

/// Returns the help of the whole program.
pub(crate) fn overview() -> String {
    arrange(Cli::full_command()).render_long_help().ansi().to_string()
}

/// Arranges the help of a program and of all its commands.
pub(crate) fn arrange(mut program: Command) -> Command {
    // The arguments of commands are declared lazily, and so is what the commands are for.
    program.build();
    let (commands, global) = (groups(&program), wrapped(GLOBAL_OPTIONS, 0));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}\n{global}\n`cairn COMMAND --help` shows the options and examples of a command\n"
    );
    program.mut_args(hide_global).mut_subcommands(arrange_command).help_template(template)
}

fn arrange_command(command: Command) -> Command {
    let has_commands = command.has_subcommands();
    let global = wrapped(GLOBAL_OPTIONS, 0);
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}{{after-help}}\n\n{{all-args}}\n\n{global}\n");
    let command = command.mut_args(hide_global).help_template(template);
    if has_commands { command.mut_subcommands(arrange_command) } else { command }
}

/// Hides an option that all commands have; one line names them all.
fn hide_global(argument: clap::Arg) -> clap::Arg {
    if argument.is_global_set() { argument.hide(true) } else { argument }
}

/// Wraps a text to the terminal; lines after the first are indented. In a pipe it stays one line.
fn wrapped(text: &str, indent: usize) -> String {
    let Some(width) = terminal_width().map(|width| width.saturating_sub(indent)).filter(|width| *width >= MIN_WIDTH)
    else {
        return text.to_owned();
    };
    let lines = terminal::wrap(text, Style::new(), width);
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(&format!("\n{}", " ".repeat(indent)))
}

/// Returns the list of commands.
fn groups(program: &Command) -> String {
    let names = || GROUPS.iter().flat_map(|(_, names)| names.iter());
    let width = names().map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{heading}:");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            // Two blanks before and after the name.
            let about = wrapped(&about, width + 4);
            let _ = writeln!(text, "  {:<width$}  {about}", command.get_name());
        }
        text.push('\n');
    }
    text
}

/// Rewrites `cairn help COMMAND` to `cairn COMMAND --help`, for people who type it as with git.
///
/// Not clap's own subcommand, which would list the commands once more and print its own layout.
pub(crate) fn spell_out(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_of_a_command_is_its_flag() {
        let check = |words: &str, expected: &str| {
            let words = spell_out(words.split(' ').map(OsString::from).collect());
            assert_eq!(words.join(" ".as_ref()), expected);
        };
        check("cairn help", "cairn --help");
        check("cairn help mcp install", "cairn mcp install --help");
        check("cairn new issue help", "cairn new issue help");
    }

    #[test]
    fn every_command_is_in_one_group() {
        let program = Cli::full_command();
        let mut visible: Vec<&str> =
            program.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn examples_stand_before_options() {
        let mut program = arrange(Cli::full_command());
        program.build();
        let list = program.find_subcommand_mut("list").expect("there is a command `list`");
        let help = list.render_long_help().to_string();
        let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("no {text:?} in\n{help}"));
        assert!(place("Usage:") < place("Examples:"));
        assert!(place("Examples:") < place("Options:"));
        assert_eq!(help.matches("--color").count(), 1, "{help}");
    }
}
