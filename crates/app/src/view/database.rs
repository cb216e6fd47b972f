//! The shape of a shared database.

use schemars::JsonSchema;
use serde::Serialize;

/// A database that several servers share, beside the clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseView {
    /// Hosts, ports and name, without credentials.
    pub address: String,
    /// `current`, `missing`, `outdated` or `newer`.
    pub schema: String,
    /// The version of the tables, or null.
    pub version: Option<i32>,
    /// Its refs.
    pub refs: Vec<SharedRefView>,
}

/// A ref in a database and in the clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedRefView {
    /// Its name.
    pub name: String,
    /// Its commit in the database, or null.
    pub tip: Option<String>,
    /// Its commit in the clone, or null.
    pub clone_tip: Option<String>,
    /// The number of its objects in the database.
    pub objects: i64,
    /// Whether both are the same.
    pub same: bool,
}
