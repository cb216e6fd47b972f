//! The pager, chosen as git chooses it: `GIT_PAGER`, `core.pager`, `PAGER`, then `less`.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use anstream::ColorChoice;

/// Shows a text in the pager if stdout is a terminal that the text does not fit; returns whether it was shown.
pub(super) fn show(text: &str, color: ColorChoice) -> bool {
    if !std::io::stdout().is_terminal() || !is_longer_than_terminal(text) {
        return false;
    }
    // A process of git only where a person is about to read anyway.
    let Some(pager) = git_pager().filter(|pager| !pager.is_empty() && pager != "cat") else { return false };
    run(&pager, text, color).is_ok()
}

fn is_longer_than_terminal(text: &str) -> bool {
    let height = terminal_size::terminal_size().map_or(24, |(_, height)| usize::from(height.0));
    text.lines().count() >= height
}

fn git_pager() -> Option<String> {
    let output = Command::new("git").args(["var", "GIT_PAGER"]).stderr(Stdio::null()).output().ok()?;
    let pager = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    output.status.success().then_some(pager)
}

fn run(pager: &str, text: &str, color: ColorChoice) -> std::io::Result<()> {
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    // git's own defaults: quit if it fits one screen, show colors, leave the screen as it is.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        let plain = || anstream::adapter::strip_str(text).to_string();
        let text = if color == ColorChoice::Never { plain() } else { text.to_owned() };
        // A person who quits the pager early closes the pipe; that is not an error.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().map(drop)
}
