//! Writes annotations: merges a document, or flags of the command line, into the note of a commit. Existing content is
//! kept; of two values of a field the newer wins, and no constraint is dropped.

use app::Error;
use jiff::Timestamp;
use jiff::civil::Date;
use model::annotation::{AnnotationKind, Constraint, ContextLevel, Dependency, Lines, Note, Region, Source, merge};
use model::text::escape_line;
use store::git::CommitId;
use store::notes::{NotePlan, Notes};

use super::correct::RegionKey;
use super::draft;
use super::place::Code;
use super::supersede::{SupersededRegion, Supersession, put_names, take_names};
use crate::view::{AnnotatedView, ResolvedView};
use crate::{Annotations, AnnotationsMut, MAX_MESSAGE};

/// An annotation of one piece of code, from flags.
#[derive(Debug, Clone, Default)]
pub struct Remarks {
    /// The code: `PATH:NAME`, `PATH:START-END` or `PATH`.
    pub target: String,
    /// The intent.
    pub intent: String,
    /// The reasoning.
    pub reasoning: Option<String>,
    /// The constraints.
    pub constraints: Vec<String>,
    /// The risks.
    pub risk: Option<String>,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// The dependencies, each `PATH:NAME=NATURE`.
    pub depends: Vec<String>,
    /// A summary of the change in one sentence; the commit's subject by default.
    pub summary: Option<String>,
    /// The kind: `reason` (default), `dead_end` or `convention`.
    pub kind: Option<String>,
    /// The last day it applies, YYYY-MM-DD.
    pub until: Option<String>,
    /// The annotations it supersedes, each `PATH:NAME`, `COMMIT` or `COMMIT:PATH:NAME`.
    pub supersedes: Vec<String>,
}

impl Annotations<'_> {
    /// Resolves a commit name; the newest commit by default.
    pub(super) fn commit_named(&self, name: Option<&str>) -> Result<CommitId, Error> {
        let Some(name) = name else { return Ok(self.query_commit()?.head) };
        let found = self.store().repository().resolve_commit(name)?;
        found.ok_or_else(|| Error::not_found(format!("commit not found: `{}`", escape_line(name))))
    }

    /// Returns the current time with millisecond precision.
    pub(super) fn this_moment(&self) -> Timestamp {
        Timestamp::from_millisecond(self.now().as_millisecond()).unwrap_or_default()
    }

    /// Returns the first line of a commit's message.
    pub(super) fn subject(&self, id: &CommitId) -> Result<String, Error> {
        Ok(self.message(id)?.lines().next().unwrap_or_default().trim().to_owned())
    }

    pub(super) fn message(&self, id: &CommitId) -> Result<String, Error> {
        let commit = self.store().repository().read_commit(id, MAX_MESSAGE).map_err(store::StoreError::from)?;
        Ok(String::from_utf8_lossy(&commit.message).into_owned())
    }
}

