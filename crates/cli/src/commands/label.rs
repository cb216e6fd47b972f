//! `cairn label`.

use std::ffi::OsString;
use std::process::ExitCode;

use anstyle::Style;
use app::verb::LabelChange;
use app::view::LabelView;
use app::{ChangeSet, Error, Project};
use clap::{Args, Subcommand};
use model::item_ref::ItemRef;
use model::patch::Patch;

use super::known::UnknownNameFlags;
use super::selection::Matching;
use crate::output::{Column, FAINT, GOOD, STRONG, Table, Ui, safe};

/// Add and remove labels: `cairn label 42 +bug -later`; declare the labels of the project.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn label 42 +bug -later
  cairn label 42 43 44 +release-2
  cairn label --where 'title ~ login' +login --yes
  cairn label define bug --color rose --about 'Something does not work'
  cairn label list")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Items, then labels: `+name` adds one, `-name` removes one.
    #[arg(required_unless_present = "unlabel", value_name = "ID… ±LABEL")]
    words: Vec<String>,
    #[command(flatten)]
    matching: Matching,
    /// Remove a label; the same as `-LABEL`.
    #[arg(long, value_name = "LABEL")]
    unlabel: Vec<String>,
    /// Fail if an item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
    #[command(flatten)]
    insist: UnknownNameFlags,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the declared labels, and those that items have.
    List,
    /// Declare a label, or change the given properties of one.
    #[command(after_help = "Examples:
  cairn label define bug --color rose --about 'Something does not work'
  cairn label define security --color '#b3261a'
  cairn label define bug --color ''")]
    Define {
        /// The label.
        name: String,
        /// Its color, as #rrggbb or one of rose, orange, gold, green, cyan, blue, violet, pink and gray; '' is neutral.
        /// `--color` does the same.
        #[arg(id = "label_color", long = "colour", value_name = "COLOR")]
        color: Option<String>,
        /// When to use it, in one line.
        #[arg(long, value_name = "TEXT")]
        about: Option<String>,
    },
    /// Remove the declaration of a label; items keep the label.
    Undefine {
        /// The label.
        name: String,
    },
}

/// Rewrites `-later` after `label` to `--unlabel=later`, so that clap does not parse it as a flag. `-C` and `-h` stay
/// flags. The color of a label may be given with `--color`, which is otherwise a global flag with other values.
pub(crate) fn spell_out(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = arguments.collect();
    let Some(command) = command_place(&words).filter(|place| words[*place] == "label") else { return words };
    if words.get(command + 1).is_some_and(|word| word == "define") {
        spell_color(&mut words[command + 2..]);
        return words;
    }
    // `-y` answers the question of `--where`; without it, it is a label.
    let asks = words.iter().any(|word| word.to_str().is_some_and(|word| word.split('=').next() == Some("--where")));
    for word in &mut words[command + 1..] {
        let name = word.to_str().and_then(|text| text.strip_prefix('-'));
        let is_flag = |name: &str| matches!(name, "C" | "h") || asks && name == "y";
        let is_label = |name: &&str| !name.is_empty() && !name.starts_with('-') && !is_flag(name);
        if let Some(name) = name.filter(is_label) {
            *word = format!("--unlabel={name}").into();
        }
    }
    words
}

fn spell_color(words: &mut [OsString]) {
    let is_global = |value: &str| matches!(value, "auto" | "always" | "never");
    for place in 0..words.len() {
        let value = words.get(place + 1).and_then(|value| value.to_str()).map(str::to_owned);
        let Some(word) = words[place].to_str() else { continue };
        if word == "--color" && value.is_some_and(|value| !is_global(&value)) {
            words[place] = "--colour".into();
        } else if let Some(value) = word.strip_prefix("--color=").filter(|value| !is_global(value)) {
            words[place] = format!("--colour={value}").into();
        }
    }
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
    match &arguments.action {
        None => return change_items(arguments, project, ui),
        Some(Action::List) => list(ui, &project.labels()?),
        Some(Action::Define { name, color, about }) => {
            let patch = |text: &Option<String>| text.clone().map_or(Patch::Keep, Patch::Set);
            let change = LabelChange { color: patch(color), about: patch(about) };
            changed(ui, "declared", &project.define_label(name, &change)?);
        }
        Some(Action::Undefine { name }) => changed(ui, "removed the declaration of", &project.undefine_label(name)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn changed(ui: &Ui, verb: &str, label: &LabelView) {
    if ui.json {
        ui.data(label);
    } else {
        ui.print(&format!("{GOOD}{verb}{GOOD:#} label {}\n", safe(&label.name)));
    }
}

fn list(ui: &Ui, labels: &[LabelView]) {
    if ui.json {
        ui.data(&labels);
        return;
    }
    if labels.is_empty() {
        ui.note("no labels yet; `cairn label define NAME` declares one, `cairn label ID +NAME` adds one to an item");
        return;
    }
    let mut table = Table::new(&[
        Column::fixed("LABEL"),
        Column::fixed("COLOR"),
        Column::main("ABOUT"),
        Column::number("ITEMS"),
        Column::fixed(""),
    ]);
    for label in labels {
        let plain = |text: String| (text, Style::new());
        table.row(vec![
            (label.name.clone(), STRONG),
            plain(label.color.clone().unwrap_or_default()),
            plain(label.about.clone()),
            plain(label.n_items.to_string()),
            (if label.declared { String::new() } else { "not declared".to_owned() }, FAINT),
        ]);
    }
    ui.print(&table.render());
}

fn change_items(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
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
    let has_items = !ids.is_empty() || arguments.matching.is_given();
    if !has_items || edit.add_labels.is_empty() && edit.remove_labels.is_empty() {
        return Err(Error::invalid("name at least one item and one label, such as `cairn label 42 +bug`"));
    }
    arguments.insist.check_changes(&mut project, &mut edit)?;
    let chosen = arguments.matching.select(&ids, "label", &project)?;
    chosen.apply(ui, "labeled", |ids| project.edit(ids, &edit))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_to_remove_are_distinguished_from_flags() {
        let check = |given: &str, expected: &str| {
            let words = spell_out(given.split(' ').map(OsString::from));
            assert_eq!(words.join(&OsString::from(" ")), expected);
        };
        check("cairn label 1 +a -b --json", "cairn label 1 +a --unlabel=b --json");
        check("cairn -C x label 1 -b -C y", "cairn -C x label 1 --unlabel=b -C y");
        check("cairn label define a --color rose", "cairn label define a --colour rose");
        check("cairn label define a --color=#ff0000", "cairn label define a --colour=#ff0000");
        check("cairn label define a --color never", "cairn label define a --color never");
        check("cairn list -n 5", "cairn list -n 5");
        check("cairn search label -n 5", "cairn search label -n 5");
        check("cairn -C label list -n 5", "cairn -C label list -n 5");
        check("cairn label 1 -y", "cairn label 1 --unlabel=y");
        check("cairn label --where x +a -b -y", "cairn label --where x +a --unlabel=b -y");
    }
}
