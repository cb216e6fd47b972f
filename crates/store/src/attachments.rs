//! The contents of attachments: blobs in the trees of the commits whose operations name them, so that git keeps and
//! transfers them with the log.

use std::collections::BTreeMap;

use model::attachment::{self, Attachment};

use crate::format::v1;
use crate::git::{ObjectId, Repository};

/// The folder of the tree with the contents; a file is named by its blob.
const FOLDER: &str = "attachments";

/// Returns the contents that operations name and this repository has, by their paths in the tree. An operation that was
/// imported from another repository names a content that is not here.
pub(crate) fn named_by(repository: &Repository, lines: &[u8]) -> BTreeMap<String, ObjectId> {
    let mut found = BTreeMap::new();
    // Most commits attach nothing; one search over all of them is cheaper than parsing.
    if !contains(lines, attachment::FIELD_PREFIX.as_bytes()) {
        return found;
    }
    for line in lines.split(|byte| *byte == b'\n').filter(|line| contains(line, attachment::FIELD_PREFIX.as_bytes())) {
        let Ok(op) = v1::read(line) else { continue };
        for attached in Attachment::of_change(&op.change) {
            let Ok(id) = attached.blob.parse::<ObjectId>() else { continue };
            // Reading it proves that it is a file: a tree must not name anything else.
            if repository.with_blob(&id, attachment::MAX_BYTES, |_| ()).is_ok() {
                found.insert(format!("{FOLDER}/{}", attached.blob), id);
            }
        }
    }
    found
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    // `str::contains` searches in linear time; lines that Cairn writes are always UTF-8.
    match (std::str::from_utf8(text), std::str::from_utf8(part)) {
        (Ok(text), Ok(part)) => text.contains(part),
        _ => text.windows(part.len()).any(|window| window == part),
    }
}
