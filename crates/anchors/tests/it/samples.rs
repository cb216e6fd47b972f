//! Each sample gives exactly the symbols listed in the file next to it, one per line.
//!
//! With `UPDATE_SAMPLES=1` in the environment the files are rewritten; read the diff before committing it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anchors::{Language, Symbol, Symbols, symbols};

pub(crate) fn samples() -> Vec<(PathBuf, Language, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().unwrap() != "symbols").collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let language = Language::detect(path.to_str().unwrap(), &text).unwrap();
        (path, language, text)
    };
    paths.into_iter().map(read).filter(|(_, language, _)| language.is_built_in()).collect()
}

/// One line per symbol: kind, lines, lines of comment and body, name, signature.
fn table(found: &Symbols) -> String {
    let mut table = String::new();
    for symbol in found.all() {
        writeln!(table, "{}", line(symbol)).unwrap();
    }
    table
}

fn line(symbol: &Symbol) -> String {
    let span =
        |lines: Option<anchors::LineRange>| lines.map_or("-".to_owned(), |it| format!("{}-{}", it.start, it.end));
    let precise = symbol.precise.as_ref().map(|name| format!(" = {name}")).unwrap_or_default();
    let (lines, doc, body) = (span(Some(symbol.lines)), span(symbol.doc), span(symbol.body));
    let Symbol { kind, name, signature, .. } = symbol;
    format!("{kind:<9} {lines:>7} doc {doc:<7} body {body:<7} {name}{precise} | {signature}")
}

#[test]
fn samples_give_their_symbols() {
    let mut wrong = Vec::new();
    for (path, language, text) in samples() {
        let found = table(&symbols(language, &text).unwrap());
        let expected = PathBuf::from(format!("{}.symbols", path.display()));
        if std::env::var_os("UPDATE_SAMPLES").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{} differs; found:\n{found}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
