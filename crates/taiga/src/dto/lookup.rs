//! What a project's items can be set to: statuses, priorities, severities, types, points.

use serde::Deserialize;

use super::id::{IssueTypeId, PointsId, PriorityId, RoleId, SeverityId, StatusId};
use super::item::none_as_empty;

/// A status of one kind of item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// Which.
    pub id: StatusId,
    /// Its name.
    pub name: String,
    /// Its name as addresses have it.
    #[serde(default)]
    pub slug: Option<String>,
    /// Its place among the others.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub order: i64,
    /// Whether items in it are done.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_closed: bool,
    /// Whether items in it are put away; only stories have that.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_archived: bool,
    /// Its colour.
    #[serde(default)]
    pub color: Option<String>,
}

macro_rules! grade {
    ($(#[$about:meta] $name:ident($id:ident)),* $(,)?) => {$(
        #[$about]
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        pub struct $name {
            /// Which.
            pub id: $id,
            /// Its name, which admins may change.
            pub name: String,
            /// Its place among the others.
            #[serde(default, deserialize_with = "none_as_empty")]
            pub order: i64,
            /// Its colour.
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

/// A value on the scale of points.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Points {
    /// Which.
    pub id: PointsId,
    /// Its name, such as `1/2`.
    pub name: String,
    /// Its place on the scale.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub order: i64,
    /// What it counts; none for `?`.
    #[serde(default)]
    pub value: Option<f64>,
}

/// A role in a project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Role {
    /// Which.
    pub id: RoleId,
    /// Whether stories have points of it.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub computable: bool,
}

/// A custom field of a kind of item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CustomAttribute {
    /// Which; the key of its value.
    pub id: u64,
    /// Its name.
    pub name: String,
}

/// A file attached to an item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Attachment {
    /// The name of the file.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub name: String,
    /// Where it can be read, by who may see the item.
    #[serde(default)]
    pub url: Option<String>,
    /// The item it is attached to; 0 when the server does not say.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub object_id: u64,
}

/// The values of the custom fields of an item, by the id of the field.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct CustomValues {
    /// By the id of the field, as a text.
    #[serde(rename = "attributes_values", default, deserialize_with = "none_as_empty")]
    pub values: std::collections::BTreeMap<String, serde_json::Value>,
}
