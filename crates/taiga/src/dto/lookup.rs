//! Lookup tables of a project: statuses, priorities, severities, types, points.

use serde::Deserialize;

use super::id::{IssueTypeId, PointsId, PriorityId, RoleId, SeverityId, StatusId};
use super::item::none_as_empty;

/// A status of one kind of item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// Unique on the server within its kind of item.
    pub id: StatusId,
    /// Display name.
    pub name: String,
    /// Name in URLs.
    #[serde(default)]
    pub slug: Option<String>,
    /// Sort key.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub order: i64,
    /// Whether it closes items.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_closed: bool,
    /// Whether it archives items; stories only.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_archived: bool,
    /// Color as `#rrggbb`.
    #[serde(default)]
    pub color: Option<String>,
}

macro_rules! grade {
    ($(#[$about:meta] $name:ident($id:ident)),* $(,)?) => {$(
        #[$about]
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        pub struct $name {
            /// Unique on the server.
            pub id: $id,
            /// Display name, which admins may change.
            pub name: String,
            /// Sort key.
            #[serde(default, deserialize_with = "none_as_empty")]
            pub order: i64,
            /// Color as `#rrggbb`.
            #[serde(default)]
            pub color: Option<String>,
        }
    )*};
}

grade! {
    /// A priority of issues.
    Priority(PriorityId),
    /// A severity of issues.
    Severity(SeverityId),
    /// A type of issues.
    IssueType(IssueTypeId),
}

/// A value of the points scale.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Points {
    /// Unique on the server.
    pub id: PointsId,
    /// Display name, such as `1/2`.
    pub name: String,
    /// Sort key on the scale.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub order: i64,
    /// Numeric value; `None` for `?`.
    #[serde(default)]
    pub value: Option<f64>,
}

/// A role in a project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Role {
    /// Unique on the server.
    pub id: RoleId,
    /// Whether stories have points for this role.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub computable: bool,
}

/// A custom field of a kind of item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CustomAttribute {
    /// The key of its value in [`CustomValues`].
    pub id: u64,
    /// Display name.
    pub name: String,
}

/// A file attached to an item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Attachment {
    /// File name.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub name: String,
    /// Download URL, for users who may see the item.
    #[serde(default)]
    pub url: Option<String>,
    /// The item; 0 if the server does not say.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub object_id: u64,
}

/// The values of an item's custom fields.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct CustomValues {
    /// By the id of the field, as a string.
    #[serde(rename = "attributes_values", default, deserialize_with = "none_as_empty")]
    pub values: std::collections::BTreeMap<String, serde_json::Value>,
}
