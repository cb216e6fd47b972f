//! Checks of the crates' manifests: dependencies point down only, respect the library fences, and are used.

use toml_edit::{Document, Item, Key, TableLike};

use super::fences::FENCES;
use super::{File, Finding, lexer};

/// The workspace crates that each crate may use, from the bottom up. The front ends (`cli`, `web`, `dialects`) call
/// `app`, never `store`; any crate may use `testkit` in its tests.
const MAY_USE: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("anchors", &["model"]),
    ("taiga", &[]),
    ("database", &[]),
    ("store", &["database", "model"]),
    ("app", &["database", "model", "store"]),
    ("inbox", &["anchors", "app", "database", "model", "store"]),
    ("annotations", &["anchors", "app", "inbox", "model", "store"]),
    ("exchange", &["anchors", "app", "model", "store"]),
    ("tracker", &["app", "model", "store", "taiga"]),
    ("mcp", &[]),
    ("dialects", &["annotations", "app", "inbox", "mcp", "model", "tracker"]),
    ("terminal", &["model"]),
    ("tui", &["annotations", "app", "inbox", "model", "terminal"]),
    ("web", &["annotations", "app", "database", "dialects", "inbox", "mcp", "model"]),
    (
        "cli",
        &[
            "annotations",
            "app",
            "database",
            "dialects",
            "exchange",
            "inbox",
            "mcp",
            "model",
            "terminal",
            "tracker",
            "tui",
            "web",
        ],
    ),
    ("conformance", &["mcp", "web"]),
    ("testkit", &["model"]),
    ("xtask", &[]),
    ("bench", &["testkit", "xtask"]),
];

/// Finds dependencies of a workspace crate on one at the same level or above.
pub(super) fn upward_dependencies(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (crate_name, manifest) in crate_manifests(files) {
        let Some((_, below)) = MAY_USE.iter().find(|(name, _)| *name == crate_name) else {
            let problem = format!("the place of the crate `{crate_name}` is not known");
            let remedy = "add it to `MAY_USE` in crates/xtask/src/tidy/manifests.rs";
            findings.push(Finding::new(manifest, 1, problem, remedy));
            continue;
        };
        for dependency in dependencies(&manifest.text) {
            let name = dependency.name.as_str();
            let is_ours = MAY_USE.iter().any(|(ours, _)| *ours == name);
            // A crate may enable its own features in its tests, and make values of any crate below it.
            let is_for_tests = name == "testkit" || name == crate_name || is_below(name, crate_name);
            let for_tests = dependency.kind == Kind::Dev && is_for_tests;
            if is_ours && !for_tests && !below.contains(&name) {
                let problem = format!("`{crate_name}` must not depend on `{name}`");
                let remedy = "dependencies point down only: move the code to the lower crate";
                findings.push(Finding::new(manifest, dependency.line, problem, remedy));
            }
        }
    }
    findings
}

/// Returns whether a crate is used by another one, directly or not.
fn is_below(name: &str, above: &str) -> bool {
    let used = MAY_USE.iter().find(|(known, _)| *known == above).map_or(&[][..], |(_, used)| used);
    used.iter().any(|used| *used == name || is_below(name, used))
}

/// Finds dependencies on a library that another crate wraps.
pub(super) fn fenced_dependencies(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (crate_name, manifest) in crate_manifests(files) {
        for dependency in dependencies(&manifest.text) {
            let outside = FENCES.iter().find(|fence| {
                fence.covers(&dependency.name) && !fence.inside.starts_with(&format!("crates/{crate_name}/"))
            });
            if let Some(fence) = outside {
                let problem = format!("`{}` is not for this crate", dependency.name);
                let remedy = format!("go through what `{}` offers", fence.inside);
                findings.push(Finding::new(manifest, dependency.line, problem, remedy));
            }
        }
    }
    findings
}

