//! The closed sets of words in the views.

use serde::Serialize;

/// Whether an annotation still matches its code; the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationStatus {
    /// The code is unchanged.
    Current,
    /// The code is unchanged, in another file or under another name.
    Moved,
    /// The code has changed.
    Changed,
    /// The code was not found.
    Lost,
}

impl AnnotationStatus {
    /// Returns whether the code is as it was.
    pub fn is_unchanged(self) -> bool {
        matches!(self, Self::Current | Self::Moved)
    }
}

/// How the code of a region was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceMatch {
    /// By its whole name.
    Exact,
    /// By the last part of its name.
    Unqualified,
    /// By a similar name.
    Similar,
    /// By its lines; the name is elsewhere.
    LinesDiffer,
    /// Several symbols have the name.
    Ambiguous,
    /// Not found.
    Lost,
    /// By its lines; no name was given.
    Lines,
    /// The whole file.
    File,
    /// All code in a folder.
    Folder,
}

/// Why an annotation is outdated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutdatedReason {
    /// A later annotation replaces it.
    Superseded,
    /// Its last day has passed.
    Expired,
}

/// Whether a hook is in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookStatus {
    /// Cairn's hook.
    Installed,
    /// No hook.
    Absent,
    /// A hook that is not Cairn's.
    Foreign,
}

app::display_as_json!(AnnotationStatus, PlaceMatch, OutdatedReason, HookStatus);
