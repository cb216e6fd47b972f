//! Icons: references into the sprite, which browsers cache.

use maud::{Markup, html};

use super::assets::paths;

/// Renders an icon of 16 pixels that adds nothing for screen readers.
pub(crate) fn icon(name: &str) -> Markup {
    with_class(name, "i")
}

/// Renders an icon of 14 pixels.
pub(super) fn small(name: &str) -> Markup {
    with_class(name, "i s")
}

/// Renders an icon of 12 pixels.
pub(super) fn tiny(name: &str) -> Markup {
    with_class(name, "i xs")
}

/// Renders an icon with CSS classes.
pub(super) fn with_class(name: &str, class: &str) -> Markup {
    html! { svg class=(class) aria-hidden="true" { use href={ (paths().icons) "#i-" (name) } {} } }
}

/// Renders an icon that carries meaning, with its name.
pub(super) fn named(name: &str, class: &str, label: &str) -> Markup {
    html! {
        svg class=(class) role="img" aria-label=(label) { title { (label) } use href={ (paths().icons) "#i-" (name) } {} }
    }
}
