//! Which parts of cards and rows a browser shows: the menu "Display". The choice is a cookie, so that the server leaves
//! out what is not shown and the first paint is right.

use maud::{Markup, html};

use super::frame::PageContext;
use super::icons::{small, with_class};

/// A part of a card or a row that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CardPart {
    Number,
    Priority,
    Labels,
    Epic,
    Due,
    /// Tasks, attachments and comments.
    Counts,
    Assignee,
}

/// Each part with its name in the cookie and in the menu.
const PARTS: [(CardPart, &str, &str); 7] = [
    (CardPart::Number, "number", "Number"),
    (CardPart::Priority, "priority", "Priority"),
    (CardPart::Labels, "labels", "Labels"),
    (CardPart::Epic, "epic", "Epic"),
    (CardPart::Due, "due", "Due date"),
    (CardPart::Counts, "counts", "Tasks, files, comments"),
    (CardPart::Assignee, "assignee", "Assignee"),
];

impl CardPart {
    /// Returns the parts that a cookie names; anything else in it is ignored.
    pub(super) fn named(cookie: &str) -> Vec<Self> {
        let is_named = |name: &str| cookie.split('.').any(|one| one == name);
        PARTS.iter().filter(|(_, name, _)| is_named(name)).map(|(part, ..)| *part).collect()
    }
}

/// Renders the menu. It needs the script, which sets the cookie.
pub(super) fn menu(look: &PageContext) -> Markup {
    html! {
        details class="menu js" id="menu-display" {
            summary class="button ghost" { (small("display")) "Display" }
            div class="menu-list" role="group" aria-label="Shown on cards and rows" {
                @for (part, name, title) in PARTS {
                    @let is_shown = look.shows(part);
                    button type="button" role="checkbox" aria-checked=(is_shown) data-act="display" data-part=(name) {
                        (title)
                        @if is_shown { (with_class("check", "i s check")) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_parts_are_left_out() {
        assert_eq!(CardPart::named("epic.labels.title"), [CardPart::Labels, CardPart::Epic]);
        assert_eq!(CardPart::named("\"><script>"), []);
        assert_eq!(CardPart::named(""), []);
    }
}
