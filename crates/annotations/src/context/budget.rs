//! Fits a result of `context` into a budget. All parts share it: unread messages and constraints come first and are
//! never crowded out, then items, dependents, other annotations and commits. Free space is filled with details, and at
//! last with a shortened text. What was left out is counted.

use std::collections::BTreeMap;

use inbox::view::MessageView;
use model::message::MessageState;
use model::tokens::shorten;

use crate::measure::{BYTES_PER_TOKEN, Measure};
use crate::trim::trimmed;
use crate::view::{ContextTrimmedView, ContextView, ReadView, RegionView, TrimmedView};

/// How much of the budget may be used, in percent, after each part of the first round has taken its share.
const SHARES: [(ContextPart, usize); 7] = [
    (ContextPart::UnreadMessages, 25),
    (ContextPart::Constraints, 55),
    (ContextPart::Conventions, 62),
    (ContextPart::Items, 74),
    (ContextPart::Dependents, 82),
    (ContextPart::OtherRegions, 94),
    (ContextPart::Commits, 97),
];

/// How much of the budget may be used for the first message and the first constraint, in percent.
const MAX_SHARE_OF_FIRST: usize = 80;

/// The parts in the order in which they take the rest.
const REST: [ContextPart; 9] = [
    ContextPart::UnreadMessages,
    ContextPart::Constraints,
    ContextPart::Conventions,
    ContextPart::Messages,
    ContextPart::Items,
    ContextPart::Dependents,
    ContextPart::OtherRegions,
    ContextPart::Details,
    ContextPart::Commits,
];

/// Lengths, in tokens, to which a text is shortened when nothing else fits.
const SHORTENED: [usize; 6] = [160, 110, 70, 40, 20, 8];

/// A part of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContextPart {
    UnreadMessages,
    Messages,
    Constraints,
    Conventions,
    Items,
    Dependents,
    OtherRegions,
    Details,
    Commits,
}

impl ContextPart {
    fn comes_first(self) -> bool {
        matches!(self, Self::UnreadMessages | Self::Constraints)
    }
}

/// Fits a result into a budget in tokens. If not even an empty result fits, it stays empty.
pub(super) fn fit(view: &mut ContextView, max_tokens: usize, measure: &Measure) {
    let budget = max_tokens.saturating_mul(BYTES_PER_TOKEN);
    if (measure.context)(view) <= budget {
        return;
    }
    let mut filling = ContextBuilder { full: view, kept: KeptParts::default(), measure, budget };
    let least = (measure.context)(&filling.view(&filling.kept));
    let share = |percent: usize| least + budget.saturating_sub(least) * percent / 100;
    for (part, percent) in SHARES {
        filling.take(part, share(percent));
        // One message and one constraint are worth more than their share: of each at least one is kept if any fits.
        if part.comes_first() && !filling.has(part) {
            filling.take(part, share(MAX_SHARE_OF_FIRST));
        }
    }
    for part in REST {
        filling.take(part, budget);
    }
    filling.take_shortened();
    *view = filling.view(&filling.kept);
}

/// What is kept of a result: lists by index.
#[derive(Clone, Default)]
struct KeptParts {
    regions: BTreeMap<usize, RegionView>,
    n_dependents: usize,
    conventions: Vec<usize>,
    items: Vec<usize>,
    messages: Vec<usize>,
    n_commits: usize,
    /// Concerns of several regions, and resolved messages.
    has_rest: bool,
}

/// A result under construction.
struct ContextBuilder<'a> {
    full: &'a ContextView,
    kept: KeptParts,
    measure: &'a Measure,
    budget: usize,
}

