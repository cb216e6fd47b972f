//! Git's hooks: installed beside the person's own, and what they write.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use annotations::hooks::{Hook, HooksPlace, hooks_status, install_hooks, remove_hooks, run_hook};
use annotations::{Annotated as _, ReadQuery};
use serde_json::Value;

use crate::annotations::Code;
use crate::harness::ENV;

const PROGRAM: &str = "/usr/bin/cairn";

fn states(code: &Code) -> Vec<String> {
    let view = serde_json::to_value(hooks_status(code.fixture.path()).unwrap()).unwrap();
    let hooks = view["hooks"].as_array().unwrap();
    hooks.iter().map(|hook| hook["state"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn run(code: &Code, hook: Hook, input: &str) -> Vec<String> {
    let listener: app::Listener = Arc::new(|_| {});
    run_hook(code.fixture.path(), ENV, &listener, hook, input).unwrap()
}

fn intents(code: &mut Code) -> Vec<String> {
    code.project.follow_annotations(None).unwrap();
    let view = code.project.annotations().read(&ReadQuery::new("a.rs".to_owned())).unwrap();
    let view: Value = serde_json::to_value(view).unwrap();
    let regions = view["regions"].as_array().unwrap();
    regions.iter().map(|region| region["intent"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_persons_own_hook_is_kept_and_restored() {
    let code = Code::with(&[("a.rs", "fn a() {}\n")]);
    let own = code.fixture.git_dir().join("hooks/post-commit");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "#!/bin/sh\necho mine\n").unwrap();
    install_hooks(code.fixture.path(), Path::new(PROGRAM), HooksPlace::OwnFolder).unwrap();
    assert_eq!(states(&code), ["installed"; 4]);
    let ours = fs::read_to_string(&own).unwrap();
    assert!(ours.contains(PROGRAM), "{ours}");
    install_hooks(code.fixture.path(), Path::new(PROGRAM), HooksPlace::OwnFolder).unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), ours, "a second time changes nothing");
    remove_hooks(code.fixture.path()).unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), "#!/bin/sh\necho mine\n");
    assert_eq!(states(&code), ["absent", "foreign", "absent", "absent"]);
}

#[test]
fn a_folder_of_hooks_elsewhere_is_left_alone() {
    let code = Code::with(&[("a.rs", "fn a() {}\n")]);
    code.fixture.git(&["config", "core.hooksPath", "shared"]);
    let error = install_hooks(code.fixture.path(), Path::new(PROGRAM), HooksPlace::OwnFolder).unwrap_err();
    assert_eq!(error.kind, app::ErrorKind::Conflict);
    assert!(!code.fixture.path().join("shared").exists());
}

#[test]
fn trailers_of_a_commit_become_an_annotation() {
    let mut code = Code::with(&[("a.rs", "fn a() {}\n")]);
    code.write("a.rs", "fn a() { b() }\n");
    code.commit("Call b\n\nIntent: calls b first\nConstraint: b never blocks\n");
    assert_ne!(run(&code, Hook::PostCommit, ""), [""; 0]);
    assert_eq!(intents(&mut code), ["calls b first"]);
    code.write("a.rs", "fn a() { b(); c() }\n");
    code.commit("Plain");
    run(&code, Hook::PostCommit, "");
    assert!(intents(&mut code).len() <= 1, "a commit without trailers adds nothing");
}

#[test]
fn an_amended_commit_gives_no_annotation_to_a_function_that_was_there() {
    let (outer, inner) =
        ("fn a() {\n    one();\n    two();\n}\n", "mod tests {\n    fn a() {\n        x();\n    }\n}\n");
    let mut code = Code::with(&[("a.rs", &format!("{outer}{inner}")), ("b.rs", outer)]);
    code.say("a.rs:a", "does a");
    let old = code.fixture.git(&["rev-parse", "HEAD"]);
    code.write("a.rs", inner);
    code.write("b.rs", &format!("// Kept.\n{outer}"));
    code.fixture.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]);
    let new = code.fixture.git(&["rev-parse", "HEAD"]);
    run(&code, Hook::PostRewrite, &format!("{old} {new}\n"));
    code.project.follow_annotations(None).unwrap();
    assert_eq!(code.read("a.rs", "tests::a"), []);
    assert_eq!(code.read("b.rs", "a"), []);
}

#[test]
fn an_amended_commit_keeps_its_annotation() {
    let mut code = Code::with(&[("a.rs", "fn a() {}\n")]);
    code.say("a.rs:a", "does a");
    let old = code.fixture.git(&["rev-parse", "HEAD"]);
    code.fixture.git(&["commit", "--quiet", "--amend", "-m", "Begin, reworded"]);
    let new = code.fixture.git(&["rev-parse", "HEAD"]);
    assert_ne!(old, new);
    run(&code, Hook::PostRewrite, &format!("{old} {new}\n"));
    assert_eq!(intents(&mut code), ["does a"]);
}
