//! Swift.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, made, named, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("class_declaration", SymbolKind::Class, class),
        named("protocol_declaration", SymbolKind::Interface),
        named("function_declaration", SymbolKind::Function),
        named("protocol_function_declaration", SymbolKind::Method),
        made("init_declaration", SymbolKind::Method, |_| Some(DeclaredName::own("init"))),
        made("deinit_declaration", SymbolKind::Method, |_| Some(DeclaredName::own("deinit"))),
        made("subscript_declaration", SymbolKind::Method, |_| Some(DeclaredName::own("subscript"))),
        made("property_declaration", SymbolKind::Variable, property),
        made("protocol_property_declaration", SymbolKind::Property, property),
        named("typealias_declaration", SymbolKind::Type),
        named("associatedtype_declaration", SymbolKind::Type),
    ],
    comments: &["comment", "multiline_comment"],
    attributes: &["attribute"],
    bodies: &["computed_property"],
    values: &["computed_value", "value"],
    ..Rules::NONE
};

/// Classes, structs, enums, actors and extensions are one kind of node.
fn class(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = site.field("name")?;
    let named = DeclaredName::path(name.split('<').next()?);
    Some(match site.field("declaration_kind")? {
        "struct" => named.being(SymbolKind::Struct),
        "enum" => named.being(SymbolKind::Enum),
        "extension" => extension(site, name),
        _ => named,
    })
}

/// An extension is named by its head; its members belong to the type, and their precise name contains the protocol.
fn extension(site: &Site<'_, '_>, name: &str) -> DeclaredName {
    let mut cursor = site.node.walk();
    let children = site.node.children(&mut cursor);
    let protocols: Vec<String> = children
        .filter(|child| child.kind() == "inheritance_specifier")
        .map(|child| one_line(site.text_of(child)))
        .collect();
    let scope = Some(name.replace('.', "::"));
    let protocols = protocols.join(", ");
    let (own, precise) = match protocols.as_str() {
        "" => (format!("extension {name}"), None),
        protocols => (format!("extension {name}: {protocols}"), Some(format!("<{name} as {protocols}>"))),
    };
    DeclaredName { own, scope, precise, kind: Some(SymbolKind::Impl), ..DeclaredName::default() }
}

fn property(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let pattern = site.field_node("name")?;
    let name = DeclaredName::own(site.text_of(pattern).split(':').next()?.split_whitespace().last()?);
    let is_tuple = name.own.starts_with('(');
    let head = site.text.get(site.node.start_byte()..pattern.start_byte())?;
    let is_constant = head.split_whitespace().any(|word| word == "let");
    let is_member = site.parent.is_some_and(|parent| parent.kind().ends_with("_body"));
    let kind = if is_constant && !is_member { SymbolKind::Constant } else { SymbolKind::Variable };
    (!is_tuple).then(|| name.being(kind))
}
