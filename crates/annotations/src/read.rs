//! `read`: the annotations of a piece of code.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use app::Error;
use jiff::Timestamp;
use model::annotation::{Anchor, Constraint, ContextLevel, Correction, Note, Region, RelatedAnnotation};

use super::dependents::DependentNow;
use super::find::{Finding, Hit, Notes};
use super::knowledge::knowledge;
use super::locate::CodePlace;
use super::measure::{BYTES_PER_TOKEN, Measure};
use super::scope::{Scope, Target};
use super::score;
use super::trim::trim;
use crate::Annotations;
use crate::view::{
    AnchorView, ConstraintView, CorrectionView, DependentOnThisView, FactorsView, QueryView, ReadStatsView, ReadView,
    RegionView, RelatedView, TrimmedView,
};

/// Default for the maximum number of regions.
const DEFAULT_REGIONS: usize = 20;
/// Number of additional regions whose status is computed: of equally reliable ones, those with unchanged code come
/// first.
const SPARE_REGIONS: usize = 20;

/// A read query.
#[derive(Debug, Clone)]
pub struct ReadQuery {
    /// The file, relative to the repository root.
    pub path: String,
    /// The function or type.
    pub anchor: Option<String>,
    /// Lines, as START:END.
    pub lines: Option<String>,
    /// Maximum number of tokens in the result, of four bytes each.
    pub max_tokens: Option<usize>,
    /// Depth of related annotations.
    pub depth: u32,
    /// Maximum number of regions.
    pub max_regions: usize,
    /// Only annotations written at or after this time.
    pub since: Option<Timestamp>,
    /// Only annotations with one of these tags; empty for all.
    pub tags: Vec<String>,
    /// The source of the annotations.
    pub context_level: ContextFilter,
    /// Minimum confidence.
    pub min_confidence: f64,
    /// How the result is measured against `max_tokens`.
    pub measure: Measure,
}

/// The source of annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextFilter {
    /// All.
    #[default]
    All,
    /// Written by the author of the change.
    Enhanced,
    /// Inferred from the change.
    Inferred,
}

impl ReadQuery {
    /// Creates a query for a file with default options.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            anchor: None,
            lines: None,
            max_tokens: None,
            depth: 1,
            max_regions: DEFAULT_REGIONS,
            since: None,
            tags: Vec::new(),
            context_level: ContextFilter::All,
            min_confidence: 0.0,
            measure: Measure::JSON,
        }
    }

    fn wants(&self, hit: &Hit<'_>) -> bool {
        let (note, region) = (&hit.note, hit.region());
        let is_new = self.since.is_none_or(|since| note.time_of(region).is_some_and(|at| at >= since));
        let is_tagged = self.tags.is_empty() || region.tags.iter().any(|tag| self.tags.contains(tag));
        let context = note.context_of(region);
        let is_known = match self.context_level {
            ContextFilter::All => true,
            ContextFilter::Enhanced => *context == ContextLevel::Enhanced,
            ContextFilter::Inferred => *context == ContextLevel::Inferred,
        };
        is_new && is_tagged && is_known
    }
}

