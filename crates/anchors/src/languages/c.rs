//! C, and what C++ shares with it.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rule, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[FUNCTION, DECLARATION, TYPEDEF, STRUCT, UNION, ENUM, DEFINE, MACRO],
    attributes: &["attribute_declaration", "attribute_specifier"],
    ..Rules::NONE
};

pub(super) const FUNCTION: Rule =
    made("function_definition", SymbolKind::Function, |site| declared(site, site.field_node("declarator")?));

/// A prototype is a function, any other declaration a variable.
pub(super) const DECLARATION: Rule = made("declaration", SymbolKind::Variable, |site| {
    let declarator = site.field_node("declarator")?;
    let name = declared(site, declarator)?;
    let is_constant = site.text.get(site.node.start_byte()..declarator.start_byte())?.contains("const");
    Some(match is_function(declarator) {
        true => name.being(SymbolKind::Function),
        false if is_constant => name.being(SymbolKind::Constant),
        false => name,
    })
});

/// `typedef struct { … } name` is the struct's only name.
pub(super) const TYPEDEF: Rule = made("type_definition", SymbolKind::Type, |site| {
    let name = declared(site, site.field_node("declarator")?)?;
    let name = DeclaredName { scope: Some(String::new()), ..name };
    let subject = site.field_node("type").filter(|subject| subject.child_by_field_name("name").is_none());
    Some(match subject.as_ref().map(Node::kind) {
        Some("struct_specifier") => name.being(SymbolKind::Struct),
        Some("union_specifier") => name.being(SymbolKind::Union),
        Some("enum_specifier") => name.being(SymbolKind::Enum),
        _ => name,
    })
});

pub(super) const STRUCT: Rule = made("struct_specifier", SymbolKind::Struct, with_body);
pub(super) const UNION: Rule = made("union_specifier", SymbolKind::Union, with_body);
pub(super) const ENUM: Rule = made("enum_specifier", SymbolKind::Enum, with_body);
pub(super) const DEFINE: Rule = named("preproc_def", SymbolKind::Constant);
pub(super) const MACRO: Rule = named("preproc_function_def", SymbolKind::Macro);

/// `struct a b;` only refers to the struct.
pub(super) fn with_body(site: &Site<'_, '_>) -> Option<DeclaredName> {
    site.field_node("body")?;
    site.field("name").map(|name| DeclaredName::path(without_arguments(name)))
}

/// Returns the name in a declarator: `f` of `*(*f)(int)`, `T::m` of `T<A>::m() const`.
pub(super) fn declared(site: &Site<'_, '_>, declarator: Node<'_>) -> Option<DeclaredName> {
    let mut node = declarator;
    loop {
        match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" | "primitive_type" | "destructor_name"
            | "operator_name" => {
                return Some(DeclaredName { own: site.text_of(node).to_owned(), ..DeclaredName::default() });
            }
            "operator_cast" => return Some(DeclaredName::own(site.text_of(node).split('(').next()?)),
            "qualified_identifier" => return qualified(site, node),
            "template_function" => node = node.child_by_field_name("name")?,
            _ => node = inner_declarator(node)?,
        }
    }
}

fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    // References and parentheses hold their declarator without a field name.
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    let is_bare = matches!(node.kind(), "reference_declarator" | "parenthesized_declarator" | "attributed_declarator");
    let at = if node.kind() == "attributed_declarator" { 0 } else { last };
    node.child_by_field_name("declarator").or_else(|| node.named_child(at).filter(|_| is_bare))
}

/// Splits `a::B<C>::d`, following the names to the right.
fn qualified(site: &Site<'_, '_>, node: Node<'_>) -> Option<DeclaredName> {
    let mut owners = Vec::new();
    let mut node = node;
    while node.kind() == "qualified_identifier" {
        let scope = node.child_by_field_name("scope").map(|scope| without_arguments(site.text_of(scope)));
        owners.extend(scope.filter(|scope| !scope.is_empty()));
        node = node.child_by_field_name("name")?;
    }
    let own = declared(site, node)?;
    Some(own.belonging_to(&owners.join("::")))
}

fn without_arguments(name: &str) -> &str {
    name.split('<').next().unwrap_or(name).trim()
}

/// Returns whether the declaration is a function, not a pointer to one.
pub(super) fn is_function(declarator: Node<'_>) -> bool {
    let mut node = Some(declarator);
    while let Some(outer) = node {
        let inner = inner_declarator(outer);
        if outer.kind() == "function_declarator" {
            return inner.is_some_and(|inner| inner.kind() != "parenthesized_declarator");
        }
        node = inner;
    }
    false
}
