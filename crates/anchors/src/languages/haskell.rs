//! Haskell. A type signature and the equations after it are one symbol.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Joins, Rules, Site, child_of_kind, made, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("signature", SymbolKind::Function, |site| {
            let names = site.field("name").or_else(|| site.field("names"))?;
            names.split(',').next().map(operator)
        }),
        made("function", SymbolKind::Function, equation),
        made("bind", SymbolKind::Constant, |site| {
            let is_statement = site.field_node("arrow").is_some();
            site.field("name").filter(|_| !is_statement).map(operator)
        }),
        made("data_type", SymbolKind::Type, plain),
        made("newtype", SymbolKind::Type, plain),
        made("type_synonym", SymbolKind::Type, plain),
        made("type_family", SymbolKind::Type, plain),
        made("data_family", SymbolKind::Type, plain),
        made("class", SymbolKind::Trait, plain),
        made("instance", SymbolKind::Impl, instance),
        made("foreign_import", SymbolKind::Function, |site| {
            site.field_node("signature")?.child_by_field_name("name").map(|name| operator(site.text_of(name)))
        }),
    ],
    comments: &["comment", "haddock"],
    attributes: &["pragma"],
    values: &["match", "constructors", "constructor", "declarations"],
    joins: Joins::Clauses,
    ..Rules::NONE
};

/// Strips the parentheses: `(<>)` is named `<>`.
fn operator(name: &str) -> DeclaredName {
    DeclaredName::own(name.trim().trim_matches(['(', ')', ' ']))
}

fn plain(site: &Site<'_, '_>) -> Option<DeclaredName> {
    site.field("name").map(operator)
}

/// An equation may define an infix operator; a function type is not an equation.
fn equation(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let between = || child_of_kind(site.node, "infix")?.child_by_field_name("operator");
    let name = site.field_node("name").or_else(between)?;
    Some(operator(site.text_of(name)))
}

/// An instance is named by its head; its members belong to the type, and their precise name contains the class.
fn instance(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let class = one_line(site.field("name")?);
    let subject = one_line(site.field("patterns")?);
    let bare = subject.trim_matches(['(', ')', '[', ']']).split(' ').next().unwrap_or(&subject).to_owned();
    let precise = Some(format!("<{subject} as {class}>"));
    Some(DeclaredName {
        own: format!("instance {class} {subject}"),
        scope: Some(bare),
        precise,
        ..DeclaredName::default()
    })
}
