//! Rust.

use tree_sitter::{Node, Range};

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rule, Rules, Site, child_of_kind, made, named, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_item", SymbolKind::Function),
        named("function_signature_item", SymbolKind::Function),
        named("struct_item", SymbolKind::Struct),
        named("enum_item", SymbolKind::Enum),
        named("union_item", SymbolKind::Union),
        named("trait_item", SymbolKind::Trait),
        named("mod_item", SymbolKind::Module),
        named("const_item", SymbolKind::Constant),
        named("static_item", SymbolKind::Variable),
        named("type_item", SymbolKind::Type),
        named("associated_type", SymbolKind::Type),
        named("macro_definition", SymbolKind::Macro),
        IMPL,
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    bodies: &["{", "("],
    unread: &["macro_invocation"],
    find_unread: in_braces,
    ..Rules::NONE
};

/// The grammar parses items inside `cfg_if! { … }` as plain tokens.
fn in_braces(node: Node<'_>, parent: Node<'_>) -> Option<Range> {
    let is_among_items = matches!(parent.kind(), "source_file" | "declaration_list" | "expression_statement");
    let braces = child_of_kind(node, "token_tree").filter(|_| is_among_items)?;
    let open = braces.child(0).filter(|open| open.kind() == "{")?;
    let close = braces.child(braces.child_count().checked_sub(1)?)?;
    Some(Range {
        start_byte: open.end_byte(),
        end_byte: close.start_byte(),
        start_point: open.end_position(),
        end_point: close.start_position(),
    })
}

/// An `impl` is named by its head; its members belong to the type, and their precise name contains the trait.
const IMPL: Rule = made("impl_item", SymbolKind::Impl, |site| {
    let subject = one_line(site.field("type")?);
    let scope = Some(type_name(site, &subject));
    let (own, precise) = match site.field("trait").map(one_line) {
        Some(name) => (format!("impl {name} for {subject}"), Some(format!("<{subject} as {name}>"))),
        None => (format!("impl {subject}"), None),
    };
    Some(DeclaredName { own, scope, precise, ..DeclaredName::default() })
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
