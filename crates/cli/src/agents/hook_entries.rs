//! Entries in JSON files of hooks. Claude Code, Codex and Gemini CLI have the same shape: an object `hooks` with a list
//! per event; each element has a `matcher` and a list of commands.

use serde_json::{Value, json};

use crate::clients::edit::{self, EditError, Syntax};

/// A command that an agent runs at an event.
#[derive(Debug)]
pub(super) struct HookEntry {
    event: &'static str,
    /// Which tools or causes; empty for all.
    matcher: &'static str,
    command: &'static str,
}

/// Every command of ours starts so; that is how an entry is recognized.
const COMMAND_START: &str = "cairn agents hook ";

/// `|| true`: a teammate without the program must not see an error at every start.
const SESSION_START: &str = "cairn agents hook session-start || true";
const BEFORE_COMPACTION: &str = "cairn agents hook before-compaction || true";

const fn entry(event: &'static str, matcher: &'static str, command: &'static str) -> HookEntry {
    HookEntry { event, matcher, command }
}

pub(super) const CLAUDE: &[HookEntry] =
    &[entry("SessionStart", "", SESSION_START), entry("PreCompact", "", BEFORE_COMPACTION)];
pub(super) const CLAUDE_BEFORE_EDIT: &[HookEntry] =
    &[entry("PreToolUse", "Edit|MultiEdit|Write|NotebookEdit", "cairn agents hook before-edit || true")];
pub(super) const CODEX: &[HookEntry] =
    &[entry("SessionStart", "", SESSION_START), entry("PreCompact", "", BEFORE_COMPACTION)];
// Its hook before compaction cannot add to the context.
pub(super) const GEMINI: &[HookEntry] = &[entry("SessionStart", "", SESSION_START)];

impl HookEntry {
    fn path(&self) -> [&'static str; 2] {
        ["hooks", self.event]
    }

    fn value(&self) -> Value {
        let commands = json!([{ "type": "command", "command": self.command }]);
        if self.matcher.is_empty() {
            json!({ "hooks": commands })
        } else {
            json!({ "matcher": self.matcher, "hooks": commands })
        }
    }

    /// Returns whether an element of the event's list is ours: it runs our command and nothing else.
    fn is_own(element: &Value) -> bool {
        let commands = element["hooks"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_ours = |hook: &Value| hook["command"].as_str().is_some_and(|command| command.starts_with(COMMAND_START));
        !commands.is_empty() && commands.iter().all(is_ours)
    }
}

/// Adds the entries that are missing, and replaces those of another version.
pub(super) fn install(text: &str, entries: &[HookEntry]) -> Result<String, EditError> {
    entries.iter().try_fold(text.to_owned(), |text, entry| install_one(&text, entry))
}

fn install_one(text: &str, entry: &HookEntry) -> Result<String, EditError> {
    let value = entry.value();
    let elements = match edit::get(Syntax::Json, text, &entry.path())? {
        None => return edit::put_list(text, &entry.path(), &value),
        Some(Value::Array(elements)) => elements,
        Some(_) => return Err(edit::not_a_list(text, &entry.path())),
    };
    if elements.contains(&value) {
        return Ok(text.to_owned());
    }
    let text = without_own(text, entry)?;
    match edit::get(Syntax::Json, &text, &entry.path())? {
        None => edit::put_list(&text, &entry.path(), &value),
        Some(_) => edit::append(&text, &entry.path(), &value),
    }
}

/// Removes the entries. Lists and objects that become empty are removed if installing would make them again, so that
/// the text is as it was before.
pub(super) fn remove(text: &str, entries: &[HookEntry]) -> Result<String, EditError> {
    let bare = entries.iter().try_fold(text.to_owned(), |text, entry| without_own(&text, entry))?;
    if bare == text {
        return Ok(bare);
    }
    let no_lists = entries.iter().try_fold(bare.clone(), |text, entry| without_empty(&text, &entry.path()))?;
    let no_object = without_empty(&no_lists, &["hooks"])?;
    let is_empty = edit::get(Syntax::Json, &no_object, &[])?.is_none_or(|value| value == json!({}));
    let nothing = is_empty.then(String::new);
    let candidates = nothing.into_iter().chain([no_object.clone(), no_lists, bare]);
    let makes_this = |candidate: &String| install(candidate, entries).is_ok_and(|after| after == text);
    Ok(candidates.into_iter().find(makes_this).unwrap_or(no_object))
}

fn without_own(text: &str, entry: &HookEntry) -> Result<String, EditError> {
    let Some(Value::Array(elements)) = edit::get(Syntax::Json, text, &entry.path())? else {
        return Ok(text.to_owned());
    };
    let mut text = text.to_owned();
    for n in (0..elements.len()).rev().filter(|n| HookEntry::is_own(&elements[*n])) {
        text = edit::remove_element(&text, &entry.path(), n)?;
    }
    Ok(text)
}

fn without_empty(text: &str, path: &[&str]) -> Result<String, EditError> {
    match edit::get(Syntax::Json, text, path)? {
        Some(Value::Array(list)) if list.is_empty() => edit::remove(Syntax::Json, text, path),
        Some(Value::Object(object)) if object.is_empty() => edit::remove(Syntax::Json, text, path),
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERS: &str = r#"{
    // Ours.
    "permissions": { "allow": ["Bash(ls)"] },
    "hooks": {
        "SessionStart": [
            { "hooks": [{ "type": "command", "command": "make hello" }] }
        ],
        "Stop": []
    }
}
"#;

    #[test]
    fn other_hooks_and_every_byte_around_stay() {
        for text in [
            "",
            "{}",
            "{}\n",
            "{ }\n",
            "{\n}\n",
            OTHERS,
            &OTHERS.replace('\n', "\r\n"),
            &OTHERS.replace("        ],\n", "        , ],\n").replace("}] }\n        , ]", "}] },\n        ]"),
            r#"{"model":"x"}"#,
            r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"a"}]}]}}"#,
            "{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n",
        ] {
            let installed = install(text, CLAUDE).unwrap();
            assert_ne!(installed, text);
            assert_eq!(install(&installed, CLAUDE).unwrap(), installed, "{text}");
            let both = install(&installed, CLAUDE_BEFORE_EDIT).unwrap();
            assert_eq!(remove(&both, CLAUDE_BEFORE_EDIT).unwrap(), installed, "{text}");
            let removed = remove(&installed, CLAUDE).unwrap();
            let is_blank = |text: &str| text.split_whitespace().collect::<String>() == "{}";
            // A file that only had an empty object is as good as none.
            let is_nothing = removed.is_empty() || is_blank(&removed);
            assert!(removed == text || is_blank(text) && is_nothing, "{text:?} became {removed:?}");
        }
    }

    #[test]
    fn entry_of_another_version_is_replaced() {
        let old = r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"cairn agents hook session-start"}]}]}}"#;
        let updated = install(old, &CLAUDE[..1]).unwrap();
        insta::assert_snapshot!(updated, @r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"cairn agents hook session-start || true"}]}]}}"#);
    }

    #[test]
    fn file_of_another_shape_is_refused() {
        for text in ["{", "[]", r#"{"hooks": []}"#, r#"{"hooks": {"SessionStart": {}}}"#] {
            assert!(install(text, CLAUDE).is_err(), "{text}");
        }
    }
}
