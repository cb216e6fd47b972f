//! Example settings before and after an edit.

use super::*;

const ITEMS: &str = "- key: 'k'\n  context: 'files'\n  command: 'c'\n";

fn commands() -> Block {
    Block(ITEMS.to_owned())
}

fn wrapper() -> Wrapper {
    Wrapper("mark; it's {{line}}".to_owned())
}

/// Installs with and without the wrapper, installs again, and removes.
#[track_caller]
fn check(text: &str) -> String {
    let mut plain = String::new();
    for wrapper in [None, Some(&wrapper())] {
        let after = try_install(Some(text), &commands(), wrapper).unwrap();
        assert_eq!(try_install(Some(&after), &commands(), wrapper).unwrap(), after, "a second time");
        assert_eq!(try_remove(&after).unwrap().as_deref(), Some(text), "and out again:\n{after}");
        let document = document(&after).unwrap();
        assert_eq!(editor_of(document.as_ref()).is_some_and(|text| text.starts_with("mark")), wrapper.is_some());
        if wrapper.is_none() {
            plain = after;
        }
    }
    plain
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let refusal = try_install(Some(text), &commands(), None).unwrap_err();
    let error = refusal.about("f", "PART");
    assert_eq!(error.message, expected);
}

#[test]
fn a_file_without_commands_gets_them_at_its_end() {
    let after = check("# mine\ngui:\n  border: single # nice\n");
    let expected = "# mine\ngui:\n  border: single # nice\n# cairn: begin\n\
        # Made by `cairn lazygit install`; `cairn lazygit remove` takes it out again.\n\
        customCommands:\n  - key: 'k'\n    context: 'files'\n    command: 'c'\n# cairn: end\n";
    assert_eq!(after, expected);
}

#[test]
fn texts_of_every_shape_are_put_back_as_they_were() {
    for text in [
        "",
        "\n",
        "# only words",
        "gui: {}",
        "gui: {}\n\n\n",
        "---\ngui: {}\n",
        "customCommands:\n",
        "customCommands:",
        "customCommands: []",
        "customCommands: []  # none yet\ngui: {}\n",
        "customCommands: ~\n",
        "  customCommands: []\n  gui: {}\n",
        "\"customCommands\": []\n",
        "customCommands:\n- key: a\n  command: b\n",
        "customCommands:\n  # before\n  - key: a\n    command: b\n  # after\ngui: {}\n",
        "customCommands:\n        - key: a\n          command: |+\n            b\n\n\n",
        "customCommands:\n  - {key: a, command: b}",
        "a: &x {b: c}\nd: *x\ncustomCommands:\n  - key: a\n    <<: *x\n",
        "gui: {}\r\ncustomCommands:\r\n  - key: a\r\n    command: b\r\n",
        "gui: {}\r\ncustomCommands: []\r\n",
        "gui: {}\r\nx: 1",
        "os:\n  edit: 'x {{filename}}'\n  editAtLine: 'x +{{line}} {{filename}}'  # mine\n  open: y\n",
        "os:\n    open: y\n",
        "os:\n  editAtLine: x",
        "os:\n",
        "\u{feff}gui: {}\n",
        "description: 'ä 🎉'\ncustomCommands:\n  - key: 'ö'\n    command: 'ü'\n",
    ] {
        check(text);
    }
}

#[test]
fn ours_come_first_in_a_list_with_its_indent() {
    let after = check("customCommands:\n      - key: a\n        command: b\n");
    insta::assert_snapshot!(after, @"
    customCommands:
          # cairn: begin
          # Made by `cairn lazygit install`; `cairn lazygit remove` takes it out again.
          - key: 'k'
            context: 'files'
            command: 'c'
          # cairn: end
          - key: a
            command: b
    ");
}

#[test]
fn line_ends_are_those_of_the_file() {
    let after = check("gui: {}\r\n");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
}

#[test]
fn a_created_file_is_removed_again() {
    let made = try_install(None, &commands(), None).unwrap();
    assert_eq!(try_remove(&made).unwrap(), None);
    let more = format!("{made}gui: {{}}\n");
    assert_eq!(try_remove(&more).unwrap().as_deref(), Some("gui: {}\n"));
    assert_eq!(try_install(Some(&made), &commands(), None).unwrap(), made);
}

#[test]
fn foreign_entries_in_our_list_stay() {
    let theirs = "  - key: z\n    command: y\n";
    for text in ["gui: {}\n", "customCommands: []\n"] {
        let after = try_install(Some(text), &commands(), None).unwrap() + theirs;
        let left = try_remove(&after).unwrap().unwrap();
        assert_eq!(commands_of(document(&left).unwrap().as_ref()).len(), 1, "{left}");
    }
}

#[test]
fn a_new_key_replaces_the_old_part() {
    let text = "gui: {}\ncustomCommands: []\n";
    let old = try_install(Some(text), &commands(), Some(&wrapper())).unwrap();
    let other = Block(ITEMS.replace("'k'", "'l'"));
    let new = try_install(Some(&old), &other, None).unwrap();
    assert!(!new.contains("'k'") && !new.contains("editAtLine"), "{new}");
    assert_eq!(try_remove(&new).unwrap().as_deref(), Some(text));
}

#[test]
fn unsupported_settings_are_left_alone() {
    refused(
        "customCommands: [{key: a, command: b}]\n",
        "`f` was not changed: its `customCommands` is not a list with a line for each item",
    );
    refused("customCommands: [\n  ]\n", "`f` was not changed: its `customCommands` has an unusual empty value");
    refused("customCommands: 3\n", "`f` was not changed: its `customCommands` is not a list with a line for each item");
    refused(
        "x: &x []\ncustomCommands: *x\n",
        "`f` was not changed: its `customCommands` is not a list with a line for each item",
    );
    refused("{gui: {}}\n", "`f` was not changed: it is not a map with a line for each key");
    refused("- a\n", "`f` was not changed: it is not a map with a line for each key");
    refused("words\n", "`f` was not changed: it is not a map with a line for each key");
    refused("x: &x {customCommands: [{key: a}]}\n<<: *x\n", "`f` was not changed: it merges another map into itself");
    refused("customCommands: []\ncustomCommands: []\n", "`f` was not changed: it has `customCommands` twice");
    refused("a: 1\n---\nb: 2\n", "`f` was not changed: it holds more than one document");
    refused("a: 1\n...\n", "`f` was not changed: it holds more than one document");
    refused(
        "gui:\n\tborder: single\n",
        "`f` was not changed: invalid YAML at line 2, column 2: tabs disallowed within this context (block indentation)",
    );
    refused(
        "gui: [\n",
        "`f` was not changed: invalid YAML at line 2, column 1: while parsing a node, did not find expected node content",
    );
    refused("a: 1\n# cairn: begin\n", "`f` was not changed: line 2 has a marker of Cairn without its counterpart");
    refused("# cairn: end\n", "`f` was not changed: line 1 has a marker of Cairn without its counterpart");
}

#[test]
fn an_editor_on_several_lines_is_left_alone() {
    let text = "os:\n  editAtLine: >-\n    x\n    y\n";
    let refusal = try_install(Some(text), &commands(), Some(&wrapper())).unwrap_err();
    assert_eq!(refusal, Refusal::Unfit("its `os.editAtLine` has more than one line".to_owned()));
    for text in ["os: {open: y}\n", "os: 3\n"] {
        assert!(try_install(Some(text), &commands(), Some(&wrapper())).is_err(), "{text}");
    }
}
