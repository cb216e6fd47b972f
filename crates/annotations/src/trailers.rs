//! Creates annotations from trailers of a commit message, for the functions that the commit changed: `Intent:`,
//! `Constraint:`, `Risk:` and `Depends-On: PATH:NAME (nature)`, each as often as needed. `Rejected:` is a dead end,
//! `Convention:` applies to the repository. A name in parentheses binds a trailer to one function, a convention to one
//! folder: `Constraint(open): …`.

use app::Error;
use model::annotation::{AnnotationKind, ContextLevel, Note, Region, is_same_name};
use store::git::CommitId;

use super::changed::ChangedCode;
use super::write::{by_author, dependency};
use crate::AnnotationsMut;
use crate::view::AnnotatedView;

/// The keys, in lower case: git ignores case.
const KEYS: [&str; 6] = ["intent", "constraint", "risk", "depends-on", "rejected", "convention"];
/// Replaces the parentheses while git parses the trailers, since git does not allow them in a key.
const NAME_MARK: char = '\u{1f}';

/// The trailers of one message.
#[derive(Debug, Default, PartialEq, Eq)]
struct Trailers(Vec<Trailer>);

/// One of our trailers.
#[derive(Debug, PartialEq, Eq)]
struct Trailer {
    /// One of `KEYS`.
    key: String,
    /// The name it is bound to.
    name: Option<String>,
    text: String,
}

/// A cheap check whether a message may contain our trailers, without running git.
pub(crate) fn may_have_trailers(message: &str) -> bool {
    // The name in parentheses may contain colons: `Constraint(Client::open): …`.
    message
        .lines()
        .any(|line| line.contains(':') && line.split(['(', ':']).next().is_some_and(|key| is_key(key.trim_end())))
}

fn is_key(key: &str) -> bool {
    KEYS.iter().any(|known| key.trim_end().eq_ignore_ascii_case(known))
}

/// Splits `Constraint(open)`.
fn split_name(key: &str) -> (&str, Option<&str>) {
    let named = key.trim_end().strip_suffix(')').and_then(|key| key.split_once('('));
    named.map_or((key, None), |(key, name)| (key, Some(name.trim()).filter(|name| !name.is_empty())))
}

