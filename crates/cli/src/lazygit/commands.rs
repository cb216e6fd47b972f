//! The custom commands: lazygit's prompts, and the commands it runs. A remark takes two steps: the line, from a menu of
//! the diff, and the comment.
//!
//! Every value passes through lazygit's `quote`, so that no name or comment can end a word or start a command. Line
//! menus are run without a shell, split into words; `quote` works there as well.

/// The lazygit contexts of the commands. `global` covers the diff from version 0.66, where it has no name of its own.
pub(crate) const CONTEXTS: &[&str] = &[
    "files",
    "staging",
    "stagingSecondary",
    "commitFiles",
    "patchBuilding",
    "patchBuildingSecondary",
    "commits",
    "subCommits",
    "global",
];

/// What the settings of a version of lazygit can say, by the first such version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    /// Output goes to the log with `stream: true`.
    V44,
    /// It does so with `output: log`; newer versions rewrite the user's file to replace `stream`.
    V51,
    /// The views of a diff have no contexts of their own.
    V66,
}

impl Schema {
    fn output(self) -> &'static str {
        match self {
            Self::V44 => "stream: true",
            Self::V51 | Self::V66 => "output: 'log'",
        }
    }
}

/// Contexts that name the file in the same way.
struct Panel {
    contexts: &'static [&'static str],
    /// Contexts of the diff, up to version 0.65.
    diff_contexts: &'static [&'static str],
    /// The template of the menu's arguments.
    places: &'static str,
}

impl Panel {
    fn contexts(&self, schema: Schema) -> String {
        let diff = if schema == Schema::V66 { &[] } else { self.diff_contexts };
        [self.contexts, diff].concat().join(", ")
    }
}

const PANELS: &[Panel] = &[
    Panel {
        contexts: &["files"],
        diff_contexts: &["staging", "stagingSecondary"],
        places: "-- {{.SelectedPath | quote}}",
    },
    Panel {
        contexts: &["commitFiles"],
        diff_contexts: &["patchBuilding", "patchBuildingSecondary"],
        places: "-- {{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}",
    },
    Panel {
        contexts: &["commits", "subCommits"],
        diff_contexts: &[],
        places: "--commit {{.SelectedCommit.Hash | quote}}",
    },
    // Elsewhere lazygit does not say what it shows, so the selected files are offered first, then all changed ones.
    Panel {
        contexts: &["global"],
        diff_contexts: &[],
        places: "--rest -- {{if .SelectedPath}}{{.SelectedPath | quote}} {{end}}\
                 {{if .SelectedCommitFilePath}}{{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}{{end}}",
    },
];

/// The keys: one sends, one saves a draft.
pub(crate) struct Keys<'a> {
    pub(crate) send: &'a str,
    pub(crate) draft: &'a str,
}

/// Returns the items of `customCommands`, without indentation. `program` is the shell word for this program.
pub(crate) fn items(program: &str, keys: &Keys<'_>, schema: Schema) -> String {
    let mut text = String::new();
    for panel in PANELS {
        text.push_str(&item(panel, program, keys.send, &SEND, schema));
        text.push_str(&item(panel, program, keys.draft, &DRAFT, schema));
    }
    text
}

/// What a key does.
struct Action {
    /// The subcommand of `cairn inbox`.
    verb: &'static str,
    /// The description in lazygit's key menu.
    about: &'static str,
    /// The title of the menu.
    title: &'static str,
}

const SEND: Action = Action { verb: "send", about: "Tell the agent", title: "Tell the agent: which line?" };
const DRAFT: Action = Action { verb: "draft", about: "Draft a remark to the agent", title: "Draft: which line?" };

fn item(panel: &Panel, program: &str, key: &str, action: &Action, schema: Schema) -> String {
    let menu = quoted(&format!("{program} inbox menu {}", panel.places));
    let send = quoted(&format!(
        "{program} inbox {} --at={{{{.Form.At | quote}}}} --kind-from-comment --comment={{{{.Form.Comment | quote}}}}",
        action.verb
    ));
    let (key, contexts, about, title) =
        (quoted(key), quoted(&panel.contexts(schema)), quoted(action.about), quoted(action.title));
    let output = schema.output();
    format!(
        "- key: {key}
  context: {contexts}
  description: {about}
  prompts:
    - type: 'menuFromCommand'
      title: {title}
      key: 'At'
      command: {menu}
      filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'
      valueFormat: '{{{{.at}}}}'
      labelFormat: '{{{{if .added}}}}{{{{.added | green}}}}{{{{else if .removed}}}}{{{{.removed | red}}}}{{{{else}}}}{{{{.plain}}}}{{{{end}}}}'
    - type: 'input'
      title: 'Your comment (begin with ? to ask, with ! for a note)'
      key: 'Comment'
  command: {send}
  {output}
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

    fn all(schema: Schema) -> String {
        items("cairn", &Keys { send: "<c-y>", draft: "<c-x>" }, schema)
    }

    #[test]
    fn every_panel_has_both_keys() {
        let read = yaml::read(&all(Schema::V51)).unwrap().remove(0);
        for key in ["<c-y>", "<c-x>"] {
            let of_key = read.items().iter().filter(|item| item.get("key").unwrap().text() == Some(key));
            let contexts: Vec<&str> =
                of_key.flat_map(|item| item.get("context").unwrap().text().unwrap().split(", ")).collect();
            assert_eq!(contexts, CONTEXTS);
        }
    }

    #[test]
    fn each_lazygit_version_gets_its_own_schema() {
        let check = |schema, output: &str, n_staging: usize| {
            let text = all(schema);
            assert!(yaml::read(&text).unwrap().remove(0).items().iter().all(|item| item.get(output).is_some()));
            assert_eq!(text.matches("stagingSecondary").count(), n_staging);
        };
        check(Schema::V44, "stream", 2);
        check(Schema::V51, "output", 2);
        check(Schema::V66, "output", 0);
    }

    // Chosen, typed and named values are untrusted; the fields of our own menu are not.
    #[test]
    fn every_value_is_quoted() {
        let text = all(Schema::V66);
        for template in text.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap()) {
            let is_ours = [".at", ".added | green", ".removed | red", ".plain", "else", "end"].contains(&template)
                || template.starts_with("if ")
                || template.starts_with("else if ");
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
