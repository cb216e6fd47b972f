//! What a commit's message says in trailers becomes an annotation of the functions the commit changed:
//! `Intent:`, `Constraint:`, `Risk:` and `Depends-On: PATH:NAME (nature)`, each as often as needed.

use model::annotation::{ContextLevel, Note, Region};
use store::git::CommitId;

use super::write::{by_author, dependency};
use crate::error::Error;
use crate::project::Project;
use crate::view::AnnotatedView;

/// The words, in lower case: git takes any case.
const KEYS: [&str; 4] = ["intent", "constraint", "risk", "depends-on"];

/// What the trailers of one message say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    intents: Vec<String>,
    constraints: Vec<String>,
    risks: Vec<String>,
    depends: Vec<String>,
}

/// Tells whether a message may have trailers for us, without asking git.
pub(crate) fn may_have_trailers(message: &str) -> bool {
    message.lines().any(|line| line.split_once(':').is_some_and(|(key, _)| is_key(key)))
}

fn is_key(key: &str) -> bool {
    KEYS.iter().any(|known| key.trim_end().eq_ignore_ascii_case(known))
}

impl Project {
    /// Makes an annotation of the trailers of a commit's message; `None` when it has none.
    pub fn annotate_from_trailers(
        &mut self,
        commit: &str,
        noteref: Option<&str>,
    ) -> Result<Option<AnnotatedView>, Error> {
        let id = self.commit_named(Some(commit))?;
        self.trailers_to_note(id, noteref)
    }

    pub(crate) fn trailers_to_note(
        &mut self,
        id: CommitId,
        noteref: Option<&str>,
    ) -> Result<Option<AnnotatedView>, Error> {
        if !may_have_trailers(&self.message(&id)?) {
            return Ok(None);
        }
        let said = Said::read(self.store.repository().trailers(&id)?);
        if said == Said::default() {
            return Ok(None);
        }
        let subject = self.subject(&id)?;
        let mut note = Note::new(&id.to_string(), (self.ambient.now)(), ContextLevel::Enhanced);
        note.regions = self.changed_code(&id)?.iter().map(|changed| said.about(changed.region(&subject))).collect();
        if note.regions.is_empty() {
            return Ok(None);
        }
        note.summary = subject;
        self.add_note(id, note, noteref).map(Some)
    }
}

impl Said {
    fn read(trailers: Vec<(String, String)>) -> Self {
        let mut said = Self::default();
        for (key, value) in trailers {
            match key.to_ascii_lowercase().as_str() {
                _ if value.is_empty() => {}
                "intent" => said.intents.push(value),
                "constraint" => said.constraints.push(value),
                "risk" => said.risks.push(value),
                // Other tools name changes and addresses with this word; those are not about code.
                "depends-on" if split_nature(&value).is_some() => said.depends.push(value),
                _ => {}
            }
        }
        said
    }

    /// Says it about a region, whose intent stands when none is given.
    fn about(&self, mut region: Region) -> Region {
        if !self.intents.is_empty() {
            region.intent = self.intents.join("\n");
        }
        region.constraints = self.constraints.iter().map(|text| by_author(text)).collect();
        region.risk_notes = (!self.risks.is_empty()).then(|| self.risks.join("\n"));
        let depends = self.depends.iter().filter_map(|text| split_nature(text));
        region.semantic_dependencies = depends.filter_map(|(target, nature)| dependency(target, nature)).collect();
        region
    }
}

/// Splits `PATH:NAME (nature)`; `None` when it is no such thing.
fn split_nature(text: &str) -> Option<(&str, &str)> {
    let (target, nature) = match text.split_once(" (") {
        Some((target, nature)) => (target, nature.trim_end().strip_suffix(')').unwrap_or(nature)),
        None => (text, ""),
    };
    dependency(target, nature).map(|_| (target, nature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_other_tools_are_left_alone() {
        assert_eq!(split_nature("src/a.rs:Client::open (assumes (x))"), Some(("src/a.rs:Client::open", "assumes (x)")));
        assert_eq!(split_nature("src/a.rs:open"), Some(("src/a.rs:open", "")));
        for other in ["https://review.example/1", "I8a1c0ffee", "#12", "see a: b"] {
            assert_eq!(split_nature(other), None, "{other}");
        }
    }

    #[test]
    fn a_message_is_asked_about_only_when_it_may_say_something() {
        assert!(may_have_trailers("Open\n\nIntent: retry\n") && may_have_trailers("a\n\nDEPENDS-ON: x"));
        assert!(!may_have_trailers("Intent to open: yes\n\nFixes: 3\n"));
    }
}
