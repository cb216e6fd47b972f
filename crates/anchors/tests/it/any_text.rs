//! Any text gives a result, and its positions are inside the text.

use anchors::{Language, NameIndex, NameMatch, Resolution, Symbols, resolve, symbols};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::samples::samples;

/// Checks the properties that hold for all symbols of any text.
fn check(language: Language, text: &str) {
    let Ok(found) = symbols(language, text) else {
        return;
    };
    // The parser counts a line after a trailing line break.
    let count = text.split('\n').count();
    for symbol in found.all() {
        let spans = [Some(symbol.lines), symbol.body, symbol.doc];
        for lines in spans.into_iter().flatten() {
            assert!(
                1 <= lines.start && lines.start <= lines.end && lines.end <= count,
                "{language}: {symbol:?} in {text:?}"
            );
        }
        if let Some(parent) = found.enclosing(symbol).next() {
            assert!(
                parent.lines.contain_all_of(symbol.lines),
                "{language}: {symbol:?} is not in {parent:?} of {text:?}"
            );
        }
        assert!(!symbol.own_name().is_empty());
        assert!(!symbol.signature.contains('\n'));
    }
    exact_names_resolve_to_themselves(language, &found);
}

fn exact_names_resolve_to_themselves(language: Language, found: &Symbols) {
    for symbol in found.all() {
        let is_unique = found.all().iter().filter(|other| other.name == symbol.name).count() == 1;
        if is_unique {
            let expected = Resolution::Found { symbol, how: NameMatch::Exact };
            assert_eq!(resolve(found, symbol.name.as_str()), expected, "{language}");
        }
    }
}

#[test]
fn invariants_of_any_text_hold_for_samples() {
    for (_, language, text) in samples() {
        check(language, &text);
    }
}

/// An edit: a part of the text is replaced.
fn edited(text: &str, at: Index, gone: usize, put: &str) -> String {
    let start = text.floor_char_boundary(at.index(text.len() + 1));
    let end = text.floor_char_boundary((start + gone).min(text.len())).max(start);
    format!("{}{put}{}", &text[..start], &text[end..])
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof!["[(){}\\[\\]<>;:,.'\"`#@$\\\\/=\n\t -]{0,6}", "\\PC{0,6}", any::<String>(), Just("\0".to_owned())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn edited_samples_are_read(
        edits in prop::collection::vec((any::<Index>(), 0_usize..80, piece()), 1..6),
        which in any::<Index>(),
    ) {
        let samples = samples();
        let (_, language, text) = which.get(&samples);
        let text = edits.iter().fold(text.clone(), |text, (at, gone, put)| edited(&text, *at, *gone, put));
        check(*language, &text);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        for language in Language::all() {
            check(language, &text);
        }
    }

    #[test]
    fn any_name_is_resolved(name in "\\PC{0,20}", which in any::<Index>()) {
        let samples = samples();
        let (_, language, text) = which.get(&samples);
        let found = symbols(*language, text).unwrap();
        resolve(&found, name.as_str());
    }

    #[test]
    fn name_index_and_resolve_agree(which in any::<Index>(), symbol in any::<Index>(), cut in any::<Index>(), end in "[a-z.:(]{0,3}") {
        let samples = samples();
        let (_, language, text) = which.get(&samples);
        let found = symbols(*language, text).unwrap();
        let all = found.all();
        let name = &all[symbol.index(all.len())].name;
        // Whole names, their suffixes, and near misses.
        let starts: Vec<usize> = name.char_indices().map(|(at, _)| at).collect();
        let name = format!("{}{end}", &name[starts[cut.index(starts.len())]..]);
        let expected = match resolve(&found, name.as_str()) {
            Resolution::Found { how: NameMatch::Near(_), .. }
            | Resolution::Ambiguous { how: NameMatch::Near(_), .. }
            | Resolution::Lost { .. } => None,
            other => Some(other),
        };
        let index = NameIndex::new(&found);
        prop_assert_eq!(index.find(&found, name.as_str().into()), expected);
        prop_assert_eq!(index.resolve(&found, name.as_str().into()), resolve(&found, name.as_str()));
    }
}
