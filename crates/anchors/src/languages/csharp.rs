//! C#.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("namespace_declaration", SymbolKind::Module, |site| site.field("name").map(DeclaredName::path)),
        named("class_declaration", SymbolKind::Class),
        named("struct_declaration", SymbolKind::Struct),
        named("record_declaration", SymbolKind::Record),
        named("interface_declaration", SymbolKind::Interface),
        named("enum_declaration", SymbolKind::Enum),
        named("delegate_declaration", SymbolKind::Type),
        named("method_declaration", SymbolKind::Method),
        named("local_function_statement", SymbolKind::Function),
        named("constructor_declaration", SymbolKind::Method),
        made("destructor_declaration", SymbolKind::Method, |site| {
            site.field("name").map(|name| DeclaredName::own(format!("~{name}")))
        }),
        made("operator_declaration", SymbolKind::Method, |site| {
            site.field("operator").map(|operator| DeclaredName::own(format!("operator {operator}")))
        }),
        made("conversion_operator_declaration", SymbolKind::Method, |site| {
            site.field("type").map(|target| DeclaredName::own(format!("operator {target}")))
        }),
        made("indexer_declaration", SymbolKind::Property, |_| Some(DeclaredName::own("this[]"))),
        named("property_declaration", SymbolKind::Property),
        named("event_declaration", SymbolKind::Property),
        made("variable_declarator", SymbolKind::Property, field),
    ],
    attributes: &["attribute_list", "constructor_initializer"],
    wrappers: &["variable_declaration", "field_declaration", "event_field_declaration", "global_statement"],
    bodies: &["accessor_list", "="],
    ..Rules::NONE
};

/// A field of a class; the walker skips locals of methods.
fn field(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = DeclaredName::own(site.field("name")?);
    let line = site.text.get(..site.node.start_byte())?;
    let head = line.rsplit([';', '{', '}']).next()?;
    Some(if head.split_whitespace().any(|word| word == "const") { name.being(SymbolKind::Constant) } else { name })
}
