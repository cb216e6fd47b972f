//! Text in, symbols out: what a file declares, and where a name is now.
//!
//! The caller brings the text; this crate opens no file, knows no git, has no clock and never fails on bad code: what can be read around
//! it is found all the same.
//!
//! # Names
//!
//! A symbol is called by the names of what encloses it *in the text* and its own, joined by `::` in every language:
//! `tests::resolves`, `Client::connect`, `Outer::Inner::method`, `outer_function::inner_function`. So a function in `mod tests` is never
//! taken for the one it tests. What is said once for a whole file is no part of the name: its path, Java's `package`, PHP's
//! `namespace A;`, Haskell's `module`. Where the code names an owner, it counts as if it enclosed: Go's receiver, `T::m` outside of its
//! class, `M.f` in Lua, Kotlin's extensions, Rust's `impl`. Values are symbols outside of functions only. Fields of plain
//! structs, parameters and variants of enums are none: they are parts of one.
//!
//! Two symbols may have one name (overloads, `impl Display` and `impl Debug`): [`resolve`] then answers with all of them, unless the
//! signature or the [`precise`](Symbol::precise) name tells which.
//!
//! # A new language
//!
//! Add the grammar to `Cargo.toml` as a feature, a file in `languages/` that says which nodes are symbols and where their names are,
//! a row in `languages.rs`, and a sample with the symbols it must give in `tests/golden`. The walker stays as it is.
//!
//! The tables are ours and not the queries that grammars come with: those leave out most of TypeScript and C#, know no enclosing
//! names, and take up to a third of a second to compile, which is more than all the rest.

mod extent;
mod grammar;
mod kind;
mod language;
mod languages;
mod line_index;
mod mend;
mod parameters;
mod parse;
mod preprocess;
mod refused;
mod resolve;
mod rules;
mod signature;
mod symbol;
mod tokens;
mod walk;

pub use kind::Kind;
pub use language::Language;
pub use line_index::LineIndex;
pub use parse::MAX_BYTES;
pub use refused::Refused;
pub use resolve::{Match, NameIndex, Resolution, Wanted, resolve};
pub use symbol::{Lines, Symbol, Symbols};
pub use tokens::{Token, tokens};

/// Finds the symbols of a text.
///
/// Broken code gives what can be read around the break, see [`Symbols::is_broken`].
pub fn symbols(language: Language, text: &str) -> Result<Symbols, Refused> {
    let grammar = language.grammar().ok_or(Refused::NotBuiltIn { language })?;
    let found = read(language, grammar, text)?;
    let has_preprocessor = matches!(language.name(), "c" | "cpp");
    if !found.is_broken() || !has_preprocessor {
        return Ok(found);
    }
    let others = preprocess::readable(text).into_iter().filter_map(|text| read(language, grammar, &text).ok());
    // Of texts that are all broken, the one in which most can be read. An error can be the whole text: then every second name is
    // wrong, however many there are.
    Ok(others.fold(found, |best, other| {
        let is_read_better = other.n_unread * 2 < best.n_unread;
        let has_more = other.n_unread <= best.n_unread && other.all.len() > best.all.len();
        let is_better = best.is_broken() && (!other.is_broken() || is_read_better || has_more);
        if is_better { other } else { best }
    }))
}

/// Finds the symbols of a text as it stands, or else with its brackets closed.
fn read(language: Language, grammar: &grammar::Grammar, text: &str) -> Result<Symbols, Refused> {
    let tree = parse::parse(language, grammar, text)?;
    let found = walk::walk(grammar, &tree, text);
    let mended = if found.is_broken() { mend::mend(grammar, &tree, text) } else { None };
    let again = mended.and_then(|text| Some((parse::parse(language, grammar, &text).ok()?, text)));
    Ok(match again.map(|(tree, text)| walk::walk(grammar, &tree, &text)) {
        Some(again) if !again.is_broken() || again.all.len() > found.all.len() => Symbols { broken: true, ..again },
        _ => found,
    })
}
