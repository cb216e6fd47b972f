//! Copies folders, and compares them by content.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Copies a folder recursively to a new place.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (name, is_folder) in entries(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        if is_folder { copy(&from, &to) } else { fs::copy(&from, &to).map(drop).unwrap() }
    }
}

/// Returns a hash of all names, modes and contents below a folder. Times are left out: nothing here depends on them.
pub(crate) fn digest(folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    add(folder, &mut hasher);
    hasher.finish()
}

fn add(folder: &Path, hasher: &mut DefaultHasher) {
    for (name, is_folder) in entries(folder) {
        let path = folder.join(&name);
        (&name, is_folder, fs::symlink_metadata(&path).unwrap().mode()).hash(hasher);
        if is_folder { add(&path, hasher) } else { fs::read(&path).unwrap().hash(hasher) }
    }
    ".".hash(hasher);
}

fn entries(folder: &Path) -> Vec<(String, bool)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.file_type().unwrap().is_dir()));
    let mut named: Vec<(String, bool)> = named.collect();
    named.sort();
    named
}
