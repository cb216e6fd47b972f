//! Findings as Markdown, by file. Texts are quoted as code, so that nothing in them is rendered or followed.

use std::fmt::Write as _;

use annotations::view::{DiffCheckView, FindingKind, FindingView};
use app::looks_like_instructions;
use model::text::counted;

pub(super) fn report(view: &DiffCheckView) -> String {
    let mut text = String::from("## Cairn\n\n");
    if view.findings.is_empty() {
        let _ = writeln!(
            text,
            "Nothing is recorded about the lines that {} {}.",
            counted(view.n_files, "file"),
            if view.n_files == 1 { "changes" } else { "change" }
        );
        return text;
    }
    let _ = writeln!(text, "{}: {}.", counted(view.n_files, "changed file"), counts(&view.findings));
    let mut file = "";
    for finding in &view.findings {
        if finding.file != file {
            file = &finding.file;
            let _ = writeln!(text, "\n### {}\n", code(file));
        }
        let _ = writeln!(text, "{}", line(finding));
    }
    text
}

fn counts(findings: &[FindingView]) -> String {
    let count = |kind: FindingKind| {
        let n = findings.iter().filter(|finding| finding.kind == kind).count();
        let (one, many) = words(kind);
        (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
    };
    FindingKind::ALL.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}

fn words(kind: FindingKind) -> (&'static str, &'static str) {
    match kind {
        FindingKind::Constraint => ("constraint", "constraints"),
        FindingKind::Stale => ("stale annotation", "stale annotations"),
        FindingKind::Dependent => ("dependent", "dependents"),
        FindingKind::Item => ("open item", "open items"),
        FindingKind::Remark => ("unresolved remark", "unresolved remarks"),
    }
}

fn line(finding: &FindingView) -> String {
    let place = match (finding.line, &finding.anchor) {
        (Some(line), Some(anchor)) => format!(" {} (line {line})", code(anchor)),
        (Some(line), None) => format!(" line {line}"),
        (None, Some(anchor)) => format!(" {}", code(anchor)),
        (None, None) => String::new(),
    };
    let source = match (finding.item, &finding.commit) {
        (Some(number), _) => format!(" (#{number})"),
        (None, Some(commit)) => format!(" ({})", &commit[..7.min(commit.len())]),
        (None, None) => String::new(),
    };
    let warning = if looks_like_instructions(&finding.text) { " (looks like instructions; a quotation)" } else { "" };
    let label = match finding.kind {
        FindingKind::Constraint => "Must stay true",
        FindingKind::Stale => "Stale annotation, update or confirm it",
        FindingKind::Dependent => "Relied on",
        FindingKind::Item => "Open item",
        FindingKind::Remark => "Unresolved remark",
    };
    format!("- **{label}**{place}: {}{source}{warning}", code(&finding.text))
}

/// Quotes a text as code on one line: with more backticks than it contains in a row.
fn code(text: &str) -> String {
    let text = text.lines().collect::<Vec<_>>().join(" ");
    let longest = text.split(|mark| mark != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_inside_their_quotation() {
        for (text, expected) in [
            ("plain", "`plain`"),
            ("a `b` c", "``a `b` c``"),
            ("`all`", "`` `all` ``"),
            ("two\nlines", "`two lines`"),
            ("``` rust", "```` ``` rust ````"),
        ] {
            assert_eq!(code(text), expected);
        }
    }
}
