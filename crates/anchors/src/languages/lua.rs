//! Lua.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, child_of_kind, made};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("function_declaration", SymbolKind::Function, |site| site.field("name").map(DeclaredName::path)),
        made("assignment_statement", SymbolKind::Variable, assigned),
        made("field", SymbolKind::Method, |site| {
            let is_function = site.field_node("value")?.kind() == "function_definition";
            site.field("name").filter(|_| is_function).map(DeclaredName::own)
        }),
    ],
    wrappers: &["variable_declaration"],
    bodies: &["="],
    ..Rules::NONE
};

/// `M.f = function() … end` is a function of `M`.
fn assigned(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let names = child_of_kind(site.node, "variable_list")?;
    let values = child_of_kind(site.node, "expression_list")?;
    let name = names.named_child(0).filter(|name| matches!(name.kind(), "identifier" | "dot_index_expression"))?;
    let is_own_field = site.text_of(name).starts_with("self.");
    let named = (!is_own_field).then(|| DeclaredName::path(site.text_of(name)))?;
    let is_function = values.named_child(0)?.kind() == "function_definition";
    let is_method = is_function && named.owner.is_some();
    Some(match is_function {
        true if is_method => named.being(SymbolKind::Method),
        true => named.being(SymbolKind::Function),
        false => named,
    })
}
