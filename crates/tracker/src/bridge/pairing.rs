//! Which status here stands for which there, by the server's id. Kept in the log with the workflow, one field for each status, so
//! that a status which is renamed there is still the same one for every clone.

use std::collections::BTreeMap;

use app::Error;
use model::entity::Entity;
use model::workflow::Workflow;
use serde_json::{Value, json};
use store::index::Index;

use super::kind::Kind;
use super::link::Far;

/// A status there and what it is called on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pairing {
    /// Its name here.
    pub(super) name: String,
    /// Its name there when they were paired.
    pub(super) there: String,
    /// Whether a pull added the status to the workflow here.
    pub(super) is_made: bool,
    /// Names it had here before it was renamed there; they still mean the same.
    pub(super) former: Vec<String>,
}

/// The statuses of one kind that are paired, by id.
pub(super) type Pairings = BTreeMap<u64, Pairing>;

/// Returns the name of the field of a workflow that holds a pairing.
pub(super) fn field(far: &Far, id: u64) -> String {
    format!("{}{id}", prefix(far))
}

fn prefix(far: &Far) -> String {
    format!("taiga:{}:{}:", far.server, far.project)
}

/// Reads the pairings with a project there.
pub(super) fn read(far: &Far, workflow: Option<&Entity>) -> Pairings {
    let prefix = prefix(far);
    let values = workflow.into_iter().flat_map(Entity::values);
    let pairing = |(field, value): (&str, &Value)| {
        Some((field.strip_prefix(&prefix)?.parse().ok()?, Pairing::from_value(value)?))
    };
    values.filter_map(pairing).collect()
}

/// Tells whether this repository is bridged with any project.
pub(super) fn is_any(index: &Index) -> Result<bool, Error> {
    for kind in Kind::WORK {
        let workflow = index.entity(Workflow::id(kind.local()))?;
        if workflow.iter().flat_map(Entity::values).any(|(field, _)| field.starts_with("taiga:")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether a status here stands for one of another project, or of another server.
pub(super) fn is_used_elsewhere(far: &Far, workflow: Option<&Entity>, name: &str) -> bool {
    let prefix = prefix(far);
    let mut values = workflow.into_iter().flat_map(Entity::values);
    values.any(|(field, value)| field.starts_with("taiga:") && !field.starts_with(&prefix) && value["name"] == name)
}

impl Pairing {
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({"name": self.name, "there": self.there});
        if self.is_made {
            value["made"] = true.into();
        }
        if !self.former.is_empty() {
            value["former"] = self.former.clone().into();
        }
        value
    }

    fn from_value(value: &Value) -> Option<Self> {
        let former = value["former"].as_array().into_iter().flatten();
        Some(Self {
            name: value["name"].as_str()?.to_owned(),
            there: value["there"].as_str()?.to_owned(),
            is_made: value["made"].as_bool().unwrap_or(false),
            former: former.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        })
    }
}