impl Annotations<'_> {
    /// Returns the annotations of a piece of code.
    pub fn read(&self, query: &ReadQuery) -> Result<ReadView, Error> {
        let mut view = self.read_untrimmed(query, Grouping::None)?;
        if let Some(max_tokens) = query.max_tokens {
            let budget = max_tokens.saturating_mul(BYTES_PER_TOKEN);
            trim(&mut view, budget, &query.measure).map_err(|needed| {
                Error::invalid(format!("`max_tokens` is {max_tokens}; the shortest answer needs {needed}"))
            })?;
        }
        Ok(view)
    }

    /// Returns the same without a budget, with equal texts of one commit grouped.
    pub(super) fn read_grouped(&self, query: &ReadQuery) -> Result<ReadView, Error> {
        self.read_untrimmed(query, Grouping::ByText)
    }

    fn read_untrimmed(&self, query: &ReadQuery, grouping: Grouping) -> Result<ReadView, Error> {
        let here = self.query_commit()?;
        let scope = self.scope(here.head, &query.path, query.anchor.as_deref(), query.lines.as_deref())?;
        let finding = self.find_annotations(&scope)?;
        let dependents = self.dependents_of(&scope, query.anchor.as_deref())?;
        let groups = self.ranked(&scope, &finding, query, grouping)?;
        let n_left_out = groups.len().saturating_sub(query.max_regions);
        let mut notes = Notes::new(*self);
        let mut related_hops = 0;
        let mut regions = Vec::new();
        for group in groups.iter().take(query.max_regions.saturating_add(SPARE_REGIONS)) {
            let mut view = self.region_view(&scope, &finding, group.hits[0])?;
            view.functions = group.functions();
            regions.push((view, group.hits[0]));
        }
        regions.sort_by(|a, b| by_reliability((&a.0, a.1), (&b.0, b.1)));
        regions.truncate(query.max_regions);
        for (view, hit) in &mut regions {
            view.related = related(&mut notes, hit, query.depth, &mut related_hops)?;
        }
        let annotated: HashSet<_> = finding.hits.iter().map(|hit| hit.commit).collect();
        Ok(ReadView {
            schema: "ultragit-read/v1",
            query: QueryView {
                file: scope.file.clone(),
                anchor: query.anchor.clone(),
                lines: scope.range().filter(|_| !matches!(scope.target, Target::File)).map(Into::into),
                depth: query.depth,
            },
            cross_cutting: cross_cutting(&finding),
            dependencies_on_this: dependents.into_iter().map(DependentOnThisView::from).collect(),
            stats: ReadStatsView {
                commits_examined: finding.commits.len(),
                annotations_found: annotated.len(),
                regions_found: groups.len(),
                regions_returned: regions.len(),
                related_hops,
            },
            regions: regions.into_iter().map(|(view, _)| view).collect(),
            trimmed: (n_left_out > 0).then(|| TrimmedView { regions: n_left_out, ..TrimmedView::default() }),
            aside: scope.additional_notes(self.warnings(&scope.head, &finding.commits)?),
        })
    }

    /// Returns the matching regions, the most reliable first, as far as that is known without reading the code.
    fn ranked<'f>(
        &self,
        scope: &Scope,
        finding: &'f Finding<'f>,
        query: &ReadQuery,
        grouping: Grouping,
    ) -> Result<Vec<Group<'f>>, Error> {
        let now = Timestamp::from_second(self.committed(&scope.head)?).unwrap_or_default();
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut places: HashMap<_, usize> = HashMap::new();
        for hit in finding.hits.iter().filter(|hit| query.wants(hit)) {
            let confidence = score::confidence(&factors(now, hit), hit.region().n_flags());
            if confidence < query.min_confidence {
                continue;
            }
            let place = match grouping {
                Grouping::None => groups.len(),
                Grouping::ByText => *places.entry((hit.commit, Text::of(hit.region()))).or_insert(groups.len()),
            };
            match groups.get_mut(place) {
                Some(group) => group.add(hit, confidence),
                None => groups.push(Group { hits: vec![hit], confidence }),
            }
        }
        groups.sort_by(|a, b| {
            let newest = || time(b.hits[0]).cmp(&time(a.hits[0])).then_with(|| a.hits[0].commit.cmp(&b.hits[0].commit));
            b.confidence.total_cmp(&a.confidence).then_with(newest)
        });
        Ok(groups)
    }

    pub(super) fn region_view(&self, scope: &Scope, finding: &Finding<'_>, hit: &Hit<'_>) -> Result<RegionView, Error> {
        let (note, region) = (&hit.note, hit.region());
        let today = self.today();
        let knowledge = knowledge(note, region, today);
        let standing = if self.shows_aged { Cow::Borrowed(region) } else { region.without_withdrawn() };
        let region = &standing;
        let now = Timestamp::from_second(self.committed(&scope.head)?).unwrap_or_default();
        let written = note.time_of(region);
        let context = note.context_of(region);
        let factors = factors(now, hit);
        Ok(RegionView {
            commit: hit.commit.to_string(),
            timestamp: written.map(|at| at.to_string()),
            context_level: context.to_string(),
            confidence: score::confidence(&factors, region.n_flags()),
            confidence_factors: factors,
            code: self.status(scope, &finding.hunks, hit)?,
            file: region.file.clone(),
            ast_anchor: AnchorView::from(&region.anchor),
            lines: hit.lines.map(Into::into),
            intent: region.intent.clone(),
            reasoning: region.reasoning.clone(),
            constraints: region.constraints.iter().map(ConstraintView::from).collect(),
            risk_notes: region.risk_notes.clone(),
            tags: region.tags.clone(),
            related: Vec::new(),
            corrections: region.corrections.iter().map(CorrectionView::from).collect(),
            knowledge,
            functions: Vec::new(),
        })
    }
}

/// Whether equal texts are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    /// Every region is listed.
    None,
    /// Equal texts of one commit about several functions are listed once.
    ByText,
}

/// Regions that are reported as one; the most reliable first.
struct Group<'f> {
    hits: Vec<&'f Hit<'f>>,
    confidence: f64,
}

impl<'f> Group<'f> {
    fn add(&mut self, hit: &'f Hit<'f>, confidence: f64) {
        self.hits.push(hit);
        if confidence > self.confidence {
            self.confidence = confidence;
            let last = self.hits.len() - 1;
            self.hits.swap(0, last);
        }
    }

