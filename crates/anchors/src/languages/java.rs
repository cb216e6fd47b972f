//! Java.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("class_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("annotation_type_declaration", SymbolKind::Interface),
        named("enum_declaration", SymbolKind::Enum),
        named("record_declaration", SymbolKind::Record),
        named("module_declaration", SymbolKind::Module),
        named("method_declaration", SymbolKind::Method),
        named("annotation_type_element_declaration", SymbolKind::Method),
        named("constructor_declaration", SymbolKind::Method),
        named("compact_constructor_declaration", SymbolKind::Method),
        made("variable_declarator", SymbolKind::Property, |site| {
            let declaration = site.parent?;
            let is_member = matches!(declaration.kind(), "field_declaration" | "constant_declaration");
            let head = site.text.get(declaration.start_byte()..site.node.start_byte())?;
            let is_constant =
                declaration.kind() == "constant_declaration" || head.contains("final ") && head.contains("static ");
            let name = DeclaredName::own(site.field("name").filter(|_| is_member)?);
            Some(if is_constant { name.being(SymbolKind::Constant) } else { name })
        }),
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["annotation", "marker_annotation"],
    wrappers: &["field_declaration", "constant_declaration"],
    ..Rules::NONE
};
