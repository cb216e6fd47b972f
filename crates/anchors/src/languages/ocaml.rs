//! OCaml, structures and interfaces.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, child, child_of_kind, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("let_binding", SymbolKind::Constant, bound),
        child("external", SymbolKind::Function, "value_name"),
        made("value_specification", SymbolKind::Function, |site| {
            let operator = || site.child("parenthesized_operator");
            site.child("value_name").or_else(operator).map(operator_name)
        }),
        named("type_binding", SymbolKind::Type),
        made("exception_definition", SymbolKind::Type, |site| {
            let declaration = child_of_kind(site.node, "constructor_declaration")?;
            declaration.named_child(0).map(|name| DeclaredName::own(site.text_of(name)))
        }),
        child("module_binding", SymbolKind::Module, "module_name"),
        child("module_type_definition", SymbolKind::Interface, "module_type_name"),
        child("class_binding", SymbolKind::Class, "class_name"),
        child("class_type_binding", SymbolKind::Interface, "class_type_name"),
        child("method_definition", SymbolKind::Method, "method_name"),
        child("method_specification", SymbolKind::Method, "method_name"),
        child("instance_variable_definition", SymbolKind::Property, "instance_variable_name"),
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
fn bound(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let pattern = site.field_node("pattern")?;
    let is_name = matches!(pattern.kind(), "value_name" | "value_pattern" | "parenthesized_operator");
    let body = site.field_node("body").map_or("", |body| body.kind());
    let is_function =
        child_of_kind(site.node, "parameter").is_some() || matches!(body, "fun_expression" | "function_expression");
    let name = is_name.then(|| operator_name(site.text_of(pattern))).filter(|name| name.own != "_")?;
    Some(if is_function { name.being(SymbolKind::Function) } else { name })
}

/// Strips the parentheses: `( + )` is named `+`.
fn operator_name(name: &str) -> DeclaredName {
    DeclaredName::own(name.trim_matches(['(', ')', ' ']))
}
