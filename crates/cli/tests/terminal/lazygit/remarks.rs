//! Remarks in each panel.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::scene::{NAME, Scene};
use crate::terminal::Terminal;

/// A comment with shell commands, quotes and templates; its last word shows that it is typed completely.
const COMMENT: &str =
    r#"-- say "hi" 'you' $(touch pwned) `touch pwned` \n %s {{.x}} é🎉 ; touch pwned | & > pwned END"#;

/// Goes through the menus after the choice of a line: positions of the line, the kind, and the way to send.
fn remark(terminal: &Terminal, line: usize, kind: usize, comment: &str, when: usize) {
    terminal.wait_for("Which line?");
    choose(terminal, line);
    terminal.wait_for("What do you want?");
    choose(terminal, kind);
    terminal.wait_for("Your comment");
    terminal.type_text(comment);
    terminal.wait_for(comment.rsplit(' ').next().unwrap());
    terminal.press(&["Enter"]);
    terminal.wait_for("When?");
    choose(terminal, when);
}

fn choose(terminal: &Terminal, n_down: usize) {
    for _ in 0..n_down {
        terminal.press(&["Down"]);
    }
    terminal.press(&["Enter"]);
}

/// Waits for this number of messages, and returns the last.
#[track_caller]
fn wait_for_message(scene: &Scene, terminal: &Terminal, n_messages: usize) -> Value {
    terminal.wait_until(&format!("{n_messages} messages are there"), |_| {
        let mut messages = scene.messages();
        (messages.len() == n_messages).then(|| messages.pop()).flatten()
    })
}

#[track_caller]
fn assert_says(message: &Value, file: &str, line: u32, kind: &str, comment: &str) {
    assert_eq!(message["file"], file, "{message}");
    assert_eq!(message["lines"], json!({"start": line, "end": line}), "{message}");
    assert_eq!(message["kind"], kind, "{message}");
    assert_eq!(message["comment"], comment, "{message}");
}

#[test]
fn a_remark_on_a_file_arrives_as_it_was_typed() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("files");
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("Which line?");
    let shown = ["all  the whole file", "old:2  two", "2  TWO $(touch pwned) `x` {{y}}", "4  four"];
    assert!(shown.iter().all(|line| menu.contains(line)), "{menu}");
    remark(&terminal, 2, 1, COMMENT, 0);
    let message = wait_for_message(&scene, &terminal, 1);
    assert_says(&message, NAME, 2, "question", COMMENT);
    assert_eq!(message["state"], "sent");
    assert_eq!(message["excerpt"], "TWO $(touch pwned) `x` {{y}}");
    assert_eq!(message["commit"], Value::Null);
    scene.assert_nothing_was_run();
}

#[test]
fn inside_a_diff_the_file_is_chosen_first() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("diff");
    terminal.press(&["Enter"]);
    terminal.press(&["C-y"]);
    terminal.wait_for("Which file?");
    choose(&terminal, 0);
    remark(&terminal, 1, 0, COMMENT, 0);
    let message = wait_for_message(&scene, &terminal, 1);
    assert_says(&message, NAME, 2, "fix", COMMENT);
    assert_eq!((&message["side"], &message["excerpt"]), (&json!("old"), &json!("two")));
    scene.assert_nothing_was_run();
}

