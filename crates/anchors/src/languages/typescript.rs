//! TypeScript, with and without JSX.

use super::javascript::{ASSIGNMENT, METHOD, PAIR, VARIABLE, class_field};
use crate::Kind;
use crate::rules::{Joins, Named, Rules, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_declaration", Kind::Function),
        named("generator_function_declaration", Kind::Function),
        named("function_signature", Kind::Function),
        named("class_declaration", Kind::Class),
        named("abstract_class_declaration", Kind::Class),
        named("interface_declaration", Kind::Interface),
        named("enum_declaration", Kind::Enum),
        named("type_alias_declaration", Kind::Type),
        made("internal_module", Kind::Module, |site| site.field("name").map(Named::path)),
        named("module", Kind::Module),
        named("method_signature", Kind::Method),
        named("abstract_method_signature", Kind::Method),
        METHOD,
        VARIABLE,
        ASSIGNMENT,
        PAIR,
        made("public_field_definition", Kind::Property, |site| class_field(site, "name")),
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
