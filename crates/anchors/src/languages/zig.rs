//! Zig, where types are values of constants.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, child_of_kind, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_declaration", SymbolKind::Function),
        made("variable_declaration", SymbolKind::Variable, variable),
        made("test_declaration", SymbolKind::Function, |site| {
            let name = site.child("string").or_else(|| site.child("identifier"))?;
            Some(DeclaredName::own(format!("test {}", name.trim_matches('"'))))
        }),
    ],
    bodies: &[
        "struct_declaration",
        "enum_declaration",
        "union_declaration",
        "opaque_declaration",
        "error_set_declaration",
        "block",
        "=",
    ],
    ..Rules::NONE
};

fn variable(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let is_import = site.text_of(site.node).contains("= @import(");
    let name = DeclaredName::own(site.child("identifier").filter(|_| !is_import)?);
    let mut cursor = site.node.walk();
    let kind = site.node.children(&mut cursor).find_map(type_kind);
    let is_constant = child_of_kind(site.node, "const").is_some();
    Some(match kind {
        Some(kind) => name.being(kind),
        None if is_constant => name.being(SymbolKind::Constant),
        None => name,
    })
}

fn type_kind(value: Node<'_>) -> Option<SymbolKind> {
    match value.kind() {
        "struct_declaration" | "opaque_declaration" => Some(SymbolKind::Struct),
        "enum_declaration" => Some(SymbolKind::Enum),
        "union_declaration" => Some(SymbolKind::Union),
        "error_set_declaration" => Some(SymbolKind::Type),
        _ => None,
    }
}