impl AnnotationsMut<'_> {
    /// Adds a JSON document to the note of a commit: the given one, else the document's, else the newest.
    pub fn annotate(
        &mut self,
        commit: Option<&str>,
        document: &str,
        noteref: Option<&str>,
    ) -> Result<AnnotatedView, Error> {
        let note = draft::read(document)?;
        let own = Some(note.commit.as_str()).filter(|own| !own.is_empty());
        let id = self.shared().commit_named(commit.or(own))?;
        if let (Some(_), Some(own)) = (commit, own)
            && self.shared().commit_named(Some(own))? != id
        {
            return Err(Error::invalid(format!("the annotation is for commit `{own}`, not for {id}"))
                .hint("leave `commit` out of the document, or name the same one"));
        }
        self.add_note(id, note, noteref)
    }

    /// Adds an annotation from flags to the note of a commit.
    pub fn annotate_by_flags(
        &mut self,
        commit: Option<&str>,
        remarks: &Remarks,
        noteref: Option<&str>,
    ) -> Result<AnnotatedView, Error> {
        let id = self.shared().commit_named(commit)?;
        let mut note = Note::new(&id.to_string(), self.now(), ContextLevel::Enhanced);
        note.summary = remarks.summary.clone().unwrap_or_default();
        note.regions = vec![remarks.region()?];
        self.add_note(id, note, noteref)
    }

    /// Finds the code of an annotation from flags without writing it; `None` if the write will report a mistake.
    pub fn find_target(&self, commit: Option<&str>, remarks: &Remarks) -> Result<Option<ResolvedView>, Error> {
        let id = self.shared().commit_named(commit)?;
        let mut region = remarks.region()?;
        Ok(Code::at(self.shared(), id).place(&mut region)?.ok())
    }

    /// Resolves the regions of a note at a commit and merges it into the existing one. A note without a summary keeps
    /// the existing one, else uses the commit's subject.
    pub(super) fn add_note(
        &mut self,
        id: CommitId,
        mut note: Note,
        noteref: Option<&str>,
    ) -> Result<AnnotatedView, Error> {
        let mut problems = Vec::new();
        let superseded = self.take_superseded(&mut note, noteref, &mut problems)?;
        let replacing = Replacements { superseded, problems };
        self.add_replacing_note(id, note, replacing, noteref)
    }

    /// Like [`Self::add_note`], for superseded annotations that are found already.
    pub(super) fn add_replacing_note(
        &mut self,
        id: CommitId,
        mut note: Note,
        replacing: Replacements,
        noteref: Option<&str>,
    ) -> Result<AnnotatedView, Error> {
        let Replacements { superseded, mut problems } = replacing;
        let mut regions = Vec::new();
        let mut code = Code::at(self.shared(), id);
        for (n, region) in note.regions.iter_mut().enumerate() {
            match code.place(region)? {
                Ok(view) => regions.push(view),
                Err(problem) => problems.push(format!("`regions[{n}].{problem}")),
            }
        }
        if !problems.is_empty() {
            return Err(draft::refused(&problems));
        }
        note.commit = id.to_string();
        note.timestamp = Some(self.shared().this_moment());
        note.provenance = model::annotation::Provenance::default();
        let subject = self.shared().subject(&id)?;
        let reference = self.store().notes_ref(noteref)?;
        let me = if superseded.is_empty() { String::new() } else { self.me()?.to_string() };
        let uuid = self.uuid_source();
        let superseding =
            Supersession { new_id: &|| uuid().to_string(), author: &me, at: note.timestamp.unwrap_or_default() };
        // Runs again if another process moves the ref: everything that depends on existing notes is read inside.
        let (summary, merged) = self.store_mut().write_notes(&reference, |notes| {
            let mut known = existing_note(notes, &id)?;
            let is_known = known.is_some();
            let mut others = mark_superseded(notes, &superseding, &superseded, &note, &id, known.as_mut())?;
            let note = joined(known.as_ref(), &note, &subject);
            let answer = (note.summary.clone(), is_known);
            let subject = headline("annotate", &id, &note.summary);
            others.push((id, note));
            Ok::<_, Error>((NotePlan { subject, notes: others }, answer))
        })?;
        let superseded = superseded.iter().map(|(_, one)| one.commit.to_string()).collect();
        let reference = reference.to_string();
        Ok(AnnotatedView { commit: id.to_string(), reference, summary, merged, regions, superseded })
    }

    /// Finds the annotations that the regions of a note supersede, each with the index of its region. A name that is
    /// not found is an error of the document.
    fn take_superseded(
        &mut self,
        note: &mut Note,
        noteref: Option<&str>,
        problems: &mut Vec<String>,
    ) -> Result<Vec<(usize, SupersededRegion)>, Error> {
        let mut found = Vec::new();
        for (n, region) in note.regions.iter_mut().enumerate() {
            let names = take_names(region).unwrap_or_else(|problem| {
                problems.push(format!("`regions[{n}].{problem}"));
                Vec::new()
            });
            for name in names {
                let of_name = self.find_superseded(&name, noteref)?;
                found.extend(of_name.into_iter().filter(|one| one.key.is_of_kind(&region.kind)).map(|one| (n, one)));
            }
        }
        Ok(found)
    }
}

/// The annotations that a note replaces.
#[derive(Debug, Default)]
pub(super) struct Replacements {
    /// The annotations, each with the index of the region that replaces it.
    pub(super) superseded: Vec<(usize, SupersededRegion)>,
    /// Errors in the names of annotations to replace.
    pub(super) problems: Vec<String>,
}

/// Returns the note of a commit. One that cannot be parsed is not overwritten.
pub(super) fn existing_note(notes: &Notes<'_>, id: &CommitId) -> Result<Option<Note>, Error> {
    notes.read(id)?.transpose().map_err(|bad| {
        Error::conflict(format!("the existing note of commit {id} cannot be read: {bad}"))
            .hint(format!("look at it with `git notes --ref=ultragit show {id}`; nothing was written over"))
    })
}

/// Marks superseded annotations in their notes, and returns the changed notes of commits other than `id`. In the note
/// of `id`, regions of the same place will be merged, so only values that are not repeated are withdrawn.
fn mark_superseded(
    notes: &Notes<'_>,
    superseding: &Supersession<'_>,
    superseded: &[(usize, SupersededRegion)],
    new: &Note,
    id: &CommitId,
    mut own: Option<&mut Note>,
) -> Result<Vec<(CommitId, Note)>, Error> {
    let mut others: Vec<(CommitId, Note)> = Vec::new();
    for (n, one) in superseded {
        let by = &new.regions[*n];
        if one.commit == *id {
            let Some(own) = own.as_deref_mut() else { continue };
            let is_same_place = RegionKey::of(by) == one.key;
            match own.regions.iter_mut().find(|region| RegionKey::of(region) == one.key) {
                Some(region) if is_same_place => superseding.withdraw(region, by),
                _ => superseding.mark(own, &[&one.key], by, id),
            }
            continue;
        }
        if !others.iter().any(|(commit, _)| *commit == one.commit) {
            let Some(note) = existing_note(notes, &one.commit)? else { continue };
            others.push((one.commit, note));
        }
        if let Some((_, note)) = others.iter_mut().find(|(commit, _)| *commit == one.commit) {
            superseding.mark(note, &[&one.key], by, id);
        }
    }
    Ok(others)
}

