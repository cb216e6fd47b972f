//! From what somebody calls a piece of code to where it is at a commit: the name as the code has it, its lines, its kind
//! and its signature. What is not found is said to be lost, never guessed.

use std::collections::HashMap;
use std::rc::Rc;

use anchors::{Match, Resolution, Symbol, Symbols, Wanted};
use model::annotation::{AnnotationKind, Lines, Region};
use store::git::{CommitId, TreePath};

use super::{lines_of, overlap, scope};
use crate::error::Error;
use crate::project::Project;
use crate::view::ResolvedView;

/// The code of one commit, each file read once.
pub(super) struct Code<'a> {
    project: &'a Project,
    pub(super) commit: CommitId,
    files: HashMap<String, Option<Rc<Source>>>,
}

/// One file at a commit.
pub(super) struct Source {
    pub(super) text: String,
    pub(super) symbols: Symbols,
}

impl<'a> Code<'a> {
    pub(super) fn at(project: &'a Project, commit: CommitId) -> Self {
        Self { project, commit, files: HashMap::new() }
    }

    /// Returns a file; `None` when the commit has none of that name.
    pub(super) fn file(&mut self, name: &str) -> Result<Option<Rc<Source>>, Error> {
        if let Some(known) = self.files.get(name) {
            return Ok(known.clone());
        }
        let text = match TreePath::from_bytes(name.as_bytes()) {
            Ok(path) => self.project.text_at(&self.commit, &path)?,
            Err(_) => None,
        };
        let source = text.map(|text| Rc::new(Source { symbols: scope::symbols(name, &text), text }));
        self.files.insert(name.to_owned(), source.clone());
        Ok(source)
    }

    /// Puts a region in its place at this commit and says how; the error names the field that is wrong.
    pub(super) fn place(&mut self, region: &mut Region) -> Result<Result<ResolvedView, String>, Error> {
        if region.kind == AnnotationKind::Convention {
            return self.place_convention(region);
        }
        let name = region.file.trim_start_matches("./").to_owned();
        let Some(source) = self.file(&name)? else {
            let short = &self.commit.to_string()[..7];
            return Ok(Err(format!("file`: `{}` is not a file at commit {short}", region.file)));
        };
        region.file = name;
        let n_lines = source.n_lines();
        if let Some(lines) = region.lines.filter(|lines| lines.end > n_lines) {
            return Ok(Err(format!("lines`: {lines} is not in `{}`, which has {n_lines} lines", region.file)));
        }
        Ok(Ok(source.place(region)))
    }

    /// Puts a convention on its folder or file; the top of the repository is `.`.
    fn place_convention(&mut self, region: &mut Region) -> Result<Result<ResolvedView, String>, Error> {
        if !region.anchor.name.is_empty() || region.lines.is_some() {
            return Ok(Err("anchor`: a convention holds for a folder or a file, not for one function".to_owned()));
        }
        let given = region.file.clone();
        let name = given.trim_start_matches("./").trim_end_matches('/');
        let is_top = matches!(name, "" | ".");
        let path = TreePath::from_bytes(name.as_bytes()).ok();
        let is_there = match path.filter(|_| !is_top) {
            Some(path) => self.project.look_at(&self.commit, &path)?.is_some(),
            None => is_top,
        };
        if !is_there {
            let short = &self.commit.to_string()[..7];
            return Ok(Err(format!("file`: `{given}` is neither a folder nor a file at commit {short}")));
        }
        region.file = if is_top { ".".to_owned() } else { name.to_owned() };
        Ok(Ok(resolved(region, String::new(), "folder", Vec::new())))
    }
}

impl Source {
    pub(super) fn n_lines(&self) -> u32 {
        u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX)
    }

    fn place(&self, region: &mut Region) -> ResolvedView {
        let given = region.anchor.name.clone();
        if given.is_empty() {
            let how = if region.lines.is_some() { "lines" } else { "file" };
            return resolved(region, given, how, Vec::new());
        }
        let wanted = Wanted { name: &given, signature: region.anchor.signature.as_deref() };
        let (how, candidates) = match anchors::resolve(&self.symbols, wanted) {
            Resolution::Found { symbol, how } if is_meant(symbol, how, region.lines) => {
                settle(region, symbol);
                (word(how), Vec::new())
            }
            Resolution::Found { symbol, .. } => ("lost", vec![symbol.name.clone()]),
            Resolution::Ambiguous { symbols, how } => match the_one_at(&symbols, region.lines) {
                Some(symbol) => {
                    settle(region, symbol);
                    (word(how), Vec::new())
                }
                None => ("ambiguous", symbols.iter().map(|symbol| with_line(symbol)).collect()),
            },
            Resolution::Lost { nearest } => ("lost", nearest.into_iter().map(str::to_owned).collect()),
        };
        resolved(region, given, how, candidates)
    }
}

// A similar name is a slip of the pen, unless the lines that were given say that other code is meant.
fn is_meant(symbol: &Symbol, how: Match, lines: Option<Lines>) -> bool {
    !matches!(how, Match::Near(_)) || lines.is_none_or(|lines| overlap(lines, lines_of(symbol)))
}

fn the_one_at<'a>(symbols: &[&'a Symbol], lines: Option<Lines>) -> Option<&'a Symbol> {
    let lines = lines?;
    let mut at = symbols.iter().filter(|symbol| overlap(lines, lines_of(symbol)));
    let first = *at.next()?;
    at.next().is_none().then_some(first)
}

/// Says of a region what the code says of itself.
pub(super) fn settle(region: &mut Region, symbol: &Symbol) {
    region.anchor.name.clone_from(&symbol.name);
    symbol.kind.word().clone_into(&mut region.anchor.kind);
    region.anchor.signature = Some(symbol.signature.clone());
    region.lines = Some(lines_of(symbol));
}

fn word(how: Match) -> &'static str {
    match how {
        Match::Exact => "exact",
        Match::Unqualified => "unqualified",
        Match::Near(_) => "similar",
    }
}

fn with_line(symbol: &Symbol) -> String {
    let name = symbol.precise.as_ref().unwrap_or(&symbol.name);
    format!("{name} (line {})", symbol.lines.start)
}

pub(super) fn resolved(
    region: &Region,
    given: String,
    resolution: &'static str,
    candidates: Vec<String>,
) -> ResolvedView {
    ResolvedView {
        file: region.file.clone(),
        given,
        resolution,
        anchor: region.anchor.name.clone(),
        lines: region.lines.map(Into::into),
        candidates,
    }
}
