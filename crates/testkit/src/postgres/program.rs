//! Finds PostgreSQL's programs, and runs them as a user that PostgreSQL accepts: a server refuses to run as root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the packages of distributions put the programs of the server, which are not on the path.
const PACKAGE_FOLDERS: [&str; 3] = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt"];

/// The folder of the programs, and the user that runs them.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    folder: PathBuf,
    user: User,
}

#[derive(Debug, Clone, Copy)]
enum User {
    Current,
    Named(&'static str),
}

impl Programs {
    /// Finds the newest installed version; `None` if there is none.
    pub(super) fn find() -> Option<Self> {
        let mut folders: Vec<PathBuf> = PACKAGE_FOLDERS.iter().flat_map(|folder| versions(Path::new(folder))).collect();
        folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
        let folder = folders.into_iter().find(|folder| folder.join("initdb").is_file())?;
        Some(Self { folder, user: server_user()? })
    }

    /// Prepares a run, in a directory and an environment that the user may use.
    pub(super) fn command(&self, program: &str) -> Command {
        let own = self.folder.join(program);
        let program = if own.is_file() { own.as_os_str() } else { program.as_ref() };
        let mut command = match self.user {
            User::Current => Command::new(program),
            User::Named(user) => {
                let mut command = Command::new("setpriv");
                command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups"]).arg(program);
                command
            }
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.clone()).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).expect("they came from a path");
        command.current_dir("/").env_clear().env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

/// Returns the folders of programs, newest version first.
fn versions(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let number = |path: &Path| -> Option<u32> {
        let name = path.file_name()?.to_str()?;
        name.trim_start_matches("postgresql@").parse().ok()
    };
    let mut found: Vec<(u32, PathBuf)> =
        entries.filter_map(|entry| Some((number(&entry.path())?, entry.path().join("bin")))).collect();
    found.sort();
    found.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// Returns the user that a server runs as; `None` if no user can be used.
fn server_user() -> Option<User> {
    let output = |program: &str, arguments: &[&str]| -> Option<String> {
        let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if output("id", &["-u"])? != "0" {
        return Some(User::Current);
    }
    // The package creates `postgres`; a server that was unpacked by hand may lack it.
    let users = ["postgres", "nobody"];
    let user = users.into_iter().find(|user| output("id", &["-u", user]).is_some())?;
    output("setpriv", &["--version"]).map(|_| User::Named(user))
}
