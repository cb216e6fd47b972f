//! Rust.

use crate::Kind;
use crate::rules::{Named, Rule, Rules, Site, made, named, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_item", Kind::Function),
        named("function_signature_item", Kind::Function),
        named("struct_item", Kind::Struct),
        named("enum_item", Kind::Enum),
        named("union_item", Kind::Union),
        named("trait_item", Kind::Trait),
        named("mod_item", Kind::Module),
        named("const_item", Kind::Constant),
        named("static_item", Kind::Variable),
        named("type_item", Kind::Type),
        named("associated_type", Kind::Type),
        named("macro_definition", Kind::Macro),
        IMPL,
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    bodies: &["{", "("],
    ..Rules::NONE
};

/// An `impl` is called what it says; its members belong to the type, and precisely to the trait's part of it.
const IMPL: Rule = made("impl_item", Kind::Impl, |site| {
    let subject = one_line(site.field("type")?);
    let scope = Some(type_name(site, &subject));
    let (own, precise) = match site.field("trait").map(one_line) {
        Some(name) => (format!("impl {name} for {subject}"), Some(format!("<{subject} as {name}>"))),
        None => (format!("impl {subject}"), None),
    };
    Some(Named { own, scope, precise, ..Named::default() })
});

/// Returns the bare name of a type: `Point` for `&'a geometry::Point<T>`.
fn type_name(site: &Site<'_, '_>, subject: &str) -> String {
    let mut node = site.field_node("type");
    while let Some(inner) = node {
        match inner.kind() {
            "generic_type" | "reference_type" | "pointer_type" => node = inner.child_by_field_name("type"),
            "scoped_type_identifier" => node = inner.child_by_field_name("name"),
            "type_identifier" | "primitive_type" => return site.text_of(inner).to_owned(),
            _ => break,
        }
    }
    subject.to_owned()
}
