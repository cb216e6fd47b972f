//! Stylesheet, scripts, icons and fonts: compiled into the program, under a path that contains a hash of all of them, so
//! that browsers may cache them forever and the modules may import each other by relative names.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::routing::get;
use sha2::{Digest, Sha256};

/// One file.
struct Asset {
    name: &'static str,
    content: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $path:literal) => {
        Asset { name: $name, content: include_bytes!(concat!("../../assets/", $path)) }
    };
}

macro_rules! scripts {
    ($($name:literal),+ $(,)?) => {
        /// The modules of the script; the first one imports the others.
        const SCRIPTS: &[Asset] = &[$(asset!($name, $name)),+];
    };
}

scripts![
    "js/main.js",
    "js/actions.js",
    "js/api.js",
    "js/attachments.js",
    "js/board.js",
    "js/choices.js",
    "js/dialogs.js",
    "js/dom.js",
    "js/drag.js",
    "js/editor.js",
    "js/filter.js",
    "js/forms.js",
    "js/item.js",
    "js/keys.js",
    "js/labels.js",
    "js/live.js",
    "js/palette.js",
    "js/picker.js",
    "js/refresh.js",
    "js/select.js",
    "js/sheet.js",
    "js/theme.js",
    "js/toast.js",
    "js/views.js",
];

/// The stylesheet, in the order of the cascade.
const STYLE: Asset = Asset {
    name: "style.css",
    content: concat!(
        include_str!("../../assets/css/tokens.css"),
        include_str!("../../assets/css/base.css"),
        include_str!("../../assets/css/parts.css"),
        include_str!("../../assets/css/shell.css"),
        include_str!("../../assets/css/board.css"),
        include_str!("../../assets/css/item.css"),
        include_str!("../../assets/css/pages.css"),
        include_str!("../../assets/css/overlay.css"),
    )
    .as_bytes(),
};

const ICONS: &str = "icons.svg";
const FAVICON: &str = "icon.svg";

const OTHERS: &[Asset] = &[
    STYLE,
    asset!("icons.svg", "icons.svg"),
    asset!("icon.svg", "icon.svg"),
    asset!("fonts/inter.woff2", "fonts/inter.woff2"),
    asset!("fonts/mono.woff2", "fonts/mono.woff2"),
];

static PATHS: LazyLock<Paths> = LazyLock::new(|| {
    let folder = format!("/assets/{}", digest(SCRIPTS.iter().chain(OTHERS)));
    Paths {
        style: format!("{folder}/{}", STYLE.name),
        scripts: SCRIPTS.iter().map(|asset| format!("{folder}/{}", asset.name)).collect(),
        icons: format!("{folder}/{ICONS}"),
        favicon: format!("{folder}/{FAVICON}"),
        font: format!("{folder}/fonts/inter.woff2"),
        folder,
    }
});

/// URL paths of the files that pages refer to.
pub(super) struct Paths {
    folder: String,
    pub(super) style: String,
    pub(super) scripts: Vec<String>,
    pub(super) icons: String,
    pub(super) favicon: String,
    pub(super) font: String,
}

/// Returns the URL paths of the files.
pub(super) fn paths() -> &'static Paths {
    &PATHS
}

/// Returns the routes of the files.
pub(crate) fn routes() -> Router {
    SCRIPTS.iter().chain(OTHERS).fold(Router::new(), |router, asset| {
        let headers = [
            (CONTENT_TYPE, media_type(asset.name)),
            (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        router.route(&format!("{}/{}", PATHS.folder, asset.name), get(move || async move { (headers, asset.content) }))
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "font/woff2",
    }
}

fn digest<'a>(assets: impl Iterator<Item = &'a Asset>) -> String {
    /// Bytes of the hash in the path; enough to tell versions apart.
    const N_BYTES: usize = 6;
    let mut hasher = Sha256::new();
    for asset in assets {
        hasher.update(asset.name);
        hasher.update(asset.content);
    }
    hasher.finalize().iter().take(N_BYTES).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_changes_with_the_content() {
        let asset = |content: &'static str| Asset { name: "a", content: content.as_bytes() };
        assert_ne!(digest([asset("one")].iter()), digest([asset("two")].iter()));
        assert_eq!(digest([asset("one")].iter()), digest([asset("one")].iter()));
    }

    #[test]
    fn assets_stay_small_and_ask_no_other_host() {
        let n_bytes: usize = SCRIPTS.iter().map(|asset| asset.content.len()).sum();
        assert!(n_bytes < 96 * 1024, "{n_bytes}");
        for asset in SCRIPTS.iter().chain(OTHERS).filter(|asset| !asset.name.ends_with("woff2")) {
            let text = std::str::from_utf8(asset.content).unwrap().replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{}", asset.name);
        }
    }

    #[test]
    fn every_module_that_is_imported_is_served() {
        for asset in SCRIPTS {
            let text = std::str::from_utf8(asset.content).unwrap();
            for (_, rest) in text.match_indices("from './").map(|(at, found)| (at, &text[at + found.len()..])) {
                let name = rest.split('\'').next().unwrap();
                assert!(SCRIPTS.iter().any(|other| other.name == format!("js/{name}")), "{}: {name}", asset.name);
            }
        }
    }
}
