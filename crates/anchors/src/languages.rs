//! The table of languages, one row each; the rules of each language are in its own file.

use std::sync::OnceLock;

use crate::grammar::Grammar;
use crate::rules::Rules;

mod bash;
mod c;
mod cpp;
mod csharp;
mod elixir;
mod go;
mod haskell;
mod java;
mod javascript;
mod kotlin;
mod lua;
mod ocaml;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod typescript;
mod zig;

pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// File extensions in lower case, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// File names that identify the language without an extension.
    pub(crate) files: &'static [&'static str],
    /// Interpreters in `#!`, without version numbers.
    pub(crate) programs: &'static [&'static str],
    pub(crate) rules: &'static Rules,
    /// Returns the grammar with these rules, if this build includes it.
    pub(crate) grammar: fn(&'static Rules) -> Option<&'static Grammar>,
}

const ROW: Row = Row { name: "", extensions: &[], files: &[], programs: &[], rules: &Rules::NONE, grammar: |_| None };

/// A function that builds the grammar once; it returns `None` if the feature is off.
macro_rules! grammar {
    ($feature:literal, $constant:path) => {{
        #[cfg(feature = $feature)]
        fn grammar(rules: &'static Rules) -> Option<&'static Grammar> {
            static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
            Some(GRAMMAR.get_or_init(|| Grammar::new($constant.into(), rules)))
        }
        #[cfg(not(feature = $feature))]
        fn grammar(_: &'static Rules) -> Option<&'static Grammar> {
            None
        }
        grammar
    }};
}

/// All languages. The first row that matches the file name or extension wins.
pub(crate) static TABLE: &[Row] = &[
    Row {
        name: "rust",
        extensions: &["rs"],
        rules: &rust::RULES,
        grammar: grammar!("rust", tree_sitter_rust::LANGUAGE),
        ..ROW
    },
    Row {
        name: "python",
        extensions: &["py", "pyi", "pyw"],
        files: &["SConstruct", "SConscript"],
        programs: &["python", "pypy"],
        rules: &python::RULES,
        grammar: grammar!("python", tree_sitter_python::LANGUAGE),
    },
    Row {
        name: "javascript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        programs: &["node", "nodejs", "deno", "bun"],
        rules: &javascript::RULES,
        grammar: grammar!("javascript", tree_sitter_javascript::LANGUAGE),
        ..ROW
    },
    Row {
        name: "typescript",
        extensions: &["ts", "mts", "cts"],
        rules: &typescript::RULES,
        grammar: grammar!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        ..ROW
    },
    Row {
        name: "tsx",
        extensions: &["tsx"],
        rules: &typescript::RULES,
        grammar: grammar!("typescript", tree_sitter_typescript::LANGUAGE_TSX),
        ..ROW
    },
    Row {
        name: "go",
        extensions: &["go"],
        rules: &go::RULES,
        grammar: grammar!("go", tree_sitter_go::LANGUAGE),
        ..ROW
    },
    Row {
        name: "java",
        extensions: &["java"],
        rules: &java::RULES,
        grammar: grammar!("java", tree_sitter_java::LANGUAGE),
        ..ROW
    },
    Row {
        name: "kotlin",
        extensions: &["kt", "kts"],
        programs: &["kotlin"],
        rules: &kotlin::RULES,
        grammar: grammar!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
        ..ROW
    },
    Row {
        name: "c",
        extensions: &["c", "h"],
        rules: &c::RULES,
        grammar: grammar!("c", tree_sitter_c::LANGUAGE),
        ..ROW
    },
    Row {
        name: "cpp",
        extensions: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "cu", "cuh"],
        rules: &cpp::RULES,
        grammar: grammar!("cpp", tree_sitter_cpp::LANGUAGE),
        ..ROW
    },
    Row {
        name: "csharp",
        extensions: &["cs", "csx"],
        rules: &csharp::RULES,
        grammar: grammar!("csharp", tree_sitter_c_sharp::LANGUAGE),
        ..ROW
    },
    Row {
        name: "ruby",
        extensions: &["rb", "rake", "gemspec", "ru"],
        files: &["Rakefile", "Gemfile", "Vagrantfile", "Podfile", "Fastfile"],
        programs: &["ruby", "jruby"],
        rules: &ruby::RULES,
        grammar: grammar!("ruby", tree_sitter_ruby::LANGUAGE),
    },
    Row {
        name: "php",
        extensions: &["php", "phtml"],
        programs: &["php"],
        rules: &php::RULES,
        grammar: grammar!("php", tree_sitter_php::LANGUAGE_PHP),
        ..ROW
    },
    Row {
        name: "swift",
        extensions: &["swift"],
        programs: &["swift"],
        rules: &swift::RULES,
        grammar: grammar!("swift", tree_sitter_swift::LANGUAGE),
        ..ROW
    },
    Row {
        name: "scala",
        extensions: &["scala", "sc", "sbt"],
        programs: &["scala", "scala-cli"],
        rules: &scala::RULES,
        grammar: grammar!("scala", tree_sitter_scala::LANGUAGE),
        ..ROW
    },
    Row {
        name: "lua",
        extensions: &["lua"],
        programs: &["lua", "luajit"],
        rules: &lua::RULES,
        grammar: grammar!("lua", tree_sitter_lua::LANGUAGE),
        ..ROW
    },
    Row {
        name: "bash",
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        files: &[".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
        programs: &["sh", "bash", "dash", "zsh", "ksh"],
        rules: &bash::RULES,
        grammar: grammar!("bash", tree_sitter_bash::LANGUAGE),
    },
    Row {
        name: "elixir",
        extensions: &["ex", "exs"],
        programs: &["elixir"],
        rules: &elixir::RULES,
        grammar: grammar!("elixir", tree_sitter_elixir::LANGUAGE),
        ..ROW
    },
    Row {
        name: "haskell",
        extensions: &["hs"],
        programs: &["runhaskell", "runghc"],
        rules: &haskell::RULES,
        grammar: grammar!("haskell", tree_sitter_haskell::LANGUAGE),
        ..ROW
    },
    Row {
        name: "ocaml",
        extensions: &["ml"],
        programs: &["ocaml"],
        rules: &ocaml::RULES,
        grammar: grammar!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
        ..ROW
    },
    Row {
        name: "ocaml-interface",
        extensions: &["mli"],
        rules: &ocaml::RULES,
        grammar: grammar!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE),
        ..ROW
    },
    Row {
        name: "zig",
        extensions: &["zig", "zon"],
        rules: &zig::RULES,
        grammar: grammar!("zig", tree_sitter_zig::LANGUAGE),
        ..ROW
    },
];
