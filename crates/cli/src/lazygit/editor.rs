//! Finds the editor command that lazygit uses at a line, so that the wrapper can still run it.

use super::yaml::{self, Node};

/// lazygit's editor presets by name. Other editors are started like `vim`.
const PRESETS: &[(&str, &str)] = &[
    ("acme", "editInAcme {{filename}}:{{line}}"),
    ("bbedit", "bbedit +{{line}} -- {{filename}}"),
    ("helix", "helix -- {{filename}}:{{line}}"),
    ("helix (hx)", "hx -- {{filename}}:{{line}}"),
    ("kakoune", "kak +{{line}} -- {{filename}}"),
    ("micro", "micro +{{line}} {{filename}}"),
    ("sublime", "subl -- {{filename}}:{{line}}"),
    ("vscode", "code --reuse-window --goto -- {{filename}}:{{line}}"),
    ("xcode", "xed --line {{line}} -- {{filename}}"),
    ("zed", "zed -- {{filename}}:{{line}}"),
];

/// Editors whose preset has another name.
const ALIASES: &[(&str, &str)] =
    &[("code", "vscode"), ("hx", "helix (hx)"), ("kak", "kakoune"), ("subl", "sublime"), ("xed", "xcode")];

/// Editors with the same command line, by their own names.
const STANDARD: &[&str] = &["vi", "vim", "nvim", "lvim", "emacs", "nano"];

/// Returns the command template for the user's editor at a line: from the settings, from their preset, or for the
/// editor that git uses.
pub(crate) fn editor_template(settings: &str, git_editor: Option<&str>) -> Result<String, String> {
    let document = yaml::read(settings).ok().and_then(|documents| documents.into_iter().next());
    let system = document.as_ref().and_then(|node| node.get("os"));
    let own =
        |name: &str| system.and_then(|system| system.get(name)).and_then(Node::text).filter(|text| !text.is_empty());
    if let Some(template) = own("editAtLine") {
        return Ok(template.to_owned());
    }
    if let Some(preset) = own("editPreset") {
        let known = by_name(preset);
        return known.ok_or_else(|| format!("unknown editor preset `{preset}` of lazygit"));
    }
    let first_word = git_editor.and_then(|editor| editor.split_whitespace().next()).unwrap_or("vim");
    let name = first_word.rsplit(['/', '\\']).next().unwrap_or(first_word);
    Ok(by_name(name).unwrap_or_else(|| standard("vim")))
}

fn by_name(name: &str) -> Option<String> {
    let preset = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, preset)| preset);
    let special = PRESETS.iter().find(|(known, _)| *known == preset).map(|(_, template)| (*template).to_owned());
    special.or_else(|| STANDARD.contains(&preset).then(|| standard(preset)))
}

fn standard(editor: &str) -> String {
    format!("{editor} +{{{{line}}}} -- {{{{filename}}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(settings: &str, editor: Option<&str>, expected: &str) {
        assert_eq!(editor_template(settings, editor).unwrap(), expected);
    }

    #[test]
    fn the_users_own_setting_wins() {
        let settings = "os:\n  editPreset: 'nano'\n  editAtLine: 'mine {{filename}}:{{line}}'\n";
        check(settings, Some("emacs"), "mine {{filename}}:{{line}}");
        check("os:\n  editPreset: 'nano'\n", Some("emacs"), "nano +{{line}} -- {{filename}}");
        check("", Some("/usr/bin/emacs -nw"), "emacs +{{line}} -- {{filename}}");
        check("", Some("code --wait"), "code --reuse-window --goto -- {{filename}}:{{line}}");
        check("gui: {}\n", Some("ed"), "vim +{{line}} -- {{filename}}");
        check("", None, "vim +{{line}} -- {{filename}}");
    }

    #[test]
    fn a_preset_that_is_not_known_is_named() {
        let error = editor_template("os:\n  editPreset: 'nvim-remote'\n", None).unwrap_err();
        insta::assert_snapshot!(error, @"unknown editor preset `nvim-remote` of lazygit");
    }
}
