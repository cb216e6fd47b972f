//! Which item of a Taiga an item of ours is: a field of the item in the log, so that it travels with every sync and any
//! clone can go on where another stopped.

use model::id::{EntityId, OpId};
use serde_json::{Value, json};

use super::kind::Kind;
use super::shape::Base;

/// The field that holds the link.
pub(super) const FIELD: &str = "taiga";
/// The set that holds which comments are on both sides.
pub(super) const COMMENTS: &str = "taiga_comments";

/// A project on a server: what a bridge leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Far {
    /// The address of the server.
    pub(super) server: String,
    pub(super) project: u64,
}

/// Where an item is on the other side, and what both sides agreed on last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) far: Far,
    pub(super) kind: Kind,
    pub(super) id: u64,
    /// The number people see there.
    pub(super) reference: Option<u64>,
    /// Everything up to this version was looked at.
    pub(super) version: u64,
    pub(super) base: Base,
    /// The other side has it no longer, and this side knows.
    pub(super) gone: bool,
}

impl Link {
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({
            "server": self.far.server, "project": self.far.project, "kind": self.kind.name(), "id": self.id,
            "ref": self.reference, "version": self.version, "base": self.base.to_value(),
        });
        if self.gone {
            value["gone"] = true.into();
        }
        value
    }

    /// Reads a link; one that makes no sense is none.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        Some(Self {
            far: Far { server: value["server"].as_str()?.to_owned(), project: value["project"].as_u64()? },
            kind: Kind::parse(value["kind"].as_str()?)?,
            id: value["id"].as_u64()?,
            reference: value["ref"].as_u64(),
            version: value["version"].as_u64().unwrap_or(0),
            base: Base::from_value(&value["base"]),
            gone: value["gone"].as_bool().unwrap_or(false),
        })
    }
}

impl Far {
    /// Returns the id that every clone gives to an item it brings over, so that two that did so hold one item.
    pub(super) fn entity(&self, kind: Kind, id: u64) -> EntityId {
        EntityId::shared(&format!("taiga:{}:{}:{id}", self.server, kind.name()))
    }

    /// Returns the name that every clone gives to a comment it brings over.
    pub(super) fn comment(&self, id: &str) -> OpId {
        OpId::shared(&format!("taiga:{}:comment:{id}", self.server))
    }

    /// Returns the name that every clone gives to the taking back of such a comment.
    pub(super) fn redacted_comment(&self, id: &str, at: jiff::Timestamp) -> OpId {
        OpId::shared(&format!("taiga:{}:comment:{id}:redacted:{at}", self.server))
    }

    /// Returns the name that every clone gives to a later text of such a comment.
    pub(super) fn edited_comment(&self, id: &str, at: jiff::Timestamp) -> OpId {
        OpId::shared(&format!("taiga:{}:comment:{id}:{at}", self.server))
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::{Key, Shape};
    use super::*;

    #[test]
    fn a_link_is_read_back() {
        let shape: Shape = [(Key::Subject, "a".into()), (Key::Tag("b:c".into()), true.into())].into_iter().collect();
        let far = Far { server: "https://taiga.example".into(), project: 3 };
        for gone in [false, true] {
            let base = Base::of(&shape);
            let link = Link { far: far.clone(), kind: Kind::Story, id: 7, reference: None, version: 2, base, gone };
            assert_eq!(Link::from_value(&link.to_value()), Some(link));
        }
        assert_eq!(Link::from_value(&json!({"server": 3})), None);
    }
}
