//! Flags and corrections of annotations. The annotation itself is kept as written.

use app::Error;
use model::annotation::{AnnotationKind, Correction, CorrectionKind, Extra, Lines, Region};
use model::text::check_body;
use store::git::CommitId;
use store::notes::NotePlan;

use super::find::Hit;
use super::scope::Scope;
use super::write::{existing_note, headline};
use crate::AnnotationsMut;
use crate::view::{CorrectedView, CorrectionView};

/// The fields that can be corrected.
const FIELDS: [&str; 6] = ["intent", "reasoning", "constraints", "semantic_dependencies", "risk_notes", "tags"];

/// A reference to an annotation.
#[derive(Debug, Clone, Default)]
pub struct AnnotationName {
    /// The file, relative to the repository root.
    pub path: String,
    /// The function or type.
    pub anchor: String,
    /// The commit it was written for; the newest annotation by default.
    pub commit: Option<String>,
    /// The notes ref, if not the default one.
    pub noteref: Option<String>,
}

impl AnnotationsMut<'_> {
    /// Flags an annotation as wrong. Readers see the flag, and the confidence decreases.
    pub fn flag(&mut self, name: &AnnotationName, reason: &str) -> Result<CorrectedView, Error> {
        self.correct_with(name, CorrectionKind::Flag, None, reason)
    }

    /// Corrects a field of an annotation.
    pub fn correct(&mut self, name: &AnnotationName, field: &str, text: &str) -> Result<CorrectedView, Error> {
        if !FIELDS.contains(&field) {
            return Err(Error::invalid(format!("the field `{field}` cannot be corrected"))
                .hint(format!("one of {}", FIELDS.join(", "))));
        }
        self.correct_with(name, CorrectionKind::Correct, Some(field), text)
    }

    fn correct_with(
        &mut self,
        name: &AnnotationName,
        kind: CorrectionKind,
        field: Option<&str>,
        text: &str,
    ) -> Result<CorrectedView, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::invalid("the text is empty"));
        }
        let me = self.me()?;
        let correction = Correction {
            id: (self.uuid_source())().to_string(),
            kind,
            field: field.map(str::to_owned),
            text: check_body("text", text)?,
            author: me.to_string(),
            timestamp: Some(self.shared().this_moment()),
            extra: Extra::new(),
        };
        let (id, key) = self.find_region(name)?;
        self.append_correction(name, id, &key, &correction)
    }

    /// Finds the referenced annotation: of the given commit, else the newest.
    fn find_region(&mut self, name: &AnnotationName) -> Result<(CommitId, RegionKey), Error> {
        self.follow_annotations(name.noteref.as_deref())?;
        let wanted = name.commit.as_deref().map(|commit| self.shared().commit_named(Some(commit))).transpose()?;
        let scope = self.shared().scope(self.shared().query_commit()?.head, &name.path, Some(&name.anchor), None)?;
        if scope.targets().is_empty() {
            return Err(no_such_anchor(name, &scope));
        }
        let mut hits = self.shared().find_annotations(&scope)?.hits;
        hits.retain(|hit| !hit.region().anchor.name.is_empty() && wanted.is_none_or(|wanted| hit.commit == wanted));
        refuse_twins(name, &scope, &hits)?;
        let newest = hits.into_iter().max_by_key(|hit| (hit.note.time_of(hit.region()), hit.commit.to_string()));
        let hit: Hit<'_> = newest.ok_or_else(|| {
            Error::not_found(format!("`{}` in `{}` has no annotation", name.anchor, name.path))
                .hint("`cairn annotate` writes one")
        })?;
        Ok((hit.commit, RegionKey::of(hit.region())))
    }

    fn append_correction(
        &mut self,
        name: &AnnotationName,
        id: CommitId,
        key: &RegionKey,
        correction: &Correction,
    ) -> Result<CorrectedView, Error> {
        let reference = self.store().notes_ref(name.noteref.as_deref())?;
        let subject = headline(correction.kind.as_str(), &id, &correction.text);
        self.store_mut().write_notes(&reference, |notes| {
            let gone = || Error::conflict("the annotation was changed in the meantime; run the same command again");
            let mut note = existing_note(notes, &id)?.ok_or_else(gone)?;
            let region = note.regions.iter_mut().find(|region| RegionKey::of(region) == *key).ok_or_else(gone)?;
            region.corrections.push(correction.clone());
            Ok::<_, Error>((NotePlan { subject: subject.clone(), notes: vec![(id, note)] }, ()))
        })?;
        Ok(CorrectedView {
            commit: id.to_string(),
            reference: reference.to_string(),
            file: key.file.clone(),
            anchor: key.name.clone(),
            correction: CorrectionView::from(correction),
        })
    }
}

/// The key of a region in its note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegionKey {
    file: String,
    name: String,
    lines: Option<Lines>,
    kind: AnnotationKind,
    /// Distinguishes dead ends and conventions of one place; empty for a reason, of which there is one.
    statement: String,
}

impl RegionKey {
    pub(super) fn of(region: &Region) -> Self {
        let is_reason = region.kind == AnnotationKind::Reason;
        Self {
            file: region.file.clone(),
            name: region.anchor.name.clone(),
            lines: region.lines,
            kind: region.kind.clone(),
            statement: if is_reason { String::new() } else { region.intent.clone() },
        }
    }

    pub(super) fn is_of_kind(&self, kind: &AnnotationKind) -> bool {
        self.kind == *kind
    }
}

/// Rejects a name shared by several functions, if more than one is annotated.
fn refuse_twins(name: &AnnotationName, scope: &Scope, hits: &[Hit<'_>]) -> Result<(), Error> {
    let mut meant: Vec<String> = hits
        .iter()
        .filter_map(|hit| hit.now.symbol().filter(|symbol| scope.targets().contains(symbol)))
        .map(|symbol| symbol.precise.clone().unwrap_or_else(|| symbol.signature.clone()))
        .collect();
    meant.sort_unstable();
    meant.dedup();
    if meant.len() < 2 {
        return Ok(());
    }
    let error = Error::invalid(format!("`{}` is the name of {} annotated functions", name.anchor, meant.len()));
    Err(error.hint(format!("name one with its parameters: {}", meant.join(", "))))
}

fn no_such_anchor(name: &AnnotationName, scope: &Scope) -> Error {
    let error = Error::not_found(format!("`{}` has no `{}`", name.path, name.anchor));
    if scope.nearest.is_empty() { error } else { error.hint(format!("it has {}", scope.nearest.join(", "))) }
}
