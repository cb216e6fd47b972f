//! The files git runs as hooks. One that is there already is moved aside, byte for byte, and moved back when ours goes;
//! one that somebody put in the place of ours is theirs and stays.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{GitError, Repository};

/// A line that only hooks of ours have.
pub const HOOK_MARK: &str = "# Written by `cairn hooks install`";
/// What is added to the name of a hook that was there before.
const ASIDE: &str = ".before-cairn";

/// Who a hook belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookState {
    /// There is none.
    Absent,
    /// It is ours, and the only one.
    Ours,
    /// It is ours, and runs the one that was there before.
    OursBeforeTheirs,
    /// It is somebody else's.
    Theirs,
    /// It is somebody else's, and one that was moved aside for ours is there, too.
    TheirsTwice,
}

/// One hook of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    path: PathBuf,
}

impl Repository {
    /// Returns the folder git looks for hooks in.
    pub fn hooks_folder(&self) -> Result<PathBuf, GitError> {
        // Git itself cannot be asked: a question hides this setting from it.
        let Some(folder) = self.settings()?.path("core.hooksPath") else { return Ok(self.common_dir().join("hooks")) };
        // Hooks run at the top of the work tree, or in a bare repository.
        Ok(self.workdir().unwrap_or(self.git_dir()).join(folder))
    }

    /// Tells whether a folder is this repository's own: in its git directory, where nothing is shared with anyone.
    pub fn owns_folder(&self, folder: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // The folder may not be there yet; the one it will be in is.
        let folder = if folder.exists() { real(folder) } else { folder.parent().map(real).unwrap_or_default() };
        folder.starts_with(real(self.common_dir()))
    }
}

impl HookFile {
    /// Names a hook in a folder.
    pub fn new(folder: &Path, name: &str) -> Self {
        Self { path: folder.join(name) }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where the one that was there before is.
    pub fn aside(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(ASIDE);
        name.into()
    }

    /// Tells who it belongs to.
    pub fn state(&self) -> Result<HookState, GitError> {
        let has_aside = self.aside().symlink_metadata().is_ok();
        let text = match fs::read(&self.path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            // A link that leads nowhere is still somebody's.
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

    /// Puts a script in its place; what is there is moved aside. Must not be asked for when there is one aside already
    /// that ours does not run.
    pub fn put(&self, script: &str) -> Result<(), GitError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|source| GitError::writing(folder, source))?;
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let new = PathBuf::from(new);
        // A link of that name may lead anywhere: it goes, and what it leads to stays as it is.
        let _ = fs::remove_file(&new);
        let create = || fs::OpenOptions::new().write(true).create_new(true).open(&new);
        let written =
            create().and_then(|mut file| file.write_all(script.as_bytes())).and_then(|()| make_executable(&new));
        written.map_err(|source| GitError::writing(&new, source))?;
        if self.state()? == HookState::Theirs {
            rename(&self.path, &self.aside())?;
        }
        rename(&new, &self.path)
    }

    /// Takes ours away and puts back what was there before.
    pub fn take_away(&self) -> Result<(), GitError> {
        match self.state()? {
            HookState::OursBeforeTheirs => rename(&self.aside(), &self.path),
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