/// Finds dependencies that no source file of the crate uses. One that only enables a feature says so in a comment on
/// its line: `# unnamed: why`.
pub(super) fn unused_dependencies(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (crate_name, manifest) in crate_manifests(files) {
        let sources = files.iter().filter(|file| file.is_rust() && file.crate_name() == Some(crate_name));
        let sources: Vec<&File> = sources.collect();
        for dependency in dependencies(&manifest.text) {
            let identifier = dependency.name.replace('-', "_");
            let mut places = sources.iter().filter(|file| dependency.kind.may_be_named_in(&file.path));
            let named = places.any(|file| names(file, &identifier));
            if !named && !dependency.unnamed {
                let problem = format!("no source file names `{}`", dependency.name);
                let remedy = "remove the dependency, or say `# unnamed: why` on its line";
                findings.push(Finding::new(manifest, dependency.line, problem, remedy));
            }
        }
    }
    findings
}

/// Finds entries of the workspace's dependency table that no crate uses.
pub(super) fn unused_workspace_dependencies(files: &[File]) -> Vec<Finding> {
    let Some(root) = files.iter().find(|file| file.path == "Cargo.toml") else {
        return Vec::new();
    };
    let used: Vec<String> = crate_manifests(files)
        .flat_map(|(_, manifest)| dependencies(&manifest.text))
        .map(|dependency| dependency.name)
        .collect();
    let unused = dependencies(&root.text).into_iter().filter(|dependency| !used.contains(&dependency.name));
    unused
        .map(|dependency| {
            let problem = format!("no crate depends on `{}`", dependency.name);
            Finding::new(root, dependency.line, problem, "remove the line")
        })
        .collect()
}

fn names(file: &File, identifier: &str) -> bool {
    file.code().any(|(_, code)| lexer::words(code).any(|word| word == identifier))
}

