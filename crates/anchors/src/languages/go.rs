//! Go.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_declaration", SymbolKind::Function),
        made("method_declaration", SymbolKind::Method, method),
        named("method_elem", SymbolKind::Method),
        made("type_spec", SymbolKind::Type, type_spec),
        named("type_alias", SymbolKind::Type),
        made("const_spec", SymbolKind::Constant, names),
        made("var_spec", SymbolKind::Variable, names),
    ],
    wrappers: &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"],
    bodies: &["struct_type", "interface_type"],
    ..Rules::NONE
};

/// A method belongs to the type of its receiver: `T` in `func (t *T[A]) M()`.
fn method(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = DeclaredName::own(site.field("name")?);
    let receiver = site.field_node("receiver").and_then(|list| list.named_child(0));
    let mut node = receiver.and_then(|parameter| parameter.child_by_field_name("type"));
    while let Some(outer) = node {
        match outer.kind() {
            "type_identifier" => return Some(name.belonging_to(site.text_of(outer))),
            "generic_type" => node = outer.child_by_field_name("type"),
            _ => node = outer.named_child(0),
        }
    }
    Some(name)
}

/// `var a, b int` declares both.
fn names(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let mut cursor = site.node.walk();
    let fields = site.node.children_by_field_name("name", &mut cursor).filter(Node::is_named);
    let mut names = fields.map(|name| site.text_of(name).to_owned()).filter(|name| name != "_");
    let first = DeclaredName::own(names.next()?);
    Some(DeclaredName { also: names.collect(), ..first })
}

fn type_spec(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = DeclaredName::own(site.field("name")?);
    Some(match site.field_node("type").as_ref().map(Node::kind) {
        Some("struct_type") => name.being(SymbolKind::Struct),
        Some("interface_type") => name.being(SymbolKind::Interface),
        _ => name,
    })
}
