//! Taiga servers as JSON. Tokens are never included.

use serde::Serialize;

use crate::{Instance, ProjectCard, TokenLocation};

/// A server that the user is logged in to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    /// The user's name for the server.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// The user name on the server; empty if the environment provides the token.
    pub username: String,
    /// Where the token is stored: `keyring` (git's credential helpers), `file` or `environment`.
    pub keeper: TokenLocation,
}

/// A project on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteProjectView {
    /// Its id on the server.
    pub id: u64,
    /// Its name in URLs.
    pub slug: String,
    /// Its display name.
    pub name: String,
    /// Whether this repository is bound to it.
    pub active: bool,
}

/// The Taiga binding of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaigaView {
    /// The server it is bound to; `null` if the `taiga` dialect uses the repository's own items.
    pub instance: Option<InstanceView>,
    /// The project on that server, or null.
    pub project: Option<RemoteProjectView>,
    /// All servers that the user is logged in to.
    pub instances: Vec<InstanceView>,
}

impl From<&Instance> for InstanceView {
    fn from(instance: &Instance) -> Self {
        Self {
            name: instance.name.clone(),
            url: instance.url.clone(),
            username: instance.username.clone(),
            keeper: instance.keeper,
        }
    }
}

impl From<&ProjectCard> for RemoteProjectView {
    fn from(card: &ProjectCard) -> Self {
        Self { id: card.id.get(), slug: card.slug.clone(), name: card.name.clone(), active: card.is_active }
    }
}
