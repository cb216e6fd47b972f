//! TypeScript, with and without JSX.

use super::javascript::{ASSIGNMENT, METHOD, PAIR, VARIABLE, class_field};
use crate::SymbolKind;
use crate::rules::{DeclaredName, Joins, Rules, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_declaration", SymbolKind::Function),
        named("generator_function_declaration", SymbolKind::Function),
        named("function_signature", SymbolKind::Function),
        named("class_declaration", SymbolKind::Class),
        named("abstract_class_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("enum_declaration", SymbolKind::Enum),
        named("type_alias_declaration", SymbolKind::Type),
        made("internal_module", SymbolKind::Module, |site| site.field("name").map(DeclaredName::path)),
        named("module", SymbolKind::Module),
        named("method_signature", SymbolKind::Method),
        named("abstract_method_signature", SymbolKind::Method),
        METHOD,
        VARIABLE,
        ASSIGNMENT,
        PAIR,
        made("public_field_definition", SymbolKind::Property, |site| class_field(site, "name")),
    ],
    comments: &["comment", "html_comment"],
    attributes: &["decorator"],
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    values: &["value", "right"],
    joins: Joins::Signatures,
    ..Rules::NONE
};
