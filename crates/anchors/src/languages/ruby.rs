//! Ruby.

use crate::Kind;
use crate::rules::{Named, Rules, Site, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("module", Kind::Module, path),
        made("class", Kind::Class, path),
        named("method", Kind::Function),
        made("singleton_method", Kind::Method, singleton),
        made("assignment", Kind::Constant, |site| {
            let left = site.field_node("left").filter(|left| left.kind() == "constant")?;
            Some(Named::own(site.text_of(left)))
        }),
    ],
    values: &["right"],
    ..Rules::NONE
};

fn path(site: &Site<'_, '_>) -> Option<Named> {
    site.field("name").map(Named::path)
}

/// `def self.f` belongs to the enclosing class, `def Other.f` to `Other`.
fn singleton(site: &Site<'_, '_>) -> Option<Named> {
    let name = Named::own(site.field("name")?);
    let object = site.field_node("object")?;
    let is_other = object.kind() == "constant";
    Some(if is_other { name.belonging_to(site.text_of(object)) } else { name })
}
