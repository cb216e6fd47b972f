//! Distinguishes renamed code from a bystander: other code of the same last name that was there beside it.
//!
//! A class, module or outer function that is renamed takes its functions along, so that `Shop::get` may be what `Store::get`
//! is today. If both were there at the same time, they are two functions, and an annotation of one does not become that of
//! the other when the first one is deleted.

use std::collections::HashSet;

use anchors::Symbol;
use app::Error;
use store::git::TreePath;

use super::lines_of;
use super::locate::{RecordedCode, recorded_code};
use super::solid_lines::SolidLines;
use super::source::Source;
use crate::Annotations;

/// Maximum number of commits that are compared, of those that wrote lines of the function.
const MAX_COMMITS: usize = 4;

/// Recorded code at its commit.
struct Original<'a> {
    /// Its file.
    source: &'a Source,
    /// Its full name.
    name: &'a str,
    lines: SolidLines,
}

impl Annotations<'_> {
    /// Returns whether a current function of a file is another one than the recorded code, since it was there beside it.
    pub(super) fn is_bystander(&self, recorded: &RecordedCode<'_>, path: &str, symbol: &Symbol) -> Result<bool, Error> {
        if recorded.name == symbol.name {
            return Ok(false);
        }
        let found = recorded_code(*self, recorded)?;
        // Carried to a commit that no longer had the code: its place is unknown, and a name that only ends alike is a guess.
        let was_lost = recorded.lines.is_none() && recorded.signature.is_some();
        if was_lost && found.as_ref().is_none_or(|(then, _)| then.exactly(recorded.name).next().is_none()) {
            return Ok(true);
        }
        let Some((then, was)) = found else { return Ok(false) };
        self.load_symbols(&then);
        let name = then.symbol_of(was).map_or(recorded.name, |original| &original.name);
        if name == symbol.name {
            return Ok(false);
        }
        if then.exactly(&symbol.name).next().is_some() {
            return Ok(true);
        }
        let original = Original { source: &then, name, lines: then.solid_lines(was) };
        self.was_beside(&original, path, symbol)
    }

    /// Returns whether one of the commits that wrote the function had the recorded code too. A copy that is as similar to
    /// the recorded code counts as the same: code is often moved in two commits.
    fn was_beside(&self, original: &Original<'_>, path: &str, symbol: &Symbol) -> Result<bool, Error> {
        let head = self.query_commit()?.head;
        let (Some(now), Ok(tree_path)) = (self.source(&head, path)?, TreePath::from_bytes(path.as_bytes())) else {
            return Ok(false);
        };
        self.load_symbols(&now);
        // In the work tree it may have other lines, or be new.
        let [committed] = now.named_exactly(&symbol.name)[..] else { return Ok(false) };
        let mut seen = HashSet::new();
        for hunk in self.store().blame(&head, &tree_path, &[lines_of(committed)])? {
            let Some(file) = hunk.path.as_str().filter(|_| seen.insert(hunk.commit)) else { continue };
            if seen.len() > MAX_COMMITS {
                break;
            }
            if let Some(source) = self.source(&hunk.commit, file)? {
                self.load_symbols(&source);
                if original.is_beside(&source, symbol) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Original<'_> {
    /// Returns whether a file has the function, and beside it a function that is more similar to the recorded code.
    fn is_beside(&self, source: &Source, symbol: &Symbol) -> bool {
        let likeness = |candidate: &Symbol| self.lines.likeness(&source.solid_lines(lines_of(candidate)));
        let [there] = source.named_exactly(&symbol.name)[..] else { return false };
        let own = likeness(there);
        let may_be_original = |twin: &&Symbol| {
            twin.own_name() == symbol.own_name()
                && twin.kind == symbol.kind
                && twin.name != symbol.name
                && (twin.name == self.name || self.source.exactly(&twin.name).next().is_none())
        };
        source.symbols().all().iter().filter(may_be_original).any(|twin| likeness(twin) > own)
    }
}
