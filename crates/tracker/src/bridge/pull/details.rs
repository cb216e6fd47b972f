//! Custom fields and the names of attached files, as the server tells them. Here they can only be read: nothing of them is ever sent.
//!
//! No row of a list tells that one of them changed. So they are read with every item that changed, and of all items as often as the
//! histories are.

use std::collections::BTreeMap;

use app::plan::set;
use model::entity::Entity;
use model::op::Change;
use serde_json::{Value, json};
use taiga::Client;
use taiga::dto::Project;

use super::super::kind::Kind;
use super::super::line::{Line, is_about_one};
use crate::mapping::item::RemoteItem;

/// The field that holds the values of custom fields, by name.
pub(crate) const FIELDS: &str = "taiga_fields";
/// The field that holds the attached files: name and address.
pub(crate) const FILES: &str = "taiga_attachments";

/// What an item has beside its own fields; what was not read is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Details(BTreeMap<&'static str, Value>);

/// The files of the items of a project, for each kind that was listed.
#[derive(Debug, Clone, Default)]
pub(super) struct Files(BTreeMap<Kind, BTreeMap<u64, Vec<Value>>>);

impl Files {
    /// Lists the files of some kinds: one call for each, however many items there are.
    pub(super) fn read(line: &Line<'_>, project: &Project, kinds: &[Kind]) -> Result<Self, taiga::Error> {
        let mut files = Self::default();
        for kind in kinds {
            let Some(remote) = kind.remote() else { continue };
            let listed = match line.ask(|client| client.project_attachments(remote, project.summary.id)) {
                // Without the files everything else is still worth having.
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
        let files = self.0.get(&Kind::of_item(item))?.get(&item.id());
        Some(files.map(|files| Value::from(files.clone())).unwrap_or_default())
    }
}

impl Details {
    /// Reads what an item has; the values of its custom fields only if the project has any for its kind.
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

    /// Returns what has a value, for a new item.
    pub(super) fn fields(&self) -> impl Iterator<Item = (String, Value)> {
        let present = self.0.iter().filter(|(_, value)| !value.is_null());
        present.map(|(name, value)| ((*name).to_owned(), value.clone()))
    }

    /// Returns what differs from an item, as it is called in reports, and the changes.
    pub(super) fn changes(&self, entity: &Entity) -> Vec<(&'static str, Change)> {
        let differs = |name: &str, value: &Value| entity.value(name).unwrap_or(&Value::Null) != value;
        let changed = self.0.iter().filter(|(name, value)| differs(name, value));
        changed.map(|(name, value)| (shown(name), set(name, value.clone()))).collect()
    }

    /// Tells whether an item has the same already.
    pub(super) fn is_known(&self, extra: &BTreeMap<String, Value>) -> bool {
        self.0.iter().all(|(name, value)| extra.get(*name).unwrap_or(&Value::Null) == value)
    }
}

fn shown(name: &str) -> &'static str {
    if name == FILES { "attachments" } else { "custom fields" }
}
