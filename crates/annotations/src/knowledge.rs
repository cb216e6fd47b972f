//! The kind and age of an annotation in views; and the conventions for a path.

use std::sync::Arc;

use app::Error;
use jiff::civil::Date;
use model::annotation::{AnnotationKind, Note, Region};
use model::instructions::looks_like_instructions;

use super::find::Notes;
use crate::Annotations;
use crate::view::{ConventionView, EarlierView, KnowledgeView, OutdatedReason};

/// The fields whose earlier texts are shown.
const TEXTS: [&str; 3] = ["intent", "reasoning", "risk_notes"];

/// Describes a region of a note.
pub(super) fn knowledge(note: &Note, region: &Region, today: Date) -> KnowledgeView {
    let earlier = TEXTS.iter().flat_map(|field| {
        region.earlier_texts(field).map(|(text, at)| EarlierView {
            field: (*field).to_owned(),
            text: text.to_owned(),
            timestamp: at.map(|at| at.to_string()),
        })
    });
    KnowledgeView {
        kind: (region.kind != AnnotationKind::Reason).then(|| region.kind.to_string()),
        until: region.last_day().map(|day| day.to_string()),
        aged: aged(note, region, today),
        earlier: earlier.collect(),
        looks_like_instructions: is_suspicious(region),
    }
}

/// Returns whether a text of a region looks like instructions to a model.
pub(super) fn is_suspicious(region: &Region) -> bool {
    texts(region).any(looks_like_instructions)
}

/// Returns why a region is outdated; `None` if it is not.
pub(super) fn aged(note: &Note, region: &Region, today: Date) -> Option<OutdatedReason> {
    if region.is_superseded(note.time_of(region)) {
        return Some(OutdatedReason::Superseded);
    }
    region.is_expired(today).then_some(OutdatedReason::Expired)
}

fn texts(region: &Region) -> impl Iterator<Item = &str> {
    let texts = [Some(&region.intent), region.reasoning.as_ref(), region.risk_notes.as_ref()];
    let listed = region.constraints.iter().map(|one| &one.text).chain(&region.tags);
    let corrected = region.corrections.iter().map(|one| &one.text);
    let earlier = region.earlier.iter().filter_map(|one| one.value.as_str());
    texts.into_iter().flatten().chain(listed).chain(corrected).map(String::as_str).chain(earlier)
}

impl Annotations<'_> {
    /// Returns the conventions for a path: of the repository, then folder by folder down to the path itself.
    pub(super) fn conventions(&self, path: &str) -> Result<Vec<ConventionView>, Error> {
        let head = self.query_commit()?.head;
        let mut notes = Notes::new(*self);
        let outside = self.store().unreachable_annotations(&head)?;
        let mut found: Vec<ConventionView> = Vec::new();
        for folder in folders(path) {
            for row in self.index().conventions_of(&folder)?.into_iter().filter(|row| !outside.contains(&row.commit)) {
                if let Some(note) = notes.get(&row.blob)?
                    && let Some(region) = note.regions.get(row.place)
                {
                    found.push(self.convention_view(&note, region, &row.commit.to_string()));
                }
            }
        }
        Ok(found)
    }

    fn convention_view(&self, note: &Arc<Note>, region: &Region, commit: &str) -> ConventionView {
        ConventionView {
            folder: region.file.clone(),
            text: region.intent.clone(),
            reasoning: region.reasoning.clone(),
            commit: commit.to_owned(),
            until: region.last_day().map(|day| day.to_string()),
            aged: aged(note, region, self.today()),
            looks_like_instructions: is_suspicious(region),
        }
    }
}

/// Returns the root, each parent folder of a path, and the path.
fn folders(path: &str) -> Vec<String> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    std::iter::once(".".to_owned()).chain(ends.map(|end| path[..end].to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_above_a_path_is_asked_for() {
        assert_eq!(folders("src/net/port.rs"), [".", "src", "src/net", "src/net/port.rs"]);
        assert_eq!(folders("a.rs"), [".", "a.rs"]);
    }
}
