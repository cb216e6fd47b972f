//! `cairn demo`: shows the main workflow in a temporary repository, by running the real commands.

use std::path::Path;
use std::process::{Command, ExitCode};

use app::Error;
use clap::Args;

use crate::output::{FAINT, STRONG, Ui};

/// Walk through the main commands in a temporary repository.
///
/// Each command is shown with its output. Your own files are not touched.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn demo --keep")]
pub(crate) struct Arguments {
    /// Keep the repository and print its path.
    #[arg(long)]
    keep: bool,
}

/// The script: text, then commands.
const SCENES: &[(&str, &[&[&str]])] = &[
    (
        "A team plans a release. Every item gets a number; nothing leaves the repository.",
        &[
            &["new", "milestone", "Release 1.0", "--due", "2027-01-31"],
            &["new", "epic", "People can sign in", "--milestone", "Release 1.0"],
            &["new", "issue", "Login fails on Safari", "--label", "bug", "--priority", "8", "--milestone", "1"],
            &["new", "task", "Rotate the session keys", "--priority", "5", "--parent", "2", "--size", "small"],
            &["new", "story", "As a guest I can pay by card", "-d", "Visa and Mastercard.\nNo storing of numbers."],
        ],
    ),
    (
        "What blocks what? `ready` knows, and says why the rest waits.",
        &[
            &["link", "4", "--blocks", "3"],
            &["link", "3", "--touches", "src/login.rs:Session::open"],
            &["ready"],
            &["ready", "--explain"],
        ],
    ),
    (
        "Someone takes a task up and finishes it.",
        &[
            &["start", "4"],
            &["comment", "4", "The old keys stay valid for a day."],
            &["close", "4", "--comment", "Done, keys rotate weekly."],
            &["show", "4"],
            &["list", "--filter", "labels ~ bug and priority >= 5"],
        ],
    ),
    ("A colleague has a clone and created an item too. Both sync; both keep everything.", &[]),
];

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> Result<ExitCode, Error> {
    let folder = tempfile::Builder::new().prefix("cairn-demo-").tempdir().map_err(|error| cannot(&error))?;
    let (hub, mine, theirs) = (folder.path().join("hub.git"), folder.path().join("mine"), folder.path().join("theirs"));
    for path in [&mine, &theirs] {
        std::fs::create_dir_all(path).map_err(|error| cannot(&error))?;
    }
    let stage = Stage { ui, home: folder.path() };
    stage.git(folder.path(), &["init", "--quiet", "--bare", &hub.display().to_string()])?;
    for path in [&mine, &theirs] {
        stage.git(path, &["init", "--quiet"])?;
        stage.git(path, &["remote", "add", "origin", &hub.display().to_string()])?;
    }
    for (words, commands) in SCENES {
        ui.line(&format!("\n{STRONG}{words}{STRONG:#}"));
        for command in *commands {
            stage.cairn(&mine, "you", command)?;
        }
    }
    stage.cairn(&mine, "you", &["sync"])?;
    stage.cairn(&theirs, "colleague", &["sync"])?;
    stage.cairn(&mine, "you", &["new", "issue", "The footer overlaps on phones", "--label", "bug"])?;
    stage.cairn(&theirs, "colleague", &["new", "issue", "Search finds no umlauts"])?;
    stage.cairn(&theirs, "colleague", &["sync"])?;
    stage.cairn(&mine, "you", &["sync"])?;
    stage.cairn(&mine, "you", &["list"])?;
    stage.cairn(&mine, "you", &["log", "-n", "8"])?;
    if arguments.keep {
        let kept = folder.keep();
        ui.line(&format!("\nThe repository is kept: cd {}", kept.join("mine").display()));
    } else {
        ui.line("\nThat was all in a throw-away repository. In one of yours: cairn new issue 'The first thing to do'");
    }
    Ok(ExitCode::SUCCESS)
}

struct Stage<'a> {
    ui: &'a Ui,
    home: &'a Path,
}

impl Stage<'_> {
    fn cairn(&self, folder: &Path, who: &str, arguments: &[&str]) -> Result<(), Error> {
        let shown: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        self.ui.line(&format!("{FAINT}{who}${FAINT:#} {STRONG}cairn {}{STRONG:#}", shown.join(" ")));
        let program = std::env::current_exe().map_err(|error| cannot(&error))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder);
        let name = if who == "you" { "You" } else { "Colleague" };
        command.env("GIT_AUTHOR_NAME", name).env("GIT_COMMITTER_NAME", name);
        let status = self.isolated(&mut command).status().map_err(|error| cannot(&error))?;
        if status.success() { Ok(()) } else { Err(Error::unavailable(format!("`cairn {}` failed", shown.join(" ")))) }
    }

    fn git(&self, folder: &Path, arguments: &[&str]) -> Result<(), Error> {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder);
        let output = self.isolated(&mut command).output().map_err(|error| cannot(&error))?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::unavailable(format!(
            "`git {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        )))
    }

    // The user's git settings must neither affect the demo nor be changed by it.
    fn isolated<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for (name, _) in std::env::vars_os() {
            let is_about_a_repository = name.to_string_lossy().starts_with("GIT_");
            let is_ours = matches!(name.to_string_lossy().as_ref(), "GIT_AUTHOR_NAME" | "GIT_COMMITTER_NAME");
            if is_about_a_repository && !is_ours {
                command.env_remove(name);
            }
        }
        command
            .env("GIT_CONFIG_GLOBAL", self.home.join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_EMAIL", "demo@example.org")
            .env("GIT_COMMITTER_EMAIL", "demo@example.org")
    }
}

fn quoted(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\n', "\\n")) }
}

fn cannot(error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot set the demo up: {error}"))
}