/// Rewrites `Constraint(open): text` so that git parses it as a trailer.
fn without_brackets(message: &str) -> String {
    let mut lines = Vec::new();
    for line in message.lines() {
        // A name may contain colons: `Client::open`.
        let bound = line.split_once("):").map(|(key, text)| (split_name(&line[..=key.len()]), text));
        match bound {
            Some(((key, Some(name)), text)) if is_key(key) => {
                lines.push(format!("{}: {NAME_MARK}{name}{NAME_MARK}{}", key.trim_end(), text.trim_start()));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

impl AnnotationsMut<'_> {
    pub(crate) fn trailers_to_note(
        &mut self,
        id: CommitId,
        noteref: Option<&str>,
    ) -> Result<Option<AnnotatedView>, Error> {
        let message = self.shared().message(&id)?;
        if !may_have_trailers(&message) {
            return Ok(None);
        }
        let trailers = Trailers::read(self.store().repository().trailers_of(&without_brackets(&message))?);
        if trailers == Trailers::default() {
            return Ok(None);
        }
        let subject = self.shared().subject(&id)?;
        let mut note = Note::new(&id.to_string(), self.now(), ContextLevel::Enhanced);
        note.regions = trailers.regions(&self.shared().changed_code(&id)?, &subject);
        if note.regions.is_empty() {
            return Ok(None);
        }
        note.summary = subject;
        self.add_note(id, note, noteref).map(Some)
    }
}

impl Trailers {
    fn read(trailers: Vec<(String, String)>) -> Self {
        let ours = trailers.into_iter().filter_map(|(key, value)| {
            let key = key.to_ascii_lowercase();
            let (name, text) = match value.strip_prefix(NAME_MARK).and_then(|rest| rest.split_once(NAME_MARK)) {
                Some((name, text)) => (Some(name.to_owned()), text.trim().to_owned()),
                None => (None, value),
            };
            // Other tools use `Depends-On` for changes and URLs; those are not about code.
            let is_ours = is_key(&key) && (key != "depends-on" || split_nature(&text).is_some());
            (is_ours && !text.is_empty()).then_some(Trailer { key, name, text })
        });
        Self(ours.collect())
    }

    fn of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Trailer> {
        self.0.iter().filter(move |one| one.key == key)
    }

    /// Returns the regions for the changed code.
    fn regions(&self, changed: &[ChangedCode], subject: &str) -> Vec<Region> {
        let mut regions = Vec::new();
        let is_about_functions = |one: &Trailer| !matches!(one.key.as_str(), "rejected" | "convention");
        for place in changed {
            let name = place.symbol.as_ref().map(|symbol| symbol.name.as_str());
            let about = |one: &&Trailer| {
                let is_bound = |bound: &str| name.is_some_and(|name| is_same_name(name, bound));
                is_about_functions(one) && one.name.as_deref().is_none_or(is_bound)
            };
            let own: Vec<&Trailer> = self.0.iter().filter(about).collect();
            if !own.is_empty() {
                regions.push(about_place(&own, place.region(subject)));
            }
        }
        regions.extend(self.of("rejected").flat_map(|one| dead_ends(one, changed)));
        regions.extend(self.of("convention").map(convention));
        regions.extend(self.unbound(changed, subject));
        regions
    }

    /// Returns regions in the first file for names that no changed function has: they are resolved there, and the
    /// result reports which were not found.
    fn unbound(&self, changed: &[ChangedCode], subject: &str) -> Vec<Region> {
        let has = |bound: &str| {
            changed.iter().filter_map(|place| place.symbol.as_ref()).any(|symbol| is_same_name(&symbol.name, bound))
        };
        let lost = |one: &&Trailer| one.key != "convention" && one.name.as_deref().is_some_and(|name| !has(name));
        let Some(first) = changed.first() else { return Vec::new() };
        let region = |one: &Trailer| {
            let mut region = Region::new(&first.file, one.name.as_deref().unwrap_or_default(), subject);
            if one.key == "rejected" {
                one.text.clone_into(&mut region.intent);
                region.kind = AnnotationKind::DeadEnd;
            }
            about_place(&[one], region)
        };
        self.0.iter().filter(lost).map(region).collect()
    }
}

/// Applies trailers to a region, whose intent is kept if none is given.
fn about_place(trailers: &[&Trailer], mut region: Region) -> Region {
    let texts = |key: &str| -> Vec<&str> {
        trailers.iter().filter(|one| one.key == key).map(|one| one.text.as_str()).collect()
    };
    let (intents, risks) = (texts("intent"), texts("risk"));
    if !intents.is_empty() {
        region.intent = intents.join("\n");
    }
    region.constraints = texts("constraint").into_iter().map(by_author).collect();
    region.risk_notes = (!risks.is_empty()).then(|| risks.join("\n"));
    let depends = texts("depends-on").into_iter().filter_map(split_nature);
    region.semantic_dependencies = depends.filter_map(|(target, nature)| dependency(target, nature)).collect();
    region
}

/// Returns dead ends for the named changed functions, or for each changed file.
fn dead_ends(trailer: &Trailer, changed: &[ChangedCode]) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    for place in changed {
        let region = match (&trailer.name, &place.symbol) {
            (Some(bound), Some(symbol)) if is_same_name(&symbol.name, bound) => place.region(&trailer.text),
            (Some(_), _) => continue,
            (None, _) => Region::new(&place.file, "", &trailer.text),
        };
        if !regions.iter().any(|known| known.file == region.file && known.anchor.name == region.anchor.name) {
            regions.push(Region { kind: AnnotationKind::DeadEnd, ..region });
        }
    }
    regions
}

fn convention(trailer: &Trailer) -> Region {
    let folder = trailer.name.as_deref().unwrap_or(".");
    Region { kind: AnnotationKind::Convention, ..Region::new(folder, "", &trailer.text) }
}

/// Splits `PATH:NAME (nature)`; `None` for any other text.
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
        assert!(may_have_trailers("a\n\nConstraint(Client::open): x") && may_have_trailers("a\n\nrejected: x"));
        assert!(!may_have_trailers("Intent to open: yes\n\nFixes: 3\n"));
    }

    #[test]
    fn a_name_in_brackets_is_no_part_of_the_key() {
        let message =
            "Open\n\nConstraint(Client::open): never (ever) blocks: no\nIntent: f(x): y\nSee (a): b\nRisk(): c\n";
        let written = without_brackets(message);
        let mark = NAME_MARK;
        assert_eq!(
            written,
            format!(
                "Open\n\nConstraint: {mark}Client::open{mark}never (ever) blocks: no\nIntent: f(x): y\nSee (a): b\nRisk(): c"
            )
        );
        let trailers = Trailers::read(vec![
            ("Constraint".into(), format!("{mark}open{mark} sorted")),
            ("Fixes".into(), "1".into()),
        ]);
        assert_eq!(
            trailers.0,
            [Trailer { key: "constraint".into(), name: Some("open".into()), text: "sorted".into() }]
        );
    }
}
