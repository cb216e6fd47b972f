//! What should be known about a piece of code before it is changed.

use std::collections::HashSet;

use jiff::Timestamp;
use model::annotation::{Anchor, Constraint, ContextLevel, Correction, Note, Region, Related};
use store::index::Dependent;

use super::find::{Finding, Hit, Notes};
use super::knowledge::knowledge;
use super::scope::{Scope, Target};
use super::{score, trim};
use crate::error::Error;
use crate::project::Project;
use crate::view::{
    AnchorView, ConstraintView, CorrectionView, DependentOnThisView, QueryView, ReadStatsView, ReadView, RegionView,
    RelatedView, TrimmedView,
};

/// The most regions of an answer unless said.
const USUAL_REGIONS: usize = 20;

/// A question about a piece of code.
#[derive(Debug, Clone)]
pub struct ReadQuery {
    /// The file, from the top of the repository.
    pub path: String,
    /// The function or type.
    pub anchor: Option<String>,
    /// Lines, as START:END.
    pub lines: Option<String>,
    /// The most tokens the answer may have, four bytes each.
    pub max_tokens: Option<usize>,
    /// How far related annotations are followed.
    pub depth: u32,
    /// The most regions.
    pub max_regions: usize,
    /// Only what was written then or later.
    pub since: Option<Timestamp>,
    /// Only what has one of these tags; all when empty.
    pub tags: Vec<String>,
    /// Whose knowledge.
    pub context_level: ContextFilter,
    /// Only what can be relied on so far.
    pub min_confidence: f64,
}

/// Whose knowledge is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextFilter {
    /// Everyone's.
    #[default]
    All,
    /// What whoever made the change told.
    Enhanced,
    /// What was guessed from the change.
    Inferred,
}

impl ReadQuery {
    /// Asks about a file, with everything else as usual.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            anchor: None,
            lines: None,
            max_tokens: None,
            depth: 1,
            max_regions: USUAL_REGIONS,
            since: None,
            tags: Vec::new(),
            context_level: ContextFilter::All,
            min_confidence: 0.0,
        }
    }

    fn wants(&self, hit: &Hit) -> bool {
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

impl Project {
    /// Answers what is known about a piece of code.
    pub fn read_annotations(&self, query: &ReadQuery) -> Result<ReadView, Error> {
        let here = self.here()?;
        let scope = self.scope(here.head, &query.path, query.anchor.as_deref(), query.lines.as_deref())?;
        let finding = self.find_annotations(&scope)?;
        let mut notes = Notes::new(self);
        let mut related_hops = 0;
        let mut regions = Vec::new();
        for hit in finding.hits.iter().filter(|hit| query.wants(hit)) {
            let mut view = self.region_view(&scope, &finding, hit)?;
            view.related = related(&mut notes, hit, query.depth, &mut related_hops)?;
            regions.push(view);
        }
        regions.retain(|region| region.confidence >= query.min_confidence);
        regions.sort_by(|a, b| {
            let newest = || b.timestamp.cmp(&a.timestamp).then_with(|| a.commit.cmp(&b.commit));
            b.confidence.total_cmp(&a.confidence).then_with(newest)
        });
        let regions_found = regions.len();
        regions.truncate(query.max_regions);
        let n_left_out = regions_found - regions.len();
        let annotated: HashSet<_> = finding.hits.iter().map(|hit| hit.commit).collect();
        let mut view = ReadView {
            schema: "ultragit-read/v1",
            query: QueryView {
                file: scope.file.clone(),
                anchor: query.anchor.clone(),
                lines: scope.range().filter(|_| !matches!(scope.target, Target::File)).map(Into::into),
                depth: query.depth,
            },
            cross_cutting: cross_cutting(&finding),
            dependencies_on_this: self.dependencies_on(&scope)?,
            stats: ReadStatsView {
                commits_examined: finding.commits.len(),
                annotations_found: annotated.len(),
                regions_found,
                regions_returned: regions.len(),
                related_hops,
            },
            regions,
            trimmed: (n_left_out > 0).then(|| TrimmedView { regions: n_left_out, ..TrimmedView::default() }),
            aside: scope.aside(self.warnings(&finding.commits)?),
        };
        if let Some(max_tokens) = query.max_tokens {
            trim::trim(&mut view, max_tokens)?;
        }
        Ok(view)
    }

    pub(super) fn region_view(&self, scope: &Scope, finding: &Finding, hit: &Hit) -> Result<RegionView, Error> {
        let (note, region) = (&hit.note, hit.region());
        let today = (self.ambient.today)();
        let knowledge = knowledge(note, region, today);
        let standing = if self.shows_aged { region.clone() } else { region.without_withdrawn() };
        let region = &standing;
        let now = Timestamp::from_second(self.committed(&scope.head)?).unwrap_or_default();
        let written = note.time_of(region);
        let context = note.context_of(region);
        let factors = score::factors(now, written, context, hit.anchor, &note.provenance.operation);
        Ok(RegionView {
            commit: hit.commit.to_string(),
            timestamp: written.map(|at| at.to_string()),
            context_level: context.to_string(),
            confidence: score::confidence(&factors, region.n_flags()),
            confidence_factors: factors,
            code: self.status(scope, &finding.hunks, hit)?,
            file: region.file.clone(),
            ast_anchor: AnchorView::from(&region.anchor),
            lines: region.lines.map(Into::into),
            intent: region.intent.clone(),
            reasoning: region.reasoning.clone(),
            constraints: region.constraints.iter().map(ConstraintView::from).collect(),
            risk_notes: region.risk_notes.clone(),
            tags: region.tags.clone(),
            related: Vec::new(),
            corrections: region.corrections.iter().map(CorrectionView::from).collect(),
            knowledge,
        })
    }

    fn dependencies_on(&self, scope: &Scope) -> Result<Vec<DependentOnThisView>, Error> {
        let mut found: Vec<Dependent> = Vec::new();
        match scope.targets() {
            _ if scope.is_left_out => {}
            [] => found = self.index().dependents(&scope.file, None)?,
            targets => {
                for symbol in targets {
                    found.extend(self.index().dependents(&scope.file, Some(&symbol.name))?);
                }
            }
        }
        let mut seen = HashSet::new();
        found.sort_by_key(|dependent| std::cmp::Reverse(dependent.region.timestamp));
        found.retain(|one| seen.insert((one.region.file.clone(), one.region.anchor.clone(), one.nature.clone())));
        Ok(found.into_iter().map(DependentOnThisView::from).collect())
    }
}

/// Follows links to other annotations, each once.
pub(super) fn related(
    notes: &mut Notes<'_>,
    hit: &Hit,
    depth: u32,
    hops: &mut usize,
) -> Result<Vec<RelatedView>, Error> {
    let mut views = Vec::new();
    let mut seen: HashSet<(String, String)> = HashSet::new();
    let mut layer: Vec<Related> = hit.region().related_annotations.clone();
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

/// Collects what concerns several regions, each once.
fn cross_cutting(finding: &Finding) -> Vec<serde_json::Value> {
    let mut all: Vec<serde_json::Value> = Vec::new();
    for value in finding.hits.iter().flat_map(|hit| &hit.note.cross_cutting) {
        if !all.contains(value) {
            all.push(value.clone());
        }
    }
    all
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

impl From<Dependent> for DependentOnThisView {
    fn from(dependent: Dependent) -> Self {
        Self {
            from_file: dependent.region.file,
            from_anchor: dependent.region.anchor,
            nature: dependent.nature,
            commit: dependent.region.commit.to_string(),
        }
    }
}
