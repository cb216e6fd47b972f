//! C#.

use crate::Kind;
use crate::rules::{Named, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("namespace_declaration", Kind::Module, |site| site.field("name").map(Named::path)),
        named("class_declaration", Kind::Class),
        named("struct_declaration", Kind::Struct),
        named("record_declaration", Kind::Record),
        named("interface_declaration", Kind::Interface),
        named("enum_declaration", Kind::Enum),
        named("delegate_declaration", Kind::Type),
        named("method_declaration", Kind::Method),
        named("local_function_statement", Kind::Function),
        named("constructor_declaration", Kind::Method),
        made("destructor_declaration", Kind::Method, |site| {
            site.field("name").map(|name| Named::own(format!("~{name}")))
        }),
        made("operator_declaration", Kind::Method, |site| {
            site.field("operator").map(|operator| Named::own(format!("operator {operator}")))
        }),
        made("conversion_operator_declaration", Kind::Method, |site| {
            site.field("type").map(|target| Named::own(format!("operator {target}")))
        }),
        made("indexer_declaration", Kind::Property, |_| Some(Named::own("this[]"))),
        named("property_declaration", Kind::Property),
        named("event_declaration", Kind::Property),
        made("variable_declarator", Kind::Property, field),
    ],
    attributes: &["attribute_list", "constructor_initializer"],
    wrappers: &["variable_declaration", "field_declaration", "event_field_declaration", "global_statement"],
    bodies: &["accessor_list", "="],
    ..Rules::NONE
};

/// A field of a class; the walker skips locals of methods.
fn field(site: &Site<'_, '_>) -> Option<Named> {
    let name = Named::own(site.field("name")?);
    let line = site.text.get(..site.node.start_byte())?;
    let head = line.rsplit([';', '{', '}']).next()?;
    Some(if head.split_whitespace().any(|word| word == "const") { name.being(Kind::Constant) } else { name })
}
