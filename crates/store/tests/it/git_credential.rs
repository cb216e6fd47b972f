//! Secrets in git's credential helpers. Each test runs in a process of its own: helpers come from the environment.

use std::path::Path;
use std::process::Command;

use store::git::Credential;
use tempfile::TempDir;

const ENTRY: Credential<'_> = Credential { host: "harbour.taiga.cairn.invalid", username: "cairn" };
const FOLDER_VARIABLE: &str = "CAIRN_TEST_CREDENTIALS";

/// Runs one test of this file in a new process whose git has these helpers.
fn with_helpers(test: &str, settings: &str, folder: &Path) {
    std::fs::write(folder.join("gitconfig"), settings).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("git_credential::{test}"), "--nocapture"]).current_dir(folder);
    command.env(FOLDER_VARIABLE, folder).env("GIT_CONFIG_GLOBAL", folder.join("gitconfig"));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ASKPASS", "/bin/false");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

fn is_child() -> bool {
    std::env::var_os(FOLDER_VARIABLE).is_some()
}

#[test]
fn a_helper_keeps_returns_and_forgets_a_secret() {
    if !is_child() {
        let folder = TempDir::new().unwrap();
        let helper = format!("[credential]\n\thelper = store --file={}/kept\n", folder.path().display());
        return with_helpers("a_helper_keeps_returns_and_forgets_a_secret", &helper, folder.path());
    }
    let secret = r#"{"auth_token":"a b=c%\\","refresh":null}"#;
    assert_eq!(ENTRY.fill().unwrap(), None);
    ENTRY.approve(secret).unwrap();
    assert_eq!(ENTRY.fill().unwrap().as_deref(), Some(secret));
    assert_eq!(Credential { host: "other.taiga.cairn.invalid", ..ENTRY }.fill().unwrap(), None);
    ENTRY.approve("newer").unwrap();
    assert_eq!(ENTRY.fill().unwrap().as_deref(), Some("newer"));
    ENTRY.reject().unwrap();
    assert_eq!(ENTRY.fill().unwrap(), None);
}

#[test]
fn without_a_credential_helper_nothing_is_stored_or_prompted() {
    if !is_child() {
        let folder = TempDir::new().unwrap();
        return with_helpers("without_a_credential_helper_nothing_is_stored_or_prompted", "", folder.path());
    }
    ENTRY.approve("secret").unwrap();
    assert_eq!(ENTRY.fill().unwrap(), None);
    ENTRY.reject().unwrap();
}

/// A helper is a program: one that a repository names must not run.
#[test]
fn a_repository_names_no_helper() {
    if !is_child() {
        let folder = TempDir::new().unwrap();
        testkit::git_in(folder.path(), &["init", "--quiet"]);
        testkit::git_in(folder.path(), &["config", "credential.helper", "!touch ran; echo password=trap;:"]);
        with_helpers("a_repository_names_no_helper", "", folder.path());
        assert!(!folder.path().join("ran").exists());
        return;
    }
    assert_eq!(ENTRY.fill().unwrap(), None);
}

#[cfg(unix)]
#[test]
fn a_helper_may_be_any_program() {
    if !is_child() {
        let folder = TempDir::new().unwrap();
        let helper = "[credential]\n\thelper = \"!f() { test $1 = get && echo password=scripted; }; f\"\n";
        return with_helpers("a_helper_may_be_any_program", helper, folder.path());
    }
    assert_eq!(ENTRY.fill().unwrap().as_deref(), Some("scripted"));
}
