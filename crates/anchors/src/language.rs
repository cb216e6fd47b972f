//! Detects the language of a text from its file name and its first line.

use std::fmt;

use crate::grammar::Grammar;
use crate::languages::{Row, TABLE};

/// A supported language, whether or not this build includes its grammar.
#[derive(Clone, Copy)]
pub struct Language(&'static Row);

impl Language {
    /// Returns all supported languages.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(Self)
    }

    /// Returns the language with this name, such as `csharp`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|language| language.name() == name)
    }

    /// Returns the language of a file by its name alone.
    pub fn of_path(path: &str) -> Option<Self> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (_, extension) = file.rsplit_once('.').unwrap_or_default();
        let extension = extension.to_ascii_lowercase();
        Self::all().find(|Self(row)| row.files.contains(&file) || row.extensions.contains(&extension.as_str()))
    }

    /// Returns the language of a file by its name, or else by the `#!` in its first line.
    pub fn detect(path: &str, text: &str) -> Option<Self> {
        match Self::of_path(path) {
            Some(_) if has_extension(path, "h") && looks_like_cpp(text) => Self::named("cpp"),
            Some(language) => Some(language),
            None => Self::of_shebang(text),
        }
    }

    fn of_shebang(text: &str) -> Option<Self> {
        let line = text.trim_start_matches('\u{feff}').strip_prefix("#!")?.lines().next()?;
        let words = line.split_whitespace().filter_map(|word| word.rsplit('/').next());
        let mut programs = words.filter(|word| *word != "env" && !word.starts_with('-') && !word.contains('='));
        let program = programs.next()?.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Self::all().find(|Self(row)| row.programs.contains(&program))
    }

    /// Returns the name in lower case, such as `csharp`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns whether this build includes its grammar.
    pub fn is_built_in(self) -> bool {
        self.grammar().is_some()
    }

    pub(crate) fn grammar(self) -> Option<&'static Grammar> {
        (self.0.grammar)(self.0.rules)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.name())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(extension))
}

/// Returns whether a header has a line that begins with a C++ keyword.
fn looks_like_cpp(text: &str) -> bool {
    const WORDS: &[&str] =
        &["namespace ", "class ", "template<", "template <", "using ", "public:", "private:", "protected:"];
    text.lines().any(|line| WORDS.iter().any(|word| line.trim_start().starts_with(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, text: &str) -> &'static str {
        Language::detect(path, text).map_or("none", Language::name)
    }

    #[test]
    fn extension_decides() {
        assert_eq!(name("src/lib.rs", "#!/bin/sh"), "rust");
        assert_eq!(name("a\\B.PY", ""), "python");
        assert_eq!(name("a.rs/readme", ""), "none");
        assert_eq!(name("rs", ""), "none");
        assert_eq!(name("", ""), "none");
    }

    #[test]
    fn header_is_of_the_language_it_is_written_in() {
        assert_eq!(name("a.h", "struct a { int b; };\n"), "c");
        assert_eq!(name("a.H", "namespace a {\n  class B;\n}\n"), "cpp");
    }

    #[test]
    fn shebang_decides_where_the_name_does_not() {
        assert_eq!(name("tool", "#!/usr/bin/env python3\n"), "python");
        assert_eq!(name("tool", "#!/usr/bin/env -S A=b python3.12 -u\n"), "python");
        assert_eq!(name("tool", "\u{feff}#! /usr/bin/node"), "javascript");
        assert_eq!(name("tool", "#!\n"), "none");
        assert_eq!(name("tool", "plain"), "none");
    }

    #[test]
    fn names_and_extensions_are_given_once() {
        let check = |words: Vec<&'static str>| {
            let mut once = words.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), words.len(), "{words:?}");
        };
        check(TABLE.iter().map(|row| row.name).collect());
        check(TABLE.iter().flat_map(|row| row.extensions).copied().collect());
        check(TABLE.iter().flat_map(|row| row.files).copied().collect());
        check(TABLE.iter().flat_map(|row| row.programs).copied().collect());
    }
}
