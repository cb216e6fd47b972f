//! Hashes the source of this crate: cached symbols are valid only for the code that found them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut hasher = DefaultHasher::new();
    for path in files(Path::new("src"))? {
        fs::read(path)?.hash(&mut hasher);
    }
    println!("cargo::rustc-env=ANCHORS_SOURCE_HASH={}", hasher.finish());
    Ok(())
}

/// Returns all files below a folder, in a fixed order.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        if entry.is_dir() {
            found.extend(files(&entry)?);
        } else {
            found.push(entry);
        }
    }
    Ok(found)
}
