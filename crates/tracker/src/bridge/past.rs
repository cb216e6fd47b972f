//! What both sides agreed on last, to be shown beside a conflict. A link keeps only fingerprints of that; the values
//! themselves are in the log, among all that an item ever was here.

use std::collections::BTreeMap;

use app::Error;
use model::entity::Entity;
use model::item::Item;
use serde_json::Value;
use store::index::Index;

use super::here::Here;
use super::link::Link;
use super::shape::Key;
use super::terms::Terms;

/// Finds the values that were agreed on; what was never here as it was there is not among them.
pub(super) fn agreed(
    terms: &Terms,
    index: &Index,
    here: &Here,
    link: &Link,
    keys: &[Key],
) -> Result<BTreeMap<Key, Value>, Error> {
    let mut agreed = BTreeMap::new();
    let mut entity = Entity::new(here.id());
    for op in index.ops(here.id())? {
        entity.apply(&op);
        let Some(item) = Item::from_entity(&entity) else { continue };
        // Only milestones need to be told whether they are closed, and of these nothing else says so.
        let shape = terms.of_local(here.kind, &item, item.status == "closed");
        let known = keys.iter().filter(|key| link.base.is_here(key, &shape));
        agreed.extend(known.map(|key| (key.clone(), shape.get(key).clone())));
    }
    Ok(agreed)
}
