//! C++.

use super::c::{DECLARATION, DEFINE, ENUM, FUNCTION, MACRO, STRUCT, TYPEDEF, UNION, declared, is_function, with_body};
use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        FUNCTION,
        DECLARATION,
        TYPEDEF,
        STRUCT,
        UNION,
        ENUM,
        DEFINE,
        MACRO,
        made("class_specifier", SymbolKind::Class, with_body),
        made("namespace_definition", SymbolKind::Module, |site| site.field("name").map(DeclaredName::path)),
        named("alias_declaration", SymbolKind::Type),
        named("concept_definition", SymbolKind::Type),
        made("field_declaration", SymbolKind::Method, |site| {
            let declarator = site.field_node("declarator")?;
            declared(site, declarator).filter(|_| is_function(declarator))
        }),
    ],
    attributes: &["attribute_declaration", "attribute_specifier", "field_initializer_list"],
    wrappers: &["template_declaration"],
    ..Rules::NONE
};
