//! Formats the result of `context`: as compact as a model can read it, since it is read before every change.

use std::fmt::Write as _;

use inbox::view::MessageView;
use model::person::Person;

use super::{heading, kind, names, quoted, remarks, status};
use crate::view::{ContextCommitView, ContextTrimmedView, ContextView, ConventionView, RegionView, TouchingView};

/// Below this confidence an annotation is marked.
const LOW_CONFIDENCE: f64 = 0.5;
/// Length of a shown commit id.
const SHORT_ID: usize = 8;

/// Formats the result of `context`.
pub fn context(view: &ContextView) -> String {
    let query = &view.annotations.query;
    let mut text = heading(&query.file, query.anchor.as_deref(), query.lines).trim_end().to_owned();
    text.push('\n');
    remarks(&mut text, &view.annotations.aside);
    if view.is_empty() {
        text.push_str("Nothing is known about this code.\n");
    }
    section(&mut text, "Messages", view.messages.iter().map(one_message));
    section(&mut text, "Annotations", view.annotations.regions.iter().map(one_region));
    let dependents = view.annotations.dependencies_on_this.iter().map(|dependent| {
        format!("- `{}` in {}: {}\n", dependent.from_anchor, dependent.from_file, indented(&dependent.nature))
    });
    section(&mut text, "Relied on by", dependents);
    let concerns = view.annotations.cross_cutting.iter();
    section(&mut text, "Across regions", concerns.map(|concern| format!("- {}\n", quoted(&concern.to_string()))));
    section(&mut text, "Conventions", view.conventions.iter().map(one_convention));
    section(&mut text, "Open items", view.items.iter().map(one_item));
    section(&mut text, "Resolved messages", view.resolved.iter().map(one_message));
    section(&mut text, "Last commits", view.commits.iter().map(one_commit));
    text.push_str(&left_out(view));
    text
}

fn section(text: &mut String, title: &str, parts: impl Iterator<Item = String>) {
    let parts: String = parts.collect();
    if !parts.is_empty() {
        let _ = write!(text, "## {title}\n{parts}");
    }
}

fn one_region(region: &RegionView) -> String {
    let mut text = format!("- `{}`: {}{}", names(region), kind(region), indented(&region.intent));
    let _ = writeln!(text, " [{}]", origin(region));
    for constraint in &region.constraints {
        let _ = writeln!(text, "  - must hold: {}", indented(&constraint.text));
    }
    let parts = [("why", region.reasoning.as_deref()), ("risk", region.risk_notes.as_deref())];
    for (name, part) in parts {
        let _ = part.map(|part| writeln!(text, "  - {name}: {}", indented(part)));
    }
    for correction in &region.corrections {
        let author = Person::parse(&correction.author);
        let _ = writeln!(text, "  - {} by {}: {}", correction.kind, author.short(), indented(&correction.text));
    }
    for link in &region.related {
        let intent = link.intent.as_deref().map(|intent| format!(": {}", indented(intent))).unwrap_or_default();
        let _ = writeln!(text, "  - see `{}` ({}){intent}", link.anchor, link.relationship);
    }
    if !region.tags.is_empty() {
        let _ = writeln!(text, "  - tags: {}", region.tags.join(", "));
    }
    text
}

/// Returns the commit of an annotation and what a reader must know about its age.
fn origin(region: &RegionView) -> String {
    let mut parts = vec![short(&region.commit).to_owned()];
    let status = status(region);
    parts.extend((status != "current").then_some(status));
    parts.extend((region.confidence < LOW_CONFIDENCE).then(|| format!("confidence {:.2}", region.confidence)));
    parts.extend(region.knowledge.until.as_deref().map(|day| format!("until {day}")));
    parts.extend(region.knowledge.aged.map(|aged| aged.to_string()));
    parts.join(", ")
}

fn one_convention(convention: &ConventionView) -> String {
    let why = convention.reasoning.as_deref().map(|why| format!(" ({})", indented(why))).unwrap_or_default();
    let aged = convention.aged.map(|aged| format!("{aged}: ")).unwrap_or_default();
    format!("- {aged}in `{}`: {}{why}\n", convention.folder, indented(&convention.text))
}

fn one_item(item: &TouchingView) -> String {
    format!("- #{} {} {} {}\n", item.number, item.kind, item.status, item.title)
}

fn one_message(message: &MessageView) -> String {
    let id = message.id.get(message.id.len().saturating_sub(6)..).unwrap_or(&message.id);
    let lines = message.lines.map(|lines| format!(", lines {lines}")).unwrap_or_default();
    let author = Person::parse(&message.author);
    format!("- {id} {} by {}{lines}: {}\n", message.kind, author.short(), indented(&message.comment))
}

fn one_commit(commit: &ContextCommitView) -> String {
    format!("- {} {} {}: {}\n", short(&commit.commit), commit.date, commit.author, indented(&commit.subject))
}

/// Formats the counts of the parts that the budget left out.
fn left_out(view: &ContextView) -> String {
    let annotations = view.annotations.trimmed.unwrap_or_default();
    let ContextTrimmedView { items, messages, commits, conventions } = view.trimmed.unwrap_or_default();
    let counts = [
        (annotations.regions, "annotations"),
        (annotations.reasoning + annotations.risk_notes + annotations.related + annotations.tags, "details"),
        (annotations.dependencies_on_this, "dependents"),
        (annotations.cross_cutting, "concerns"),
        (conventions, "conventions"),
        (items, "items"),
        (messages, "messages"),
        (commits, "commits"),
    ];
    let named: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if named.is_empty() { String::new() } else { format!("Left out: {}.\n", named.join(", ")) }
}

/// Formats a text inside a list item.
fn indented(text: &str) -> String {
    quoted(text.trim()).trim_end().replace('\n', "\n    ")
}

fn short(commit: &str) -> &str {
    commit.get(..SHORT_ID).unwrap_or(commit)
}