/// Returns the subject of the commit on the notes ref.
pub(super) fn headline(verb: &str, id: &CommitId, summary: &str) -> String {
    const MAX_SUBJECT: usize = 72;
    let line: String = escape_line(summary.lines().next().unwrap_or_default()).chars().take(MAX_SUBJECT).collect();
    format!("{verb} {}: {line}", &id.to_string()[..7])
}

fn joined(known: Option<&Note>, new: &Note, subject: &str) -> Note {
    let mut new = new.clone();
    if new.summary.is_empty() {
        let known = known.map(|known| known.summary.clone()).filter(|summary| !summary.is_empty());
        new.summary = known.unwrap_or_else(|| subject.to_owned());
    }
    known.map_or_else(|| new.clone(), |known| merge(known, &new))
}

impl Remarks {
    pub(super) fn region(&self) -> Result<Region, Error> {
        if self.intent.trim().is_empty() {
            return Err(Error::invalid("the intent is empty").hint("say with `--intent` what the code is for"));
        }
        let (file, name, lines) = read_target(&self.target)?;
        let mut region = Region::new(&file, &name, self.intent.trim());
        region.lines = lines;
        region.reasoning.clone_from(&self.reasoning);
        region.risk_notes.clone_from(&self.risk);
        region.tags.clone_from(&self.tags);
        region.constraints = self.constraints.iter().map(|text| by_author(text)).collect();
        region.kind = read_kind(self.kind.as_deref())?;
        region.until = self.until.as_deref().map(read_day).transpose()?;
        put_names(&mut region, &self.supersedes);
        for depends in &self.depends {
            region.semantic_dependencies.push(read_dependency(depends)?);
        }
        Ok(region)
    }
}

/// Parses the kind of an annotation.
fn read_kind(word: Option<&str>) -> Result<AnnotationKind, Error> {
    match AnnotationKind::from(word.unwrap_or("reason")) {
        AnnotationKind::Other(word) => Err(Error::invalid(format!(
            "unknown kind `{}` of an annotation (expected: reason, dead_end, convention)",
            escape_line(&word)
        ))),
        kind => Ok(kind),
    }
}

fn read_day(text: &str) -> Result<Date, Error> {
    text.trim().parse().map_err(|_| {
        Error::invalid(format!("`{}` is not a date", escape_line(text))).hint("write YYYY-MM-DD, as in 2027-06-30")
    })
}

/// Creates a constraint stated by the author.
pub(super) fn by_author(text: &str) -> Constraint {
    Constraint { text: text.to_owned(), source: Source::Author, extra: model::annotation::Extra::new() }
}

/// Parses `PATH:NAME`, `PATH:START-END` or `PATH`.
fn read_target(text: &str) -> Result<(String, String, Option<Lines>), Error> {
    let (file, name) = text.split_once(':').unwrap_or((text, ""));
    if file.is_empty() {
        return Err(Error::invalid(format!("missing file in `{text}`")).hint("write PATH:NAME, as in src/lib.rs:open"));
    }
    let range = draft::read_range(name).and_then(|(start, end)| {
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        (1..=end).contains(&start).then_some(Lines { start, end })
    });
    let name = if range.is_some() { "" } else { name };
    Ok((file.to_owned(), name.to_owned(), range))
}

fn read_dependency(text: &str) -> Result<Dependency, Error> {
    let (target, nature) = text.split_once('=').unwrap_or((text, ""));
    dependency(target, nature).ok_or_else(|| {
        Error::invalid(format!("invalid dependency `{text}`"))
            .hint("write PATH:NAME=NATURE, as in src/tls.rs:handshake='assumes it retries'")
    })
}

/// Parses a dependency on `PATH:NAME`.
pub(super) fn dependency(target: &str, nature: &str) -> Option<Dependency> {
    let (file, anchor) = target.trim().split_once(':')?;
    let is_address = anchor.starts_with("//");
    let is_whole = !file.is_empty() && !anchor.is_empty() && !file.contains(char::is_whitespace);
    (is_whole && !is_address).then(|| Dependency {
        file: file.to_owned(),
        anchor: anchor.to_owned(),
        nature: nature.trim().to_owned(),
        extra: model::annotation::Extra::new(),
    })
}
