//! Java.

use crate::Kind;
use crate::rules::{Named, Rules, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("class_declaration", Kind::Class),
        named("interface_declaration", Kind::Interface),
        named("annotation_type_declaration", Kind::Interface),
        named("enum_declaration", Kind::Enum),
        named("record_declaration", Kind::Record),
        named("module_declaration", Kind::Module),
        named("method_declaration", Kind::Method),
        named("annotation_type_element_declaration", Kind::Method),
        named("constructor_declaration", Kind::Method),
        named("compact_constructor_declaration", Kind::Method),
        made("variable_declarator", Kind::Property, |site| {
            let declaration = site.parent?;
            let is_member = matches!(declaration.kind(), "field_declaration" | "constant_declaration");
            let head = site.text.get(declaration.start_byte()..site.node.start_byte())?;
            let is_constant =
                declaration.kind() == "constant_declaration" || head.contains("final ") && head.contains("static ");
            let name = Named::own(site.field("name").filter(|_| is_member)?);
            Some(if is_constant { name.being(Kind::Constant) } else { name })
        }),
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["annotation", "marker_annotation"],
    wrappers: &["field_declaration", "constant_declaration"],
    ..Rules::NONE
};
