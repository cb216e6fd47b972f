//! `cairn lazygit`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use app::Error;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::clients::program;
use crate::clients::settings::Settings;
use crate::lazygit::commands::{self, Keys, Schema};
use crate::lazygit::program::Lazygit;
use crate::lazygit::{self, Block, Wrapper, config, keys};
use crate::output::{GOOD, Ui, safe};

/// The default keys: unbound in every version of lazygit.
const KEY: &str = "<c-y>";
const DRAFT_KEY: &str = "<c-x>";

/// Send review messages to the agent from within lazygit.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn lazygit install
  cairn lazygit install --key '<c-g>' --draft-key '<c-v>'
  cairn lazygit remove")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Install(Install),
    Remove(Remove),
}

/// Add two keys to lazygit's settings that ask for a line and a comment: one sends them, one saves them as a draft.
///
/// They work on files and folders, on a commit's files, on commits and inside the diff. A comment that begins with `?`
/// is a question, with `!` a note, otherwise a fix. Everything else in the settings stays as it is; running it again
/// changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn lazygit install
  cairn lazygit install --key '<c-g>' --draft-key '<c-v>'
  cairn lazygit install --edit-key
  cairn lazygit install --print")]
pub(crate) struct Install {
    /// The key that sends, as lazygit writes it.
    #[arg(long, value_name = "KEY", default_value = KEY)]
    key: String,
    /// The key that saves a draft.
    #[arg(long, value_name = "KEY", default_value = DRAFT_KEY)]
    draft_key: String,
    /// Remember the line when `e` opens your editor from a diff, and offer it first.
    #[arg(long)]
    edit_key: bool,
    /// Print what would be added, and change nothing.
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    place: ConfigFile,
}

/// Remove the key from lazygit's settings and restore the file.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn lazygit remove")]
pub(crate) struct Remove {
    #[command(flatten)]
    place: ConfigFile,
}

#[derive(Debug, Args)]
struct ConfigFile {
    /// The settings file; by default the one that lazygit reads.
    #[arg(long, value_name = "PATH")]
    config: Option<PathBuf>,
}

/// The result of a change to lazygit's settings.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LazygitView {
    /// The file.
    config: String,
    /// Whether it was changed.
    changed: bool,
    /// The key that sends; null after `remove`.
    key: Option<String>,
    /// The key that saves a draft; null after `remove`.
    draft_key: Option<String>,
    /// The version of lazygit that checked the new settings; null if it could not be run.
    lazygit: Option<String>,
}

pub(super) fn run(arguments: &Arguments, ui: &Ui) -> Result<ExitCode, Error> {
    match &arguments.verb {
        Verb::Install(install) if install.print => install.print(ui)?,
        Verb::Install(arguments) => print(ui, &arguments.run()?),
        Verb::Remove(arguments) => print(ui, &arguments.run()?),
    }
    Ok(ExitCode::SUCCESS)
}

fn print(ui: &Ui, view: &LazygitView) {
    if ui.json {
        ui.data(view);
        return;
    }
    let file = safe(&view.config);
    let draft = view.draft_key.as_deref().map(|key| format!(", {} for a draft", safe(key))).unwrap_or_default();
    match (&view.key, view.changed) {
        (Some(key), true) => {
            ui.line(&format!("{GOOD}installed{GOOD:#} in `{file}`; press {} in lazygit{draft}", safe(key)));
        }
        (Some(key), false) => {
            ui.line(&format!("`{file}` has it already; press {} in lazygit{draft}", safe(key)));
        }
        (None, true) => ui.line(&format!("{GOOD}removed{GOOD:#} from `{file}`")),
        (None, false) => ui.line(&format!("nothing to remove from `{file}`")),
    }
    if view.key.is_some() && view.lazygit.is_none() {
        ui.note("warning: `lazygit` is not on the PATH; the settings were not tried");
    }
}

impl Install {
    fn keys(&self) -> Keys<'_> {
        Keys { send: &self.key, draft: &self.draft_key }
    }

    fn print(&self, ui: &Ui) -> Result<(), Error> {
        let schema = Lazygit::find().map_or(Schema::V66, |lazygit| lazygit.schema());
        let text = format!("customCommands:\n{}", commands::items(&program_word()?, &self.keys(), schema));
        if ui.json {
            ui.data(&serde_json::json!({"text": text}));
        } else {
            ui.print(&text);
        }
        Ok(())
    }

    fn run(&self) -> Result<LazygitView, Error> {
        if self.key == self.draft_key {
            return Err(Error::invalid("both keys are the same").hint("choose another one with `--draft-key`"));
        }
        if self.key.trim().is_empty() || self.draft_key.trim().is_empty() {
            return Err(Error::invalid("the key is empty").hint("name one as lazygit does, such as `<c-y>`"));
        }
        let lazygit = Lazygit::find();
        if let Some(old) = lazygit.as_ref().filter(|lazygit| lazygit.is_too_old()) {
            return Err(Error::conflict(format!("lazygit {} is too old", old.version)).hint("0.44 or newer is needed"));
        }
        let path = config::find(self.place.config.as_deref(), lazygit.as_ref())?;
        let settings = Settings::at(&path)?;
        let before = settings.read()?;
        let after = self.edited(&path, before.as_deref(), lazygit.as_ref())?;
        let changed = before.as_deref() != Some(after.as_str());
        if changed {
            try_settings(lazygit.as_ref(), &path, before.as_deref(), &after)?;
            write(&settings, &path, before.as_deref().unwrap_or_default(), &after)?;
        }
        let version = lazygit.map(|lazygit| lazygit.version);
        Ok(LazygitView {
            config: path.display().to_string(),
            changed,
            key: Some(self.key.clone()),
            draft_key: Some(self.draft_key.clone()),
            lazygit: version,
        })
    }

    fn edited(&self, path: &Path, before: Option<&str>, lazygit: Option<&Lazygit>) -> Result<String, Error> {
        let name = path.display().to_string();
        let theirs = before.map(|text| lazygit::remove(&name, text)).transpose()?.flatten().unwrap_or_default();
        let defaults = lazygit.and_then(Lazygit::defaults).unwrap_or_default();
        for (key, flag) in [(&self.key, "--key"), (&self.draft_key, "--draft-key")] {
            if let Some(owner) = keys::taken_by(key, &theirs, &defaults) {
                return Err(Error::conflict(format!("the key `{key}` is taken by {owner}"))
                    .hint(format!("choose another one with `{flag}`, such as `{flag} '<c-v>'`")));
            }
        }
        let program = program_word()?;
        let schema = lazygit.map_or(Schema::V66, Lazygit::schema);
        let commands = Block(commands::items(&program, &self.keys(), schema));
        let wraps = self.edit_key || before.is_some_and(lazygit::wraps_editor);
        let wrapper = wraps.then(|| wrapper(&theirs, &program)).transpose()?;
        lazygit::install(&name, before, &commands, wrapper.as_ref())
    }
}

