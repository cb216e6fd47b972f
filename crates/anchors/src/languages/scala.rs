//! Scala.

use crate::Kind;
use crate::rules::{Named, Rules, Site, made, named, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("class_definition", Kind::Class),
        named("trait_definition", Kind::Trait),
        named("object_definition", Kind::Object),
        named("package_object", Kind::Object),
        named("enum_definition", Kind::Enum),
        named("function_definition", Kind::Function),
        named("function_declaration", Kind::Function),
        named("given_definition", Kind::Constant),
        named("type_definition", Kind::Type),
        made("val_definition", Kind::Constant, value),
        made("var_definition", Kind::Variable, value),
        named("val_declaration", Kind::Constant),
        named("var_declaration", Kind::Variable),
        made("extension_definition", Kind::Impl, extension),
    ],
    comments: &["comment", "block_comment"],
    attributes: &["annotation"],
    ..Rules::NONE
};

fn value(site: &Site<'_, '_>) -> Option<Named> {
    let pattern = site.field_node("pattern").filter(|pattern| pattern.kind().ends_with("identifier"))?;
    Some(Named::own(site.text_of(pattern)))
}

/// The members of `extension (text: String)` belong to `String`.
fn extension(site: &Site<'_, '_>) -> Option<Named> {
    let parameters = one_line(site.field("parameters")?);
    let (_, subject) = parameters.split_once(':')?;
    let subject = subject.trim_matches([' ', ')']);
    let bare = subject.split('[').next().unwrap_or(subject).trim();
    Some(Named { own: format!("extension {subject}"), scope: Some(bare.to_owned()), ..Named::default() })
}
