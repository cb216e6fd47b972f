//! The remotes of a repository and their tracking references.
//!
//! Tracking references are under `refs/cairn/remotes`: under `refs/remotes` they would show up as branches.

use std::path::PathBuf;
use std::{fs, io};

use super::question::{ANSWER_TIMEOUT, Subcommand};
use super::{GitError, RefName, RefStorage, Repository};

impl Repository {
    /// Returns the names of the configured remotes, in the order of the configuration.
    pub fn remotes(&self) -> Result<Vec<String>, GitError> {
        let settings = self.settings()?;
        let mut names = settings.subsections("remote");
        names.retain(|name| settings.string(&format!("remote.{name}.url")).is_some());
        Ok(names)
    }

    /// Returns the configured remotes, and the URLs of unconfigured remotes that were synced with.
    pub(crate) fn known_remotes(&self) -> Result<Vec<String>, GitError> {
        let mut known = self.remotes()?;
        let folder = self.address_folder();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(known),
            Err(source) => return Err(GitError::reading(&folder, source)),
        };
        for entry in entries {
            let path = entry.map_err(|source| GitError::reading(&folder, source))?.path();
            // An unreadable URL file is treated like an unreachable remote.
            known.extend(fs::read_to_string(&path).ok());
        }
        Ok(known)
    }

    /// Records the URL of a remote that is not configured, unless it contains credentials.
    pub(crate) fn record_address(&self, remote: &str) -> Result<(), GitError> {
        let is_configured = self.remotes()?.iter().any(|name| name == remote);
        if is_configured || without_credentials(remote) != remote || remote.contains('\n') {
            return Ok(());
        }
        let path = self.address_folder().join(self.folder_of(remote)?);
        if fs::read_to_string(&path).is_ok_and(|known| known == remote) {
            return Ok(());
        }
        self.make_own_folder(&self.address_folder())?;
        fs::write(&path, remote)
            .and_then(|()| self.share_own_file(&path))
            .map_err(|source| GitError::writing(&path, source))
    }

    fn address_folder(&self) -> PathBuf {
        self.common_dir().join("cairn").join("remotes")
    }

    /// Returns the remote to sync with: that of the current branch, else the only one, else `origin`.
    pub fn default_remote(&self) -> Result<Option<String>, GitError> {
        let remotes = self.remotes()?;
        if let Some(branch) = self.current_branch()? {
            let upstream = self.config_string(&format!("branch.{branch}.remote"))?;
            // A branch may track another local branch; git writes this as a dot.
            if let Some(upstream) = upstream.filter(|remote| remote != "." && !remote.is_empty()) {
                return Ok(Some(upstream));
            }
        }
        if let [only] = remotes.as_slice() {
            return Ok(Some(only.clone()));
        }
        Ok(remotes.into_iter().find(|remote| remote == "origin"))
    }

    /// Returns the tracking reference of a remote's reference.
    pub fn tracking_ref(&self, remote: &str, name: &RefName) -> Result<RefName, GitError> {
        let bad = |_| GitError::BadRemote { remote: remote.to_owned() };
        format!("refs/cairn/remotes/{}/{}", self.folder_of(remote)?, short_name(name)).parse().map_err(bad)
    }

    /// Returns a name for a remote that is valid in a reference and contains no credentials.
    fn folder_of(&self, remote: &str) -> Result<String, GitError> {
        let is_plain = remote.chars().all(|mark| mark.is_ascii_alphanumeric() || "-_".contains(mark));
        if is_plain && self.remotes()?.iter().any(|name| name == remote) {
            return Ok(remote.to_owned());
        }
        Ok(safe_name(remote))
    }

    fn current_branch(&self) -> Result<Option<String>, GitError> {
        let head = match self.ref_storage() {
            RefStorage::Files => {
                let path = self.git_dir().join("HEAD");
                fs::read_to_string(&path).map_err(|source| GitError::reading(&path, source))?
            }
            RefStorage::Reftable => {
                let mut question = self.question(Subcommand::SymbolicRef);
                format!("ref: {}", question.args(["--quiet", "HEAD"]).ask_to_end(ANSWER_TIMEOUT)?.text())
            }
        };
        let target = head.strip_prefix("ref:").map(str::trim);
        Ok(target.and_then(|target| target.strip_prefix("refs/heads/")).map(str::to_owned))
    }
}

/// Returns the name of a reference below a remote's folder.
pub(super) fn short_name(name: &RefName) -> &str {
    let short = name.as_str().strip_prefix("refs/cairn/").or_else(|| name.as_str().strip_prefix("refs/"));
    short.unwrap_or(name.as_str())
}

/// Refuses names that git would parse as an option.
pub(super) fn check(remote: &str) -> Result<(), GitError> {
    if remote.is_empty() || remote.starts_with('-') || remote.contains('\0') {
        return Err(GitError::BadRemote { remote: remote.to_owned() });
    }
    Ok(())
}

/// Makes a readable name of a URL or path; the hash makes it unique.
fn safe_name(remote: &str) -> String {
    let address = without_credentials(remote);
    let mut name = String::new();
    for mark in address.chars().filter(char::is_ascii) {
        let is_plain = mark.is_ascii_alphanumeric();
        if is_plain {
            name.push(mark.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let tail: String = name.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    format!("{}-{:08x}", tail.trim_matches('-'), hash(&address))
}

fn without_credentials(remote: &str) -> String {
    match remote.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[host..])
        }
        None => remote.to_owned(),
    }
}

/// FNV-1a: stable across versions, as the name must be; the hashers of the standard library are not.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_safe_names_without_secrets() {
        let name = safe_name("https://me:secret@example.com/team/project.git");
        assert!(name.starts_with("https-example-com-team-project-git-"), "{name}");
        assert_eq!(name, safe_name("https://other@example.com/team/project.git"));
        assert_ne!(safe_name("/srv/a-b.git"), safe_name("/srv/a/b.git"));
        for remote in ["../hub", "git@host:a.git", "ü", "C:\\x"] {
            let name = format!("refs/cairn/remotes/{}/work", safe_name(remote));
            assert!(name.parse::<RefName>().is_ok(), "{name}");
        }
    }

    #[test]
    fn options_are_no_remotes() {
        assert!(check("--upload-pack=evil").is_err());
        assert!(check("").is_err());
        assert!(check("origin").is_ok());
    }
}