impl Remove {
    fn run(&self) -> Result<LazygitView, Error> {
        // Without `--config`, lazygit is asked for the path of its settings.
        let lazygit = if self.place.config.is_none() { Lazygit::find() } else { None };
        let path = config::find(self.place.config.as_deref(), lazygit.as_ref())?;
        let settings = Settings::at(&path)?;
        let name = path.display().to_string();
        let mut changed = false;
        if let Some(before) = settings.read()? {
            let after = lazygit::remove(&name, &before)?;
            changed = after.as_ref() != Some(&before);
            match after {
                Some(after) if changed => write(&settings, &path, &before, &after)?,
                Some(_) => {}
                None => settings.delete()?,
            }
        }
        Ok(LazygitView { config: name, changed, key: None, draft_key: None, lazygit: None })
    }
}

/// Returns the shell word for this program: its name if the `PATH` resolves it to this file.
fn program_word() -> Result<String, Error> {
    if program::find("cairn").is_some_and(|path| program::is_this(&path)) {
        return Ok("cairn".to_owned());
    }
    let path = program::path_as_cairn()?;
    let word = path.to_str().and_then(commands::shell_word);
    word.ok_or_else(|| {
        Error::conflict(format!("lazygit's settings cannot contain the path `{}`", path.display()))
            .hint("put `cairn` into a folder on the PATH")
    })
}

/// Returns the command for `e`: record the line, then open the editor as before. The editor opens even if the first
/// part fails.
fn wrapper(theirs: &str, program: &str) -> Result<Wrapper, Error> {
    if cfg!(windows) {
        return Err(Error::invalid("`--edit-key` needs a Unix shell"));
    }
    let template = lazygit::editor_template(theirs, git_editor().as_deref()).map_err(|why| {
        Error::conflict(why).hint("set `os.editAtLine` in lazygit's settings, or leave `--edit-key` out")
    })?;
    Ok(Wrapper(format!("{program} inbox mark -- {{{{filename}}}} {{{{line}}}} 2>/dev/null; {template}")))
}

/// Returns the editor that lazygit would use: git's setting, then the environment's.
fn git_editor() -> Option<String> {
    let output = Command::new("git").args(["config", "--get", "core.editor"]).output().ok()?;
    let set = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let variable = |name: &str| std::env::var(name).ok();
    let mut known = [Some(set), variable("GIT_EDITOR"), variable("VISUAL"), variable("EDITOR")].into_iter().flatten();
    known.find(|editor| !editor.is_empty())
}

/// Lets lazygit check the new settings.
fn try_settings(lazygit: Option<&Lazygit>, path: &Path, before: Option<&str>, after: &str) -> Result<(), Error> {
    let Some(lazygit) = lazygit else { return Ok(()) };
    let Err(why) = lazygit.check(after) else { return Ok(()) };
    let path = path.display();
    if before.is_some_and(|before| lazygit.check(before).is_err()) {
        return Err(Error::conflict(format!("`{path}` was not changed: lazygit rejects its current content: {why}"))
            .hint("correct it, then run this again"));
    }
    Err(Error::conflict(format!(
        "`{path}` was not changed: lazygit {} would reject the new content: {why}",
        lazygit.version
    ))
    .hint("another key may help: `--key`"))
}

/// Writes the settings, unless they changed since they were read. Renaming a file over a read-only one would succeed,
/// so that is checked here.
fn write(settings: &Settings, path: &Path, before: &str, after: &str) -> Result<(), Error> {
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(Error::unavailable(format!("`{}` is read-only", path.display()))
            .hint("make it writable, or paste what `cairn lazygit install --print` shows"));
    }
    let meanwhile =
        || Error::conflict(format!("`{}` was changed by someone else", path.display())).hint("run this again");
    let edit = |now: &str| if now == before { Ok(after.to_owned()) } else { Err(meanwhile()) };
    settings.change(edit)?;
    Ok(())
}
