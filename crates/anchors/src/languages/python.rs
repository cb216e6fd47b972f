//! Python.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::rules::{DeclaredName, Joins, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_definition", SymbolKind::Function),
        named("class_definition", SymbolKind::Class),
        made("assignment", SymbolKind::Variable, assigned),
        made("type_alias_statement", SymbolKind::Type, |site| {
            site.field("left").and_then(|left| left.split('[').next()).map(DeclaredName::own)
        }),
    ],
    attributes: &["decorator"],
    wrappers: &["decorated_definition", "expression_statement"],
    values: &["right"],
    docstring: Some(docstring),
    joins: Joins::Attributes,
    is_part,
    ..Rules::NONE
};

fn assigned(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let left = site.field_node("left").filter(|left| left.kind() == "identifier")?;
    let name = DeclaredName::own(site.text_of(left));
    let is_constant = !name.own.chars().any(char::is_lowercase);
    Some(if is_constant { name.being(SymbolKind::Constant) } else { name })
}

fn docstring(body: Node<'_>) -> Option<Node<'_>> {
    let statement = body.named_child(0).filter(|first| first.kind() == "expression_statement")?;
    statement.named_child(0).filter(|expression| expression.kind() == "string")
}

/// An overload belongs to the function that it overloads, and the accessors of a property are one symbol. The two
/// functions of an `if` and its `else`, or several registered as `_`, are separate symbols.
fn is_part(before: &str, next: &str, name: &str) -> bool {
    let is_overload = |decorator: &str| decorator.rsplit('.').next() == Some("overload");
    let is_accessor = |decorator: &str| {
        let parts = decorator.rsplit_once('.').filter(|(_, role)| matches!(*role, "getter" | "setter" | "deleter"));
        parts.is_some_and(|(property, _)| property.rsplit('.').next() == Some(name))
    };
    decorators(before).any(is_overload) || decorators(next).any(is_accessor)
}

/// Returns the names of decorators, without their arguments.
fn decorators(attributes: &str) -> impl Iterator<Item = &str> {
    let lines = attributes.lines().filter_map(|line| line.trim().strip_prefix('@'));
    lines.filter_map(|line| line.split(['(', '#', ' ', '\t']).next())
}
