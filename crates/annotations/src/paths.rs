//! Included files, and the object at a path at the newest commit.

use std::path::Path;
use std::string::FromUtf8Error;

use app::Error;
use store::git::{CommitId, ObjectId, TreeEntry, TreePath};

use crate::Annotations;

/// Maximum size of a file that is parsed.
const MAX_FILE_SIZE: u64 = 8 * 1024 * 1024;

/// The object at a path.
pub(super) enum PathObject {
    /// A file, with its blob and its text; invalid UTF-8 is replaced.
    File(ObjectId, String),
    Folder,
}

impl Annotations<'_> {
    /// Returns the object at a path.
    pub(super) fn look_at(&self, commit: &CommitId, path: &TreePath) -> Result<Option<PathObject>, Error> {
        let entry =
            self.store().repository().read_path(commit, path, MAX_FILE_SIZE).map_err(store::StoreError::from)?;
        Ok(match entry {
            Some(TreeEntry::File(blob, bytes)) => {
                let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
                Some(PathObject::File(blob, String::from_utf8(bytes).unwrap_or_else(lossy)))
            }
            Some(TreeEntry::Folder) => Some(PathObject::Folder),
            Some(TreeEntry::Other) | None => None,
        })
    }

    /// Returns a path relative to the repository root. An absolute path must be inside the work tree; links on the way to
    /// it are followed, since a client may name the work tree by another path.
    pub fn in_repository(&self, given: &str) -> Result<String, Error> {
        let path = Path::new(given);
        if !path.is_absolute() {
            return Ok(given.to_owned());
        }
        let top = self.store().repository().workdir().ok_or_else(|| not_found(given))?;
        let real_top = top.canonicalize().ok();
        // The file itself may not exist: its folder is looked up.
        let real = path.parent().and_then(|folder| Some(folder.canonicalize().ok()?.join(path.file_name()?)));
        let inside = path.strip_prefix(top).ok().map(Path::to_owned);
        let inside = inside.or_else(|| Some(real?.strip_prefix(real_top?).ok()?.to_owned()));
        let inside = inside.as_deref().and_then(Path::to_str).ok_or_else(|| not_found(given))?;
        Ok(inside.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// Returns paths of the newest commit with a prefix, at most `limit`.
    pub fn paths_like(&self, typed: &str, limit: usize) -> Result<Vec<String>, Error> {
        let Some(head) = self.store().repository().head()? else { return Ok(Vec::new()) };
        let files = self.store().repository().list_files(&head, None).map_err(store::StoreError::from)?;
        let named = files.iter().filter_map(TreePath::as_str).filter(|name| name.starts_with(typed));
        Ok(named.take(limit).map(str::to_owned).collect())
    }

    /// Returns the current name of a path: another name only if it is gone and git detected a rename.
    pub(crate) fn path_today(&self, path: &str) -> Result<String, Error> {
        let same = || path.to_owned();
        let (Some(head), Ok(place)) = (self.store().repository().head()?, tree_path(path)) else { return Ok(same()) };
        if self.look_at(&head, &place)?.is_some() {
            return Ok(same());
        }
        Ok(self.store().renamed_to(&head, &place.to_string())?.unwrap_or_else(same))
    }
}

/// Parses a path relative to the repository root.
pub(super) fn tree_path(given: &str) -> Result<TreePath, Error> {
    let trimmed = given.trim_start_matches("./").trim_end_matches('/');
    TreePath::from_bytes(trimmed.as_bytes()).map_err(|_| not_found(given))
}

/// The contract's text for a missing path.
pub(super) fn not_found(path: &str) -> Error {
    Error::not_found(format!("File not found: {path}"))
}
