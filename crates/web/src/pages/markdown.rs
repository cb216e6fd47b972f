//! Renders untrusted Markdown as sanitized HTML.
//!
//! The output has no scripts, styles, handlers, forms or images: an image would be loaded from another host, so it
//! becomes a link. `ammonia` sanitizes the result of all other steps.

use std::sync::LazyLock;

use ammonia::Builder;
use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream};

use super::mention::{self, Piece};

static SIEVE: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut sieve = Builder::default();
    // Focusable, so that wide content can be scrolled with the keyboard.
    for wide in ["pre", "table"] {
        sieve.set_tag_attribute_value(wide, "tabindex", "0");
    }
    sieve
        .rm_tags(["img", "map", "area"])
        .url_schemes(["http", "https", "mailto"].into())
        .link_rel(Some("noopener noreferrer nofollow"));
    sieve
});

/// Renders Markdown; `#12` becomes a link to the item.
pub(super) fn html(text: &str) -> Markup {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = TextMergeStream::new(Parser::new_ext(text, options));
    let mut shown = Shown { events: Vec::new(), quiet: 0 };
    for event in events {
        shown.take(event);
    }
    let mut raw = String::new();
    pulldown_cmark::html::push_html(&mut raw, shown.events.into_iter());
    PreEscaped(SIEVE.clean(&raw).to_string())
}

struct Shown<'a> {
    events: Vec<Event<'a>>,
    /// Nesting depth of links and code, in which `#12` is not a mention.
    quiet: usize,
}

impl<'a> Shown<'a> {
    fn take(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                let level = lower(level);
                self.events.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => self.events.push(Event::End(TagEnd::Heading(lower(level)))),
            Event::Start(Tag::Image { dest_url, title, id, .. }) => {
                self.quiet += 1;
                self.events.push(Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, id }));
                self.events.push(Event::Text("picture: ".into()));
            }
            Event::End(TagEnd::Image) => {
                self.quiet -= 1;
                self.events.push(Event::End(TagEnd::Link));
            }
            Event::Start(tag @ (Tag::Link { .. } | Tag::CodeBlock(_))) => {
                self.quiet += 1;
                self.events.push(Event::Start(tag));
            }
            Event::End(end @ (TagEnd::Link | TagEnd::CodeBlock)) => {
                self.quiet -= 1;
                self.events.push(Event::End(end));
            }
            Event::TaskListMarker(done) => self.events.push(Event::Text(if done { "☑ " } else { "☐ " }.into())),
            Event::Text(text) if self.quiet == 0 => self.text(&text),
            other => self.events.push(other),
        }
    }

    fn text(&mut self, text: &str) {
        for piece in mention::pieces(text) {
            match piece {
                Piece::Text(text) => self.push_text(text),
                Piece::Mention(mention) => self.push_reference(mention),
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        self.events.push(Event::Text(CowStr::from(text.to_owned())));
    }

    fn push_reference(&mut self, mention: &str) {
        let link = Tag::Link {
            link_type: LinkType::Inline,
            dest_url: mention::address(mention).into(),
            title: CowStr::Borrowed(""),
            id: CowStr::Borrowed(""),
        };
        self.events.push(Event::Start(link));
        self.push_text(mention);
        self.events.push(Event::End(TagEnd::Link));
    }
}

// The page uses the first two heading levels.
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        html(text).into_string()
    }

    #[test]
    fn numbers_become_links_where_they_are_meant() {
        let link = |n: u32| format!("<a href=\"/item/{n}\" rel=\"noopener noreferrer nofollow\">#{n}</a>");
        assert_eq!(shown("see #12, (#3)."), format!("<p>see {}, ({}).</p>\n", link(12), link(3)));
        for text in ["`#12`", "    #12", "issue#12", "#12a", "#", "# ", "&#35;x", "[a #12](/x)", "##12", "#1234567890"]
        {
            assert!(!shown(text).contains("/item/"), "{text}: {}", shown(text));
        }
    }

    #[test]
    fn lists_of_tasks_tables_and_headings_are_shown() {
        assert!(shown("- [x] done\n- [ ] open").contains("☑ done"), "{}", shown("- [x] done\n- [ ] open"));
        assert!(shown("a|b\n-|-\n1|2").contains("<table tabindex=\"0\">"));
        assert_eq!(shown("# One"), "<h3>One</h3>\n");
    }

    #[test]
    fn nothing_runs_and_nothing_is_fetched() {
        let tricks = [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "![alt](https://other.example/pixel.png)",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt&#58;alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:x)",
            "<svg onload=alert(1)><script>alert(1)</script></svg>",
            "<svg><use href=\"https://other.example/x.svg#a\"/></svg>",
            "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
            "<iframe src=https://other.example></iframe>",
            "<form action=/api/items><button>x</button></form>",
            "<a href=\"/x\" onclick=\"alert(1)\" style=\"position:fixed\">x</a>",
            "<style>body{display:none}</style>",
            "<link rel=stylesheet href=https://other.example/x.css>",
            "<base href=https://other.example>",
            "<meta http-equiv=refresh content=0>",
            "<input autofocus onfocus=alert(1)>",
            "<video src=https://other.example/x.mp4 onerror=alert(1)></video>",
            "<p id=main class=top data-number=1>x</p>",
            "[a]: javascript:alert(1)\n[a]",
            "<details ontoggle=alert(1) open>x</details>",
            "<scr<script>ipt>alert(1)</scr</script>ipt>",
        ];
        let refused = [
            "<script",
            "<img",
            "<svg",
            "<iframe",
            "<form",
            "<style",
            "<link",
            "<base",
            "<meta",
            "<input",
            "<video",
            "<use",
            " on",
            "style=",
            "href=\"javascript",
            "href=\"data",
            "href=\"vbscript",
            "id=",
            "class=",
            "data-number",
        ];
        for trick in tricks {
            let html = shown(trick).to_lowercase();
            for part in refused {
                assert!(!html.contains(part), "{trick} gave {html}, which has {part}");
            }
        }
    }

    #[test]
    fn any_text_is_shown_without_fuss() {
        for text in ["", "#", "\u{0}", "[[[[[[", "*_*_*_", "|", "- [x]", &"> ".repeat(500), &"[a](".repeat(500)] {
            let _ = shown(text);
        }
    }
}
