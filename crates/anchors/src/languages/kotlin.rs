//! Kotlin.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, child_of_kind, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("class_declaration", SymbolKind::Class, class),
        named("object_declaration", SymbolKind::Object),
        made("companion_object", SymbolKind::Object, |site| {
            Some(DeclaredName::own(site.field("name").unwrap_or("Companion")))
        }),
        made("function_declaration", SymbolKind::Function, function),
        made("secondary_constructor", SymbolKind::Method, |_| Some(DeclaredName::own("constructor"))),
        made("property_declaration", SymbolKind::Variable, property),
        made("type_alias", SymbolKind::Type, |site| site.field("type").map(DeclaredName::own)),
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["annotation"],
    bodies: &["function_body", "class_body", "enum_class_body", "block", "property_delegate", "=", "getter"],
    ..Rules::NONE
};

fn class(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = DeclaredName::own(site.field("name")?);
    Some(match () {
        () if site.has_keyword("interface") => name.being(SymbolKind::Interface),
        () if child_of_kind(site.node, "enum_class_body").is_some() => name.being(SymbolKind::Enum),
        () => name,
    })
}

/// An extension belongs to the receiver type before its name: `fun <T> List<T>.second()`.
fn function(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = site.field_node("name")?;
    let named = DeclaredName::own(site.text_of(name));
    let owner = receiver(site, site.node.child_by_field_name("name")?.start_byte());
    Some(match owner {
        Some(owner) => named.belonging_to(owner).being(SymbolKind::Method),
        None => named,
    })
}

fn property(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let declared = child_of_kind(site.node, "variable_declaration")?;
    let name = child_of_kind(declared, "identifier")?;
    let named = DeclaredName::own(site.text_of(name));
    let modifiers = site.child("modifiers").unwrap_or_default();
    let named = if modifiers.contains("const") { named.being(SymbolKind::Constant) } else { named };
    Some(match receiver(site, declared.start_byte()) {
        Some(owner) => named.belonging_to(owner).being(SymbolKind::Property),
        None => named,
    })
}

/// Returns the bare name of the receiver type.
fn receiver<'text>(site: &Site<'_, 'text>, before: usize) -> Option<&'text str> {
    let mut cursor = site.node.walk();
    let mut children = site.node.children(&mut cursor).take_while(|child| child.end_byte() <= before);
    let receiver =
        children.find(|child| matches!(child.kind(), "user_type" | "nullable_type" | "parenthesized_type"))?;
    let whole = site.text_of(receiver);
    let bare = whole.split(['<', '?']).next()?.trim_start_matches('(');
    bare.rsplit('.').next().map(str::trim).filter(|bare| !bare.is_empty())
}
