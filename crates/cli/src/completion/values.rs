//! The values that stand in the project: items with their titles, statuses, labels, people, messages, code.

use std::path::Path;
use std::sync::Arc;

use app::verb::ListOptions;
use app::view::{ItemView, MemberView};
use app::{Env, Error, Project};
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use inbox::{Inbox, MessageFilter};
use model::item::ItemKind;
use model::message::MessageKind;
use model::priority::PriorityLevel;
use model::size::Size;
use model::sort::SortField;
use model::workflow::Category;

use super::Context;
use super::source::{Source, Words};
use crate::output::safe;

/// Maximum number of items and messages: more than a screen is not read but narrowed by typing.
const MAX_ITEMS: usize = 60;

/// The tag of values with a description worth showing in every shell.
pub(super) const DESCRIBED: &str = "described";

/// Returns the values of a source that fit what is typed.
pub(super) fn of(source: Source, context: &Context, current: &str) -> Vec<CompletionCandidate> {
    let read = |read: &dyn Fn(&Project) -> Result<Vec<CompletionCandidate>, Error>| {
        open(context).and_then(|project| read(&project)).unwrap_or_default()
    };
    match source {
        Source::Items(kind) => read(&|project| items(project, kind, current)),
        Source::ClosedItems => read(&|project| closed_items(project, current)),
        Source::ItemsThenPerson if context.has_value_of("assign") => read(&|project| people(project, current)),
        Source::ItemsThenStatus if context.has_value_of("status") => {
            read(&|project| statuses(project, context, current))
        }
        Source::ItemsThenLabels if current.starts_with(['+', '-']) => read(&|project| label_changes(project, current)),
        Source::ItemsThenPerson | Source::ItemsThenStatus | Source::ItemsThenLabels => {
            read(&|project| items(project, None, current))
        }
        Source::Kinds => words(ItemKind::ALL.map(ItemKind::name), current),
        Source::Statuses => read(&|project| statuses(project, context, current)),
        Source::Labels => read(&|project| Ok(words(labels(project)?, current))),
        Source::People => read(&|project| people(project, current)),
        Source::Messages => messages(context, current).unwrap_or_default(),
        Source::Paths => paths(context, current),
        Source::Anchors => anchors(context, current),
        Source::PathAndAnchor => path_and_anchor(context, current),
        Source::SortKeys => words(sort_keys(), current),
        Source::Words(fixed) => words(fixed.all(), current),
    }
}

impl Words {
    fn all(self) -> Vec<&'static str> {
        match self {
            Self::Priorities => PriorityLevel::ALL.iter().rev().map(|level| level.word()).collect(),
            Self::Sizes => Size::ALL.map(Size::name).to_vec(),
            Self::Categories => Category::ALL.map(Category::name).to_vec(),
            Self::MessageKinds => MessageKind::ALL.map(MessageKind::name).to_vec(),
            Self::Dates => vec!["today", "tomorrow"],
            Self::YesOrNo => vec!["yes", "no"],
        }
    }
}

fn open(context: &Context) -> Result<Project, Error> {
    // Notices would be written into the line being typed.
    Project::open(&context.repo, Env::default(), Arc::new(|_| {}))
}

fn words<T: Into<String>>(all: impl IntoIterator<Item = T>, current: &str) -> Vec<CompletionCandidate> {
    let fitting = all.into_iter().map(Into::into).filter(|word: &String| word.starts_with(current));
    fitting.map(CompletionCandidate::new).collect()
}

fn described(value: String, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(safe(about).into())).tag(Some(DESCRIBED.into()))
}

/// Returns the open items whose number begins as typed; closed ones too once a digit is typed. A typed word is searched
/// for in titles, for shells that do not filter themselves.
fn items(project: &Project, kind: Option<ItemKind>, current: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let typed = current.rsplit('/').next().unwrap_or_default();
    let mut options = ListOptions {
        kinds: kind.into_iter().collect(),
        limit: Some(MAX_ITEMS),
        all: !typed.is_empty(),
        ..ListOptions::default()
    };
    if typed.starts_with(|c: char| c.is_ascii_digit()) {
        let Some(filter) = number_prefix(typed) else { return Ok(Vec::new()) };
        options.filter = Some(filter);
        options.sort = vec!["number".to_owned()];
    } else if !typed.is_empty() {
        options.words = Some(typed.to_owned());
    }
    let found = project.list(&options)?;
    Ok(found.items.iter().map(|item| item_candidate(item, kind)).collect())
}

fn closed_items(project: &Project, current: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let among = number_prefix(current).map(|filter| format!(" and ({filter})")).unwrap_or_default();
    let mut found = Vec::new();
    for (filter, deleted) in [("state == closed", false), ("", true)] {
        let filter = format!("{filter}{among}");
        let filter = Some(filter.trim_start_matches(" and ").to_owned()).filter(|filter| !filter.is_empty());
        let options = ListOptions { filter, all: true, deleted, limit: Some(MAX_ITEMS), ..ListOptions::default() };
        found.extend(project.list(&options)?.items.into_iter().filter(|item| item.deleted == deleted));
    }
    Ok(found.iter().map(|item| item_candidate(item, None)).collect())
}

