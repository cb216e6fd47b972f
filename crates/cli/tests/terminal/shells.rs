//! Completion in the real shells.

use std::fs;
use std::path::Path;

use testkit::{Cairn, TestRepository};

use crate::terminal::{Terminal, has_program};

/// A shell: its name, how it starts without the user's settings, and how it loads the script.
struct Shell {
    name: &'static str,
    words: &'static [&'static str],
    load: &'static str,
}

const BASH: Shell =
    Shell { name: "bash", words: &["bash", "--norc", "--noprofile"], load: "source <(cairn completions bash)" };
const ZSH: Shell = Shell {
    name: "zsh",
    words: &["zsh", "-f"],
    load: "autoload -U compinit && compinit -u -D && source <(cairn completions zsh)",
};
const FISH: Shell = Shell { name: "fish", words: &["fish", "--no-config"], load: "cairn completions fish | source" };

/// A project with items, and a terminal with the shell that has loaded the script.
struct Scene {
    terminal: Terminal,
    _repository: TestRepository,
}

impl Scene {
    /// Creates a scene; `None`, with a note, if a program is missing.
    fn new(shell: &Shell, test: &str) -> Option<Self> {
        if let Some(missing) =
            [("tmux", "-V"), (shell.name, "--version")].iter().find(|(name, v)| !has_program(name, v))
        {
            testkit::skip(&format!("there is no `{}` here; install it", missing.0));
            return None;
        }
        let repository = project();
        let program = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let environment =
            [("PATH", path), ("HOME", repository.path().display().to_string()), ("LC_ALL", "C.UTF-8".to_owned())];
        let terminal = Terminal::start(&format!("{test}-{}", shell.name), repository.path(), &environment, shell.words);
        let scene = Self { terminal, _repository: repository };
        scene.run(&format!("{} && echo load''ed", shell.load), "loaded");
        Some(scene)
    }

    /// Runs a command and waits for a text that only its output has.
    fn run(&self, command: &str, shown: &str) {
        self.terminal.type_text(command);
        self.terminal.press(&["Enter"]);
        self.terminal.wait_for(shown);
    }

    /// Types the start of a line, presses the Tab key this often, and waits until the screen shows all the texts.
    #[track_caller]
    fn complete(&self, typed: &str, n_tabs: usize, shown: &[&str]) {
        self.terminal.type_text(typed);
        self.terminal.wait_for(typed.trim_end());
        self.terminal.press(&vec!["Tab"; n_tabs]);
        for text in shown {
            self.terminal.wait_for(text);
        }
        // Clears the line and the screen for the next one.
        self.terminal.press(&["C-u", "C-l"]);
        self.terminal.wait_until("the line is gone", |screen| (!screen.contains(typed.trim_end())).then_some(()));
    }
}

fn project() -> TestRepository {
    let repository = TestRepository::new();
    let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), repository.path());
    let run = |words: &[&str]| assert!(cairn.run(words).status.success(), "{words:?}");
    run(&["new", "issue", "Login fails: [a-z]* on Safari", "--label", "browser-safari"]);
    run(&["new", "issue", "Crash after login", "--label", "browser-chrome"]);
    run(&["new", "milestone", "Release 1.0"]);
    run(&["member", "add", "Grace Hopper", "--email", "grace@example.org", "--username", "grace"]);
    fs::write(repository.path().join("parser.rs"), "fn parse_header() {}\nfn parse_body() {}\n").unwrap();
    repository
}

/// The same for every shell: a word is completed, and several are listed.
fn check(shell: &Shell) {
    let Some(scene) = Scene::new(shell, "values") else { return };
    scene.complete("cairn new is", 1, &["cairn new issue"]);
    scene.complete("cairn show ", 2, &["Login fails: [a-z]* on Safari", "Crash after login"]);
    scene.complete("cairn list --label browser-s", 1, &["--label browser-safari"]);
    scene.complete("cairn label 1 +browser-c", 1, &["label 1 +browser-chrome"]);
    scene.complete("cairn list --status=rev", 1, &["--status=review"]);
    scene.complete("cairn assign 1 gr", 1, &["assign 1 grace"]);
    scene.complete("cairn list --milestone ", 1, &["--milestone 1"]);
    scene.complete("cairn read parser.rs parse_h", 1, &["parser.rs parse_header"]);
    scene.complete("cairn link 1 --touches parser.rs:parse_b", 1, &["--touches parser.rs:parse_body"]);
    scene.complete("cairn link 1 --touches pars", 1, &["--touches parser.rs"]);
    scene.complete("cairn list --over", 1, &["cairn list --overdue"]);
}

/// Nothing is printed where there is no repository, and commands are still completed.
fn check_outside(shell: &Shell) {
    let Some(scene) = Scene::new(shell, "outside") else { return };
    let folder = tempfile::tempdir().unwrap();
    scene.run(&format!("cd {} && echo mo''ved", folder.path().display()), "moved");
    scene.complete("cairn show 1", 2, &["cairn show 1"]);
    scene.terminal.type_text("cairn compl");
    scene.terminal.press(&["Tab"]);
    let screen = scene.terminal.wait_for("cairn completions");
    assert!(!screen.contains("error") && !screen.contains("not a"), "{screen}");
}

#[test]
fn bash_completes_values_of_the_project() {
    check(&BASH);
}

#[test]
fn zsh_completes_values_of_the_project() {
    check(&ZSH);
}

#[test]
fn fish_completes_values_of_the_project() {
    check(&FISH);
}

#[test]
fn no_shell_prints_errors_outside_a_repository() {
    for shell in [BASH, ZSH, FISH] {
        check_outside(&shell);
    }
}
