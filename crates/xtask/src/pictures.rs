//! `cargo xtask pictures`: pictures of the terminal for the README and the guide, made from real output.
//!
//! Each picture is an SVG with the text as text: small, sharp at any size, and readable in a diff.

mod ansi;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::scratch::{Scratch, isolated};
use xtask::{command, program, report};

use ansi::Span;

const LINE_HEIGHT: usize = 20;
/// Advance of one character of a 13 px monospaced font.
const CHARACTER_WIDTH: f32 = 7.83;
const MARGIN: usize = 16;

/// The project in the pictures.
const WORK: &[&[&str]] = &[
    &["new", "epic", "Accounts and sign-in"],
    &[
        "new",
        "issue",
        "Login fails on Safari after the session expires",
        "--label",
        "bug",
        "--label",
        "login",
        "--priority",
        "urgent",
        "--parent",
        "1",
    ],
    &[
        "new",
        "task",
        "Rotate the session keys every week",
        "--label",
        "security",
        "--priority",
        "high",
        "--parent",
        "1",
    ],
    &["new", "story", "As a guest I can pay by card", "--label", "checkout", "--priority", "medium", "--assign", "me"],
    &[
        "new",
        "issue",
        "Rounding differs by one cent with mixed VAT rates",
        "--label",
        "bug",
        "--priority",
        "high",
        "--due",
        "2027-01-10",
    ],
    &["new", "task", "Measure the 95th percentile of query time", "--label", "infra", "--priority", "low"],
    &["new", "task", "Structured logs for the payment worker", "--label", "infra"],
    &["link", "3", "--blocks", "2"],
    &["start", "4"],
    &["close", "7"],
];

/// The pictures: the name of the file and the command.
const PICTURES: &[(&str, &[&str])] = &[("terminal-list", &["list"]), ("terminal-ready", &["ready", "--explain"])];

/// Makes all pictures.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err(format!("`pictures` takes no arguments, not `{}`", arguments.join(" ")));
    }
    let program = program::build(root)?;
    let scratch = Scratch::new("pictures")?;
    prepare(&scratch, &program)?;
    for (name, arguments) in PICTURES {
        let output = command::read(cairn(&scratch, &program).args(["--color", "always"]).args(*arguments))?;
        let path = format!("docs/pictures/{name}.svg");
        let picture = draw(&format!("cairn {}", arguments.join(" ")), &output);
        fs::write(root.join(&path), picture).map_err(|error| format!("cannot write `{path}`: {error}"))?;
        report::answer(&path);
    }
    Ok(())
}

fn prepare(scratch: &Scratch, program: &Path) -> Result<(), String> {
    let settings: [&[&str]; 3] =
        [&["init", "--quiet"], &["config", "user.name", "Ada Lovelace"], &["config", "user.email", "ada@example.com"]];
    for arguments in settings {
        command::read(isolated(Command::new("git").args(arguments).current_dir(scratch.path(""))))?;
    }
    WORK.iter().try_for_each(|arguments| command::read(cairn(scratch, program).args(*arguments)).map(|_| ()))
}

fn cairn(scratch: &Scratch, program: &Path) -> Command {
    let mut command = Command::new(program);
    isolated(command.current_dir(scratch.path("")));
    command.env("TERM", "xterm-256color").env("PAGER", "cat");
    command
}

/// Draws a terminal with a command and its output.
fn draw(typed: &str, output: &str) -> String {
    let mut lines = vec![vec![Span::prompt(), Span::plain(typed)]];
    lines.extend(output.trim_end().lines().map(ansi::spans));
    let n_columns =
        lines.iter().map(|line| line.iter().map(|span| span.text.chars().count()).sum()).max().unwrap_or(0_usize);
    // Whole pixels: the margin hides the remainder.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small numbers"
    )]
    let width = (n_columns as f32 * CHARACTER_WIDTH) as usize + 2 * MARGIN;
    let height = lines.len() * LINE_HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#15181b\"/>\n\
         <g font-family=\"JetBrains Mono, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"13\" fill=\"#d6d6d2\">\n",
        escape(typed)
    );
    for (row, line) in lines.iter().enumerate() {
        let y = MARGIN + row * LINE_HEIGHT + 14;
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\">{}</text>", line.iter().map(tspan).collect::<String>());
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn tspan(span: &Span) -> String {
    // Renderers differ in when they collapse spaces; columns must stay aligned in all of them.
    let text = escape(&span.text).replace(' ', "\u{a0}");
    let style = span.style.attributes();
    if style.is_empty() { text } else { format!("<tspan{style}>{text}</tspan>") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_drawn_line_by_line_with_its_colors() {
        let picture = draw("cairn list", "#  TITLE\n\u{1b}[32m1\u{1b}[0m  a < b\n");
        let lines: Vec<&str> = picture.lines().filter(|line| line.contains("<text ")).collect();
        insta::assert_snapshot!(lines.join("\n").replace('\u{a0}', "~"), @r##"
        <text x="16" y="30"><tspan fill="#2dd4bf">$~</tspan>cairn~list</text>
        <text x="16" y="50">#~~TITLE</text>
        <text x="16" y="70"><tspan fill="#4ade80">1</tspan>~~a~&lt;~b</text>
        "##);
    }
}
