//! An annotation as a form: a heading for each changed function, a line for each field. Sections without an intent are
//! left out.

use std::fmt::Write as _;

use app::Error;
use model::annotation::{ContextLevel, Note};

use super::write::Remarks;
use crate::view::AnnotatedView;
use crate::{Annotations, AnnotationsMut};

/// The fields of a section, in the order of the form.
const LINES: [&str; 6] = ["Intent", "Reasoning", "Constraint", "Risk", "Tag", "Depends-On"];

impl Annotations<'_> {
    /// Returns the form for a commit, the newest by default.
    pub fn form(&self, commit: Option<&str>) -> Result<String, Error> {
        let id = self.commit_named(commit)?;
        let mut form = format!("Summary: {}\n", self.subject(&id)?);
        for changed in self.changed_code(&id)? {
            let name = match (&changed.symbol, changed.lines) {
                (Some(symbol), _) => format!(":{}", symbol.name),
                (None, Some(lines)) => format!(":{}-{}", lines.start, lines.end),
                (None, None) => String::new(),
            };
            let _ = write!(form, "\n## {}{name}\n", changed.file);
            for line in LINES {
                let _ = writeln!(form, "{line}:");
            }
        }
        Ok(form)
    }
}

impl AnnotationsMut<'_> {
    /// Adds a filled-in form to the note of a commit; `None` if it is empty.
    pub fn annotate_by_form(
        &mut self,
        commit: Option<&str>,
        form: &str,
        noteref: Option<&str>,
    ) -> Result<Option<AnnotatedView>, Error> {
        let id = self.shared().commit_named(commit)?;
        let (summary, remarks) = read(form)?;
        let filled: Vec<&Remarks> = remarks.iter().filter(|one| !one.intent.is_empty()).collect();
        if let Some(vague) = remarks.iter().find(|one| one.intent.is_empty() && one.is_filled_in()) {
            return Err(Error::invalid(format!("`{}` has no intent", vague.target)).hint("fill in its `Intent:`"));
        }
        if filled.is_empty() {
            return Ok(None);
        }
        let mut note = Note::new(&id.to_string(), self.now(), ContextLevel::Enhanced);
        note.summary = summary;
        for one in filled {
            note.regions.push(one.region()?);
        }
        self.add_note(id, note, noteref).map(Some)
    }
}

impl Remarks {
    fn is_filled_in(&self) -> bool {
        let lists = [&self.constraints, &self.tags, &self.depends];
        self.reasoning.is_some() || self.risk.is_some() || lists.iter().any(|list| !list.is_empty())
    }

    fn fill_in(&mut self, key: &str, value: String) {
        match key {
            "Intent" => add(&mut self.intent, &value),
            "Reasoning" => add(self.reasoning.get_or_insert_default(), &value),
            "Risk" => add(self.risk.get_or_insert_default(), &value),
            "Constraint" => self.constraints.push(value),
            "Tag" => self.tags.push(value),
            _ => self.depends.push(value),
        }
    }
}

fn add(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

/// Parses a form: its summary, and the fields of each section. A line without a key continues the previous one.
fn read(form: &str) -> Result<(String, Vec<Remarks>), Error> {
    let mut summary = String::new();
    let mut all: Vec<Remarks> = Vec::new();
    let mut entries: Vec<(&str, String)> = Vec::new();
    let lines = form.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    for line in lines.chain(["## "]) {
        if let Some(target) = line.strip_prefix("##") {
            if let Some(one) = all.last_mut() {
                entries
                    .drain(..)
                    .filter(|(_, value)| !value.is_empty())
                    .for_each(|(key, value)| one.fill_in(key, value));
            }
            all.push(Remarks { target: target.trim().to_owned(), ..Remarks::default() });
        } else if let Some(value) = line.strip_prefix("Summary:") {
            value.trim().clone_into(&mut summary);
        } else if let Some((key, value)) = line.split_once(':').and_then(|(key, value)| Some((known_key(key)?, value)))
        {
            entries.push((key, value.trim().to_owned()));
        } else if let Some((_, value)) = entries.last_mut() {
            add(value, line.trim());
        } else {
            return Err(Error::invalid(format!("`{line}` is not under a heading of the form")));
        }
    }
    all.pop();
    Ok((summary, all))
}

fn known_key(key: &str) -> Option<&'static str> {
    LINES.into_iter().find(|known| key.trim().eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filled_in_fields_are_read() {
        let form = "Summary: s\n\n## a.rs:f\nIntent: one\n  two: three\nConstraint: c\nConstraint: d\nTag:\n\n## b.rs\nIntent:\nRisk:\n";
        let (summary, all) = read(form).unwrap();
        assert_eq!(summary, "s");
        assert_eq!((all[0].target.as_str(), all[0].intent.as_str()), ("a.rs:f", "one\ntwo: three"));
        assert_eq!((all[0].constraints.len(), all[0].tags.len()), (2, 0));
        assert!(all.len() == 2 && all[1].intent.is_empty() && !all[1].is_filled_in());
        assert!(read("stray").is_err());
    }
}
