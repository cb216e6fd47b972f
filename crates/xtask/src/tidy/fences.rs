//! Library fences: a library may only be used in the module that wraps it.

use super::{File, Finding, lexer};

/// A library, with the libraries whose names begin with its own, and the only path that may use them.
pub(super) struct Fence {
    pub(super) library: &'static str,
    pub(super) inside: &'static str,
}

impl Fence {
    /// Returns whether the fence covers a library, named as in a manifest or as in code: `gix` covers `gix-odb`.
    pub(super) fn covers(&self, name: &str) -> bool {
        let name = name.replace('-', "_");
        name.strip_prefix(self.library).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    }
}

pub(super) const FENCES: &[Fence] = &[
    // Covers `git.rs` and everything under `git/`.
    Fence { library: "gix", inside: "crates/store/src/git" },
    Fence { library: "rusqlite", inside: "crates/store/" },
    Fence { library: "rmcp", inside: "crates/mcp/" },
    Fence { library: "tree_sitter", inside: "crates/anchors/" },
];

/// Finds libraries that are used outside of the module that wraps them.
pub(super) fn names_outside_their_fence(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for fence in FENCES {
        let outside = files.iter().filter(|file| !file.path.starts_with(fence.inside));
        for file in outside {
            for (number, code) in file.code() {
                if let Some(library) = lexer::words(code).find(|word| fence.covers(word)) {
                    let problem = format!("`{library}` named outside its fence");
                    let remedy = format!("go through what `{}` offers", fence.inside);
                    findings.push(Finding::new(file, number, problem, remedy));
                }
            }
        }
    }
    findings
}

/// Where the lints against printing may be disabled: the module `cli::output`. Clippy finds the printing itself.
const PRINTERS: &[&str] = &["crates/cli/src/output.rs", "crates/cli/src/output/"];

/// Finds other places that disable the lints against printing.
pub(super) fn print_lints_switched_off(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let may_print = PRINTERS.iter().any(|printer| file.path.starts_with(printer));
        if may_print {
            continue;
        }
        for (number, code) in file.code() {
            let mut words = lexer::words(code);
            if let Some(lint) = words.find(|word| matches!(*word, "print_stdout" | "print_stderr")) {
                let problem = format!("`{lint}` switched off");
                let remedy = "return the text and let `cli::output` print it";
                findings.push(Finding::new(file, number, problem, remedy));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn library_outside_its_fence_is_found() {
        expect_findings(
            names_outside_their_fence,
            &[
                ("crates/app/src/lib.rs", "// As gix does.\nuse gix::Id;\n"),
                ("crates/store/src/git/refs.rs", "use gix::Id;\nuse gix_odb::Handle;\n"),
                ("crates/store/src/index.rs", "fn a(_: rusqlite::Row, _: gix_hash::Id) {}\n"),
                ("crates/cli/src/main.rs", "let a = \"gix\"; rusqlite::b(gixel);\n"),
            ],
            &[
                "crates/app/src/lib.rs:2: `gix` named outside its fence; \
                 go through what `crates/store/src/git` offers",
                "crates/cli/src/main.rs:1: `rusqlite` named outside its fence; \
                 go through what `crates/store/` offers",
                "crates/store/src/index.rs:1: `gix_hash` named outside its fence; \
                 go through what `crates/store/src/git` offers",
            ],
        );
    }

    #[test]
    fn printing_allowed_outside_the_printer_is_found() {
        let text = "#[expect(clippy::print_stdout, reason = \"a\")]\n";
        expect_findings(
            print_lints_switched_off,
            &[("crates/app/src/lib.rs", text), ("crates/cli/src/output.rs", text)],
            &["crates/app/src/lib.rs:1: `print_stdout` switched off; \
                 return the text and let `cli::output` print it"],
        );
    }
}
