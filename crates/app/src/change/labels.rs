//! Labels: an add-wins set, in which a removal only affects the additions it has seen.

use model::entity::Entity;
use model::op::Change;
use model::text::check_label;
use store::index::Row;

use crate::error::Error;

/// Labels to add and to remove, validated.
pub(super) struct LabelChanges {
    add: Vec<String>,
    remove: Vec<String>,
}

impl LabelChanges {
    pub(super) fn check(add: &[String], remove: &[String]) -> Result<Self, Error> {
        let check = |labels: &[String]| -> Result<Vec<String>, Error> {
            labels.iter().map(|label| Ok(check_label(label)?)).collect()
        };
        let changes = Self { add: check(add)?, remove: check(remove)? };
        match changes.add.iter().find(|label| changes.remove.contains(label)) {
            Some(label) => Err(Error::invalid(format!("the label `{label}` is both added and removed"))),
            None => Ok(changes),
        }
    }

    /// Returns the changes to one item. Removing a missing label is an error, so that a typo is noticed.
    pub(super) fn for_item(&self, entity: &Entity, row: &Row) -> Result<Vec<Change>, Error> {
        let mut changes = Vec::new();
        let missing = self.add.iter().filter(|label| !row.item.labels.contains(label));
        changes.extend(missing.map(|label| Change::Add { field: "labels".into(), value: label.clone() }));
        for label in &self.remove {
            let seen = entity.tags("labels", label);
            if seen.is_empty() {
                return Err(Error::not_found(format!("{} has no label `{label}`", row.reference()))
                    .hint(format!("it has: {}", shown(&row.item.labels))));
            }
            changes.push(Change::Remove { field: "labels".into(), value: label.clone(), seen });
        }
        Ok(changes)
    }
}

fn shown(labels: &[String]) -> String {
    if labels.is_empty() { "none".to_owned() } else { labels.join(", ") }
}
