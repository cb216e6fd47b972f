//! Links between items, to code and to commits. A link is a member of a set on its source item.

use crate::names::names;
use crate::value_error::ValueError;

/// The kinds of links; `parent` is a field, since an item has at most one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// The target is blocked by this item.
    Blocks,
    /// Related items; symmetric.
    Relates,
    /// Code this item is about: `path` or `path:anchor`.
    Touches,
    /// A commit that belongs to this item, by its full id.
    Commits,
}

// The name is also that of the set that holds the links.
names!(LinkKind: Blocks = "blocks", Relates = "relates", Touches = "touches", Commits = "commits");

/// Normalizes `path[:anchor]`: forward slashes, no `./`, inside the repository.
pub fn normalize_touch(text: &str) -> Result<String, ValueError> {
    let (path, anchor) = match text.split_once(':') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (text, None),
    };
    if path.starts_with('/') || text.contains('\\') {
        return Err(ValueError::Path(text.to_owned()));
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.is_empty() || parts.contains(&"..") {
        return Err(ValueError::Path(text.to_owned()));
    }
    let path = parts.join("/");
    Ok(match anchor.filter(|anchor| !anchor.is_empty()) {
        Some(anchor) => format!("{path}:{anchor}"),
        None => path,
    })
}

/// Returns whether a text is a full commit id as stored: 40 or 64 lower-case hexadecimal digits.
pub(crate) fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized_and_stay_inside() {
        assert_eq!(normalize_touch("./src//lib.rs").unwrap(), "src/lib.rs");
        assert_eq!(normalize_touch("src/lib.rs:Store::open").unwrap(), "src/lib.rs:Store::open");
        for outside in ["/etc/passwd", "../up", "a/../../b", "", ".", "c:\\x"] {
            assert!(normalize_touch(outside).is_err(), "{outside}");
        }
    }

    #[test]
    fn commit_ids_are_full_and_lower_case() {
        assert!(is_commit_id(&"0a".repeat(20)) && is_commit_id(&"f".repeat(64)));
        for other in ["HEAD", "3f9c2a7", &"0A".repeat(20), &"a".repeat(41), &"g".repeat(40)] {
            assert!(!is_commit_id(other), "{other}");
        }
    }
}
