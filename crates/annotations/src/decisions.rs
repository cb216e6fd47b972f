//! Decisions of another tool, as conventions of the whole repository. Each has its name there as a tag, so that a second
//! import finds what the first one wrote.

use app::Error;
use model::annotation::{AnnotationKind, ContextLevel, Note, Region};

use super::find::Notes;
use super::knowledge::aged;
use super::supersede::SupersededRegion;
use super::write::Replacements;
use crate::view::AnnotatedView;
use crate::{Annotations, AnnotationsMut};

/// The folder that conventions of the whole repository are for.
const ROOT: &str = ".";

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its name in the other tool, unique in the repository: `backlog decision-1`.
    pub name: String,
    /// What was decided.
    pub text: String,
    /// Why, and what follows from it.
    pub reasoning: Option<String>,
}

impl Decision {
    fn is_recorded_in(&self, region: &Region) -> bool {
        region.intent == self.text && region.reasoning == self.reasoning
    }

    fn region(&self) -> Region {
        let mut region = Region::new(ROOT, "", &self.text);
        region.kind = AnnotationKind::Convention;
        region.reasoning.clone_from(&self.reasoning);
        region.tags = vec![self.name.clone()];
        region
    }
}

impl Annotations<'_> {
    /// Returns whether there is a commit that can be annotated.
    pub fn has_commit(&self) -> Result<bool, Error> {
        Ok(self.store().repository().head()?.is_some())
    }

    /// Returns the conventions that hold for the whole repository and have a tag.
    fn tagged(&self, tag: &str) -> Result<Vec<(SupersededRegion, Region)>, Error> {
        let mut notes = Notes::new(*self);
        let mut found = Vec::new();
        for row in self.index().conventions_of(ROOT)? {
            if let Some(note) = notes.get(&row.blob)?
                && let Some(region) = note.regions.get(row.place)
                && region.tags.iter().any(|own| own == tag)
                && aged(&note, region, self.today()).is_none()
            {
                found.push((SupersededRegion::of(row.commit, region), region.clone()));
            }
        }
        Ok(found)
    }
}

impl AnnotationsMut<'_> {
    /// Returns those of some decisions that no convention says yet.
    pub fn new_decisions(&mut self, decisions: &[Decision]) -> Result<Vec<Decision>, Error> {
        self.follow_annotations(None)?;
        let mut new = Vec::new();
        for decision in decisions {
            let known = self.shared().tagged(&decision.name)?;
            if !known.iter().any(|(_, region)| decision.is_recorded_in(region)) {
                new.push(decision.clone());
            }
        }
        Ok(new)
    }

    /// Adds decisions to the note of the newest commit, all at once. Conventions with another text of the same decision
    /// are superseded.
    pub fn record_decisions(&mut self, decisions: &[Decision]) -> Result<AnnotatedView, Error> {
        self.follow_annotations(None)?;
        let id = self.shared().commit_named(None)?;
        let mut note = Note::new(&id.to_string(), self.now(), ContextLevel::Enhanced);
        let mut superseded = Vec::new();
        for (n, decision) in decisions.iter().enumerate() {
            note.regions.push(decision.region());
            superseded.extend(self.shared().tagged(&decision.name)?.into_iter().map(|(known, _)| (n, known)));
        }
        self.add_replacing_note(id, note, Replacements { superseded, ..Replacements::default() }, None)
    }
}
