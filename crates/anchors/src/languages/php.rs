//! PHP.

use crate::Kind;
use crate::rules::{Named, Rules, child, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        // `namespace A;` applies to the whole file and encloses nothing.
        made("namespace_definition", Kind::Module, |site| {
            site.field_node("body")?;
            site.field("name").map(Named::path)
        }),
        named("class_declaration", Kind::Class),
        named("interface_declaration", Kind::Interface),
        named("trait_declaration", Kind::Trait),
        named("enum_declaration", Kind::Enum),
        named("function_definition", Kind::Function),
        named("method_declaration", Kind::Method),
        child("const_element", Kind::Constant, "name"),
        made("property_element", Kind::Property, |site| {
            site.field("name").map(|name| Named::own(name.trim_start_matches('$')))
        }),
    ],
    attributes: &["attribute_list"],
    wrappers: &["const_declaration", "property_declaration"],
    bodies: &["="],
    values: &["default_value"],
    ..Rules::NONE
};