#[test]
fn a_commit_its_files_and_their_diff_name_the_commit() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let head = scene.repository.git(&["rev-parse", "HEAD"]);
    let terminal = scene.lazygit("commits");
    terminal.press(&["4"]);
    terminal.wait_for(&format!("commit {head}"));
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("Which file?");
    assert!(menu.contains(&format!("{} b c.txt", &head[..8])), "{menu}");
    choose(&terminal, 0);
    remark(&terminal, 1, 0, "on the commit", 0);
    assert_says(&wait_for_message(&scene, &terminal, 1), "b c.txt", 1, "fix", "on the commit");

    terminal.press(&["Enter"]);
    terminal.wait_for("A b c.txt");
    terminal.press(&["C-y"]);
    remark(&terminal, 2, 2, COMMENT, 0);
    assert_says(&wait_for_message(&scene, &terminal, 2), "b c.txt", 2, "note", COMMENT);

    // In a diff, the files of the work tree and of the commit are offered.
    terminal.press(&["Enter"]);
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("Which file?");
    assert!(menu.contains(&format!("{} b c.txt", &head[..8])) && menu.contains(NAME), "{menu}");
    choose(&terminal, 1);
    remark(&terminal, 2, 0, "in its diff", 0);
    assert_says(&wait_for_message(&scene, &terminal, 3), "b c.txt", 2, "fix", "in its diff");
    for message in scene.messages() {
        assert_eq!(message["commit"], head, "{message}");
    }
    scene.assert_nothing_was_run();
}

#[test]
fn drafts_wait_and_are_sent_with_the_last_remark() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("drafts");
    for (n, comment) in ["first draft", "second draft"].into_iter().enumerate() {
        terminal.press(&["C-y"]);
        remark(&terminal, 0, 0, comment, 1);
        let message = wait_for_message(&scene, &terminal, n + 1);
        assert_eq!((&message["state"], &message["lines"]), (&json!("draft"), &Value::Null));
    }
    terminal.press(&["C-y"]);
    remark(&terminal, 0, 0, "now all", 2);
    wait_for_message(&scene, &terminal, 3);
    terminal.wait_until("all are sent", |_| scene.messages().iter().all(|one| one["state"] == "sent").then_some(()));
    let comments: Vec<Value> = scene.messages().iter().map(|message| message["comment"].clone()).collect();
    assert_eq!(comments, ["first draft", "second draft", "now all"]);
}

#[test]
fn the_line_of_the_edit_key_is_offered_first_and_the_editor_opens() {
    let Some(scene) = Scene::new() else { return };
    let opened = scene.settings().with_file_name("opened");
    let editor = format!(
        "os:\n  editInTerminal: false\n  editAtLine: 'echo {{{{filename}}}}:{{{{line}}}} >> {}'\n",
        opened.display()
    );
    let own = fs::read_to_string(scene.settings()).unwrap() + &editor;
    fs::write(scene.settings(), &own).unwrap();
    scene.install(&["--edit-key"]);
    let terminal = scene.lazygit("edit-key");
    // Into the diff, down to the last changed line, and to the editor.
    terminal.press(&["Enter"]);
    for _ in 0..10 {
        terminal.press(&["Down"]);
    }
    terminal.press(&["e"]);
    let line = terminal.wait_until("the editor opens", |_| {
        let text = fs::read_to_string(&opened).ok()?;
        Some(text.trim_end().rsplit_once(':')?.1.to_owned())
    });
    assert_eq!(line, "4");
    // Back to the files. Escape and a key sent together would be read as an Alt key.
    terminal.press(&["2"]);
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("Which line?");
    assert!(menu.contains("4  four  (where you were)"), "{menu}");
    remark(&terminal, 1, 0, "here", 0);
    assert_says(&wait_for_message(&scene, &terminal, 1), NAME, 4, "fix", "here");
    scene.assert_nothing_was_run();
    assert!(scene.cairn(&["lazygit", "remove"]).status.success());
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), own);
}

/// A program that is not on the `PATH` is called by its full path, with any characters.
#[test]
fn a_program_in_an_odd_place_is_found_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("odd \"$HOME\" `x` 'y'");
    let program = folder.join("cairn");
    fs::create_dir_all(&folder).unwrap();
    let _ = fs::remove_file(&program);
    fs::hard_link(env!("CARGO_BIN_EXE_cairn"), &program).unwrap();
    let Some(scene) = Scene::with_program(&program) else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("odd-place");
    terminal.press(&["C-y"]);
    remark(&terminal, 2, 0, COMMENT, 0);
    assert_says(&wait_for_message(&scene, &terminal, 1), NAME, 2, "fix", COMMENT);
    scene.assert_nothing_was_run();
}
