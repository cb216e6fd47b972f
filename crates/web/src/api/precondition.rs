//! `If-Match` and `If-None-Match`: requests that depend on the revision that the client has.

use app::Project;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName};
use model::item_ref::ItemRef;

use crate::problem::Problem;

/// The revisions for which a change is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExpectedRevisions {
    /// Any revision.
    Any,
    /// One of these revisions.
    OneOf(Vec<String>),
}

impl ExpectedRevisions {
    /// Parses `If-Match`.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let Some(text) = joined(headers, &IF_MATCH)? else { return Ok(Self::Any) };
        if text.trim() == "*" {
            return Ok(Self::Any);
        }
        let tags: Option<Vec<String>> = split(&text).iter().map(|tag| strong(tag)).collect();
        tags.filter(|tags| !tags.is_empty()).map(Self::OneOf).ok_or_else(|| {
            Problem::invalid("`If-Match` must be `*` or revisions in quotes")
                .hint("send back the `ETag` of the item as it was")
        })
    }

    /// Returns the one revision to insist on; `None` when any will do. Of several it is the one that the item is in.
    pub(super) fn revision(&self, project: &mut Project, item: &ItemRef) -> Result<Option<String>, app::Error> {
        match self {
            Self::Any => Ok(None),
            Self::OneOf(tags) if tags.len() == 1 => Ok(tags.first().cloned()),
            Self::OneOf(tags) => {
                project.refresh()?;
                let current = project.show(item)?.revision;
                Ok(tags.iter().find(|tag| **tag == current).or(tags.first()).cloned())
            }
        }
    }
}

/// Returns whether the client has this revision, by `If-None-Match`.
pub(super) fn is_known(headers: &HeaderMap, name: &str) -> bool {
    // An unreadable header is treated as absent.
    let Ok(Some(text)) = joined(headers, &IF_NONE_MATCH) else { return false };
    text.trim() == "*" || split(&text).iter().any(|tag| strong(tag.trim_start_matches("W/")).as_deref() == Some(name))
}

fn joined(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, Problem> {
    let values: Result<Vec<&str>, _> = headers.get_all(name).iter().map(|value| value.to_str()).collect();
    let values = values.map_err(|_| Problem::invalid(format!("`{name}` is not text")))?;
    Ok((!values.is_empty()).then(|| values.join(",")))
}

fn split(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect()
}

// A weak tag does not identify an exact state. It is kept as written, so it equals no revision.
fn strong(tag: &str) -> Option<String> {
    if tag.starts_with("W/\"") && tag.ends_with('"') {
        return Some(tag.to_owned());
    }
    let name = tag.strip_prefix('"')?.strip_suffix('"')?;
    (!name.contains('"')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn if_match_names_revisions_or_any() {
        let check = |value, expected: Option<ExpectedRevisions>| {
            assert_eq!(ExpectedRevisions::of(&headers(IF_MATCH, value)).ok(), expected);
        };
        let one_of = |tags: &[&str]| Some(ExpectedRevisions::OneOf(tags.iter().map(ToString::to_string).collect()));
        check("*", Some(ExpectedRevisions::Any));
        check("\"abc\"", one_of(&["abc"]));
        check("\"abc\", \"def\"", one_of(&["abc", "def"]));
        check("W/\"abc\"", one_of(&["W/\"abc\""]));
        for bad in ["abc", "\"abc", "", "\"a\"b\""] {
            check(bad, None);
        }
        assert_eq!(ExpectedRevisions::of(&HeaderMap::new()).unwrap(), ExpectedRevisions::Any);
    }

    #[test]
    fn if_none_match_accepts_weak_and_strong_etags() {
        for value in ["\"abc\"", "W/\"abc\"", "\"x\", W/\"abc\"", "*"] {
            assert!(is_known(&headers(IF_NONE_MATCH, value), "abc"), "{value}");
        }
        for value in ["\"ab\"", "abc", ""] {
            assert!(!is_known(&headers(IF_NONE_MATCH, value), "abc"), "{value}");
        }
    }
}
