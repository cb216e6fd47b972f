//! Ruby.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("module", SymbolKind::Module, path),
        made("class", SymbolKind::Class, path),
        named("method", SymbolKind::Function),
        made("singleton_method", SymbolKind::Method, singleton),
        made("assignment", SymbolKind::Constant, |site| {
            let left = site.field_node("left").filter(|left| left.kind() == "constant")?;
            Some(DeclaredName::own(site.text_of(left)))
        }),
    ],
    values: &["right"],
    ..Rules::NONE
};

fn path(site: &Site<'_, '_>) -> Option<DeclaredName> {
    site.field("name").map(DeclaredName::path)
}

/// `def self.f` belongs to the enclosing class, `def Other.f` to `Other`.
fn singleton(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let name = DeclaredName::own(site.field("name")?);
    let object = site.field_node("object")?;
    let is_other = object.kind() == "constant";
    Some(if is_other { name.belonging_to(site.text_of(object)) } else { name })
}
