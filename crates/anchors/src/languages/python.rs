//! Python.

use tree_sitter::Node;

use crate::Kind;
use crate::rules::{Joins, Named, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_definition", Kind::Function),
        named("class_definition", Kind::Class),
        made("assignment", Kind::Variable, assigned),
        made("type_alias_statement", Kind::Type, |site| {
            site.field("left").and_then(|left| left.split('[').next()).map(Named::own)
        }),
    ],
    attributes: &["decorator"],
    wrappers: &["decorated_definition", "expression_statement"],
    values: &["right"],
    docstring: Some(docstring),
    joins: Joins::Clauses,
    ..Rules::NONE
};

fn assigned(site: &Site<'_, '_>) -> Option<Named> {
    let left = site.field_node("left").filter(|left| left.kind() == "identifier")?;
    let name = Named::own(site.text_of(left));
    let is_constant = !name.own.chars().any(char::is_lowercase);
    Some(if is_constant { name.being(Kind::Constant) } else { name })
}

fn docstring(body: Node<'_>) -> Option<Node<'_>> {
    let statement = body.named_child(0).filter(|first| first.kind() == "expression_statement")?;
    statement.named_child(0).filter(|expression| expression.kind() == "string")
}
