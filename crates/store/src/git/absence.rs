//! Proves that an object is absent. When gix cannot open a pack index, it treats the objects of that pack as missing,
//! so its "not found" proves nothing; here every file that could hold the object is opened, and a failure is an error.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::odb::pack::index;

use super::gix;
use super::objects::describe;
use super::{GitError, ObjectId, Repository};

/// How often the scan is repeated because a pack disappeared, which happens while `git gc` runs.
const MAX_SCANS: usize = 16;

/// The result of one scan.
enum Scan {
    Present,
    Absent,
    /// A pack index disappeared during the scan; its objects are in another pack now.
    Changed,
}

impl Repository {
    /// Returns whether any file of the object store holds the object.
    pub(super) fn is_present(&self, id: &gix::oid) -> Result<bool, GitError> {
        for _ in 0..MAX_SCANS {
            match self.scan(id)? {
                Scan::Present => return Ok(true),
                Scan::Absent => return Ok(false),
                Scan::Changed => {}
            }
        }
        let why = "the packs of the repository kept changing; run the same command again";
        Err(GitError::Unreadable { id: ObjectId(id.to_owned()), source: why.into() })
    }

    fn scan(&self, id: &gix::oid) -> Result<Scan, GitError> {
        let stores = self.object_stores()?;
        // Loose objects first: git writes a pack before it removes the loose objects in it.
        for store in &stores {
            if exists(&loose_path(store, id))? {
                return Ok(Scan::Present);
            }
        }
        for store in &stores {
            for path in pack_indexes(&store.join("pack"))? {
                match self.index_holds(&path, id)? {
                    Some(true) => return Ok(Scan::Present),
                    Some(false) => {}
                    None => return Ok(Scan::Changed),
                }
            }
        }
        Ok(Scan::Absent)
    }

    /// Returns the object directory and its alternates.
    fn object_stores(&self) -> Result<Vec<PathBuf>, GitError> {
        let own = self.objects_dir();
        let current = std::env::current_dir().unwrap_or_else(|_| own.clone());
        let others = gix::odb::alternate::resolve(own.clone(), &current);
        let others = others.map_err(|error| GitError::broken(&own.join("info/alternates"), describe(&error)))?;
        Ok(std::iter::once(own).chain(others).collect())
    }

    /// Returns whether a pack holds the object; `None` if its index is gone.
    fn index_holds(&self, path: &Path, id: &gix::oid) -> Result<Option<bool>, GitError> {
        // As in git, an index without its pack does not count.
        if !exists(&path.with_extension("pack"))? {
            return Ok(if exists(path)? { Some(false) } else { None });
        }
        match index::File::at(path, self.format.hash) {
            Ok(index) => Ok(Some(index.lookup(id).is_some())),
            Err(_) if !exists(path)? => Ok(None),
            Err(error) => Err(GitError::broken(path, describe(&error))),
        }
    }
}

fn loose_path(store: &Path, id: &gix::oid) -> PathBuf {
    let hex = id.to_hex().to_string();
    let (fan_out, rest) = hex.split_at(2);
    store.join(fan_out).join(rest)
}

fn exists(path: &Path) -> Result<bool, GitError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(source) => Err(GitError::reading(path, source)),
    }
}

fn pack_indexes(folder: &Path) -> Result<Vec<PathBuf>, GitError> {
    let failed = |source| GitError::reading(folder, source);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension() == Some(OsStr::new("idx")) {
            paths.push(path);
        }
    }
    Ok(paths)
}