/// Returns a filter for the numbers that begin with these digits; `None` if it is not a number.
fn number_prefix(digits: &str) -> Option<String> {
    const MAX_DIGITS: usize = 7;
    let first: u64 = digits.parse().ok()?;
    let mut ranges = vec![format!("number == {first}")];
    for more in 1..=MAX_DIGITS.saturating_sub(digits.len()) {
        let width = 10_u64.pow(u32::try_from(more).ok()?);
        ranges.push(format!("number >= {} and number < {}", first * width, (first + 1) * width));
    }
    Some(ranges.iter().map(|range| format!("({range})")).collect::<Vec<_>>().join(" or "))
}

// A bare number belongs to the kind that an argument takes; elsewhere to work items, so that others need their kind.
fn item_candidate(item: &ItemView, kind: Option<ItemKind>) -> CompletionCandidate {
    let name = if kind == Some(item.kind) { item.number.to_string() } else { item.name() };
    described(name.trim_start_matches('#').to_owned(), &item.title)
}

fn labels(project: &Project) -> Result<Vec<String>, Error> {
    Ok(project.index().labels()?)
}

fn label_changes(project: &Project, current: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let (sign, typed) = current.split_at(1);
    let fitting = labels(project)?.into_iter().filter(|label| label.starts_with(typed));
    Ok(fitting.map(|label| CompletionCandidate::new(format!("{sign}{label}"))).collect())
}

/// Returns the statuses of the kind in the line, or of all kinds.
fn statuses(project: &Project, context: &Context, current: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let kind = context.before.iter().find_map(|word| ItemKind::from_name(word));
    let mut names: Vec<String> = Vec::new();
    for workflow in project.workflows(kind)? {
        for status in workflow.statuses {
            if !names.contains(&status.name) {
                names.push(status.name);
            }
        }
    }
    Ok(words(names, current))
}

fn people(project: &Project, current: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let members = project.members()?;
    let known = members.iter().map(|member| described(short_name(member).to_owned(), &member.name));
    let all = std::iter::once(CompletionCandidate::new("me")).chain(known);
    Ok(all.filter(|one| one.get_value().to_string_lossy().starts_with(current)).collect())
}

/// Returns what to type for a person: the user name, else the address, else the name.
fn short_name(member: &MemberView) -> &str {
    let names = [&member.username, &member.email, &member.name];
    names.into_iter().find(|name| !name.is_empty()).map_or("", String::as_str)
}

fn messages(context: &Context, current: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let inbox = Inbox::open(&context.repo, Env::default())?.list_with_drafts(MessageFilter::All)?;
    let newest = inbox.items.iter().rev().take(MAX_ITEMS);
    let short = |id: &str| id[id.len().saturating_sub(6)..].to_owned();
    let about = |comment: &str| comment.lines().next().unwrap_or_default().to_owned();
    let all = newest.map(|message| described(short(&message.id), &about(&message.comment)));
    Ok(all.filter(|one| one.get_value().to_string_lossy().starts_with(current)).collect())
}

fn paths(context: &Context, current: &str) -> Vec<CompletionCandidate> {
    let here = std::env::current_dir().unwrap_or_default().join(&context.repo);
    PathCompleter::any().current_dir(here).complete(current.as_ref())
}

/// Returns the functions and types of the nearest file before the current word.
fn anchors(context: &Context, current: &str) -> Vec<CompletionCandidate> {
    let file = context.before.iter().rev().find(|word| context.repo.join(word).is_file());
    file.map(|file| symbols(&context.repo, file, current)).unwrap_or_default()
}

fn path_and_anchor(context: &Context, current: &str) -> Vec<CompletionCandidate> {
    match current.split_once(':') {
        Some((file, typed)) => {
            let found = symbols(&context.repo, file, typed);
            found.into_iter().map(|one| one.add_prefix(format!("{file}:"))).collect()
        }
        None => paths(context, current),
    }
}

fn symbols(repo: &Path, file: &str, current: &str) -> Vec<CompletionCandidate> {
    let text = std::fs::read_to_string(repo.join(file)).unwrap_or_default();
    let fitting = annotations::symbols(file, &text).into_iter().filter(|symbol| symbol.name.starts_with(current));
    fitting.map(|symbol| described(symbol.name, &symbol.signature)).collect()
}

fn sort_keys() -> impl Iterator<Item = String> {
    SortField::NAMES.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("{name}:desc")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_first_digits() {
        let filter = number_prefix("42").unwrap();
        assert!(filter.starts_with("(number == 42) or (number >= 420 and number < 430) or"), "{filter}");
        assert_eq!(number_prefix("12345678").unwrap(), "(number == 12345678)");
        assert_eq!(number_prefix("4x"), None);
    }
}
