//! The code that a message is about, with context lines.

use inbox::view::{CodeStatus, MessageView};
use inbox::{CodeSnippet, SnippetLine};
use maud::{Markup, html};
use model::diff::{DiffLine, LineOrigin};

use crate::pages::highlight;
use crate::pages::icons::{icon, small};

/// Renders the code of a message; the excerpt stored with the message if the code can no longer be read.
pub(super) fn render(message: &MessageView, snippet: Option<&CodeSnippet>) -> Markup {
    html! {
        div class="codebox" {
            header {
                (icon("file")) span class="truncate" { (message.file) }
                @if let Some(CodeSnippet { n_added, n_removed, .. }) = snippet.filter(|snippet| snippet.n_added + snippet.n_removed > 0) {
                    span class="end changes" aria-label={ (n_added) " lines added, " (n_removed) " removed" } role="img" {
                        @if *n_added > 0 { ins { "+" (n_added) } }
                        @if *n_removed > 0 { del { "−" (n_removed) } }
                    }
                }
            }
            @match (snippet, &message.excerpt) {
                (Some(snippet), _) => (lines(&message.file, &snippet.lines)),
                (None, Some(excerpt)) => {
                    p class="gone" { (small("clock")) (what_became(message)) " It is shown as it was." }
                    (lines(&message.file, &excerpt_lines(message, excerpt)))
                }
                (None, None) => p class="gone" { (small("clock")) "This code is gone, and the remark has no copy of it." },
            }
        }
        @if snippet.is_some() && message.lines.is_none() { p class="nothing" { "The remark is about the whole file." } }
    }
}

fn what_became(message: &MessageView) -> &'static str {
    match message.code.as_ref().map(|code| code.status) {
        Some(CodeStatus::Changed) => "This code has changed.",
        _ => "This code is gone.",
    }
}

fn excerpt_lines(message: &MessageView, excerpt: &str) -> Vec<SnippetLine> {
    let first = message.lines.map_or(1, |lines| lines.start);
    let line = |(number, text): (u32, &str)| SnippetLine {
        line: DiffLine { origin: LineOrigin::Context, number, text: text.to_owned() },
        is_target: true,
    };
    (first..).zip(excerpt.lines()).map(line).collect()
}

/// Renders lines with their numbers and signs, in the colors of the file's language.
fn lines(path: &str, lines: &[SnippetLine]) -> Markup {
    let language = path.rsplit('.').next().unwrap_or_default();
    html! {
        pre class="source" tabindex="0" aria-label="Code" {
            @for SnippetLine { line, is_target } in lines {
                @let (class, sign) = look(line.origin);
                span class={ (class) @if *is_target { " marked" } } {
                    span class="ln" { (line.number) }
                    span { (sign) }
                    span { @for (token, text) in highlight::tokens(language, &line.text) { (highlight::colored(token, text)) } }
                }
            }
        }
    }
}

fn look(origin: LineOrigin) -> (&'static str, &'static str) {
    match origin {
        LineOrigin::Added => ("added", "+"),
        LineOrigin::Removed => ("removed", "−"),
        LineOrigin::Context => ("", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(origin: LineOrigin, number: u32, text: &str, is_target: bool) -> SnippetLine {
        SnippetLine { line: DiffLine { origin, number, text: text.to_owned() }, is_target }
    }

    #[test]
    fn lines_are_escaped_and_marked() {
        let shown = [
            line(LineOrigin::Context, 1, "<script>", false),
            line(LineOrigin::Removed, 2, "let a", false),
            line(LineOrigin::Added, 2, "let b", true),
        ];
        insta::assert_snapshot!(lines("a.rs", &shown).into_string().replace("<span class=\"", "\n<span class=\""), @r#"
        <pre class="source" tabindex="0" aria-label="Code">
        <span class="">
        <span class="ln">1</span><span></span><span>&lt;script&gt;</span></span>
        <span class="removed">
        <span class="ln">2</span><span>−</span><span>
        <span class="hl-kw">let</span> a</span></span>
        <span class="added marked">
        <span class="ln">2</span><span>+</span><span>
        <span class="hl-kw">let</span> b</span></span></pre>
        "#);
    }
}
