//! Labels that the team declared, with a color and a description. They are fields of one entity in the log, the same in
//! every clone. Items may have other labels too; a label that nobody declared is neutral.

use serde_json::{Map, Value};

use crate::entity::Entity;
use crate::field::read_hex_color;
use crate::id::EntityId;
use crate::value_error::ValueError;

/// The entity kind of the declared labels.
pub const ENTITY_KIND: &str = "labels";
const FIELD_PREFIX: &str = "label:";

/// Names of colors, for people who do not think in hexadecimal. The board has one hue for each of them.
pub const COLOR_NAMES: [(&str, &str); 9] = [
    ("rose", "#d63d5c"),
    ("orange", "#c2570c"),
    ("gold", "#b8860b"),
    ("green", "#26854f"),
    ("cyan", "#0e98a5"),
    ("blue", "#2563eb"),
    ("violet", "#7353d3"),
    ("pink", "#c026a8"),
    ("gray", "#808080"),
];

/// A declared label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelDefinition {
    /// The label.
    pub name: String,
    /// `#rrggbb`; `None` is neutral.
    pub color: Option<String>,
    /// When to use it, in one line; may be empty.
    pub about: String,
}

impl LabelDefinition {
    /// Returns the name of the field for this label in the entity.
    pub fn field(name: &str) -> String {
        format!("{FIELD_PREFIX}{name}")
    }

    /// Returns the value of that field; empty parts are left out.
    pub fn to_value(&self) -> Value {
        let mut parts = Map::new();
        if !self.about.is_empty() {
            parts.insert("about".to_owned(), self.about.clone().into());
        }
        if let Some(color) = &self.color {
            parts.insert("color".to_owned(), color.clone().into());
        }
        Value::Object(parts)
    }

    fn from_value(name: &str, value: &Value) -> Option<Self> {
        let parts = value.as_object()?;
        let text = |key: &str| parts.get(key).and_then(Value::as_str);
        Some(Self {
            name: name.to_owned(),
            // Anyone may write to the log: a color that is none is neutral.
            color: text("color").and_then(|color| read_hex_color(color).ok()),
            about: text("about").unwrap_or_default().to_owned(),
        })
    }
}

/// All declared labels, in alphabetical order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredLabels(Vec<LabelDefinition>);

impl DeclaredLabels {
    /// Returns the id of the entity that holds them, the same in every clone.
    pub fn id() -> EntityId {
        EntityId::shared(ENTITY_KIND)
    }

    /// Reads them from their entity.
    pub fn from_entity(entity: &Entity) -> Self {
        let fields = entity.values().filter_map(|(field, value)| Some((field.strip_prefix(FIELD_PREFIX)?, value)));
        let mut labels: Vec<_> = fields.filter_map(|(name, value)| LabelDefinition::from_value(name, value)).collect();
        labels.sort_by(|a, b| a.name.cmp(&b.name));
        Self(labels)
    }

    /// Returns the labels in alphabetical order.
    pub fn definitions(&self) -> &[LabelDefinition] {
        &self.0
    }

    /// Returns whether the project declares no labels; then any label is fine.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the declared label with this name.
    pub fn try_find(&self, name: &str) -> Option<&LabelDefinition> {
        self.0.iter().find(|label| label.name == name)
    }
}

/// Parses a color: `#rrggbb`, with or without `#`, or one of `COLOR_NAMES`.
pub fn read_color(text: &str) -> Result<String, ValueError> {
    let named = COLOR_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    named.map_or_else(|| read_hex_color(text), |(_, color)| Ok((*color).to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_definition_reads_back_and_a_forged_one_is_neutral() {
        let bug = LabelDefinition { name: "bug".into(), color: Some("#d63d5c".into()), about: "It is broken".into() };
        assert_eq!(bug.to_value(), json!({"about": "It is broken", "color": "#d63d5c"}));
        assert_eq!(LabelDefinition::from_value("bug", &bug.to_value()), Some(bug));
        let plain = LabelDefinition { name: "x".into(), ..LabelDefinition::default() };
        assert_eq!(LabelDefinition::from_value("x", &json!({"color": "url(x)", "about": 7})), Some(plain.clone()));
        assert_eq!((plain.to_value(), LabelDefinition::from_value("x", &json!("red"))), (json!({}), None));
    }

    #[test]
    fn colors_have_names() {
        assert_eq!(read_color("Violet").as_deref(), Ok("#7353d3"));
        assert_eq!(read_color("36B37E").as_deref(), Ok("#36b37e"));
        assert!(read_color("reddish").is_err());
    }
}
