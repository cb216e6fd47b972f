//! Text in, symbols out: the declarations of a file, and where a name is now.
//!
//! The caller supplies the text. This crate opens no file, knows no git, has no clock and does not fail on broken code:
//! it returns the symbols that can be read around the errors.
//!
//! # Names
//!
//! The name of a symbol consists of the names of the symbols that enclose it *in the text* and its own, joined by `::`
//! in every language: `tests::resolves`, `Client::connect`, `Outer::Inner::method`, `outer_function::inner_function`.
//! So a function in `mod tests` is never confused with the one it tests. Declarations for a whole file are not part of
//! the name: its path, Java's `package`, PHP's `namespace A;`, Haskell's `module`. An owner that the code names counts
//! as if it enclosed the symbol: Go's receiver, `T::m` outside of its class, `M.f` in Lua, Kotlin's extensions, Rust's
//! `impl`. Values are symbols only outside of functions. Fields of plain structs, parameters and enum variants are not
//! symbols.
//!
//! Two symbols may have the same name (overloads, `impl Display` and `impl Debug`): [`resolve`] then returns all of
//! them, unless the signature or the [`precise`](Symbol::precise) name tells which is meant.
//!
//! # A new language
//!
//! Add the grammar to `Cargo.toml` as a feature, a file in `languages/` that says which nodes are symbols and where
//! their names are, a row in `languages.rs`, and a sample with its expected symbols in `tests/golden`. The walker does
//! not change.
//!
//! The queries that grammars ship were rejected: they leave out most of TypeScript and C#, do not track enclosing
//! names, and take up to a third of a second to compile, which is more than everything else together.

mod encode;
mod extent;
mod grammar;
mod kind;
mod language;
mod languages;
mod line_index;
mod parameters;
mod parse;
mod preprocess;
mod refused;
mod repair;
mod resolve;
mod rules;
mod signature;
mod span_index;
mod symbol;
mod tokens;
mod walk;

pub use kind::SymbolKind;
pub use language::Language;
pub use line_index::LineIndex;
pub use parse::MAX_BYTES;
pub use refused::ParseRefusal;
pub use resolve::{NameIndex, NameMatch, Resolution, SymbolQuery, resolve};
pub use span_index::SpanIndex;
pub use symbol::{LineRange, Symbol, Symbols};
pub use tokens::{Token, tokens};

/// Finds the symbols of a text.
///
/// For broken code it returns the symbols around the errors; see [`Symbols::is_broken`].
pub fn symbols(language: Language, text: &str) -> Result<Symbols, ParseRefusal> {
    let grammar = language.grammar().ok_or(ParseRefusal::NotBuiltIn { language })?;
    let found = read(language, grammar, text)?;
    let has_preprocessor = matches!(language.name(), "c" | "cpp");
    if !found.is_broken() || !has_preprocessor {
        return Ok(found);
    }
    let others = preprocess::readable(text).into_iter().filter_map(|text| read(language, grammar, &text).ok());
    // If all candidates are broken, prefer the one with the fewest unread lines. An error node can span the whole text:
    // then half of the names are wrong, however many there are.
    Ok(others.fold(found, |best, other| {
        let is_read_better = other.n_unread * 2 < best.n_unread;
        let has_more = other.n_unread <= best.n_unread && other.all.len() > best.all.len();
        let is_better = best.is_broken() && (!other.is_broken() || is_read_better || has_more);
        if is_better { other } else { best }
    }))
}

/// Finds the symbols of a text as it is, or else with its brackets closed.
fn read(language: Language, grammar: &grammar::Grammar, text: &str) -> Result<Symbols, ParseRefusal> {
    let tree = parse::parse(language, grammar, text)?;
    let found = walk::walk(grammar, &tree, text);
    let repaired = if found.is_broken() { repair::repair(grammar, &tree, text) } else { None };
    let again = repaired.and_then(|text| Some((parse::parse(language, grammar, &text).ok()?, text)));
    Ok(match again.map(|(tree, text)| walk::walk(grammar, &tree, &text)) {
        Some(again) if !again.is_broken() || again.all.len() > found.all.len() => Symbols { broken: true, ..again },
        _ => found,
    })
}
