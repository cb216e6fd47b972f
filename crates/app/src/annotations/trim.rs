//! Keeping an answer within a budget. Whole regions go first, the least reliable first; of what stays, what the code is
//! for and what must stay true never go. What went is counted in the answer.

use serde::Serialize;

use crate::error::Error;
use crate::view::{ReadView, RegionView, TrimmedView};

/// A token, for the contract, is four bytes of the answer.
const BYTES_PER_TOKEN: usize = 4;

/// Trims an answer to a budget of tokens. A budget in which not even an empty answer fits is refused.
pub(super) fn trim(view: &mut ReadView, max_tokens: usize) -> Result<(), Error> {
    let budget = max_tokens.saturating_mul(BYTES_PER_TOKEN);
    if size(view) <= budget {
        return Ok(());
    }
    view.trimmed.get_or_insert_default();
    drop_regions(view, budget, 1);
    for step in STEPS {
        if size(view) <= budget {
            return Ok(());
        }
        step(view);
    }
    drop_regions(view, budget, 0);
    let least = size(view);
    if least <= budget {
        return Ok(());
    }
    let needed = least.div_ceil(BYTES_PER_TOKEN);
    Err(Error::invalid(format!("`max_tokens` is {max_tokens}; the shortest answer needs {needed}")))
}

/// What goes after whole regions, in this order.
const STEPS: [fn(&mut ReadView); 6] = [
    |view| drop_from(view, |region| region.related.drain(..).count(), |trimmed| &mut trimmed.related),
    |view| drop_from(view, |region| usize::from(region.reasoning.take().is_some()), |trimmed| &mut trimmed.reasoning),
    |view| drop_from(view, |region| usize::from(region.risk_notes.take().is_some()), |trimmed| &mut trimmed.risk_notes),
    |view| drop_from(view, |region| region.tags.drain(..).count(), |trimmed| &mut trimmed.tags),
    |view| {
        let n = view.cross_cutting.drain(..).count();
        count(view, |trimmed| &mut trimmed.cross_cutting, n);
    },
    |view| {
        let n = view.dependencies_on_this.drain(..).count();
        count(view, |trimmed| &mut trimmed.dependencies_on_this, n);
    },
];

/// Drops regions from the end, which are the least reliable, until the answer fits or only `least` are left.
fn drop_regions(view: &mut ReadView, budget: usize, least: usize) {
    while size(view) > budget && view.regions.len() > least {
        view.regions.pop();
        view.stats.regions_returned = view.regions.len();
        count(view, |trimmed| &mut trimmed.regions, 1);
    }
}

fn drop_from(view: &mut ReadView, drop: fn(&mut RegionView) -> usize, counter: fn(&mut TrimmedView) -> &mut usize) {
    let n = view.regions.iter_mut().map(drop).sum();
    count(view, counter, n);
}

fn count(view: &mut ReadView, counter: fn(&mut TrimmedView) -> &mut usize, n: usize) {
    *counter(view.trimmed.get_or_insert_default()) += n;
}

/// Returns how many bytes an answer has.
fn size(view: &impl Serialize) -> usize {
    serde_json::to_vec(view).map_or(usize::MAX, |bytes| bytes.len())
}
