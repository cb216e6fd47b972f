//! Requests to the command line and to all six dialects with the answers that they got, byte for byte: a change of the
//! code that changes an answer shows here. Each file of `recorded/` is one scene: lines with requests, each followed by
//! its answer. `just accept` records the answers again.

mod normalize;
mod scene;

use std::path::Path;

use scene::Scene;

/// Sends every request of a file, in order, and compares the file with one that has the answers of today.
#[track_caller]
fn replay(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/recorded").join(format!("{name}.txt"));
    let recorded = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut scene = Scene::new();
    let mut replayed = String::new();
    for line in recorded.lines().filter(|line| !line.starts_with(scene::ANSWER)) {
        replayed.push_str(line);
        replayed.push('\n');
        if let Some(answer) = scene.request(line) {
            replayed.push_str(scene::ANSWER);
            replayed.push_str(&answer);
            replayed.push('\n');
        }
    }
    testkit::check_recorded(&path, &replayed);
}

macro_rules! replays {
    ($($name:ident)*) => {
        const SCENES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*
    };
}

replays! {
    command_items command_lists command_planning command_code command_inbox command_errors command_taiga
    dialect_cairn dialect_mile dialect_lazygit dialect_quicksilver dialect_ultragit dialect_taiga dialect_taiga_server
}

/// A file that no test replays, or too few requests, would prove nothing.
#[test]
fn every_scene_is_replayed_and_two_hundred_requests_are_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/recorded");
    let mut n_requests = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let Some(name) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".txt")) else { continue };
        assert!(SCENES.contains(&name), "no test replays {name}");
        let text = std::fs::read_to_string(&file).unwrap();
        n_requests += text.lines().filter(|line| line.starts_with(scene::ANSWER)).count();
    }
    assert!(n_requests >= 200, "{n_requests}");
}
