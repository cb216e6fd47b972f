//! How lazygit itself reads the settings.

use std::fs;

use super::scene::Scene;

#[test]
fn settings_that_lazygit_refuses_are_never_written() {
    let Some(scene) = Scene::new() else { return };
    let before = fs::read_to_string(scene.settings()).unwrap();
    let ran = scene.cairn(&["lazygit", "install", "--key", "<c-nonsense>"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    assert!(ran.err().contains("would reject the new content") && ran.err().contains("<c-nonsense>"), "{ran}");
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), before);
}

#[test]
fn settings_that_were_invalid_before_are_reported() {
    let Some(scene) = Scene::new() else { return };
    let bad = "customCommands:\n  - key: 'X'\n    context: 'nowhere at all'\n    command: 'true'\n";
    fs::write(scene.settings(), bad).unwrap();
    let ran = scene.cairn(&["lazygit", "install"]);
    assert!(ran.err().contains("rejects its current content"), "{ran}");
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), bad);
}

#[test]
fn a_default_key_of_lazygit_is_not_replaced() {
    let Some(scene) = Scene::new() else { return };
    let ran = scene.cairn(&["lazygit", "install", "--key", "c"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    assert!(ran.err().contains("lazygit's own `keybinding.files.commitChanges`"), "{ran}");
    assert!(ran.err().contains("--key"), "{ran}");
}

#[test]
fn lazygit_is_asked_where_its_settings_are() {
    let Some(scene) = Scene::new() else { return };
    let before = fs::read_to_string(scene.settings()).unwrap();
    let view = scene.cairn(&["lazygit", "install", "--json"]).json();
    assert_eq!(view["config"], scene.settings().display().to_string());
    assert_eq!(view["changed"], true);
    assert!(view["lazygit"].as_str().unwrap().starts_with("0."), "{view}");
    assert_eq!(scene.cairn(&["lazygit", "install", "--json"]).json()["changed"], false);
    assert_eq!(scene.cairn(&["lazygit", "remove", "--json"]).json()["changed"], true);
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), before);
}
