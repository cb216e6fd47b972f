//! `cairn compat`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::Error;
use clap::{Args, Subcommand};

use crate::output::Ui;

/// Names under which this program behaves as another tool; `git-cairn` makes `git cairn` work.
const NAMES: &[&str] = &["git-cairn", "git-mile", "ultragit", "lazygit-mcp-bridge"];

/// Emulate the command lines of other tools.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn compat link --dir ~/.local/bin")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Link(Link),
}

/// Make links to this program: `git-mile`, `ultragit` and `lazygit-mcp-bridge`, under which it behaves as those tools, and
/// `git-cairn` for `git cairn`. Files that are something else are left alone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn compat link
  cairn compat link --dir ~/.local/bin")]
pub(crate) struct Link {
    /// The folder for the links; that of this program if omitted.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> Result<ExitCode, Error> {
    let Verb::Link(link) = &arguments.verb;
    let program = std::env::current_exe()
        .map_err(|error| Error::unavailable(format!("cannot tell where this program is: {error}")))?;
    let folder = match (&link.dir, program.parent()) {
        (Some(folder), _) => folder.clone(),
        (None, Some(folder)) => folder.to_owned(),
        (None, None) => return Err(Error::invalid("name a folder for the links with `--dir`")),
    };
    std::fs::create_dir_all(&folder).map_err(|error| cannot(&folder, &error))?;
    let mut made = Vec::new();
    for name in NAMES {
        let place = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        make_link(&program, &place)?;
        made.push(place.display().to_string());
    }
    if ui.json {
        ui.data(&serde_json::json!({"links": made}));
    } else {
        for place in &made {
            ui.line(&format!("`{place}` is `{}`", program.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn make_link(program: &Path, place: &Path) -> Result<(), Error> {
    let is_ours = || place.canonicalize().ok().zip(program.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    match place.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Ok(_) if is_ours() => return Ok(()),
        // A dangling link of a program that was moved or removed.
        Ok(found) if found.is_symlink() => std::fs::remove_file(place).map_err(|error| cannot(place, &error))?,
        _ => {
            return Err(Error::conflict(format!("`{}` already exists and is another file", place.display()))
                .hint("move it away, or choose another folder with `--dir`"));
        }
    }
    link(program, place).map_err(|error| cannot(place, &error))
}

#[cfg(unix)]
fn link(program: &Path, place: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, place)
}

// Windows: symbolic links need permissions that most users do not have.
#[cfg(not(unix))]
fn link(program: &Path, place: &Path) -> std::io::Result<()> {
    std::fs::hard_link(program, place).or_else(|_| std::fs::copy(program, place).map(|_| ()))
}

fn cannot(place: &Path, error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot write `{}`: {error}", place.display()))
}
