//! The link between a local item and its Taiga item: a field of the item in the log. It is synced like any other field,
//! so that every clone can continue from where another stopped.

use model::id::{EntityId, OpId};
use serde_json::{Value, json};

use super::field_set::AgreedFingerprints;
use super::kind::BridgedKind;

/// The field that holds the link.
pub(super) const FIELD: &str = "taiga";
/// The set field of paired comments.
pub(super) const COMMENTS: &str = "taiga_comments";

/// A project on a Taiga server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteRef {
    /// The URL of the server.
    pub(super) server: String,
    pub(super) project: u64,
}

/// The remote identity of an item, and the values both sides agreed on last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) remote_ref: RemoteRef,
    pub(super) kind: BridgedKind,
    pub(super) id: u64,
    /// The number that users see in Taiga.
    pub(super) reference: Option<u64>,
    /// The last remote version that was fully processed; 0 for none.
    pub(super) version: u64,
    pub(super) base: AgreedFingerprints,
    /// The item was deleted on the server, and this is recorded here.
    pub(super) gone: bool,
}

impl Link {
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({
            "server": self.remote_ref.server, "project": self.remote_ref.project, "kind": self.kind.name(), "id": self.id,
            "ref": self.reference, "version": self.version, "base": self.base.to_value(),
        });
        if self.gone {
            value["gone"] = true.into();
        }
        value
    }

    /// Parses a link; `None` if it is malformed.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        Some(Self {
            remote_ref: RemoteRef { server: value["server"].as_str()?.to_owned(), project: value["project"].as_u64()? },
            kind: BridgedKind::parse(value["kind"].as_str()?)?,
            id: value["id"].as_u64()?,
            reference: value["ref"].as_u64(),
            version: value["version"].as_u64().unwrap_or(0),
            base: AgreedFingerprints::from_value(&value["base"]),
            gone: value["gone"].as_bool().unwrap_or(false),
        })
    }
}

impl RemoteRef {
    /// Returns the id of a pulled item. It is derived from the remote id, so that clones which pull independently
    /// create the same item.
    pub(super) fn entity(&self, kind: impl Into<BridgedKind>, id: u64) -> EntityId {
        EntityId::shared(&format!("taiga:{}:{}:{id}", self.server, kind.into().name()))
    }

    /// Returns the id of a pulled comment, the same in every clone.
    pub(super) fn comment(&self, id: &str) -> OpId {
        OpId::shared(&format!("taiga:{}:comment:{id}", self.server))
    }

    /// Returns the operation id of the redaction of a pulled comment, the same in every clone.
    pub(super) fn redacted_comment(&self, id: &str, at: jiff::Timestamp) -> OpId {
        OpId::shared(&format!("taiga:{}:comment:{id}:redacted:{at}", self.server))
    }

    /// Returns the operation id of an edit of a pulled comment, the same in every clone.
    pub(super) fn edited_comment(&self, id: &str, at: jiff::Timestamp) -> OpId {
        OpId::shared(&format!("taiga:{}:comment:{id}:{at}", self.server))
    }
}

#[cfg(test)]
mod tests {
    use super::super::field_set::{FieldSet, Key};
    use super::*;

    #[test]
    fn a_link_is_read_back() {
        let shape: FieldSet = [(Key::Subject, "a".into()), (Key::Tag("b:c".into()), true.into())].into_iter().collect();
        let remote_ref = RemoteRef { server: "https://taiga.example".into(), project: 3 };
        for gone in [false, true] {
            let base = AgreedFingerprints::of(&shape);
            let link = Link {
                remote_ref: remote_ref.clone(),
                kind: crate::Kind::Story.into(),
                id: 7,
                reference: None,
                version: 2,
                base,
                gone,
            };
            assert_eq!(Link::from_value(&link.to_value()), Some(link));
        }
        assert_eq!(Link::from_value(&json!({"server": 3})), None);
    }
}
