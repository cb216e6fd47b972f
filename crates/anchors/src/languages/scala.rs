//! Scala.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, made, named, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("class_definition", SymbolKind::Class),
        named("trait_definition", SymbolKind::Trait),
        named("object_definition", SymbolKind::Object),
        named("package_object", SymbolKind::Object),
        named("enum_definition", SymbolKind::Enum),
        named("function_definition", SymbolKind::Function),
        named("function_declaration", SymbolKind::Function),
        named("given_definition", SymbolKind::Constant),
        named("type_definition", SymbolKind::Type),
        made("val_definition", SymbolKind::Constant, value),
        made("var_definition", SymbolKind::Variable, value),
        named("val_declaration", SymbolKind::Constant),
        named("var_declaration", SymbolKind::Variable),
        made("extension_definition", SymbolKind::Impl, extension),
    ],
    comments: &["comment", "block_comment"],
    attributes: &["annotation"],
    ..Rules::NONE
};

fn value(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let pattern = site.field_node("pattern").filter(|pattern| pattern.kind().ends_with("identifier"))?;
    Some(DeclaredName::own(site.text_of(pattern)))
}

/// The members of `extension (text: String)` belong to `String`.
fn extension(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let parameters = one_line(site.field("parameters")?);
    let (_, subject) = parameters.split_once(':')?;
    let subject = subject.trim_matches([' ', ')']);
    let bare = subject.split('[').next().unwrap_or(subject).trim();
    Some(DeclaredName { own: format!("extension {subject}"), scope: Some(bare.to_owned()), ..DeclaredName::default() })
}
