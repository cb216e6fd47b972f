//! The user's folders, from the environment.

use std::env;
use std::path::{Path, PathBuf};

use app::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Home,
    /// `~/.config`, on every system.
    Config,
    /// The system's folder for application settings.
    Apps,
}

/// The user's folders.
#[derive(Debug)]
pub(crate) struct Folders {
    home: PathBuf,
    config: PathBuf,
    apps: PathBuf,
}

impl Folders {
    /// Reads them from the environment.
    pub(crate) fn of_environment() -> Result<Self, Error> {
        let home = env::home_dir().filter(|home| home.is_absolute());
        let home =
            home.ok_or_else(|| Error::unavailable("cannot tell where your home folder is").hint("set `HOME`"))?;
        // The XDG specification says to ignore relative paths.
        let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let apps = if cfg!(windows) {
            folder("APPDATA").unwrap_or_else(|| home.join("AppData").join("Roaming"))
        } else if cfg!(target_os = "macos") {
            home.join("Library").join("Application Support")
        } else {
            config.clone()
        };
        Ok(Self { home, config, apps })
    }

    /// Returns one of them.
    pub(crate) fn path(&self, base: Base) -> &Path {
        match base {
            Base::Home => &self.home,
            Base::Config => &self.config,
            Base::Apps => &self.apps,
        }
    }

    /// Returns whether a folder is one of them.
    pub(crate) fn contains(&self, folder: &Path) -> bool {
        [&self.home, &self.config, &self.apps].iter().any(|base| *base == folder)
    }
}
