//! Answers to the hooks of agents. A failure is silent: an agent must not be stopped because its notebook is missing.

use std::path::{Path, PathBuf};

use annotations::view::ContextView;
use annotations::{Annotated as _, ContextQuery, Measure, ReadQuery, markdown};
use app::{Env, Error};
use clap::ValueEnum;
use inbox::Inbox;
use serde_json::{Value, json};

use super::super::RepoPath;
use super::super::prime::{DEFAULT_TOKENS, PrimeView};
use crate::input;
use crate::output::{Ui, safe_block};

/// An event in the life of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AgentHook {
    /// A session starts: answers with `cairn prime`.
    SessionStart,
    /// The conversation is about to be summarized: answers with `cairn prime`.
    BeforeCompaction,
    /// A file is about to be edited: answers with its context, or nothing.
    BeforeEdit,
}

/// Prints the answer to a hook, if there is one.
pub(super) fn run(event: AgentHook, place: &RepoPath, ui: &Ui) {
    match event {
        AgentHook::SessionStart => {
            if let Ok(text) = prime(place) {
                ui.data(&answer("SessionStart", &text));
            }
        }
        // Agents show or keep the plain output of this hook.
        AgentHook::BeforeCompaction => {
            if let Ok(text) = prime(place) {
                ui.print(&text);
            }
        }
        AgentHook::BeforeEdit => {
            if let Ok(Some(text)) = context(place) {
                ui.data(&answer("PreToolUse", &text));
            }
        }
    }
}

/// The shape in which Claude Code, Codex and Gemini CLI take additional context.
fn answer(event: &str, text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
}

fn prime(place: &RepoPath) -> Result<String, Error> {
    Ok(PrimeView::read(place)?.text(DEFAULT_TOKENS))
}

/// Returns the context of the file that the event names; `None` if nothing is known about it.
fn context(place: &RepoPath) -> Result<Option<String>, Error> {
    let Some(path) = edited_file(&input::read_pipe()?) else { return Ok(None) };
    let root = app::locate(place.path())?.work_tree;
    let Some(path) = root.and_then(|root| path_below(&root, &path)) else { return Ok(None) };
    let mut project = place.open()?;
    project.follow_annotations(None)?;
    let inbox = Inbox::open(place.path(), Env::default())?;
    let code = ReadQuery { max_tokens: Some(DEFAULT_TOKENS), measure: Measure::MARKDOWN, ..ReadQuery::new(path) };
    let view = project.annotations().context(&inbox, &ContextQuery { code })?;
    Ok((!is_empty(&view)).then(|| safe_block(&markdown::context(&view))))
}

/// Reads the file from the event, as Claude Code sends it.
fn edited_file(event: &str) -> Option<PathBuf> {
    let event: Value = serde_json::from_str(event).ok()?;
    let input = &event["tool_input"];
    let path = input["file_path"].as_str().or_else(|| input["notebook_path"].as_str())?;
    let folder = event["cwd"].as_str().unwrap_or_default();
    Some(Path::new(folder).join(path))
}

/// Returns a path relative to the work tree; `None` for a file outside of it.
fn path_below(root: &Path, path: &Path) -> Option<String> {
    let root = root.canonicalize().ok()?;
    // A new file does not exist yet, but its folder may.
    let full =
        path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))?;
    let inner = full.strip_prefix(root).ok()?.to_str()?;
    Some(inner.replace('\\', "/"))
}

fn is_empty(view: &ContextView) -> bool {
    let annotations = &view.annotations;
    annotations.regions.is_empty()
        && annotations.dependencies_on_this.is_empty()
        && view.conventions.is_empty()
        && view.items.is_empty()
        && view.messages.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_found_in_the_event_and_only_inside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("src")).unwrap();
        let event = |path: &str| json!({ "cwd": root, "tool_input": { "file_path": path } }).to_string();
        let found = |path: &str| path_below(&root, &edited_file(&event(path)).unwrap());
        assert_eq!(found("src/new.rs").as_deref(), Some("src/new.rs"));
        assert_eq!(found(root.join("src/lib.rs").to_str().unwrap()).as_deref(), Some("src/lib.rs"));
        assert_eq!(found("/etc/passwd"), None);
        assert_eq!(found("../outside.rs"), None);
        assert_eq!(edited_file("{}"), None);
    }
}
