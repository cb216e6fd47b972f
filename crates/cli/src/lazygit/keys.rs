//! Checks which lazygit keys are bound, and to what.

use super::commands::CONTEXTS;
use super::yaml::{self, Node, Value};

/// Sections of `keybinding` whose keys are active in our contexts.
const SECTIONS: &[&str] = &["universal", "files", "commits", "commitFiles", "main"];

/// Returns what a key is bound to, in the user's settings or in lazygit's defaults; `None` if it is free. Unreadable
/// settings bind no keys.
pub(crate) fn taken_by(key: &str, theirs: &str, defaults: &str) -> Option<String> {
    let first = |text: &str| yaml::read(text).ok().and_then(|documents| documents.into_iter().next());
    let (theirs, defaults) = (first(theirs), first(defaults));
    custom_command(key, theirs.as_ref()).or_else(|| binding(key, theirs.as_ref(), defaults.as_ref()))
}

fn custom_command(key: &str, theirs: Option<&Node>) -> Option<String> {
    let has_key = |item: &&Node| item.get("key").is_some_and(|keys| names(keys, key));
    let overlaps = |item: &&Node| {
        let contexts = item.get("context").and_then(Node::text).unwrap_or("global");
        contexts.split(',').any(|context| CONTEXTS.contains(&context.trim()))
    };
    let taken = theirs?.get("customCommands")?.items().iter().filter(has_key).find(overlaps)?;
    let what = taken.get("description").or_else(|| taken.get("command")).and_then(Node::text);
    Some(format!("the custom command `{}` (line {})", what.unwrap_or("without a name"), taken.line + 1))
}

fn binding(key: &str, theirs: Option<&Node>, defaults: Option<&Node>) -> Option<String> {
    for section in SECTIONS {
        let section_of = |node: Option<&Node>| -> Vec<(String, Node)> {
            let found = node.and_then(|node| node.get("keybinding")).and_then(|keys| keys.get(section));
            let entries = found.map(Node::entries).unwrap_or_default();
            entries.iter().filter_map(|(name, keys)| Some((name.text()?.to_owned(), keys.clone()))).collect()
        };
        let own = section_of(theirs);
        if let Some((name, _)) = own.iter().find(|(_, keys)| names(keys, key)) {
            return Some(format!("your `keybinding.{section}.{name}`"));
        }
        // A default key that the user rebound is free.
        let is_moved = |name: &String| own.iter().any(|(moved, _)| moved == name);
        let mut default = section_of(defaults).into_iter().filter(|(name, _)| !is_moved(name));
        if let Some((name, _)) = default.find(|(_, keys)| names(keys, key)) {
            return Some(format!("lazygit's own `keybinding.{section}.{name}`"));
        }
    }
    None
}

/// Returns whether a setting, one key or a list, contains this key.
fn names(setting: &Node, key: &str) -> bool {
    match &setting.value {
        Value::Scalar { text, .. } => canonical(text) == canonical(key),
        Value::List(items) => items.iter().any(|item| names(item, key)),
        _ => false,
    }
}

/// Normalizes a key: `<c-y>` is `<ctrl+y>` in newer versions.
fn canonical(key: &str) -> String {
    let Some(inner) = key.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).filter(|inner| !inner.is_empty())
    else {
        return key.to_owned();
    };
    let mut parts: Vec<String> = inner.to_lowercase().split(['-', '+']).map(str::to_owned).collect();
    let last = parts.pop().unwrap_or_default();
    let modifiers = parts.iter().map(|part| match part.as_str() {
        "c" => "ctrl",
        "a" => "alt",
        "s" => "shift",
        other => other,
    });
    let mut modifiers: Vec<&str> = modifiers.collect();
    modifiers.sort_unstable();
    format!("<{}+{last}>", modifiers.join("+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, theirs: &str, defaults: &str, expected: Option<&str>) {
        assert_eq!(taken_by(key, theirs, defaults).as_deref(), expected);
    }

    #[test]
    fn another_command_on_the_key_is_named() {
        let theirs = "customCommands:\n  - key: '<C-y>'\n    context: 'localBranches, files'\n    description: 'Mine'\n    command: x\n";
        check("<c-y>", theirs, "", Some("the custom command `Mine` (line 2)"));
        check("<ctrl+y>", theirs, "", Some("the custom command `Mine` (line 2)"));
        check("<c-x>", theirs, "", None);
        check("<c-y>", &theirs.replace(", files", ""), "", None);
        let everywhere = "customCommands:\n  - key: 'Y'\n    command: x\n";
        check("Y", everywhere, "", Some("the custom command `x` (line 2)"));
        check("y", everywhere, "", None);
    }

    #[test]
    fn bindings_are_named_with_their_owner() {
        let defaults = "keybinding:\n  universal:\n    edit: e\n  branches:\n    copyPullRequestURL: <ctrl+y>\n  commits:\n    moveDownCommit: [<ctrl+j>, <alt-down>]\n";
        check("<c-y>", "", defaults, None);
        check("e", "", defaults, Some("lazygit's own `keybinding.universal.edit`"));
        check("<c-j>", "", defaults, Some("lazygit's own `keybinding.commits.moveDownCommit`"));
        check("e", "keybinding:\n  universal:\n    edit: E\n", defaults, None);
        check("E", "keybinding:\n  universal:\n    edit: E\n", defaults, Some("your `keybinding.universal.edit`"));
    }

    #[test]
    fn unreadable_key_bindings_take_no_key() {
        check("e", "a: [", "\t", None);
        check("", "customCommands:\n  - command: x\n", "", None);
    }
}
