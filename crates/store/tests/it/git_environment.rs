//! Git's environment variables. Each case runs in a child process, because the environment is shared by all threads of
//! the test.

use std::path::Path;
use std::process::Command;

use store::git::Repository;
use testkit::{Layout, TestRepository};

use crate::git_support::{LIMIT, commit};

const PROBE: &str = "CAIRN_TEST_PROBE";

/// Answers one query about the repository of the current directory; run only by [`ask`].
#[test]
fn probe() {
    let Ok(question) = std::env::var(PROBE) else {
        return;
    };
    let answer = match Repository::discover(Path::new(".")) {
        Ok(repository) => answer(&repository, &question),
        Err(error) => format!("error: {error}"),
    };
    println!("ANSWER {answer}");
}

fn answer(repository: &Repository, question: &str) -> String {
    match question {
        "where" => repository.git_dir().display().to_string(),
        "common" => repository.common_dir().display().to_string(),
        "who" => match repository.identity() {
            Ok(identity) => format!("{} <{}>", identity.name, identity.email),
            Err(error) => format!("error: {error}"),
        },
        _ => {
            let id = commit(repository, &[], "probe");
            let read = repository.read_commit(&id, LIMIT).unwrap();
            format!("{} {} {}", read.author.name, read.author_time, read.committer_time)
        }
    }
}

