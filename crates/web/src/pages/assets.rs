//! Stylesheet, script and icon: compiled into the program, under names that contain a hash of their content, so that
//! browsers may cache them forever.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::routing::get;
use sha2::{Digest, Sha256};

/// One file.
pub(crate) struct Asset {
    /// URL path.
    pub(crate) path: String,
    media_type: &'static str,
    content: &'static str,
}

/// The stylesheet.
pub(crate) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| asset("cairn", "css", "text/css; charset=utf-8", include_str!("../../assets/cairn.css")));

/// The script.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("cairn", "js", "text/javascript; charset=utf-8", include_str!("../../assets/cairn.js")));

/// The icon.
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| asset("icon", "svg", "image/svg+xml", include_str!("../../assets/icon.svg")));

/// Returns the routes of the files.
pub(crate) fn routes() -> Router {
    [&*STYLE, &*SCRIPT, &*ICON].into_iter().fold(Router::new(), |router, asset| {
        let headers = [
            (CONTENT_TYPE, asset.media_type),
            (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        router.route(&asset.path, get(move || async move { (headers, asset.content) }))
    })
}

fn asset(name: &str, ending: &str, media_type: &'static str, content: &'static str) -> Asset {
    /// Bytes of the hash in the name; enough to tell versions apart.
    const N_BYTES: usize = 6;
    let mut digest = String::new();
    for byte in Sha256::digest(content).iter().take(N_BYTES) {
        let _ = write!(digest, "{byte:02x}");
    }
    Asset { path: format!("/assets/{name}-{digest}.{ending}"), media_type, content }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_changes_with_the_content() {
        let one = asset("a", "css", "text/css", "one");
        assert_ne!(one.path, asset("a", "css", "text/css", "two").path);
        assert_eq!(one.path, asset("a", "css", "text/css", "one").path);
    }

    #[test]
    fn the_script_stays_small_and_nothing_asks_another_host() {
        assert!(SCRIPT.content.len() < 20 * 1024, "{}", SCRIPT.content.len());
        for asset in [&*STYLE, &*SCRIPT, &*ICON] {
            let addresses = asset.content.replace("http://www.w3.org/2000/svg", "");
            assert!(!addresses.contains("//") || !addresses.contains("http"), "{}", asset.path);
        }
    }
}
