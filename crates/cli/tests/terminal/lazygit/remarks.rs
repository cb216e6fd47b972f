//! Remarks in each panel.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::scene::{NAME, Scene};
use crate::terminal::Terminal;

/// A comment with shell commands, quotes and templates; its last word shows that it is typed completely.
const COMMENT: &str =
    r#"-- say "hi" 'you' $(touch pwned) `touch pwned` \n %s {{.x}} é🎉 ; touch pwned | & > pwned END"#;

/// Chooses an entry of the menu by its position, and types the comment.
fn remark(terminal: &Terminal, n_down: usize, comment: &str) {
    terminal.wait_for("which line?");
    choose(terminal, n_down);
    terminal.wait_for("Your comment");
    terminal.type_text(comment);
    terminal.wait_for(comment.rsplit(' ').next().unwrap());
    terminal.press(&["Enter"]);
}

fn choose(terminal: &Terminal, n_down: usize) {
    for _ in 0..n_down {
        terminal.press(&["Down"]);
    }
    terminal.press(&["Enter"]);
}

/// Returns the position of an entry in the menu on a screen.
fn row_of(screen: &str, is_wanted: impl Fn(&str) -> bool) -> usize {
    let rows = screen.lines().skip_while(|line| !line.contains("which line?")).skip(1);
    rows.take_while(|line| !is_wanted(line)).count()
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
    let menu = terminal.wait_for("which line?");
    let shown = ["2 -two", "2 +TWO $(touch pwned) `x` {{y}}", "3  three", "4 +four", "1  one", "the whole file"];
    let places: Vec<_> = shown.iter().map(|line| menu.find(line).unwrap_or_else(|| panic!("{line}: {menu}"))).collect();
    assert!(places.is_sorted(), "{menu}");
    remark(&terminal, 1, &format!("?{COMMENT}"));
    let message = wait_for_message(&scene, &terminal, 1);
    assert_says(&message, NAME, 2, "question", COMMENT);
    assert_eq!(message["state"], "sent");
    assert_eq!(message["excerpt"], "TWO $(touch pwned) `x` {{y}}");
    assert_eq!(message["commit"], Value::Null);
    terminal.wait_for("sent to the agent (1 waiting)");
    scene.assert_nothing_was_run();
}

#[test]
fn the_menu_has_the_colors_of_the_diff() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("colors");
    terminal.press(&["C-y"]);
    terminal.wait_for("which line?");
    let colored = terminal.colored_screen();
    let line =
        |text: &str| colored.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {colored}"));
    assert!(line("+four").contains("\x1b[32m"), "{colored}");
    assert!(line("-two").contains("\x1b[31m"), "{colored}");
}

#[test]
fn inside_a_diff_the_file_is_known() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("diff");
    terminal.press(&["Enter"]);
    terminal.press(&["C-y"]);
    remark(&terminal, 0, COMMENT);
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
    remark(&terminal, 0, "on the commit");
    assert_says(&wait_for_message(&scene, &terminal, 1), "b c.txt", 1, "fix", "on the commit");

    terminal.press(&["Enter"]);
    terminal.wait_for("A b c.txt");
    terminal.press(&["C-y"]);
    remark(&terminal, 1, &format!("! {COMMENT}"));
    assert_says(&wait_for_message(&scene, &terminal, 2), "b c.txt", 2, "note", COMMENT);
    // On a busy machine lazygit may still be about to draw its panels anew, which closes a menu.
    terminal.wait_for("(2 waiting)");

    // In the diff of a commit's file as well; newer versions do not say which file it is of, so the work tree comes
    // first in the menu.
    terminal.press(&["Enter"]);
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("which line?");
    let is_wanted = |line: &str| line.contains("b c.txt:2 +beta") || line.contains("   2 +beta");
    remark(&terminal, row_of(&menu, is_wanted), "in its diff");
    assert_says(&wait_for_message(&scene, &terminal, 3), "b c.txt", 2, "fix", "in its diff");
    for message in scene.messages() {
        assert_eq!(message["commit"], head, "{message}");
    }
    scene.assert_nothing_was_run();
}

#[test]
fn a_second_key_saves_drafts_and_the_menu_sends_them() {
    let Some(scene) = Scene::new() else { return };
    scene.install(&[]);
    let terminal = scene.lazygit("drafts");
    for (n, comment) in ["first draft", "second draft"].into_iter().enumerate() {
        terminal.press(&["C-x"]);
        remark(&terminal, 0, comment);
        let message = wait_for_message(&scene, &terminal, n + 1);
        assert_eq!(message["state"], "draft");
    }
    terminal.wait_for("saved as a draft (0 waiting, 2 drafts)");
    terminal.press(&["C-y"]);
    terminal.wait_for("send 2 drafts");
    // To the last entry, which stands above lazygit's own `Cancel`.
    terminal.press(&[">"]);
    terminal.press(&["Up"]);
    terminal.press(&["Enter"]);
    terminal.wait_for("Your comment");
    terminal.press(&["Enter"]);
    terminal.wait_for("sent to the agent (2 waiting)");
    assert!(scene.messages().iter().all(|one| one["state"] == "sent"));
}

#[test]
fn on_a_folder_the_lines_of_its_files_are_offered() {
    let Some(scene) = Scene::new() else { return };
    scene.show_file_tree();
    scene.install(&[]);
    scene.change_folder();
    // At the start the first row is selected: the folder, or the top in versions that show it.
    let terminal = scene.lazygit_showing("folder", "-gone");
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("which line?");
    assert!(menu.contains("src/new.txt:1") && menu.contains("src/old.txt:1 -gone"), "{menu}");
    let row = row_of(&menu, |line| line.contains("src/old.txt:1 -gone"));
    remark(&terminal, row, "why was it deleted?");
    let message = wait_for_message(&scene, &terminal, 1);
    assert_says(&message, "src/old.txt", 1, "fix", "why was it deleted?");
    assert_eq!((&message["side"], &message["excerpt"]), (&json!("old"), &json!("gone")));
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
    let edit_last_line = || {
        terminal.press(&["Enter"]);
        for _ in 0..10 {
            terminal.press(&["Down"]);
        }
        terminal.press(&["e"]);
    };
    edit_last_line();
    let line = terminal.wait_until("the editor opens", |screen| {
        // Versions 0.55 to 0.65 explain their hunk mode once, in front of the diff; Enter closes it.
        if screen.contains("Hunk selection mode") {
            edit_last_line();
        }
        let text = fs::read_to_string(&opened).ok()?;
        Some(text.trim_end().rsplit_once(':')?.1.to_owned())
    });
    assert_eq!(line, "4");
    // Back to the files. Escape and a key sent together would be read as an Alt key.
    terminal.press(&["2"]);
    terminal.press(&["C-y"]);
    let menu = terminal.wait_for("which line?");
    assert!(menu.contains("4  four  (where you were)"), "{menu}");
    remark(&terminal, 0, "here");
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
    remark(&terminal, 1, COMMENT);
    assert_says(&wait_for_message(&scene, &terminal, 1), NAME, 2, "fix", COMMENT);
    scene.assert_nothing_was_run();
}
