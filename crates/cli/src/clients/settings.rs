//! A client's settings on disk, replaced atomically.
//!
//! Symbolic links and file modes are kept, and writers lock the folder, so that no update is lost.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use app::Error;

/// The usual limit of operating systems.
const MAX_LINKS: usize = 40;

/// A settings file; it may not exist yet.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The path shown to the user.
    pub(crate) path: PathBuf,
    /// The file itself, with links resolved.
    target: PathBuf,
}

/// The text of a file before and after a change.
#[derive(Debug)]
pub(crate) struct Change {
    /// `None` if there was no file.
    pub(crate) before: Option<String>,
    /// The text after the change.
    pub(crate) after: String,
}

impl Settings {
    /// Resolves the links of a path.
    pub(crate) fn at(path: &Path) -> Result<Self, Error> {
        let mut target = path.to_owned();
        for _ in 0..MAX_LINKS {
            let Ok(next) = fs::read_link(&target) else { return Ok(Self { path: path.to_owned(), target }) };
            target = target.parent().unwrap_or(Path::new("")).join(next);
        }
        Err(Error::invalid(format!("`{}` is a link that leads nowhere", path.display())))
    }

    /// Resolves a file that belongs to a repository. The author of the repository may have placed a link there, so it
    /// must lead to a file of the work tree; a target in the git directory is rejected.
    pub(crate) fn in_work_tree(root: &Path, path: &Path) -> Result<Self, Error> {
        let settings = Self::at(path)?;
        let leads_out = || {
            let (path, target) = (path.display(), settings.target.display());
            Error::conflict(format!(
                "`{path}` was not changed: it is a link that leads out of the work tree, to `{target}`"
            ))
            .hint("replace the link by a file, install for yourself with `--global`, or name a file with `--config`")
        };
        // Neither the file nor its folder need to exist yet; the nearest existing ancestor decides.
        let existing = settings.target.ancestors().find_map(|place| Some((place, fs::canonicalize(place).ok()?)));
        let Some((place, real)) = existing else { return Err(leads_out()) };
        let real = real.join(settings.target.strip_prefix(place).unwrap_or(Path::new("")));
        let inside = fs::canonicalize(root).ok().and_then(|root| real.strip_prefix(root).map(Path::to_owned).ok());
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
        if inside.is_some_and(|inside| inside.components().all(is_plain)) { Ok(settings) } else { Err(leads_out()) }
    }

    /// Returns the text; `None` if there is no file.
    pub(crate) fn read(&self) -> Result<Option<String>, Error> {
        match fs::read(&self.target) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| {
                Error::conflict(format!("`{}` was not changed: it is not UTF-8", self.path.display()))
                    .hint("save it as UTF-8, or name another file with `--config`")
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::unavailable(format!("cannot read `{}`: {error}", self.path.display()))),
        }
    }

    /// Returns the change that an edit would make.
    pub(crate) fn plan(&self, edit: impl Fn(&str) -> Result<String, Error>) -> Result<Change, Error> {
        let before = self.read()?;
        let after = edit(before.as_deref().unwrap_or_default())?;
        Ok(Change { before, after })
    }

    /// Applies an edit. An unchanged text is not written.
    pub(crate) fn change(&self, edit: impl Fn(&str) -> Result<String, Error>) -> Result<Change, Error> {
        let change = self.plan(&edit)?;
        if !change.is_one() {
            return Ok(change);
        }
        let folder = self.folder();
        fs::create_dir_all(folder).map_err(|error| self.cannot_write(&error))?;
        let _turn = take_turn(folder);
        // Planned again under the lock: another writer may have changed the file.
        let change = self.plan(edit)?;
        if change.is_one() {
            self.write(&change.after).map_err(|error| self.cannot_write(&error))?;
        }
        Ok(change)
    }

    /// Removes the file; a link to it is kept.
    pub(crate) fn delete(&self) -> Result<(), Error> {
        fs::remove_file(&self.target).map_err(|error| self.cannot_write(&error))
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cairn-").suffix(".tmp");
        // The umask applies, as for any new file; the default of `tempfile` is 0600.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(self.folder())?;
        file.write_all(text.as_bytes())?;
        // An existing file keeps its mode.
        if let Ok(metadata) = fs::metadata(&self.target) {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&self.target)?;
        Ok(())
    }

    fn folder(&self) -> &Path {
        self.target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    fn cannot_write(&self, error: &std::io::Error) -> Error {
        Error::unavailable(format!("cannot write `{}`: {error}", self.path.display()))
            .hint("nothing was changed; make its folder writable, or paste what `--print` shows")
    }
}

impl Change {
    /// Returns whether anything changes.
    pub(crate) fn is_one(&self) -> bool {
        self.before.as_deref().unwrap_or_default() != self.after
    }
}

/// Waits for other writers of a folder. The folder itself is locked, so that no lock file is left behind. On systems
/// where that is impossible, writes are still atomic, but concurrent updates may be lost.
fn take_turn(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}
