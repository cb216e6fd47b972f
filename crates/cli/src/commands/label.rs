//! `cairn label`.

use std::ffi::OsString;
use std::process::ExitCode;

use app::{ChangeSet, Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use super::print_changed;
use crate::output::Ui;

/// Add and remove labels: `cairn label 42 +bug -later`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn label 42 +bug -later
  cairn label 42 43 44 +release-2")]
pub(crate) struct Arguments {
    /// Items, then labels: `+name` adds one, `-name` removes one.
    #[arg(required = true, value_name = "ID… ±LABEL")]
    words: Vec<String>,
    /// Remove a label; the same as `-LABEL`.
    #[arg(long, value_name = "LABEL")]
    unlabel: Vec<String>,
    /// Fail if an item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

/// Rewrites `-later` after `label` to `--unlabel=later`, so that clap does not parse it as a flag. `-C` and `-h` stay
/// flags.
pub(crate) fn spell_out(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = arguments.collect();
    let Some(command) = command_place(&words).filter(|place| words[*place] == "label") else { return words };
    for word in &mut words[command + 1..] {
        let name = word.to_str().and_then(|text| text.strip_prefix('-'));
        let is_label = |name: &&str| !name.is_empty() && !name.starts_with('-') && !matches!(*name, "C" | "h");
        if let Some(name) = name.filter(is_label) {
            *word = format!("--unlabel={name}").into();
        }
    }
    words
}

// The first word that is neither a global flag nor its value.
fn command_place(words: &[OsString]) -> Option<usize> {
    let mut place = 1;
    while let Some(word) = words.get(place) {
        let takes_value = word == "-C" || word == "--repo" || word == "--color";
        if !takes_value && !word.to_str().is_some_and(|text| text.starts_with('-')) {
            return Some(place);
        }
        place += if takes_value { 2 } else { 1 };
    }
    None
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let mut ids = Vec::new();
    let mut edit = ChangeSet {
        remove_labels: arguments.unlabel.clone(),
        if_unchanged: arguments.if_unchanged.clone(),
        ..ChangeSet::default()
    };
    for word in &arguments.words {
        if let Some(label) = word.strip_prefix('+') {
            edit.add_labels.push(label.to_owned());
        } else if edit.add_labels.is_empty() {
            ids.push(ItemRef::parse(word));
        } else {
            return Err(Error::invalid(format!("`{word}` is neither +LABEL nor -LABEL; items come first")));
        }
    }
    if ids.is_empty() || edit.add_labels.is_empty() && edit.remove_labels.is_empty() {
        return Err(Error::invalid("name at least one item and one label, such as `cairn label 42 +bug`"));
    }
    let items = project.edit(&ids, &edit)?;
    print_changed(ui, "labeled", &items);
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_to_remove_are_told_from_flags() {
        let check = |given: &str, expected: &str| {
            let words = spell_out(given.split(' ').map(OsString::from));
            assert_eq!(words.join(&OsString::from(" ")), expected);
        };
        check("cairn label 1 +a -b --json", "cairn label 1 +a --unlabel=b --json");
        check("cairn -C x label 1 -b -C y", "cairn -C x label 1 --unlabel=b -C y");
        check("cairn list -n 5", "cairn list -n 5");
        check("cairn search label -n 5", "cairn search label -n 5");
        check("cairn -C label list -n 5", "cairn -C label list -n 5");
    }
}
