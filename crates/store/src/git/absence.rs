//! Proof that an object is absent. gix takes a pack index that it could not open for one without the object, so its
//! "not found" does not prove that; here every file that could hold the object is opened, and a failure is an error.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::odb::pack::index;

use super::objects::describe;
use super::{GitError, ObjectId, Repository};

/// How often the search begins again because a pack disappeared, as it does while `git gc` runs.
const MAX_SCANS: usize = 16;

/// What one search found.
enum Scan {
    Present,
    Absent,
    /// A pack index disappeared meanwhile; what it held is in another one now.
    Changed,
}

impl Repository {
    /// Tells whether some file of the object store holds the object.
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
        // Loose objects first: git writes a pack before it removes what went into it.
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

    /// Returns the folder of objects and those that it borrows from.
    fn object_stores(&self) -> Result<Vec<PathBuf>, GitError> {
        let own = self.objects_dir();
        let current = std::env::current_dir().unwrap_or_else(|_| own.clone());
        let others = gix::odb::alternate::resolve(own.clone(), &current);
        let others = others.map_err(|error| GitError::broken(&own.join("info/alternates"), describe(&error)))?;
        Ok(std::iter::once(own).chain(others).collect())
    }

    /// Tells whether a pack holds the object; `None` when its index is gone.
    fn index_holds(&self, path: &Path, id: &gix::oid) -> Result<Option<bool>, GitError> {
        // Like git, without the pack its index says nothing.
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
