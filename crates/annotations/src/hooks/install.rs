//! Installs and removes hooks. A hooks folder that is shared, or managed by another tool, is not changed without a
//! request.

use std::path::{Path, PathBuf};

use app::Error;
use store::git::{HookFile, HookState, Repository};

use super::{Hook, script};
use crate::view::{HookStatus, HookView, HooksView};

/// Where hooks may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksPlace {
    /// In the repository's own folder only.
    OwnFolder,
    /// Wherever git runs hooks from, such as a shared folder.
    Anywhere,
}

/// Installs the hooks of the repository that contains `start`, to run `program`.
pub fn install_hooks(start: &Path, program: &Path, place: HooksPlace) -> Result<HooksView, Error> {
    let repository = Repository::discover(start)?;
    let folder = repository.hooks_folder()?;
    if place == HooksPlace::OwnFolder && !repository.owns_folder(&folder) {
        return Err(foreign_hooks_folder(&repository, &folder));
    }
    let files = files(&folder);
    for (hook, file) in &files {
        if file.state()? == HookState::TheirsTwice {
            return Err(Error::conflict(format!("there are already two hooks `{}`", hook.name())).hint(format!(
                "`{}` and `{}`: merge them or remove one",
                file.path().display(),
                file.earlier_hook().display()
            )));
        }
    }
    for (hook, file) in &files {
        file.put(&script::script(*hook, program))?;
    }
    view(&repository, &folder)
}

/// Removes our hooks; the previous ones are restored byte for byte.
pub fn remove_hooks(start: &Path) -> Result<HooksView, Error> {
    let repository = Repository::discover(start)?;
    let folder = repository.hooks_folder()?;
    for (_, file) in files(&folder) {
        file.take_away()?;
    }
    view(&repository, &folder)
}

/// Returns which hooks are installed.
pub fn hooks_status(start: &Path) -> Result<HooksView, Error> {
    let repository = Repository::discover(start)?;
    view(&repository, &repository.hooks_folder()?)
}

fn files(folder: &Path) -> Vec<(Hook, HookFile)> {
    Hook::ALL.into_iter().map(|hook| (hook, HookFile::new(folder, hook.name()))).collect()
}

fn view(repository: &Repository, folder: &Path) -> Result<HooksView, Error> {
    let mut hooks = Vec::new();
    let mut advice = Vec::new();
    for (hook, file) in files(folder) {
        let aside = || Some(file.earlier_hook().display().to_string());
        let (state, own) = match file.state()? {
            HookState::Absent => (HookStatus::Absent, None),
            HookState::Ours => (HookStatus::Installed, None),
            HookState::OursBeforeTheirs => (HookStatus::Installed, aside()),
            HookState::Theirs => (HookStatus::Foreign, None),
            HookState::TheirsTwice => {
                advice.push(format!(
                    "another program replaced Cairn's hook `{}`; the hook from before Cairn is `{}`",
                    hook.name(),
                    file.earlier_hook().display()
                ));
                (HookStatus::Foreign, aside())
            }
        };
        hooks.push(HookView { name: hook.name().to_owned(), state, own });
    }
    if hooks.iter().any(|hook| hook.state != HookStatus::Installed) && !repository.owns_folder(folder) {
        advice.extend(lines_to_add(repository, folder));
    }
    Ok(HooksView { folder: folder.display().to_string(), hooks, advice })
}

fn foreign_hooks_folder(repository: &Repository, folder: &Path) -> Error {
    let message = format!("git runs hooks from `{}`, which is not this repository's own", folder.display());
    let lines = lines_to_add(repository, folder).join("; ");
    Error::conflict(message).hint(format!("{lines}; or put them there with `--anywhere`"))
}

/// Returns the lines to add by hand where another tool manages the hooks.
fn lines_to_add(repository: &Repository, folder: &Path) -> Vec<String> {
    let top: PathBuf = repository.workdir().map(Path::to_owned).unwrap_or_default();
    let has = |name: &str| top.join(name).exists();
    let keeper = if folder.components().any(|part| part.as_os_str() == ".husky") {
        "husky runs the files in `.husky`"
    } else if has("lefthook.yml") || has(".lefthook.yml") {
        "lefthook runs what `lefthook.yml` says"
    } else {
        "`core.hooksPath` is set"
    };
    let add = |hook: Hook| format!("add to the hook `{}`: cairn hooks run {} \"$@\" || true", hook.name(), hook.name());
    std::iter::once(keeper.to_owned()).chain(Hook::ALL.into_iter().map(add)).collect()
}
