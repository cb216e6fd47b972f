//! `cairn lazygit install` and `remove` without lazygit installed. Tests with lazygit itself are in `tests/lazygit`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use serde_json::Value;
use testkit::{Cairn, Ran};

use crate::support::cairn;

/// A home folder without lazygit.
struct Home {
    folder: tempfile::TempDir,
    cairn: Cairn,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cairn = cairn(folder.path());
        Self { folder, cairn }
    }

    fn with(settings: &str) -> Self {
        let home = Self::new();
        fs::create_dir(home.folder.path().join("lazygit")).unwrap();
        fs::write(home.settings(), settings).unwrap();
        home
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("lazygit/config.yml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = self.cairn.command(&[&["lazygit"], arguments].concat());
        command.env("PATH", "/nowhere").env("XDG_CONFIG_HOME", self.folder.path()).envs(environment.iter().copied());
        Ran::of(command.spawn().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Checks that settings are not changed, with this error.
    #[track_caller]
    fn refuses(settings: &str, arguments: &[&str], error: &str) {
        let home = Self::with(settings);
        let ran = home.run(&[&["install"], arguments].concat());
        assert_eq!(ran.code(), Some(1), "{ran}");
        let said = testkit::redact(ran.err().trim_end()).replace(env!("CARGO_BIN_EXE_cairn"), "<program>");
        assert_eq!(said, error);
        assert_eq!(home.text(), settings);
    }
}

#[test]
fn settings_are_made_where_there_are_none_and_go_again() {
    let home = Home::new();
    let ran = home.run(&["install"]);
    assert!(ran.status.success(), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    installed in `<tmp>/lazygit/config.yml`; press <c-y> in lazygit, <c-x> for a draft
    --- stderr
    warning: `lazygit` is not on the PATH; the settings were not tried
    ");
    let text = home.text();
    // The program is not on the `PATH`, so its full path is used.
    assert!(text.contains(&format!("command: '{} inbox menu", env!("CARGO_BIN_EXE_cairn"))), "{text}");
    let written = fs::metadata(home.settings()).unwrap().modified().unwrap();
    insta::assert_snapshot!(home.run(&["install"]).snapshot(), @"
    --- stdout
    `<tmp>/lazygit/config.yml` has it already; press <c-y> in lazygit, <c-x> for a draft
    --- stderr
    warning: `lazygit` is not on the PATH; the settings were not tried
    ");
    assert_eq!(fs::metadata(home.settings()).unwrap().modified().unwrap(), written, "nothing was written");
    insta::assert_snapshot!(home.run(&["remove"]).snapshot(), @"
    --- stdout
    removed from `<tmp>/lazygit/config.yml`
    ");
    assert!(!home.settings().exists());
    insta::assert_snapshot!(home.run(&["remove"]).snapshot(), @"
    --- stdout
    nothing to remove from `<tmp>/lazygit/config.yml`
    ");
}

/// Returns the different lines of settings that run our program with `words`.
fn commands(settings: &str, words: &str) -> String {
    let lines: BTreeSet<&str> = settings.lines().filter(|line| line.contains(words)).map(str::trim).collect();
    lines.into_iter().collect::<Vec<_>>().join("\n").replace(env!("CARGO_BIN_EXE_cairn"), "cairn")
}

#[test]
fn settings_of_the_user_stay_byte_for_byte() {
    for settings in [
        "",
        "# mine\r\ngui:\r\n  border: single\r\n",
        "gui: &g {border: single}\nx: *g\ncustomCommands:\n    - key: X   # mine\n      command: 'true'\n# the end",
        "customCommands: []  # none\ngui: {}\n",
    ] {
        let home = Home::with(settings);
        assert!(home.run(&["install", "--edit-key"]).status.success());
        assert_ne!(home.text(), settings);
        assert!(home.run(&["install", "--key", "<c-v>"]).status.success());
        insta::allow_duplicates! {
            insta::assert_snapshot!(commands(&home.text(), "inbox mark"), @"editAtLine: 'cairn inbox mark -- {{filename}} {{line}} 2>/dev/null; vim +{{line}} -- {{filename}}'");
        }
        assert!(home.run(&["remove"]).status.success());
        assert_eq!(home.text(), settings);
    }
}

#[test]
fn a_link_and_a_mode_stay() {
    let home = Home::with("gui: {}\n");
    let real = home.folder.path().join("dotfiles.yml");
    fs::rename(home.settings(), &real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../dotfiles.yml", home.settings()).unwrap();
    assert!(home.run(&["install"]).status.success());
    assert!(fs::symlink_metadata(home.settings()).unwrap().is_symlink());
    insta::assert_snapshot!(commands(&fs::read_to_string(&real).unwrap(), "inbox send --at="), @"command: 'cairn inbox send --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    let names: Vec<_> = fs::read_dir(home.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "nothing else was left: {names:?}");
}

#[test]
fn settings_that_may_not_be_written_are_left_alone() {
    let home = Home::with("gui: {}\n");
    fs::set_permissions(home.settings(), fs::Permissions::from_mode(0o444)).unwrap();
    let ran = home.run(&["install"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: `<tmp>/lazygit/config.yml` is read-only
    hint: make it writable, or paste what `cairn lazygit install --print` shows
    ");
    assert_eq!(home.text(), "gui: {}\n");
}

#[test]
fn uneditable_settings_are_reported_with_a_remedy() {
    Home::refuses(
        "gui:\n\tborder: single\n",
        &[],
        "error: `<tmp>/lazygit/config.yml` was not changed: invalid YAML at line 2, column 2: tabs disallowed within this context (block indentation)\nhint: correct it, then run this again",
    );
    Home::refuses(
        "gui: [\n",
        &[],
        "error: `<tmp>/lazygit/config.yml` was not changed: invalid YAML at line 2, column 1: while parsing a node, did not find expected node content\nhint: correct it, then run this again",
    );
    Home::refuses(
        "customCommands: [{key: a, command: b}]\n",
        &[],
        "error: `<tmp>/lazygit/config.yml` was not changed: its `customCommands` is not a list with a line for each item\nhint: add this by hand:\ncustomCommands:\n  - key: '<c-y>'\n    context: 'files'\n    description: 'Tell the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Tell the agent: which line?'\n        key: 'At'\n        command: '<program> inbox menu -- {{.SelectedPath | quote}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox send --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-x>'\n    context: 'files'\n    description: 'Draft a remark to the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Draft: which line?'\n        key: 'At'\n        command: '<program> inbox menu -- {{.SelectedPath | quote}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox draft --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-y>'\n    context: 'commitFiles'\n    description: 'Tell the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Tell the agent: which line?'\n        key: 'At'\n        command: '<program> inbox menu -- {{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox send --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-x>'\n    context: 'commitFiles'\n    description: 'Draft a remark to the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Draft: which line?'\n        key: 'At'\n        command: '<program> inbox menu -- {{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox draft --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-y>'\n    context: 'commits, subCommits'\n    description: 'Tell the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Tell the agent: which line?'\n        key: 'At'\n        command: '<program> inbox menu --commit {{.SelectedCommit.Hash | quote}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox send --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-x>'\n    context: 'commits, subCommits'\n    description: 'Draft a remark to the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Draft: which line?'\n        key: 'At'\n        command: '<program> inbox menu --commit {{.SelectedCommit.Hash | quote}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox draft --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-y>'\n    context: 'global'\n    description: 'Tell the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Tell the agent: which line?'\n        key: 'At'\n        command: '<program> inbox menu --rest -- {{if .SelectedPath}}{{.SelectedPath | quote}} {{end}}{{if .SelectedCommitFilePath}}{{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}{{end}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox send --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'\n  - key: '<c-x>'\n    context: 'global'\n    description: 'Draft a remark to the agent'\n    prompts:\n      - type: 'menuFromCommand'\n        title: 'Draft: which line?'\n        key: 'At'\n        command: '<program> inbox menu --rest -- {{if .SelectedPath}}{{.SelectedPath | quote}} {{end}}{{if .SelectedCommitFilePath}}{{printf \"%s:%s\" .SelectedCommit.Hash .SelectedCommitFilePath | quote}}{{end}}'\n        filter: '^(?P<at>[^\\t]*)\\t(?:\\+\\t(?P<added>.*)|-\\t(?P<removed>.*)| ?\\t(?P<plain>.*))$'\n        valueFormat: '{{.at}}'\n        labelFormat: '{{if .added}}{{.added | green}}{{else if .removed}}{{.removed | red}}{{else}}{{.plain}}{{end}}'\n      - type: 'input'\n        title: 'Your comment (begin with ? to ask, with ! for a note)'\n        key: 'Comment'\n    command: '<program> inbox draft --at={{.Form.At | quote}} --kind-from-comment --comment={{.Form.Comment | quote}}'\n    output: 'log'",
    );
    Home::refuses(
        "os:\n  editPreset: nvim-remote\n",
        &["--edit-key"],
        "error: unknown editor preset `nvim-remote` of lazygit\nhint: set `os.editAtLine` in lazygit's settings, or leave `--edit-key` out",
    );
    Home::refuses(
        "# cairn: begin\n",
        &[],
        "error: `<tmp>/lazygit/config.yml` was not changed: line 1 has a marker of Cairn without its counterpart\nhint: remove the lines between `# cairn: begin` and `# cairn: end` by hand",
    );
}

#[test]
fn a_key_in_use_is_not_replaced() {
    let command = "customCommands:\n  - key: <c-y>\n    context: commits\n    description: Mine\n    command: 'true'\n";
    Home::refuses(
        command,
        &[],
        "error: the key `<c-y>` is taken by the custom command `Mine` (line 2)\nhint: choose another one with `--key`, such as `--key '<c-v>'`",
    );
    let binding = "keybinding:\n  universal:\n    undo: <c-x>\n";
    Home::refuses(
        binding,
        &["--key", "<ctrl+x>"],
        "error: the key `<ctrl+x>` is taken by your `keybinding.universal.undo`\nhint: choose another one with `--key`, such as `--key '<c-v>'`",
    );
    let home = Home::with(command);
    assert!(home.run(&["install", "--key", "<c-v>"]).status.success());
}

#[test]
fn the_file_is_found_as_lazygit_finds_it() {
    let home = Home::with("gui: {}\n");
    let place = |name: &str| home.folder.path().join(name).display().to_string();
    for (name, text) in [("a.yml", "customCommands: []\n"), ("b.yml", "gui: {}\n")] {
        fs::write(place(name), text).unwrap();
    }
    let found = |arguments: &[&str], environment: &[(&str, &str)]| -> Value {
        home.run_with(&[&["remove", "--json"], arguments].concat(), environment).json()["config"].clone()
    };
    assert_eq!(found(&[], &[]), home.settings().display().to_string());
    assert_eq!(found(&[], &[("CONFIG_DIR", "/x/y")]), "/x/y/config.yml");
    let both = format!("{},{}", place("a.yml"), place("b.yml"));
    assert_eq!(found(&[], &[("LG_CONFIG_FILE", &both)]), place("a.yml"), "the one that has commands");
    assert_eq!(found(&[], &[("LG_CONFIG_FILE", &place("b.yml"))]), place("b.yml"));
    assert_eq!(found(&["--config", &place("c.yml")], &[("LG_CONFIG_FILE", &both)]), place("c.yml"));
}

#[test]
fn planned_settings_can_be_printed() {
    let home = Home::new();
    let printed = home.run(&["install", "--print", "--key", "it's"]);
    assert!(printed.out().starts_with("customCommands:\n- key: 'it''s'\n"), "{printed}");
    assert!(!home.settings().exists());
}