    /// Returns the current names of its functions; empty if there is only one.
    fn functions(&self) -> Vec<String> {
        let name = |hit: &&Hit<'_>| match hit.now {
            CodePlace::Symbol(symbol) => symbol.name.clone(),
            _ => hit.region().anchor.name.clone(),
        };
        let mut names: Vec<String> = self.hits.iter().map(name).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > 1 { names } else { Vec::new() }
    }
}

/// The text of a region.
#[derive(PartialEq, Eq, Hash)]
struct Text<'a> {
    kind: &'a str,
    intent: &'a str,
    reasoning: Option<&'a str>,
    risk_notes: Option<&'a str>,
    constraints: Vec<&'a str>,
    corrections: Vec<&'a str>,
}

impl<'a> Text<'a> {
    fn of(region: &'a Region) -> Self {
        Self {
            kind: region.kind.as_str(),
            intent: &region.intent,
            reasoning: region.reasoning.as_deref(),
            risk_notes: region.risk_notes.as_deref(),
            constraints: region.constraints.iter().map(|one| one.text.as_str()).collect(),
            corrections: region.corrections.iter().map(|one| one.text.as_str()).collect(),
        }
    }
}

fn factors(now: Timestamp, hit: &Hit<'_>) -> FactorsView {
    let (note, region) = (&hit.note, hit.region());
    score::factors(now, note.time_of(region), note.context_of(region), hit.anchor, &note.provenance.operation)
}

fn time(hit: &Hit<'_>) -> Option<Timestamp> {
    hit.note.time_of(hit.region())
}

/// Sorts regions: the most reliable first; then those with unchanged code, then the newest.
fn by_reliability((a, of_a): (&RegionView, &Hit<'_>), (b, of_b): (&RegionView, &Hit<'_>)) -> Ordering {
    // Not by their texts: `03.76Z` would be after `03.764Z`.
    let newest = || time(of_b).cmp(&time(of_a)).then_with(|| a.commit.cmp(&b.commit));
    b.confidence.total_cmp(&a.confidence).then_with(|| a.code.status.cmp(&b.code.status)).then_with(newest)
}

/// Follows links to other annotations, each once.
pub(super) fn related(
    notes: &mut Notes<'_>,
    hit: &Hit<'_>,
    depth: u32,
    hops: &mut usize,
) -> Result<Vec<RelatedView>, Error> {
    let mut views = Vec::new();
    let mut seen: HashSet<(String, String)> = HashSet::new();
    let mut layer: Vec<RelatedAnnotation> = hit.region().related_annotations.clone();
    for _ in 0..depth {
        let mut next = Vec::new();
        for link in std::mem::take(&mut layer) {
            if !seen.insert((link.commit.clone(), link.anchor.clone())) {
                continue;
            }
            let note = match link.commit.parse() {
                Ok(commit) => notes.of_commit(&commit)?,
                Err(_) => None,
            };
            let region = note.as_deref().and_then(|note| region_named(note, &link.anchor));
            *hops += usize::from(region.is_some());
            next.extend(region.iter().flat_map(|region| region.related_annotations.clone()));
            views.push(RelatedView {
                commit: link.commit,
                anchor: link.anchor,
                relationship: link.relationship,
                intent: region.map(|region| region.intent.clone()),
            });
        }
        layer = next;
    }
    Ok(views)
}

fn region_named<'a>(note: &'a Note, name: &str) -> Option<&'a Region> {
    note.regions.iter().find(|region| region.anchor.name == name)
}

/// Collects notes that concern several regions, each once.
fn cross_cutting(finding: &Finding<'_>) -> Vec<serde_json::Value> {
    let (mut seen, mut told) = (HashSet::new(), HashSet::new());
    let notes = finding.hits.iter().filter(|hit| seen.insert(hit.commit)).map(|hit| &hit.note);
    notes.flat_map(|note| &note.cross_cutting).filter(|value| told.insert(value.to_string())).cloned().collect()
}

impl From<&Anchor> for AnchorView {
    fn from(anchor: &Anchor) -> Self {
        Self { kind: anchor.kind.clone(), name: anchor.name.clone(), signature: anchor.signature.clone() }
    }
}

impl From<&Constraint> for ConstraintView {
    fn from(constraint: &Constraint) -> Self {
        Self { text: constraint.text.clone(), source: constraint.source.to_string() }
    }
}

impl From<&Correction> for CorrectionView {
    fn from(correction: &Correction) -> Self {
        Self {
            id: correction.id.clone(),
            kind: correction.kind.to_string(),
            field: correction.field.clone(),
            text: correction.text.clone(),
            author: correction.author.clone(),
            timestamp: correction.timestamp.map(|at| at.to_string()),
        }
    }
}

impl From<DependentNow> for DependentOnThisView {
    fn from(found: DependentNow) -> Self {
        Self {
            looks_like_instructions: found.is_suspicious(),
            from_file: found.file,
            from_anchor: found.anchor,
            nature: found.dependent.nature,
            commit: found.dependent.region.commit.to_string(),
        }
    }
}
