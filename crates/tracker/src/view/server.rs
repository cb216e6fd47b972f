//! Taiga servers, as the outside sees them. No token is ever part of a shape.

use serde::Serialize;

use crate::{Instance, ProjectCard};

/// A server that a person is logged in to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    /// What the person calls it.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// Who the person is there; empty when the environment gives the token.
    pub username: String,
    /// Who keeps the token: `keyring`, `file` or `environment`.
    pub keeper: String,
}

/// A project on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteProjectView {
    /// Its id there.
    pub id: u64,
    /// What it is called in addresses.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// Whether this repository works on it.
    pub active: bool,
}

/// What a repository works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaigaView {
    /// The server it is set to; null when the `taiga` dialect works on the repository's own items.
    pub instance: Option<InstanceView>,
    /// The project on that server, or null.
    pub project: Option<RemoteProjectView>,
    /// Every server that the person is logged in to.
    pub instances: Vec<InstanceView>,
}

impl From<&Instance> for InstanceView {
    fn from(instance: &Instance) -> Self {
        Self {
            name: instance.name.clone(),
            url: instance.url.clone(),
            username: instance.username.clone(),
            keeper: instance.keeper().to_owned(),
        }
    }
}

impl From<&ProjectCard> for RemoteProjectView {
    fn from(card: &ProjectCard) -> Self {
        Self { id: card.id.get(), slug: card.slug.clone(), name: card.name.clone(), active: card.is_active }
    }
}
