//! `cairn tui` in a real terminal: keys, changes by others, resizing, and the way out.

use std::path::Path;

use testkit::{Cairn, TestRepository};

use crate::terminal::{Terminal, has_program};

struct Scene {
    terminal: Terminal,
    cairn: Cairn,
    _repository: TestRepository,
}

impl Scene {
    /// Starts the interface in a shell, so that the screen afterwards can be seen; `None` without tmux.
    fn new(test: &str) -> Option<Self> {
        if !has_program("tmux", "-V") {
            testkit::skip("there is no `tmux` here; install it");
            return None;
        }
        let repository = TestRepository::new();
        let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), repository.path());
        cairn.ok(&["new", "issue", "Login fails on Safari"]);
        cairn.ok(&["new", "task", "登録 of users"]);
        let program = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
        let environment = [
            ("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap())),
            ("GIT_CONFIG_GLOBAL", cairn.gitconfig().display().to_string()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("PS1", "prompt> ".to_owned()),
            ("EDITOR", "sh -c 'printf \"Edited title\\\\n\\\\nA *new* text.\\\\n\" > \"$1\"; echo in the editor; read line' --".to_owned()),
        ];
        let words = ["sh", "-c", "cairn tui; echo ended with $?; stty -a | grep -o -- '[-]*icanon'; sleep 60"];
        let terminal = Terminal::start(&format!("tui-{test}"), repository.path(), &environment, &words);
        terminal.wait_for("Login fails on Safari");
        Some(Self { terminal, cairn, _repository: repository })
    }

    fn status(&self, item: &str) -> String {
        self.cairn.ok(&["show", item, "--json"]).json()["status"].as_str().unwrap().to_owned()
    }
}

#[test]
fn keys_change_the_project_and_changes_of_others_are_shown() {
    let Some(scene) = Scene::new("keys") else { return };
    let before = scene.status("1");
    scene.terminal.press(&["Space"]);
    scene.terminal.wait_for("moved to");
    assert_ne!(scene.status("1"), before);
    scene.terminal.press(&["z"]);
    scene.terminal.wait_for("undone");
    assert_eq!(scene.status("1"), before);
    scene.cairn.ok(&["new", "issue", "Written by somebody else"]);
    scene.terminal.wait_for("Written by");
    scene.terminal.press(&["q"]);
    scene.terminal.wait_for("ended with 0");
}

#[test]
fn the_editor_gets_the_terminal_and_gives_it_back() {
    let Some(scene) = Scene::new("editor") else { return };
    scene.terminal.press(&["E"]);
    let screen = scene.terminal.wait_for("in the editor");
    assert!(!screen.contains("enter open"), "{screen}");
    scene.terminal.press(&["Enter"]);
    scene.terminal.wait_for("edited: #1 Edited title");
    scene.terminal.press(&["Enter"]);
    scene.terminal.wait_for("A new text.");
    let item = scene.cairn.ok(&["show", "1", "--json"]).json();
    assert_eq!((item["title"].as_str(), item["description"].as_str()), (Some("Edited title"), Some("A *new* text.")));
    scene.terminal.press(&["z"]);
    scene.terminal.wait_for("undone");
    scene.terminal.press(&["q"]);
    scene.terminal.wait_for("ended with 0");
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let Some(scene) = Scene::new("size") else { return };
    scene.terminal.resize(60, 20);
    scene.terminal.wait_until("the tabs fit", |screen| (screen.lines().count() <= 20).then_some(()));
    scene.terminal.wait_for("Login fails on Safari");
    scene.terminal.press(&["?"]);
    scene.terminal.wait_for("next panel");
}

#[test]
fn a_signal_restores_the_terminal() {
    let Some(scene) = Scene::new("signal") else { return };
    let pid = scene.terminal.child_named("cairn");
    assert!(std::process::Command::new("kill").arg("-TERM").arg(&pid).status().unwrap().success());
    let screen = scene.terminal.wait_for("ended with 0");
    scene.terminal.wait_until("the terminal edits lines again", |screen| {
        screen.lines().any(|line| line.trim() == "icanon").then_some(())
    });
    assert!(!screen.contains("Login fails on Safari"), "{screen}");
}

#[test]
fn a_closed_terminal_ends_the_program() {
    let Some(scene) = Scene::new("closed") else { return };
    let pid = scene.terminal.child_named("cairn");
    let is_alive = || std::process::Command::new("kill").args(["-0", &pid]).output().unwrap().status.success();
    assert!(is_alive());
    drop(scene.terminal);
    let began = std::time::Instant::now();
    while is_alive() {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "`cairn tui` still runs without a terminal");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
