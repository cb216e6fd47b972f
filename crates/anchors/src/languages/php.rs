//! PHP.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, child, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        // `namespace A;` applies to the whole file and encloses nothing.
        made("namespace_definition", SymbolKind::Module, |site| {
            site.field_node("body")?;
            site.field("name").map(DeclaredName::path)
        }),
        named("class_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("trait_declaration", SymbolKind::Trait),
        named("enum_declaration", SymbolKind::Enum),
        named("function_definition", SymbolKind::Function),
        named("method_declaration", SymbolKind::Method),
        child("const_element", SymbolKind::Constant, "name"),
        made("property_element", SymbolKind::Property, |site| {
            site.field("name").map(|name| DeclaredName::own(name.trim_start_matches('$')))
        }),
    ],
    attributes: &["attribute_list"],
    wrappers: &["const_declaration", "property_declaration"],
    bodies: &["="],
    values: &["default_value"],
    ..Rules::NONE
};