impl ContextBuilder<'_> {
    /// Takes what fits of a part, up to a limit in bytes.
    fn take(&mut self, part: ContextPart, limit: usize) {
        let full = self.full;
        match part {
            ContextPart::UnreadMessages => self.take_messages(limit, |message| message.state == MessageState::Sent),
            ContextPart::Messages => self.take_messages(limit, |_| true),
            ContextPart::Constraints => self.take_regions(limit, |region| !region.constraints.is_empty()),
            ContextPart::OtherRegions => self.take_regions(limit, |_| true),
            ContextPart::Conventions => self.take_each(full.conventions.len(), limit, |kept| &mut kept.conventions),
            ContextPart::Items => self.take_each(full.items.len(), limit, |kept| &mut kept.items),
            ContextPart::Dependents => {
                let n = full.annotations.dependencies_on_this.len();
                while self.kept.n_dependents < n && self.try_with(limit, |kept| kept.n_dependents += 1) {}
            }
            ContextPart::Commits => {
                while self.kept.n_commits < full.commits.len() && self.try_with(limit, |kept| kept.n_commits += 1) {}
            }
            ContextPart::Details => self.take_details(limit),
        }
    }

    /// Returns whether something is kept of a part that comes first.
    fn has(&self, part: ContextPart) -> bool {
        match part {
            ContextPart::UnreadMessages => !self.kept.messages.is_empty(),
            _ => self.kept.regions.values().any(|region| !region.constraints.is_empty()),
        }
    }

    /// Keeps a change if the result fits.
    fn try_with(&mut self, limit: usize, change: impl FnOnce(&mut KeptParts)) -> bool {
        let mut changed = self.kept.clone();
        change(&mut changed);
        let fits = (self.measure.context)(&self.view(&changed)) <= limit.min(self.budget);
        if fits {
            self.kept = changed;
        }
        fits
    }

    /// Takes the entries of a list that fit; a long one does not keep shorter ones out.
    fn take_each(&mut self, n: usize, limit: usize, list: fn(&mut KeptParts) -> &mut Vec<usize>) {
        for place in 0..n {
            if !list(&mut self.kept).contains(&place) {
                self.try_with(limit, |kept| list(kept).push(place));
            }
        }
    }

    fn take_messages(&mut self, limit: usize, is_wanted: fn(&MessageView) -> bool) {
        for place in 0..self.full.messages.len() {
            if is_wanted(&self.full.messages[place]) && !self.kept.messages.contains(&place) {
                self.try_with(limit, |kept| kept.messages.push(place));
            }
        }
    }

    /// Takes regions with their intent and constraints only.
    fn take_regions(&mut self, limit: usize, is_wanted: fn(&RegionView) -> bool) {
        for (place, region) in self.full.annotations.regions.iter().enumerate() {
            if is_wanted(region) && !self.kept.regions.contains_key(&place) {
                self.try_with(limit, |kept| _ = kept.regions.insert(place, bare(region)));
            }
        }
    }

    /// Adds reasons, then the other details, to the regions that are kept, then what is about several regions.
    fn take_details(&mut self, limit: usize) {
        let adds: [fn(&mut RegionView, &RegionView); 4] = [
            |kept, full| kept.reasoning.clone_from(&full.reasoning),
            |kept, full| kept.risk_notes.clone_from(&full.risk_notes),
            |kept, full| kept.related.clone_from(&full.related),
            |kept, full| kept.tags.clone_from(&full.tags),
        ];
        let places: Vec<usize> = self.kept.regions.keys().copied().collect();
        for add in adds {
            for place in &places {
                let full = &self.full.annotations.regions[*place];
                self.try_with(limit, |kept| _ = kept.regions.entry(*place).and_modify(|region| add(region, full)));
            }
        }
        self.try_with(limit, |kept| kept.has_rest = true);
    }

    /// Fills the last space with shortened texts: the reasons of regions that are kept, else regions that are not.
    fn take_shortened(&mut self) {
        let regions = &self.full.annotations.regions;
        for (place, region) in regions.iter().enumerate() {
            let is_kept = self.kept.regions.contains_key(&place);
            let text = if is_kept { region.reasoning.as_ref() } else { Some(&region.intent) };
            let is_whole = self.kept.regions.get(&place).is_some_and(|kept| kept.reasoning == region.reasoning);
            let Some(text) = text.filter(|_| !is_whole) else { continue };
            for max_tokens in SHORTENED {
                let cut = shorten(text, max_tokens);
                let change = |kept: &mut KeptParts| {
                    let entry = kept.regions.entry(place).or_insert_with(|| bare(region));
                    if is_kept { entry.reasoning = Some(cut) } else { entry.intent = cut }
                };
                if self.try_with(self.budget, change) {
                    break;
                }
            }
        }
    }

    /// Builds the result from the kept parts.
    fn view(&self, kept: &KeptParts) -> ContextView {
        let full = self.full;
        let pick = |mut places: Vec<usize>| {
            places.sort_unstable();
            places
        };
        let annotations = &full.annotations;
        let (cross_cutting, resolved) =
            if kept.has_rest { (annotations.cross_cutting.clone(), full.resolved.clone()) } else { Default::default() };
        let mut read = ReadView {
            regions: kept.regions.values().cloned().collect(),
            dependencies_on_this: annotations.dependencies_on_this[..kept.n_dependents].to_vec(),
            cross_cutting,
            ..emptied(annotations)
        };
        count(&mut read, annotations, &kept.regions);
        let trimmed = ContextTrimmedView {
            items: full.items.len() - kept.items.len(),
            messages: full.messages.len() - kept.messages.len() + full.resolved.len() - resolved.len(),
            commits: full.commits.len() - kept.n_commits,
            conventions: full.conventions.len() - kept.conventions.len(),
        };
        ContextView {
            annotations: read,
            conventions: pick(kept.conventions.clone()).iter().map(|n| full.conventions[*n].clone()).collect(),
            items: pick(kept.items.clone()).iter().map(|n| full.items[*n].clone()).collect(),
            messages: pick(kept.messages.clone()).iter().map(|n| full.messages[*n].clone()).collect(),
            resolved,
            commits: full.commits[..kept.n_commits].to_vec(),
            trimmed: Some(trimmed).filter(|trimmed| *trimmed != ContextTrimmedView::default()),
        }
    }
}

fn emptied(view: &ReadView) -> ReadView {
    let mut view = ReadView { regions: Vec::new(), dependencies_on_this: Vec::new(), ..view.clone() };
    view.cross_cutting.clear();
    view
}

/// Returns a region with its intent, constraints and corrections only.
fn bare(region: &RegionView) -> RegionView {
    RegionView { reasoning: None, risk_notes: None, tags: Vec::new(), related: Vec::new(), ..region.clone() }
}

/// Counts the annotations that were left out.
fn count(view: &mut ReadView, full: &ReadView, kept: &BTreeMap<usize, RegionView>) {
    let trimmed = trimmed(view, full, &kept.iter().map(|(place, region)| (*place, region)));
    view.trimmed = Some(trimmed).filter(|trimmed| *trimmed != TrimmedView::default());
    view.stats.regions_returned = kept.len();
}
