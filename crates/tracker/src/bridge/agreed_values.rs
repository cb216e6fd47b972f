//! Finds the agreed values, to show them beside a conflict. A link stores only fingerprints; the values are recovered
//! from the item's history in the log.

use std::collections::BTreeMap;

use app::Error;
use model::entity::Entity;
use model::item::Item;
use model::workflow::State;
use serde_json::Value;
use store::index::Index;

use super::field_set::Key;
use super::link::Link;
use super::local_item::LocalItem;
use super::mapping::BridgeMapping;

/// Returns the agreed values that appear in the item's history; values that the local item never had are missing.
pub(super) fn agreed(
    mapping: &BridgeMapping,
    index: &Index,
    here: &LocalItem,
    link: &Link,
    keys: &[Key],
) -> Result<BTreeMap<Key, Value>, Error> {
    let mut agreed = BTreeMap::new();
    let mut entity = Entity::new(here.id());
    for op in index.ops(here.id())? {
        entity.apply(&op);
        let Some(item) = Item::from_entity(&entity) else { continue };
        // The state is used for milestones only, whose closed status has the name of the state.
        let state = if item.status == State::Closed.name() { State::Closed } else { State::Open };
        let shape = mapping.of_local(here.kind, &item, state);
        let known = keys.iter().filter(|key| link.base.is_here(key, &shape));
        agreed.extend(known.map(|key| (key.clone(), shape.get(key).clone())));
    }
    Ok(agreed)
}
