//! The nearest known name to a misspelled one, for hints.

/// Minimum Jaro–Winkler similarity of a name that is suggested: `stauts` for `status` has 0.95, `kind` for `size` 0.5.
const MIN_SIMILARITY: f64 = 0.75;
/// Longer words are not misspelled names, and comparing them takes time.
const MAX_LENGTH: usize = 64;

/// Returns the most similar known name, ignoring case, if one is similar enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    let name = name.trim().to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &name), known))
        .filter(|&(similarity, _)| similarity >= MIN_SIMILARITY)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_has_a_nearest_one() {
        assert_eq!(nearest("Stauts", ["state", "status", "kind"]), Some("status"));
        assert_eq!(nearest("xyzzy", ["state", "status", "kind"]), None);
        assert_eq!(nearest(&"s".repeat(100), ["status"]), None);
        assert_eq!(nearest("grce", ["Grace Hopper", "Ada"]), Some("Grace Hopper"));
    }
}
