//! Stylesheet, scripts, icons and fonts: compiled into the program, under a path that contains a hash of all of them, so
//! that browsers may cache them forever and the modules may import each other by relative names.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

use crate::compress::{accepts_gzip, gzip_once};

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
        let file = Arc::new(ServedFile::of(asset));
        let serve = move |headers: HeaderMap| {
            let file = Arc::clone(&file);
            async move { file.respond(&headers) }
        };
        router.route(&format!("{}/{}", PATHS.folder, asset.name), get(serve))
    })
}

/// A file as it is sent.
struct ServedFile {
    media_type: &'static str,
    content: Bytes,
    /// Compressed at the first request: a visit must not wait for the same work again. `None` if that gains nothing.
    compressed: OnceLock<Option<Bytes>>,
}

impl ServedFile {
    fn of(asset: &Asset) -> Self {
        Self { media_type: media_type(asset.name), content: asset.served(), compressed: OnceLock::new() }
    }

    fn respond(&self, headers: &HeaderMap) -> Response {
        let is_text = self.media_type != FONT;
        let wanted = is_text && accepts_gzip(headers);
        let compressed =
            wanted.then(|| self.compressed.get_or_init(|| gzip_once(&self.content))).and_then(Option::as_ref);
        let own = [
            (CONTENT_TYPE, self.media_type),
            (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        match compressed {
            Some(bytes) => {
                (own, [(CONTENT_ENCODING, "gzip"), (VARY, "accept-encoding")], bytes.clone()).into_response()
            }
            None => (own, self.content.clone()).into_response(),
        }
    }
}

impl Asset {
    /// Returns the content as it is sent: scripts and styles without comments and indentation.
    fn served(&self) -> Bytes {
        let text = std::str::from_utf8(self.content).ok();
        match (self.name.rsplit('.').next(), text) {
            (Some("js"), Some(text)) => compact(text).into(),
            (Some("css"), Some(text)) => compact(&without_comments(text)).into(),
            _ => Bytes::from_static(self.content),
        }
    }
}

/// Leaves out indentation, empty lines, and comments that fill whole lines.
fn compact(text: &str) -> String {
    let mut is_comment = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_start) {
        is_comment |= line.starts_with("/*");
        let is_kept = !is_comment && !line.is_empty() && !line.starts_with("//");
        is_comment &= !line.trim_end().ends_with("*/");
        if is_kept {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Leaves out the comments of a stylesheet.
fn without_comments(css: &str) -> String {
    let mut parts = css.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once("*/").map_or("", |(_, rest)| rest))
}

const FONT: &str = "font/woff2";

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => FONT,
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
        let n_bytes: usize = SCRIPTS.iter().map(|asset| asset.served().len()).sum();
        assert!(n_bytes < 100 * 1024, "{n_bytes}");
        for asset in SCRIPTS.iter().chain(OTHERS).filter(|asset| !asset.name.ends_with("woff2")) {
            let text = std::str::from_utf8(asset.content).unwrap().replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{}", asset.name);
        }
    }

    #[test]
    fn what_is_sent_has_all_of_the_code() {
        let source =
            "// A note.\n/** About\n *  two. */\nexport const a = 1; // kept\n\n  if (a) {\n    b('/*');\n  }\n";
        assert_eq!(compact(source), "export const a = 1; // kept\nif (a) {\nb('/*');\n}\n");
        assert_eq!(without_comments("a{b:c} /* d */ e{}/* f"), "a{b:c}  e{}");
        // A text over several lines, or code behind a comment in its line, would be changed.
        for asset in SCRIPTS {
            let text = std::str::from_utf8(asset.content).unwrap();
            for line in text.lines() {
                assert_eq!(line.matches('`').count() % 2, 0, "{}: {line}", asset.name);
                let is_mixed = line.trim_start().starts_with("/*") && line.contains("*/") && !line.ends_with("*/");
                assert!(!is_mixed, "{}: {line}", asset.name);
            }
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
