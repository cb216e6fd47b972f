//! Fits a result into a budget. The least reliable regions are dropped first; intents and constraints of the remaining
//! ones are always kept. Free space is filled with the next best parts. Dropped parts are counted.

use super::measure::{BYTES_PER_TOKEN, Measure};
use crate::view::{ReadView, RegionView, TrimmedView};

/// The share of the budget for dependents.
const SHARE_OF_DEPENDENTS: usize = 4;

/// The parts that are removed from a region, step by step, before it is dropped.
const STEPS: [fn(&mut RegionView); 4] = [
    |region| region.related.clear(),
    |region| region.reasoning = None,
    |region| region.risk_notes = None,
    |region| region.tags.clear(),
];

/// Trims a result to a budget in bytes. If not even an empty result fits, returns the number of tokens it needs, and
/// leaves the empty result.
pub(super) fn trim(view: &mut ReadView, budget: usize, measure: &Measure) -> Result<(), usize> {
    if (measure.read)(view) <= budget {
        return Ok(());
    }
    let full = std::mem::replace(view, emptied(view));
    count_trimmed(view, &full, &[]);
    let least = (measure.read)(view);
    if least > budget {
        return Err(least.div_ceil(BYTES_PER_TOKEN));
    }
    let mut filling =
        ReadBuilder { empty: emptied(&full), full: &full, measure, left: budget - least, kept: Vec::new() };
    // Dependents get their share before the other regions, which would otherwise take all; what they leave is filled
    // with further dependents.
    filling.take_best();
    let n_first = filling.take_dependents(0, filling.left / SHARE_OF_DEPENDENTS);
    filling.take_regions();
    let n_dependents = n_first + filling.take_dependents(n_first, filling.left);
    let n_cross_cutting = filling.take_cross_cutting();
    let mut kept = filling.kept;
    kept.sort_by_key(|(place, _)| *place);
    view.regions = kept.iter().map(|(_, region)| region.clone()).collect();
    view.dependencies_on_this = full.dependencies_on_this[..n_dependents].to_vec();
    view.cross_cutting = full.cross_cutting[..n_cross_cutting].to_vec();
    count_trimmed(view, &full, &kept);
    drop_excess(view, &full, kept, budget, measure);
    Ok(())
}

/// Drops the excess: the parts were measured individually.
fn drop_excess(
    view: &mut ReadView,
    full: &ReadView,
    mut kept: Vec<(usize, RegionView)>,
    budget: usize,
    measure: &Measure,
) {
    // The counts of dropped parts grow with each part, so the view is measured again each time.
    while (measure.read)(view) > budget {
        let is_dropped = view.cross_cutting.pop().is_some()
            || view.dependencies_on_this.pop().is_some()
            || (kept.pop().is_some() && view.regions.pop().is_some());
        if !is_dropped {
            return;
        }
        count_trimmed(view, full, &kept);
    }
}

fn emptied(view: &ReadView) -> ReadView {
    ReadView { regions: Vec::new(), dependencies_on_this: Vec::new(), cross_cutting: Vec::new(), ..view.clone() }
}

/// Counts the dropped parts. `kept` are the remaining regions, each with its index.
fn count_trimmed(view: &mut ReadView, full: &ReadView, kept: &[(usize, RegionView)]) {
    view.trimmed = Some(trimmed(view, full, &kept.iter().map(|(place, region)| (*place, region))));
    view.stats.regions_returned = kept.len();
}

/// Returns how much of a whole result is missing in another one, whose regions are `kept`, each with its index.
pub(super) fn trimmed<'a>(
    view: &ReadView,
    full: &ReadView,
    kept: &(impl Iterator<Item = (usize, &'a RegionView)> + Clone),
) -> TrimmedView {
    let before = full.trimmed.unwrap_or_default();
    let lost = |count: fn(&RegionView) -> usize| -> usize {
        kept.clone().map(|(place, region)| count(&full.regions[place]).saturating_sub(count(region))).sum()
    };
    TrimmedView {
        regions: before.regions + full.regions.len() - kept.clone().count(),
        related: before.related + lost(|region| region.related.len()),
        reasoning: before.reasoning + lost(|region| usize::from(region.reasoning.is_some())),
        risk_notes: before.risk_notes + lost(|region| usize::from(region.risk_notes.is_some())),
        tags: before.tags + lost(|region| region.tags.len()),
        cross_cutting: before.cross_cutting + full.cross_cutting.len() - view.cross_cutting.len(),
        dependencies_on_this: before.dependencies_on_this + full.dependencies_on_this.len()
            - view.dependencies_on_this.len(),
    }
}

/// A result under construction.
struct ReadBuilder<'a> {
    empty: ReadView,
    full: &'a ReadView,
    measure: &'a Measure,
    /// Free bytes.
    left: usize,
    /// The regions taken so far, each with its index.
    kept: Vec<(usize, RegionView)>,
}

impl ReadBuilder<'_> {
    /// Takes the best region first, without its optional parts if necessary.
    fn take_best(&mut self) {
        if let Some(best) = self.full.regions.first() {
            let _ = self.take_region(0, best.clone()) || self.take_lean(0, best);
        }
    }

    /// Takes the other regions in order, then those that fit only without their optional parts.
    fn take_regions(&mut self) {
        let mut skipped = Vec::new();
        for (place, region) in self.full.regions.iter().enumerate().skip(1) {
            if !self.take_region(place, region.clone()) {
                skipped.push(place);
            }
        }
        for place in skipped {
            self.take_lean(place, &self.full.regions[place]);
        }
    }

    fn take_lean(&mut self, place: usize, region: &RegionView) -> bool {
        let mut lean = region.clone();
        STEPS.iter().any(|step| {
            step(&mut lean);
            self.take_region(place, lean.clone())
        })
    }

    fn take_region(&mut self, place: usize, region: RegionView) -> bool {
        let one = ReadView { regions: vec![region], ..self.empty.clone() };
        let fits = self.take(&one);
        self.kept.extend(one.regions.into_iter().filter(|_| fits).map(|region| (place, region)));
        fits
    }

    /// Takes dependents in order, up to a share; returns their number.
    fn take_dependents(&mut self, from: usize, share: usize) -> usize {
        let end = self.left - share.min(self.left);
        let wanted = self.full.dependencies_on_this.iter().skip(from);
        let mut n = 0;
        for dependent in wanted {
            let one = ReadView { dependencies_on_this: vec![dependent.clone()], ..self.empty.clone() };
            if self.size_of(&one) + end > self.left || !self.take(&one) {
                break;
            }
            n += 1;
        }
        n
    }

    fn take_cross_cutting(&mut self) -> usize {
        let all = self.full.cross_cutting.iter();
        all.take_while(|concern| {
            let one = ReadView { cross_cutting: vec![(*concern).clone()], ..self.empty.clone() };
            let size = (self.measure.read)(&one).saturating_sub((self.measure.read)(&self.empty)) + 1;
            self.left.checked_sub(size).map(|left| self.left = left).is_some()
        })
        .count()
    }

    fn take(&mut self, one: &ReadView) -> bool {
        let size = self.size_of(one);
        self.left.checked_sub(size).map(|left| self.left = left).is_some()
    }

    /// Returns the size that a part adds to a result, including the comma.
    fn size_of(&self, one: &ReadView) -> usize {
        (self.measure.read)(one).saturating_sub((self.measure.read)(&self.empty)) + 1
    }
}
