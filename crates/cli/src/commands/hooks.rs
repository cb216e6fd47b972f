//! `cairn hooks`: git hooks for new and rewritten commits.

use std::process::ExitCode;

use annotations::hooks::{self, Hook, HooksPlace};
use annotations::view::{HookStatus, HooksView};
use app::{Env, Error};
use clap::{Args, Subcommand};

use super::RepoPath;
use crate::input;
use crate::output::{FAINT, GOOD, NOTABLE, Ui, listener, safe};

/// Install git hooks that annotate commits and carry annotations to rewritten commits.
///
/// Your own hooks stay and run first. Cairn's hooks never stop a commit, and `remove` restores the original files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn hooks install
  cairn hooks status
  cairn hooks remove")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Install the hooks; running it twice changes nothing.
    #[command(after_help = "Example:\n  cairn hooks install")]
    Install {
        /// Also where the folder of hooks is not this repository's own (`core.hooksPath`).
        #[arg(long)]
        anywhere: bool,
    },
    /// Remove the hooks and restore your own.
    #[command(after_help = "Example:\n  cairn hooks remove")]
    Remove,
    /// Show which hooks are installed.
    #[command(after_help = "Example:\n  cairn hooks status")]
    Status,
    /// Run a hook; called by the installed hooks, never fails.
    #[command(after_help = "Example:\n  cairn hooks run post-commit")]
    Run {
        /// The hook.
        hook: Hook,
        /// The arguments from git.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let view = match &arguments.action {
        Action::Install { anywhere } => {
            let program = std::env::current_exe()
                .map_err(|error| Error::unavailable(format!("cannot tell where this program is: {error}")))?;
            let allowed = if *anywhere { HooksPlace::Anywhere } else { HooksPlace::OwnFolder };
            hooks::install_hooks(place.path(), &program, allowed)?
        }
        Action::Remove => hooks::remove_hooks(place.path())?,
        Action::Status => hooks::hooks_status(place.path())?,
        Action::Run { hook, rest: _ } => {
            run_one(*hook, place, ui);
            return Ok(ExitCode::SUCCESS);
        }
    };
    print(ui, &view);
    Ok(ExitCode::SUCCESS)
}

// An error must not fail the commit: it is printed in one line.
fn run_one(hook: Hook, place: &RepoPath, ui: &Ui) {
    let input = if hook == Hook::PostRewrite { input::read_pipe() } else { Ok(String::new()) };
    let ran = input.and_then(|input| hooks::run_hook(place.path(), Env::default(), &listener(), hook, &input));
    let lines = ran.unwrap_or_else(|error| vec![error.message]);
    for line in lines {
        ui.note(&format!("cairn: {}", safe(&line)));
    }
}

fn print(ui: &Ui, view: &HooksView) {
    if ui.json {
        ui.data(view);
        return;
    }
    for hook in &view.hooks {
        let style = if hook.state == HookStatus::Installed { GOOD } else { NOTABLE };
        let own =
            hook.own.as_ref().map(|own| format!("  {FAINT}runs {} first{FAINT:#}", safe(own))).unwrap_or_default();
        ui.line(&format!("{:<18}  {style}{}{style:#}{own}", hook.name, hook.state));
    }
    for line in &view.advice {
        ui.line(&safe(line));
    }
}