fn crate_manifests(files: &[File]) -> impl Iterator<Item = (&str, &File)> {
    files.iter().filter_map(|file| {
        let crate_name = file.crate_name()?;
        let is_manifest = file.path == format!("crates/{crate_name}/Cargo.toml");
        is_manifest.then_some((crate_name, file))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Normal,
    Dev,
    Build,
}

impl Kind {
    fn may_be_named_in(self, path: &str) -> bool {
        let is_build_script = path.ends_with("/build.rs") && !path.contains("/src/");
        match self {
            Self::Normal => path.contains("/src/"),
            Self::Dev => !is_build_script,
            Self::Build => is_build_script,
        }
    }
}

struct Dependency {
    name: String,
    line: usize,
    kind: Kind,
    unnamed: bool,
}

/// The tables of dependencies and the kind of each.
const TABLES: &[(&str, Kind)] =
    &[("dependencies", Kind::Normal), ("dev-dependencies", Kind::Dev), ("build-dependencies", Kind::Build)];

/// Returns the dependencies of a manifest, for all targets, in their order. Cargo reports a manifest that is not TOML.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let Ok(document) = Document::parse(manifest) else { return Vec::new() };
    let root = document.as_table();
    let targets = root.get("target").and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    let targets = targets.filter_map(|(_, target)| target.as_table_like());
    let workspace = root.get("workspace").and_then(Item::as_table_like);
    let mut found = Vec::new();
    for holder in std::iter::once(root as &dyn TableLike).chain(workspace).chain(targets) {
        for (table, kind) in TABLES {
            let table = holder.get(table).and_then(Item::as_table_like);
            let keys = table.into_iter().flat_map(|table| table.iter().filter_map(|(name, _)| table.key(name)));
            found.extend(keys.map(|key| dependency(manifest, key, *kind)));
        }
    }
    found.sort_by_key(|dependency| dependency.line);
    found
}

fn dependency(manifest: &str, key: &Key, kind: Kind) -> Dependency {
    let start = key.span().map_or(0, |span| span.start);
    let line = manifest[..start].matches('\n').count() + 1;
    let text = manifest.lines().nth(line - 1).unwrap_or_default();
    Dependency { name: key.get().to_owned(), line, kind, unnamed: text.contains("# unnamed:") }
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn every_shape_of_a_dependency_is_read() {
        let manifest = "\
[package]
name = \"a\"
[dependencies]
b.workspace = true
c-d = { version = \"1\", features = [
    \"e\",
] }
# f = \"1\"
[target.'cfg(unix)'.dependencies]
g = \"1\"
[dev-dependencies]
h = \"1\" # unnamed: turns on a feature
[build-dependencies.i]
version = \"1\"
[features]
j = []
";
        let found: Vec<_> = dependencies(manifest)
            .into_iter()
            .map(|found| format!("{} {} {}", found.line, found.name, found.unnamed))
            .collect();
        let expected = ["4 b false", "5 c-d false", "10 g false", "12 h true"];
        assert_eq!(found[..4], expected);
        assert_eq!(found[4..], ["13 i false"]);
    }

    #[test]
    fn upward_dependency_is_found() {
        let remedy = "dependencies point down only: move the code to the lower crate";
        expect_findings(
            upward_dependencies,
            &[
                (
                    "crates/store/Cargo.toml",
                    "[dependencies]\nmodel.workspace = true\napp.workspace = true\n\
                     [dev-dependencies]\ntestkit.workspace = true\nstore = { path = \".\" }\n",
                ),
                ("crates/cli/Cargo.toml", "[dependencies]\nstore.workspace = true\ntestkit.workspace = true\n"),
                ("crates/odd/Cargo.toml", ""),
            ],
            &[
                &format!("crates/cli/Cargo.toml:2: `cli` must not depend on `store`; {remedy}"),
                &format!("crates/cli/Cargo.toml:3: `cli` must not depend on `testkit`; {remedy}"),
                "crates/odd/Cargo.toml:1: the place of the crate `odd` is not known; \
                 add it to `MAY_USE` in crates/xtask/src/tidy/manifests.rs",
                &format!("crates/store/Cargo.toml:3: `store` must not depend on `app`; {remedy}"),
            ],
        );
    }

    #[test]
    fn table_is_ordered_from_the_bottom_up() {
        let names: Vec<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
        for (index, (name, below)) in MAY_USE.iter().enumerate() {
            for lower in *below {
                assert!(names[..index].contains(lower), "`{name}` uses `{lower}`");
            }
        }
    }

    #[test]
    fn fenced_library_in_another_manifest_is_found() {
        let text = "[dependencies]\ngix-odb.workspace = true\n";
        expect_findings(
            fenced_dependencies,
            &[("crates/store/Cargo.toml", text), ("crates/app/Cargo.toml", text)],
            &["crates/app/Cargo.toml:2: `gix-odb` is not for this crate; \
                 go through what `crates/store/src/git` offers"],
        );
    }

    #[test]
    fn unused_dependency_is_found() {
        let remedy = "remove the dependency, or say `# unnamed: why` on its line";
        expect_findings(
            unused_dependencies,
            &[
                (
                    "crates/a/Cargo.toml",
                    "[dependencies]\nused-here = \"1\"\nunused = \"1\"\nlate = \"1\"\n\
                     quiet = \"1\" # unnamed: a feature\n[dev-dependencies]\nchecker = \"1\"\n",
                ),
                ("crates/a/src/lib.rs", "// unused::a\nuse used_here::a;\nlet b = \"unused\";\n"),
                ("crates/a/tests/it/main.rs", "late::b(checker::c());\n"),
            ],
            &[
                &format!("crates/a/Cargo.toml:3: no source file names `unused`; {remedy}"),
                &format!("crates/a/Cargo.toml:4: no source file names `late`; {remedy}"),
            ],
        );
    }

    #[test]
    fn unused_entry_of_the_workspace_is_found() {
        expect_findings(
            unused_workspace_dependencies,
            &[
                ("Cargo.toml", "[workspace.dependencies]\na = \"1\"\nb = \"1\"\n"),
                ("crates/c/Cargo.toml", "[dependencies]\na.workspace = true\n"),
            ],
            &["Cargo.toml:3: no crate depends on `b`; remove the line"],
        );
    }
}
