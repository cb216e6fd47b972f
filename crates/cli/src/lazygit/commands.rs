//! The custom commands: lazygit's prompts, and the commands it runs.
//!
//! Every value passes through lazygit's `quote`, so that no name or comment can end a word or start a command. Line
//! menus are run without a shell, split into words; `quote` works there as well.

/// The lazygit contexts of the commands. `global` covers the diff view, whose own name differs between versions.
pub(crate) const CONTEXTS: &[&str] = &["files", "commitFiles", "commits", "subCommits", "global"];

/// The description in lazygit's key menu.
const ABOUT: &str = "Tell the agent";

/// The source of the file, by context.
struct Panel {
    context: &'static str,
    /// The command that lists files to choose from; `None` if the selected file is used.
    files: Option<&'static str>,
    /// The template of the file.
    file: &'static str,
}

/// The file chosen in a menu.
const CHOSEN: &str = "{{.Form.File | quote}}";

const PANELS: &[Panel] = &[
    Panel { context: "files", files: None, file: "{{.SelectedPath | quote}}" },
    Panel {
        context: "commitFiles",
        files: None,
        file: "{{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}",
    },
    Panel { context: "commits", files: Some("--commit {{.SelectedCommit.Hash | quote}}"), file: CHOSEN },
    Panel { context: "subCommits", files: Some("--commit {{.SelectedCommit.Hash | quote}}"), file: CHOSEN },
    // In a diff view lazygit does not say whether it shows the work tree or a commit, so both are offered.
    Panel {
        context: "global",
        files: Some(
            "{{if .SelectedPath}}--first {{.SelectedPath | quote}} {{end}}\
             {{if .SelectedCommitFilePath}}--first {{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}{{end}}",
        ),
        file: CHOSEN,
    },
];

/// Returns the items of `customCommands`, without indentation. `program` is the shell word for this program.
pub(crate) fn items(program: &str, key: &str) -> String {
    let mut text = String::new();
    for panel in PANELS {
        text.push_str(&item(panel, program, key));
    }
    text
}

fn item(panel: &Panel, program: &str, key: &str) -> String {
    let Panel { context, files, file } = panel;
    let files = files.map(|arguments| file_menu(&format!("{program} inbox files {arguments}"))).unwrap_or_default();
    let lines = quoted(&format!("{program} inbox lines -- {file}"));
    let send = quoted(&format!(
        "{program} inbox {{{{.Form.When}}}} --file={file} --line={{{{.Form.Line | quote}}}} \
         --kind={{{{.Form.Kind | quote}}}} --comment={{{{.Form.Comment | quote}}}}"
    ));
    let (key, context, about) = (quoted(key), quoted(context), quoted(ABOUT));
    format!(
        "- key: {key}
  context: {context}
  description: {about}
  prompts:
{files}    - type: 'menuFromCommand'
      title: 'Which line?'
      key: 'Line'
      command: {lines}
      filter: '^(?P<line>[^ ]+):(?: (?P<text>.*))?$'
      valueFormat: '{{{{.line}}}}'
      labelFormat: '{{{{.line}}}}  {{{{.text}}}}'
    - type: 'menu'
      title: 'What do you want?'
      key: 'Kind'
      options:
        - {{value: 'fix', name: 'fix', description: 'the code should change'}}
        - {{value: 'question', name: 'question', description: 'an answer is enough'}}
        - {{value: 'note', name: 'note', description: 'something to know'}}
    - type: 'input'
      title: 'Your comment'
      key: 'Comment'
    - type: 'menu'
      title: 'When?'
      key: 'When'
      options:
        - {{value: 'send', name: 'send now'}}
        - {{value: 'draft', name: 'keep as a draft'}}
        - {{value: 'send --drafts', name: 'send now, with all drafts'}}
  command: {send}
"
    )
}

/// The menu of files. A file of a commit is a line `COMMIT:PATH`; the menu shows an abbreviated commit.
fn file_menu(command: &str) -> String {
    let command = quoted(command);
    format!(
        "    - type: 'menuFromCommand'
      title: 'Which file?'
      key: 'File'
      command: {command}
      filter: '^(?P<place>(?:(?P<commit>[0-9a-f]{{40,64}}):)?(?P<path>.+))$'
      valueFormat: '{{{{.place}}}}'
      labelFormat: '{{{{if .commit}}}}{{{{slice .commit 0 8}}}} {{{{end}}}}{{{{.path}}}}'
"
    )
}

/// Returns a text in YAML single quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns a path as one word for shells and lazygit; `None` if it cannot be quoted.
pub(crate) fn shell_word(path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@:".contains(c);
    if path.chars().all(is_plain) {
        return Some(path.to_owned());
    }
    // lazygit would expand double braces, and neither YAML nor its menus allow line ends.
    if path.contains("{{") || path.chars().any(char::is_control) {
        return None;
    }
    let escaped = path.chars().fold(String::new(), |mut word, c| {
        if "\\\"$`".contains(c) {
            word.push('\\');
        }
        word.push(c);
        word
    });
    Some(format!("\"{escaped}\""))
}

#[cfg(test)]
mod tests {
    use super::super::yaml;
    use super::*;

    #[test]
    fn every_panel_has_its_command() {
        let text = items("cairn", "<c-y>");
        let read = yaml::read(&text).unwrap().remove(0);
        let contexts: Vec<&str> =
            read.items().iter().map(|item| item.get("context").unwrap().text().unwrap()).collect();
        assert_eq!(contexts, CONTEXTS);
        for item in read.items() {
            assert_eq!(item.get("key").unwrap().text(), Some("<c-y>"));
        }
    }

    // Chosen, typed and named values are untrusted; the words of our own menus are not.
    #[test]
    fn every_value_is_quoted() {
        for template in items("cairn", "<c-y>").split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap()) {
            let is_ours = [".Form.When", ".line", ".text", ".place", ".path"].contains(&template)
                || template.starts_with("if ")
                || template.starts_with("slice .commit ")
                || template == "end";
            assert!(is_ours || template.ends_with("| quote"), "{template}");
        }
    }

    #[test]
    fn words_are_written_so_that_they_stay_one() {
        assert_eq!(shell_word("/usr/bin/cairn").unwrap(), "/usr/bin/cairn");
        assert_eq!(shell_word("/a b/$c\"`\\").unwrap(), "\"/a b/\\$c\\\"\\`\\\\\"");
        assert_eq!(shell_word("/a{{b"), None);
        assert_eq!(shell_word("/a\nb"), None);
    }
}
