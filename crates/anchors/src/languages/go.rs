//! Go.

use tree_sitter::Node;

use crate::Kind;
use crate::rules::{Named, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_declaration", Kind::Function),
        made("method_declaration", Kind::Method, method),
        named("method_elem", Kind::Method),
        made("type_spec", Kind::Type, type_spec),
        named("type_alias", Kind::Type),
        named("const_spec", Kind::Constant),
        named("var_spec", Kind::Variable),
    ],
    wrappers: &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"],
    bodies: &["struct_type", "interface_type"],
    ..Rules::NONE
};

/// A method belongs to the type of its receiver: `T` in `func (t *T[A]) M()`.
fn method(site: &Site<'_, '_>) -> Option<Named> {
    let name = Named::own(site.field("name")?);
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

fn type_spec(site: &Site<'_, '_>) -> Option<Named> {
    let name = Named::own(site.field("name")?);
    Some(match site.field_node("type").as_ref().map(Node::kind) {
        Some("struct_type") => name.being(Kind::Struct),
        Some("interface_type") => name.being(Kind::Interface),
        _ => name,
    })
}
