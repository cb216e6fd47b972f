//! OCaml, structures and interfaces.

use crate::Kind;
use crate::rules::{Named, Rules, Site, child, child_of_kind, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("let_binding", Kind::Constant, bound),
        child("external", Kind::Function, "value_name"),
        made("value_specification", Kind::Function, |site| {
            let operator = || site.child("parenthesized_operator");
            site.child("value_name").or_else(operator).map(operator_name)
        }),
        named("type_binding", Kind::Type),
        made("exception_definition", Kind::Type, |site| {
            let declaration = child_of_kind(site.node, "constructor_declaration")?;
            declaration.named_child(0).map(|name| Named::own(site.text_of(name)))
        }),
        child("module_binding", Kind::Module, "module_name"),
        child("module_type_definition", Kind::Interface, "module_type_name"),
        child("class_binding", Kind::Class, "class_name"),
        child("class_type_binding", Kind::Interface, "class_type_name"),
        child("method_definition", Kind::Method, "method_name"),
        child("method_specification", Kind::Method, "method_name"),
        child("instance_variable_definition", Kind::Property, "instance_variable_name"),
    ],
    attributes: &["item_attribute"],
    wrappers: &[
        "value_definition",
        "module_definition",
        "type_definition",
        "class_definition",
        "class_type_definition",
    ],
    values: &["module_type", "class_type"],
    ..Rules::NONE
};

/// `let f x = …` and `let f = fun x -> …` are functions.
fn bound(site: &Site<'_, '_>) -> Option<Named> {
    let pattern = site.field_node("pattern")?;
    let is_name = matches!(pattern.kind(), "value_name" | "value_pattern" | "parenthesized_operator");
    let body = site.field_node("body").map_or("", |body| body.kind());
    let is_function =
        child_of_kind(site.node, "parameter").is_some() || matches!(body, "fun_expression" | "function_expression");
    let name = is_name.then(|| operator_name(site.text_of(pattern))).filter(|name| name.own != "_")?;
    Some(if is_function { name.being(Kind::Function) } else { name })
}

/// Strips the parentheses: `( + )` is named `+`.
fn operator_name(name: &str) -> Named {
    Named::own(name.trim_matches(['(', ')', ' ']))
}
