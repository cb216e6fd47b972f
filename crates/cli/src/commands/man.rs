//! `cairn man`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::Error;
use clap::Args;

use crate::arguments::Cli;
use crate::output::Ui;

/// Print the manual page, or write all of them to a folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn man | man -l -
  cairn man ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// The folder to write `cairn.1`, `cairn-new.1`, … to.
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> Result<ExitCode, Error> {
    let program = Cli::full_command();
    let Some(folder) = &arguments.folder else {
        let mut bytes = Vec::new();
        let rendered = clap_mangen::Man::new(program).render(&mut bytes);
        rendered.map_err(|error| Error::unavailable(error.to_string()))?;
        ui.raw(&bytes);
        return Ok(ExitCode::SUCCESS);
    };
    // `git help list` makes people type `cairn man list`.
    if let Some(command) = folder.to_str().filter(|name| program.find_subcommand(name).is_some()) {
        return Err(Error::invalid(format!("`{command}` is a command, not a folder")).hint(format!(
            "`cairn help {command}` describes it; `cairn man ./{command}` writes all pages to a folder"
        )));
    }
    let cannot = |error: std::io::Error| Error::unavailable(format!("cannot write to `{}`: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    clap_mangen::generate_to(program, folder).map_err(cannot)?;
    if ui.json {
        ui.data(&serde_json::json!({"folder": folder.display().to_string()}));
    } else {
        ui.line(&format!("wrote the manual pages to `{}`", folder.display()));
    }
    Ok(ExitCode::SUCCESS)
}
