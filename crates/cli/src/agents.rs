//! What `cairn agents install` writes into a repository for coding agents: instructions, hooks and a skill.
//!
//! Each file is a [`Part`]: a text in, the changed text out, and back byte for byte. Nothing here opens a file; no text
//! contains an absolute path, because the files are committed.

mod hook_entries;
mod owned_file;
mod section;
mod texts;

use crate::clients::edit::EditError;
use hook_entries::HookEntry;

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// opencode.
    Opencode,
    /// GitHub Copilot.
    Copilot,
}

/// One file for agents, and the content that is installed into it.
#[derive(Debug)]
pub(crate) struct Part {
    /// The agent it is for; `None` for all that read `AGENTS.md`.
    pub(crate) agent: Option<Agent>,
    /// The file, from the top of the work tree.
    pub(crate) path: &'static str,
    /// Its description for the user.
    pub(crate) title: &'static str,
    /// Whether the file is only changed, never created.
    pub(crate) only_if_present: bool,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A marked section of a Markdown file.
    Section,
    /// A file of our own.
    Owned(&'static str),
    /// Entries in a JSON file of hooks.
    Hooks(&'static [HookEntry]),
}

/// The state of a part in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PartState {
    /// As this version writes it.
    Installed,
    /// Written by another version.
    Outdated,
    /// Changed by hand, or somebody else's file; it is not changed.
    Foreign,
    /// Not there.
    Absent,
}

app::display_as_json!(PartState);

/// The reason why a file is not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    /// It was changed by hand, or it is somebody else's.
    #[error("it was changed by hand")]
    Foreign,
    /// It cannot be parsed, or has another shape.
    #[error(transparent)]
    Edit(#[from] EditError),
}

const fn section(agent: Option<Agent>, path: &'static str, title: &'static str) -> Part {
    Part { agent, path, title, only_if_present: false, content: Content::Section }
}

const fn section_if_present(agent: Agent, path: &'static str, title: &'static str) -> Part {
    Part { agent: Some(agent), path, title, only_if_present: true, content: Content::Section }
}

const fn owned(agent: Agent, path: &'static str, title: &'static str, text: &'static str) -> Part {
    Part { agent: Some(agent), path, title, only_if_present: false, content: Content::Owned(text) }
}

const fn hooks(agent: Agent, path: &'static str, title: &'static str, entries: &'static [HookEntry]) -> Part {
    Part { agent: Some(agent), path, title, only_if_present: false, content: Content::Hooks(entries) }
}

/// All parts. Codex, Cursor, Copilot and opencode read `AGENTS.md` by themselves; Claude Code reads `CLAUDE.md`, and
/// Gemini CLI `GEMINI.md`.
pub(crate) const PARTS: &[Part] = &[
    section(None, "AGENTS.md", "instructions"),
    section_if_present(Agent::Claude, "CLAUDE.md", "instructions"),
    section_if_present(Agent::Gemini, "GEMINI.md", "instructions"),
    section(Some(Agent::Copilot), ".github/copilot-instructions.md", "instructions"),
    owned(Agent::Claude, ".claude/skills/cairn/SKILL.md", "skill", texts::SKILL),
    hooks(Agent::Claude, ".claude/settings.json", "hooks", hook_entries::CLAUDE),
    hooks(Agent::Codex, ".codex/hooks.json", "hooks", hook_entries::CODEX),
    hooks(Agent::Gemini, ".gemini/settings.json", "hooks", hook_entries::GEMINI),
    owned(Agent::Cursor, ".cursor/rules/cairn.mdc", "rule", texts::CURSOR_RULE),
    owned(Agent::Opencode, ".opencode/command/cairn.md", "command", texts::OPENCODE_COMMAND),
];

/// The optional hook before an edit.
pub(crate) const BEFORE_EDIT: Part =
    hooks(Agent::Claude, ".claude/settings.json", "hook before edits", hook_entries::CLAUDE_BEFORE_EDIT);

impl Agent {
    /// Files and folders that show that a repository is used with the agent.
    pub(crate) fn traces(self) -> &'static [&'static str] {
        match self {
            // The most common one, and the only one that needs hooks to hear of Cairn.
            Self::Claude => &[""],
            Self::Codex => &[".codex"],
            Self::Gemini => &[".gemini", "GEMINI.md"],
            Self::Cursor => &[".cursor", ".cursorrules"],
            Self::Opencode => &[".opencode", "opencode.json", "opencode.jsonc"],
            Self::Copilot => &[".github/copilot-instructions.md"],
        }
    }
}

impl Part {
    /// Returns the text with the part; an unchanged text if it is there.
    pub(crate) fn install(&self, text: &str) -> Result<String, PartError> {
        match self.content {
            Content::Section => Ok(section::install(text, texts::SECTION)),
            Content::Owned(own) => owned_file::install(text, own),
            Content::Hooks(entries) => Ok(hook_entries::install(text, entries)?),
        }
    }

    /// Returns the text without the part; an empty text stands for no file.
    pub(crate) fn remove(&self, text: &str) -> Result<String, PartError> {
        match self.content {
            Content::Section => Ok(section::remove(text)),
            Content::Owned(_) => owned_file::remove(text),
            Content::Hooks(entries) => Ok(hook_entries::remove(text, entries)?),
        }
    }

    /// Returns the state of the part in a text; `None` without a file.
    pub(crate) fn state(&self, text: Option<&str>) -> PartState {
        let Some(text) = text else { return PartState::Absent };
        let is_same = self.install(text).is_ok_and(|after| after == text);
        let is_there = self.remove(text).map(|after| after != text);
        match (is_same, is_there) {
            (true, _) => PartState::Installed,
            (false, Ok(true)) => PartState::Outdated,
            (false, Ok(false)) => PartState::Absent,
            (false, Err(_)) => PartState::Foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = &'static Part> {
        PARTS.iter().chain([&BEFORE_EDIT])
    }

    #[test]
    fn committed_texts_name_no_path_of_this_machine() {
        for part in all() {
            let text = part.install("").unwrap();
            assert!(!text.contains("/home") && !text.contains("/usr") && !text.contains(":\\"), "{text}");
        }
    }

    #[test]
    fn installing_twice_changes_nothing_and_removing_restores() {
        for part in all() {
            let text = part.install("").unwrap();
            assert_eq!(part.install(&text).unwrap(), text, "{}", part.path);
            assert_eq!(part.remove(&text).unwrap(), "", "{}", part.path);
            assert_eq!(part.state(Some(&text)), PartState::Installed);
            assert_eq!((part.state(None), part.state(Some(""))), (PartState::Absent, PartState::Absent));
        }
    }
}
