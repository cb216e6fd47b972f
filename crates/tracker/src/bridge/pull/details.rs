//! Custom fields and attachments of a Taiga item. They are read-only here and never sent.
//!
//! No list row shows that one of them changed. So they are read with every changed item, and for all items in each full
//! run.

use std::collections::BTreeMap;

use app::plan::set;
use model::entity::Entity;
use model::op::Change;
use serde_json::{Value, json};
use taiga::Client;
use taiga::dto::Project;

use super::super::retrying_client::{RetryingClient, is_about_one};
use crate::Kind;
use crate::mapping::item::RemoteItem;

/// The field for the values of custom fields, by name.
pub(crate) const FIELDS: &str = "taiga_fields";
/// The field for the attachments: name and URL.
pub(crate) const FILES: &str = "taiga_attachments";

/// Custom fields and attachments of an item; unread ones are absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Details(BTreeMap<&'static str, Value>);

/// The attachments of a project, for each kind that was listed.
#[derive(Debug, Clone, Default)]
pub(super) struct Files(BTreeMap<Kind, BTreeMap<u64, Vec<Value>>>);

impl Files {
    /// Lists the attachments of some kinds, with one request per kind.
    pub(super) fn read(server: &RetryingClient<'_>, project: &Project, kinds: &[Kind]) -> Result<Self, taiga::Error> {
        let mut files = Self::default();
        for kind in kinds {
            let listed = match server.call(|client| client.project_attachments(*kind, project.summary.id)) {
                // Attachments are optional: without access to them the pull continues.
                Err(error) if is_about_one(&error) => continue,
                other => other?,
            };
            let of_kind = files.0.entry(*kind).or_default();
            for file in listed.into_iter().filter(|file| file.object_id != 0) {
                of_kind.entry(file.object_id).or_default().push(json!({"name": file.name, "url": file.url}));
            }
        }
        Ok(files)
    }

    fn of(&self, item: &RemoteItem) -> Option<Value> {
        let files = self.0.get(&item.kind())?.get(&item.id());
        Some(files.map(|files| Value::from(files.clone())).unwrap_or_default())
    }
}

impl Details {
    /// Reads the details of an item; custom field values only if the project defines custom fields for its kind.
    pub(super) fn read(
        client: &Client,
        project: &Project,
        files: &Files,
        item: &RemoteItem,
    ) -> Result<Self, taiga::Error> {
        let mut details = BTreeMap::from([(FIELDS, Value::Null)]);
        details.extend(files.of(item).map(|files| (FILES, files)));
        let attributes = project.custom_attributes(item.kind());
        if attributes.is_empty() {
            return Ok(Self(details));
        }
        match client.custom_values(item.kind(), item.core().id) {
            Ok(values) => {
                let named = attributes.iter().filter_map(|attribute| {
                    let value = values.values.get(&attribute.id.to_string()).filter(|value| !value.is_null())?;
                    Some((attribute.name.clone(), value.clone()))
                });
                let named: serde_json::Map<String, Value> = named.collect();
                details.insert(FIELDS, if named.is_empty() { Value::Null } else { named.into() });
            }
            Err(error) if is_about_one(&error) => _ = details.remove(FIELDS),
            Err(error) => return Err(error),
        }
        Ok(Self(details))
    }

    /// Returns the fields with a value, for a new item.
    pub(super) fn fields(&self) -> impl Iterator<Item = (String, Value)> {
        let present = self.0.iter().filter(|(_, value)| !value.is_null());
        present.map(|(name, value)| ((*name).to_owned(), value.clone()))
    }

    /// Returns the fields that differ from the item: their names in reports, and the changes.
    pub(super) fn changes(&self, entity: &Entity) -> Vec<(&'static str, Change)> {
        let differs = |name: &str, value: &Value| entity.value(name).unwrap_or(&Value::Null) != value;
        let changed = self.0.iter().filter(|(name, value)| differs(name, value));
        changed.map(|(name, value)| (shown(name), set(name, value.clone()))).collect()
    }

    /// Returns whether the item already has these values.
    pub(super) fn is_known(&self, extra: &BTreeMap<String, Value>) -> bool {
        self.0.iter().all(|(name, value)| extra.get(*name).unwrap_or(&Value::Null) == value)
    }
}

fn shown(name: &str) -> &'static str {
    if name == FILES { "attachments" } else { "custom fields" }
}
