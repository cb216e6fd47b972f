//! Pairs local statuses with remote ones by the server's id. Pairings are stored in the log, one workflow field per
//! status, so that a status renamed in Taiga is still recognized by every clone.

use std::collections::BTreeMap;

use app::Error;
use model::entity::Entity;
use model::workflow::Workflow;
use serde_json::{Value, json};
use store::index::Index;

use super::kind::local_kind;
use super::link::RemoteRef;
use crate::Kind;

/// A remote status and its names on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pairing {
    pub(super) name: String,
    /// The remote name at the time of pairing.
    pub(super) there: String,
    /// Whether a pull added the status to the local workflow.
    pub(super) is_made: bool,
    /// Earlier local names, from before a remote rename; they still resolve to this status.
    pub(super) former: Vec<String>,
}

/// The paired statuses of one kind, by remote id.
pub(super) type Pairings = BTreeMap<u64, Pairing>;

/// Returns the name of the workflow field of a pairing.
pub(super) fn field(remote_ref: &RemoteRef, id: u64) -> String {
    format!("{}{id}", prefix(remote_ref))
}

fn prefix(remote_ref: &RemoteRef) -> String {
    format!("taiga:{}:{}:", remote_ref.server, remote_ref.project)
}

/// Reads the pairings with a remote project.
pub(super) fn read(remote_ref: &RemoteRef, workflow: Option<&Entity>) -> Pairings {
    let prefix = prefix(remote_ref);
    let values = workflow.into_iter().flat_map(Entity::values);
    let pairing = |(field, value): (&str, &Value)| {
        Some((field.strip_prefix(&prefix)?.parse().ok()?, Pairing::from_value(value)?))
    };
    values.filter_map(pairing).collect()
}

/// Returns whether this repository is bridged with any project.
pub(super) fn is_any(index: &Index) -> Result<bool, Error> {
    for kind in Kind::ALL {
        let workflow = index.entity(Workflow::id(local_kind(kind)))?;
        if workflow.iter().flat_map(Entity::values).any(|(field, _)| field.starts_with("taiga:")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a local status is paired with a status of another project or server.
pub(super) fn is_used_elsewhere(remote_ref: &RemoteRef, workflow: Option<&Entity>, name: &str) -> bool {
    let prefix = prefix(remote_ref);
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
