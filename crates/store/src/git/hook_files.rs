//! Git's hook files. An existing hook is moved aside, byte for byte, and moved back when ours is removed. A file that
//! somebody put in place of ours is not touched.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{GitError, Repository};

/// A line that marks our hooks.
pub const HOOK_MARK: &str = "# Written by `cairn hooks install`";
/// Suffix of a hook that was moved aside.
const ASIDE: &str = ".before-cairn";

/// Whose hook is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookState {
    /// There is no hook.
    Absent,
    /// Ours only.
    Ours,
    /// Ours, which also runs the earlier hook.
    OursBeforeTheirs,
    /// Another program's.
    Theirs,
    /// Another program's, and an earlier hook that was moved aside for ours still exists.
    TheirsTwice,
}

/// One hook of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    path: PathBuf,
}

impl Repository {
    /// Returns the folder in which git looks for hooks.
    pub fn hooks_folder(&self) -> Result<PathBuf, GitError> {
        // Read directly: our queries to git override this setting.
        let Some(folder) = self.settings()?.path("core.hooksPath") else { return Ok(self.common_dir().join("hooks")) };
        // Hooks run at the top of the work tree, or in the bare repository.
        Ok(self.workdir().unwrap_or(self.git_dir()).join(folder))
    }

    /// Returns whether a folder is inside this repository's git directory, so that no other repository shares it.
    pub fn owns_folder(&self, folder: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // The folder may not exist yet; its parent does.
        let folder = if folder.exists() { real(folder) } else { folder.parent().map(real).unwrap_or_default() };
        folder.starts_with(real(self.common_dir()))
    }
}

impl HookFile {
    /// The hook with this name in a folder.
    pub fn new(folder: &Path, name: &str) -> Self {
        Self { path: folder.join(name) }
    }

    /// Returns the path of the hook.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the earlier hook.
    pub fn earlier_hook(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(ASIDE);
        name.into()
    }

    /// Returns whose hook is installed.
    pub fn state(&self) -> Result<HookState, GitError> {
        let has_aside = self.earlier_hook().symlink_metadata().is_ok();
        let text = match fs::read(&self.path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            // A dangling link still belongs to somebody.
            Err(_) if self.path.symlink_metadata().is_ok() => String::new(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HookState::Absent),
            Err(source) => return Err(GitError::reading(&self.path, source)),
        };
        let is_ours = text.lines().any(|line| line.starts_with(HOOK_MARK));
        Ok(match (is_ours, has_aside) {
            (true, false) => HookState::Ours,
            (true, true) => HookState::OursBeforeTheirs,
            (false, false) => HookState::Theirs,
            (false, true) => HookState::TheirsTwice,
        })
    }

    /// Installs a script; an existing hook is moved aside. Must not be called if an earlier hook is aside that ours
    /// does not run.
    pub fn put(&self, script: &str) -> Result<(), GitError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|source| GitError::writing(folder, source))?;
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let new = PathBuf::from(new);
        // A symbolic link of that name may lead anywhere: remove the link, not its target.
        let _ = fs::remove_file(&new);
        let create = || fs::OpenOptions::new().write(true).create_new(true).open(&new);
        let written =
            create().and_then(|mut file| file.write_all(script.as_bytes())).and_then(|()| make_executable(&new));
        written.map_err(|source| GitError::writing(&new, source))?;
        if self.state()? == HookState::Theirs {
            rename(&self.path, &self.earlier_hook())?;
        }
        rename(&new, &self.path)
    }

    /// Removes our hook and restores the earlier one.
    pub fn take_away(&self) -> Result<(), GitError> {
        match self.state()? {
            HookState::OursBeforeTheirs => rename(&self.earlier_hook(), &self.path),
            HookState::Ours => fs::remove_file(&self.path).map_err(|source| GitError::writing(&self.path, source)),
            HookState::Absent | HookState::Theirs | HookState::TheirsTwice => Ok(()),
        }
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), GitError> {
    fs::rename(from, to).map_err(|source| GitError::writing(to, source))
}

fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let _ = path;
    Ok(())
}
