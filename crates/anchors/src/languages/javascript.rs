//! JavaScript, and what TypeScript shares with it.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::rules::{DeclaredName, Joins, Rule, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_declaration", SymbolKind::Function),
        named("generator_function_declaration", SymbolKind::Function),
        named("class_declaration", SymbolKind::Class),
        METHOD,
        VARIABLE,
        ASSIGNMENT,
        PAIR,
        made("field_definition", SymbolKind::Property, |site| class_field(site, "property")),
    ],
    comments: &["comment", "html_comment"],
    attributes: &["decorator"],
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    values: &["value", "right"],
    joins: Joins::Signatures,
    ..Rules::NONE
};

pub(super) const METHOD: Rule = named("method_definition", SymbolKind::Method);

/// `const f = () => …` is a function, `const a = 1` a constant.
pub(super) const VARIABLE: Rule = made("variable_declarator", SymbolKind::Variable, |site| {
    let name = site.field_node("name").filter(|name| name.kind() == "identifier")?;
    let named = DeclaredName::own(site.text_of(name));
    let is_constant = site.parent.is_some_and(|parent| site.text_of(parent).starts_with("const"));
    Some(match site.field_node("value").and_then(bound_kind) {
        Some(kind) => named.being(kind),
        None if is_constant => named.being(SymbolKind::Constant),
        None => named,
    })
});

/// `exports.f = function …` and `A.prototype.m = function …`.
pub(super) const ASSIGNMENT: Rule = made("assignment_expression", SymbolKind::Function, |site| {
    let left = site.field_node("left").filter(|left| left.kind() == "member_expression")?;
    let kind = bound_kind(site.field_node("right")?)?;
    let path = site.text_of(left);
    // If the only export of a module has its own name, people know it by that name.
    let own = site.field_node("right").and_then(|right| right.child_by_field_name("name"));
    if let Some(own) = own.filter(|_| path == "module.exports") {
        let also = vec!["module::exports".to_owned()];
        return Some(DeclaredName { also, ..DeclaredName::own(site.text_of(own)) }.being(kind));
    }
    let path = path.strip_prefix("module.exports.").or(path.strip_prefix("exports.")).unwrap_or(path);
    let named = DeclaredName::path(&path.replace(".prototype.", "."));
    let is_method = named.owner.is_some() && kind == SymbolKind::Function;
    Some(named.being(if is_method { SymbolKind::Method } else { kind }))
});

/// `name: () => …` in an object.
pub(super) const PAIR: Rule = made("pair", SymbolKind::Method, |site| {
    let is_function = site.field_node("value").and_then(bound_kind) == Some(SymbolKind::Function);
    site.field("key").filter(|_| is_function).map(DeclaredName::own)
});

/// A field of a class: a method if it holds a function.
pub(super) fn class_field(site: &Site<'_, '_>, name: &str) -> Option<DeclaredName> {
    let named = DeclaredName::own(site.field(name)?);
    let is_function = site.field_node("value").and_then(bound_kind) == Some(SymbolKind::Function);
    Some(if is_function { named.being(SymbolKind::Method) } else { named })
}

/// Returns the kind of a name that is bound to this expression; `None` for a plain value.
fn bound_kind(value: Node<'_>) -> Option<SymbolKind> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => Some(SymbolKind::Function),
        "class" => Some(SymbolKind::Class),
        _ => None,
    }
}
