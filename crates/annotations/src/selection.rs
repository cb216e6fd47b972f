//! Included files: `ultragit.include` and `ultragit.exclude`, patterns in git's configuration or in
//! `.ultragit-config.toml` in the root of the work tree.

use app::Error;
use globset::{Glob, GlobSet, GlobSetBuilder};
use toml_edit::DocumentMut;

use crate::Annotations;

/// The configuration file besides git's.
const FILE: &str = ".ultragit-config.toml";

/// Patterns of included and excluded files.
#[derive(Debug)]
pub(super) struct Selection {
    /// Only these; `None` for all.
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Selection {
    /// Returns whether a file is included.
    pub(super) fn includes(&self, file: &str) -> bool {
        self.include.as_ref().is_none_or(|include| include.is_match(file)) && !self.exclude.is_match(file)
    }
}

impl Annotations<'_> {
    pub(super) fn selection(&self) -> Result<Selection, Error> {
        let include = self.patterns("include")?;
        let exclude = self.patterns("exclude")?;
        Ok(Selection { include: if include.is_empty() { None } else { Some(set(&include)?) }, exclude: set(&exclude)? })
    }

    fn patterns(&self, key: &str) -> Result<Vec<String>, Error> {
        let repository = self.store().repository();
        let configured = repository.config_strings(&format!("ultragit.{key}"))?;
        let mut patterns: Vec<String> =
            configured.iter().flat_map(|value| separate(value)).map(str::to_owned).collect();
        if let Some(bytes) = repository.work_tree_file(FILE)? {
            let text = String::from_utf8_lossy(&bytes);
            let document: DocumentMut =
                text.parse().map_err(|error| Error::invalid(format!("`{FILE}` is not valid TOML: {error}")))?;
            let section = document.get("ultragit").and_then(|item| item.get(key));
            patterns.extend(strings(document.get(key)));
            patterns.extend(strings(section));
        }
        Ok(patterns
            .into_iter()
            .map(|pattern| pattern.trim().to_owned())
            .filter(|pattern| !pattern.is_empty())
            .collect())
    }
}

/// Splits a list at its commas, except for those of a pattern such as `*.{js,ts}`.
fn separate(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |mark: char| {
        match mark {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        mark == ',' && depth == 0
    })
}

fn strings(item: Option<&toml_edit::Item>) -> Vec<String> {
    match item.and_then(toml_edit::Item::as_value) {
        Some(toml_edit::Value::String(one)) => vec![one.value().clone()],
        Some(toml_edit::Value::Array(many)) => {
            many.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// Compiles patterns. A folder matches everything in it.
fn set(patterns: &[String]) -> Result<GlobSet, Error> {
    let mut builder = GlobSetBuilder::new();
    let bad = |pattern: &str, error: &globset::Error| Error::invalid(format!("invalid pattern `{pattern}`: {error}"));
    for pattern in patterns {
        for text in [pattern.clone(), format!("{}/**", pattern.trim_end_matches('/'))] {
            builder.add(Glob::new(&text).map_err(|error| bad(&text, &error))?);
        }
    }
    builder.build().map_err(|error| bad("the patterns", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_braces_do_not_separate_patterns() {
        let check = |list: &str, expected: &[&str]| assert_eq!(separate(list).collect::<Vec<_>>(), expected);
        check("src", &["src"]);
        check("src,gen/**", &["src", "gen/**"]);
        check("*.{js,ts},docs/{a,{b,c}},x", &["*.{js,ts}", "docs/{a,{b,c}}", "x"]);
        check("}a,b", &["}a", "b"]);
    }
}
