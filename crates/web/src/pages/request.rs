//! The request for a page: who asks, with which query and which preferences of the browser.

use axum::Extension;
use axum::RequestPartsExt as _;
use axum::extract::{FromRequestParts, Query};
use axum::http::header::COOKIE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};

use super::address::Asked;
use super::display::CardPart;
use crate::principal::Principal;
use crate::shared::Shared;

/// A request for a page.
pub(super) struct PageRequest {
    pub(super) shared: Shared,
    pub(super) principal: Principal,
    pub(super) query: Asked,
    pub(super) preferences: Preferences,
}

/// What a browser prefers, in cookies that the script sets, so that the first paint is right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Preferences {
    /// `light` or `dark`; the system's choice without one.
    pub(super) theme: Option<&'static str>,
    /// The statuses whose columns are folded.
    pub(super) folded: Vec<String>,
    /// The groups of lists and the lanes that are folded, by the ids of their elements.
    pub(super) groups: Vec<String>,
    /// The parts of cards and rows that are left out.
    pub(super) hidden: Vec<CardPart>,
}

impl FromRequestParts<Shared> for PageRequest {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, StatusCode> {
        let extracted = parts.extract::<Extension<Principal>>().await;
        let Extension(principal) = extracted.map_err(|_| StatusCode::UNAUTHORIZED)?;
        // A malformed query is the same as none: pages are read-only.
        let pairs = parts.extract::<Query<Vec<(String, String)>>>().await.map(|Query(pairs)| pairs);
        let query = Asked::of(pairs.unwrap_or_default());
        Ok(Self { shared: shared.clone(), principal, query, preferences: Preferences::of(&parts.headers) })
    }
}

impl Preferences {
    fn of(headers: &HeaderMap) -> Self {
        let cookies: Vec<(&str, &str)> = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .collect();
        let find = |name| cookies.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let list = |name| {
            let values = find(name).unwrap_or_default().split('.').filter(|value| !value.is_empty());
            values.map(str::to_owned).collect()
        };
        Self {
            theme: ["light", "dark"].into_iter().find(|theme| find("cairn-theme") == Some(theme)),
            folded: list("cairn-folded"),
            groups: list("cairn-groups"),
            hidden: CardPart::named(find("cairn-hidden").unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_read_from_cookies_and_anything_else_is_ignored() {
        let of = |cookie: &'static str| Preferences::of(&HeaderMap::from_iter([(COOKIE, cookie.parse().unwrap())]));
        let read = of("a=b; cairn-theme=dark; cairn-folded=done.in_progress");
        assert_eq!((read.theme, read.folded), (Some("dark"), vec!["done".to_owned(), "in_progress".to_owned()]));
        let read = of("cairn-groups=group-done.lane-a%2Eb; cairn-hidden=epic");
        assert_eq!(
            (read.groups, read.hidden),
            (vec!["group-done".to_owned(), "lane-a%2Eb".to_owned()], vec![CardPart::Epic])
        );
        assert_eq!(of("cairn-theme=\"><script>"), Preferences::default());
    }
}
