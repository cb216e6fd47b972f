//! Resolves a path and a name, or lines, to the lines of a query.

use std::sync::Arc;

use anchors::{Resolution, Symbol};
use app::Error;
use model::annotation::Lines;
use model::text::counted;
use store::git::{CommitId, TreePath};

use super::lines_of;
use super::paths::{not_found, tree_path};
use super::source::Source;
use super::work_tree::EditedFile;
use crate::Annotations;
use crate::view::AsideView;

/// The scope of a query.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) head: CommitId,
    pub(super) path: TreePath,
    /// Its name as text.
    pub(super) file: String,
    /// Its text and symbols.
    pub(super) source: Arc<Source>,
    /// The lines of the scope, in order; empty for an empty file.
    pub(super) spans: Vec<Lines>,
    /// How the lines were chosen.
    pub(super) target: Target,
    /// A note for the reader.
    pub(super) note: Option<String>,
    /// Similar existing names, if the name does not exist.
    pub(super) nearest: Vec<String>,
    /// The file is excluded by the configuration.
    pub(super) is_left_out: bool,
}

/// How the lines were chosen.
#[derive(Debug)]
pub(super) enum Target {
    /// The whole file.
    File,
    Lines,
    /// These functions or types; several if the name is ambiguous.
    Symbols(Vec<Symbol>),
}

impl Annotations<'_> {
    /// Resolves the scope of a query.
    pub(super) fn scope(
        &self,
        head: CommitId,
        path: &str,
        anchor: Option<&str>,
        lines: Option<&str>,
    ) -> Result<Scope, Error> {
        let place = tree_path(path)?;
        let file = place.to_string();
        let Some(source) = self.source(&head, &file)? else {
            return Err(match self.look_at(&head, &place)? {
                Some(_) => Error::invalid(format!("`{path}` is a folder"))
                    .hint("name a file; `summary` takes folders")
                    .tool_hint("name a file"),
                None => not_found(path),
            });
        };
        self.load_symbols(&source);
        let mut scope = Scope {
            head,
            path: place,
            file,
            source,
            spans: Vec::new(),
            target: Target::File,
            note: None,
            nearest: Vec::new(),
            is_left_out: false,
        };
        if !self.selection()?.includes(&scope.file) {
            scope.is_left_out = true;
            scope.note = Some(format!("{} is left out by ultragit.include or ultragit.exclude.", scope.file));
            return Ok(scope);
        }
        match (anchor, lines) {
            (Some(_), Some(_)) => return Err(Error::invalid("give either an anchor or lines, not both")),
            (Some(anchor), None) => scope.aim_at_name(anchor),
            (None, Some(lines)) => {
                let edited = self.edited(&scope)?;
                scope.aim_at_lines(lines, edited.as_ref())?;
            }
            (None, None) => scope.spans = scope.whole_file(),
        }
        Ok(scope)
    }
}

impl Scope {
    /// Returns the functions or types of the scope.
    pub(super) fn targets(&self) -> &[Symbol] {
        match &self.target {
            Target::Symbols(symbols) => symbols,
            _ => &[],
        }
    }

    /// Returns whether a symbol is in the scope. Compares lines first, which distinguish most of hundreds of overloads.
    pub(super) fn is_target(&self, symbol: &Symbol) -> bool {
        self.targets().iter().any(|target| target.lines == symbol.lines && target == symbol)
    }

    /// Returns the range from the first line to the last.
    pub(super) fn range(&self) -> Option<Lines> {
        Some(Lines { start: self.spans.first()?.start, end: self.spans.iter().map(|span| span.end).max()? })
    }

    /// Returns the additional notes of a result.
    pub(super) fn additional_notes(&self, warnings: Vec<String>) -> AsideView {
        AsideView { note: self.note.clone(), nearest: self.nearest.clone(), warnings }
    }

    fn n_lines(&self) -> u32 {
        self.source.n_lines()
    }

    fn whole_file(&self) -> Vec<Lines> {
        let end = self.n_lines();
        if end == 0 { Vec::new() } else { vec![Lines { start: 1, end }] }
    }

    fn aim_at_name(&mut self, name: &str) {
        let found: Vec<Symbol> = match anchors::resolve(self.source.symbols(), name) {
            Resolution::Found { symbol, .. } if symbol.kind.is_value() => self.with_functions(symbol),
            Resolution::Found { symbol, .. } => vec![symbol.clone()],
            Resolution::Ambiguous { symbols, .. } => symbols.into_iter().cloned().collect(),
            Resolution::Lost { nearest } => {
                self.nearest = nearest.into_iter().map(str::to_owned).collect();
                self.note =
                    Some(format!("Anchor '{name}' not found in {}. Returning file-level annotations.", self.file));
                self.spans = self.whole_file();
                return;
            }
        };
        if found.len() > 1 {
            let names: Vec<String> =
                found.iter().map(|symbol| format!("{} (line {})", symbol.name, symbol.lines.start)).collect();
            self.note = Some(format!("Anchor '{name}' is ambiguous in {}: {}.", self.file, names.join(", ")));
        }
        self.spans = found.iter().map(lines_of).collect();
        self.target = Target::Symbols(found);
    }

    /// Returns a variable together with the functions of the same name: it is unknown which is meant, for example an
    /// import or a method `accepts`.
    fn with_functions(&self, value: &Symbol) -> Vec<Symbol> {
        let is_meant =
            |symbol: &&Symbol| *symbol == value || (!symbol.kind.is_value() && symbol.own_name() == value.name);
        self.source.symbols().all().iter().filter(is_meant).cloned().collect()
    }

    /// Selects lines of the work tree, mapped to the newest commit.
    fn aim_at_lines(&mut self, given: &str, edited: Option<&EditedFile>) -> Result<(), Error> {
        let n_lines = edited.map_or_else(|| self.n_lines(), EditedFile::n_lines);
        let bad = |what: &str| {
            let lines = counted(n_lines, "line");
            Error::invalid(format!("{what}: '{given}'; {} has {lines}, and a range is START:END", self.file))
        };
        let (start, end) = given.split_once([':', '-']).ok_or_else(|| bad("Invalid line range"))?;
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let (Some(start), Some(end)) = (number(start), number(end)) else { return Err(bad("Invalid line range")) };
        if start == 0 || start > end || end > n_lines {
            return Err(bad("Line range out of bounds"));
        }
        let asked = Lines { start, end };
        let committed = edited.map_or(Some(asked), |edited| edited.committed(asked));
        if committed != Some(asked) {
            self.note = Some(match committed {
                Some(lines) => {
                    format!("{} is edited: lines {asked} are lines {lines} of the newest commit.", self.file)
                }
                None => format!("{} is edited: lines {asked} are not committed yet.", self.file),
            });
        }
        self.spans = committed.into_iter().collect();
        self.target = Target::Lines;
        Ok(())
    }
}