fn ask(question: &str, directory: &Path, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["git_environment::probe", "--exact", "--nocapture"]).current_dir(directory);
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.env(PROBE, question).envs(variables.iter().copied()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let answer = stdout.lines().find_map(|line| line.split_once("ANSWER ")).map(|(_, answer)| answer.to_owned());
    answer.unwrap_or_else(|| panic!("{stdout} {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn git_dir_names_the_repository() {
    let fixture = TestRepository::new();
    let elsewhere = TestRepository::new();
    let git_dir = fixture.git_dir();
    let answer = ask("where", elsewhere.path(), &[("GIT_DIR", git_dir.to_str().unwrap())]);
    assert_eq!(answer, git_dir.display().to_string());
    let answer = ask("where", fixture.path(), &[("GIT_DIR", ".git")]);
    assert_eq!(answer, git_dir.display().to_string());
    let answer = ask("where", fixture.path(), &[("GIT_DIR", "/nowhere")]);
    assert_eq!(answer, "error: `/nowhere` is not in a git repository");
}

#[test]
fn git_common_dir_names_the_shared_part() {
    let fixture = TestRepository::new();
    let private = fixture.directory_path().join("private");
    std::fs::create_dir(&private).unwrap();
    std::fs::write(private.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let common = fixture.git_dir();
    let variables = [("GIT_DIR", private.to_str().unwrap()), ("GIT_COMMON_DIR", common.to_str().unwrap())];
    assert_eq!(ask("common", fixture.path(), &variables), common.display().to_string());
}

#[test]
fn the_search_ends_at_a_ceiling() {
    let fixture = TestRepository::new();
    let deep = fixture.path().join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    let ceiling = |path: &Path| ask("where", &deep, &[("GIT_CEILING_DIRECTORIES", path.to_str().unwrap())]);
    assert!(ceiling(&fixture.path().join("a")).starts_with("error: `.` is not in a git repository"));
    assert!(ceiling(fixture.path()).starts_with("error"), "the ceiling itself is not looked at");
    assert!(ceiling(&fixture.directory_path()).ends_with("/.git"));
    assert!(ceiling(&deep).ends_with("/.git"), "the start is no ceiling");
}

#[test]
fn identity_comes_from_the_environment_first() {
    let fixture = TestRepository::new();
    let answer = ask("who", fixture.path(), &[("GIT_AUTHOR_NAME", "Grace Hopper")]);
    assert_eq!(answer, "Grace Hopper <ada@example.com>");
    let answer = ask("who", fixture.path(), &[("GIT_AUTHOR_EMAIL", "grace@example.com")]);
    assert_eq!(answer, "Ada Lovelace <grace@example.com>");
}

#[test]
fn identity_comes_from_the_global_configuration() {
    let fixture = TestRepository::new();
    for key in ["user.name", "user.email"] {
        fixture.git(&["config", "--unset", key]);
    }
    let answer = ask("who", fixture.path(), &[]);
    insta::assert_snapshot!(answer, @r#"error: git does not know who you are; run `git config --global user.name "Your Name"` and `git config --global user.email you@example.com`"#);
    let global = fixture.directory_path().join("gitconfig");
    std::fs::write(&global, "[user]\nname = Grace\nemail = grace@example.com\n").unwrap();
    let answer = ask("who", fixture.path(), &[("GIT_CONFIG_GLOBAL", global.to_str().unwrap())]);
    assert_eq!(answer, "Grace <grace@example.com>");
    let count = [
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_0", "user.name"),
        ("GIT_CONFIG_VALUE_0", "Joan"),
        ("GIT_CONFIG_KEY_1", "user.email"),
        ("GIT_CONFIG_VALUE_1", "joan@example.com"),
    ];
    assert_eq!(ask("who", fixture.path(), &count), "Joan <joan@example.com>");
}

/// Real users have no `GIT_CONFIG_NOSYSTEM`: finding the settings of the installation must not start git.
#[cfg(unix)]
#[test]
fn settings_of_the_installation_are_read_without_starting_git() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = TestRepository::new();
    for key in ["user.name", "user.email"] {
        fixture.git(&["config", "--unset", key]);
    }
    let installed = fixture.directory_path().join("installed");
    for folder in ["bin", "etc"] {
        std::fs::create_dir_all(installed.join(folder)).unwrap();
    }
    let program = installed.join("bin/git");
    std::fs::write(&program, "#!/bin/sh\ntouch \"$0.started\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(installed.join("etc/gitconfig"), "[user]\nname = Alan\nemail = alan@example.com\n").unwrap();
    let path = installed.join("bin").display().to_string();
    let variables = [("PATH", path.as_str()), ("GIT_CONFIG_NOSYSTEM", "0")];
    assert_eq!(ask("who", fixture.path(), &variables), "Alan <alan@example.com>");
    assert!(!installed.join("bin/git.started").exists());
    let replaced = [&variables[..], &[("GIT_CONFIG_SYSTEM", "/dev/null")]].concat();
    assert!(ask("who", fixture.path(), &replaced).starts_with("error: git does not know who you are"));
}

#[test]
fn an_author_of_the_environment_may_write_alone() {
    let fixture = TestRepository::new();
    for key in ["user.name", "user.email"] {
        fixture.git(&["config", "--unset", key]);
    }
    let author = [("GIT_AUTHOR_NAME", "tester-1"), ("GIT_AUTHOR_EMAIL", "tester-1@example.com")];
    let dates = [("GIT_AUTHOR_DATE", "@1700000000 +0200"), ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")];
    assert_eq!(ask("write", fixture.path(), &[author, dates].concat()), "tester-1 1700000000 1767225600");
    let committer = [("GIT_COMMITTER_NAME", "tester-1"), ("GIT_COMMITTER_EMAIL", "tester-1@example.com")];
    assert!(ask("who", fixture.path(), &committer).starts_with("error: git does not know who you are"));
}

#[test]
fn dates_come_from_the_environment() {
    let fixture = TestRepository::new();
    let dates = [("GIT_AUTHOR_DATE", "@1700000000 +0200"), ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")];
    assert_eq!(ask("write", fixture.path(), &dates), "Ada Lovelace 1700000000 1767225600");
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_refused() {
    if !crate::git_support::is_root() {
        return testkit::skip("only root can give a directory to another user");
    }
    let fixture = TestRepository::new();
    give_away(fixture.path());
    let answer = ask("where", fixture.path(), &[]);
    let path = fixture.path().display();
    let advice = format!("`git config --global --add safe.directory {path}`");
    assert!(answer.starts_with("error") && answer.contains(&advice), "{answer}");
    let git = fixture.try_git(&["status"]);
    assert!(String::from_utf8_lossy(&git.stderr).contains("dubious ownership"), "git agrees");
}

/// Changes the owner of a repository.
#[cfg(unix)]
fn give_away(path: &Path) {
    for part in [path, &path.join(".git")] {
        std::os::unix::fs::chown(part, Some(65_534), None).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn safe_directory_is_honored() {
    if !crate::git_support::is_root() {
        return testkit::skip("only root can give a directory to another user");
    }
    let fixture = TestRepository::new();
    give_away(fixture.path());
    let global = fixture.directory_path().join("gitconfig");
    let check = |entries: &[&str], is_trusted: bool| {
        let lines: Vec<String> = entries.iter().map(|entry| format!("directory = {entry}")).collect();
        std::fs::write(&global, format!("[safe]\n{}\n", lines.join("\n"))).unwrap();
        let answer = ask("where", fixture.path(), &[("GIT_CONFIG_GLOBAL", global.to_str().unwrap())]);
        assert_eq!(!answer.starts_with("error"), is_trusted, "{entries:?}: {answer}");
    };
    let path = fixture.path().to_str().unwrap();
    let above = format!("{}/*", fixture.directory_path().display());
    check(&[], false);
    check(&["/some/other"], false);
    check(&[path], true);
    check(&["*"], true);
    check(&[&above], true);
    check(&[path, ""], false);
    let git_dir = fixture.git_dir();
    let answer = ask("where", fixture.path(), &[("GIT_DIR", git_dir.to_str().unwrap())]);
    assert!(answer.ends_with("/.git"), "naming it is consent: {answer}");
    // The repository's own configuration does not count.
    fixture.git(&["config", "--file", ".git/config", "safe.directory", "*"]);
    check(&[], false);
}

#[test]
fn bare_repositories_are_refused_when_they_must_be_named() {
    let fixture = TestRepository::with(Layout::BARE);
    let global = fixture.directory_path().join("gitconfig");
    std::fs::write(&global, "[safe]\nbareRepository = explicit\n").unwrap();
    let variables = [("GIT_CONFIG_GLOBAL", global.to_str().unwrap())];
    assert!(ask("where", fixture.path(), &variables).starts_with("error"));
    assert!(ask("where", fixture.path(), &[]).ends_with("project.git"));
}
