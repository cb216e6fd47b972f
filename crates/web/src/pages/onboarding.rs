//! The first steps that are commands: importing work, and connecting an agent. A button shows the commands to copy;
//! without a script, one of them stands in its place.

use maud::{Markup, html};

use super::icons::icon;

/// A dialog with commands.
struct Steps {
    /// The id of the template of the dialog.
    id: &'static str,
    icon: &'static str,
    title: &'static str,
    about: &'static str,
    /// What each command is for.
    commands: &'static [(&'static str, &'static str)],
    after: &'static str,
}

const IMPORT: Steps = Steps {
    id: "import-steps",
    icon: "import",
    title: "Import",
    about: "From GitHub, Jira, Linear, CSV and more; you see a preview first",
    commands: &[
        (
            "Issues of GitHub, from `gh issue list --state all --json …` or the API",
            "cairn import github issues.json --dry-run",
        ),
        ("An export of Jira", "cairn import jira issues.csv --dry-run"),
        ("A table", "cairn import csv items.csv --dry-run"),
        ("Beads", "cairn import beads .beads/issues.jsonl --dry-run"),
        ("All formats", "cairn import --help"),
    ],
    after: "Without --dry-run the items are written. Authors, times and states stay as they are there, and a second import creates nothing twice.",
};

const AGENT: Steps = Steps {
    id: "agent-steps",
    icon: "agent",
    title: "Connect your agent",
    about: "It reads, plans and reports on this board",
    commands: &[
        ("Instructions, hooks and a skill for coding agents, in the repository", "cairn agents install"),
        ("The tools, for Claude Code; other clients: cairn mcp install --help", "cairn mcp install claude-code"),
        ("Check the connection", "cairn mcp doctor"),
    ],
    after: "The agent then takes ready work, says what it found, and answers remarks on code.",
};

/// Offers to import work.
pub(super) fn import_way() -> Markup {
    way(&IMPORT)
}

/// Offers to connect an agent.
pub(super) fn agent_way() -> Markup {
    way(&AGENT)
}

/// Offers to import work where there is little room.
pub(super) fn import_button() -> Markup {
    button(&IMPORT)
}

/// Offers to connect an agent where there is little room.
pub(super) fn agent_button() -> Markup {
    button(&AGENT)
}

fn button(steps: &Steps) -> Markup {
    html! {
        button type="button" class="button js" data-act="steps" data-target=(steps.id) { (icon(steps.icon)) (steps.title) }
        (dialog(steps))
    }
}

fn way(steps: &Steps) -> Markup {
    let first = steps.commands.first().map(|(_, command)| *command);
    html! {
        button type="button" class="way js" data-act="steps" data-target=(steps.id) {
            (icon(steps.icon)) b { (steps.title) } small { (steps.about) }
        }
        div class="way no-js" { (icon(steps.icon)) b { (steps.title) } small { (steps.about) } code { (first.unwrap_or_default()) } }
        (dialog(steps))
    }
}

// A template, of which the script shows a copy: a refresh of the page must not close what someone reads.
fn dialog(steps: &Steps) -> Markup {
    let title = format!("{}-title", steps.id);
    html! {
        template id=(steps.id) { dialog class="steps" aria-labelledby=(title) {
            header {
                h2 id=(title) { (steps.title) }
                button type="button" class="icon-button" data-act="close-steps" aria-label="Close" { (icon("close")) }
            }
            ol {
                @for (about, command) in steps.commands {
                    li {
                        span { (about) }
                        div class="command" {
                            code { (command) }
                            button type="button" class="icon-button small" data-act="copy" data-text=(command) aria-label={ "Copy " (command) } title="Copy" { (icon("copy")) }
                        }
                    }
                }
            }
            p class="quiet" { (steps.after) }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_has_its_dialog_and_every_command_can_be_copied() {
        for (steps, shown) in [(&IMPORT, import_way()), (&AGENT, agent_way()), (&AGENT, agent_button())] {
            let html = shown.into_string();
            assert!(html.contains(&format!("data-target=\"{}\"", steps.id)), "{html}");
            assert!(html.contains(&format!("<template id=\"{}\"><dialog class=\"steps\"", steps.id)), "{html}");
            assert_eq!(html.matches("data-act=\"copy\"").count(), steps.commands.len());
        }
    }
}
