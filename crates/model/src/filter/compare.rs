//! Comparisons that plain equality cannot express.
//!
//! They are public and take plain values, so that a query engine can register them as functions: then a filter means
//! the same whether it is evaluated here or compiled. They must stay pure and total.

use crate::number::{ItemNumber, NumberSpace};

/// Returns whether `haystack` contains `needle`, ignoring case.
///
/// Characters are folded one by one (`ß` is `ss`, `ς` is `σ`), without normalization: a letter with a combining accent
/// is not the accented letter. An empty needle is contained in everything.
pub fn contains_folded(haystack: &str, needle: &str) -> bool {
    if needle.is_empty() {
        return true;
    }
    fold(haystack).contains(&fold(needle))
}

/// Returns whether `literal` means one of the stored people, each `Name <email>` or a bare word on its own line.
///
/// The literal may be the whole text, the name or the email, ignoring case. An empty literal matches an item without a
/// person.
pub fn person_is(stored: &str, literal: &str) -> bool {
    if literal.is_empty() {
        return stored.is_empty();
    }
    let literal = fold(literal);
    stored.split('\n').any(|one| is_one(one, &literal))
}

fn is_one(stored: &str, literal: &str) -> bool {
    if fold(stored) == literal {
        return true;
    }
    let Some((name, email)) = stored.strip_suffix('>').and_then(|start| start.rsplit_once('<')) else {
        return false;
    };
    fold(name.trim()) == literal || fold(email.trim()) == literal
}

/// Returns whether `literal` means an item: its number (`12`, `#12`, `milestone/12`), UUID or title. A number without a
/// space is one of `implied`.
///
/// UUID and title are compared ignoring case. An empty literal means no item.
pub fn reference_is(id: &str, reference: ItemNumber, title: &str, implied: NumberSpace, literal: &str) -> bool {
    if literal.is_empty() {
        return false;
    }
    let is_number = ItemNumber::parse(literal, implied) == Some(reference);
    is_number || id.eq_ignore_ascii_case(literal) || title_is(title, literal)
}

/// Returns whether a title equals a text, ignoring case.
pub fn title_is(title: &str, literal: &str) -> bool {
    fold(title) == fold(literal)
}

/// Folds case.
///
/// Character by character, because `str::to_lowercase` treats a final sigma differently, so that a word and its prefix
/// would differ. The upper case in the middle of the chain unites letters that share one (`ſ` and `s`, `ß` and `ss`),
/// the lower case before it reaches those that have none (`ẞ`).
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_ignores_case_in_every_script() {
        let held = [
            ("Crash at Start", "crash"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
            ("οδυσσευς", "ΕΥΣ"),
            ("Straße", "STRASSE"),
            ("STRASSE", "straße"),
            ("GROẞ", "gross"),
            ("Ошибка", "оШИБ"),
            ("anything", ""),
            ("", ""),
        ];
        for (haystack, needle) in held {
            assert!(contains_folded(haystack, needle), "{haystack:?} contains {needle:?}");
        }
        assert!(!contains_folded("crash", "crush"));
        assert!(!contains_folded("", "a"));
        assert!(!contains_folded("e", "é"));
    }

    #[test]
    fn person_is_whole_text_name_or_email() {
        let check = |stored, literal, expect| {
            assert_eq!(person_is(stored, literal), expect, "{stored:?} is {literal:?}");
        };
        check("Ada Byron <ada@example.org>", "ada byron <ADA@example.org>", true);
        check("Ada Byron <ada@example.org>", "ADA BYRON", true);
        check("Ada Byron <ada@example.org>", "Ada@Example.org", true);
        check("Ada Byron <ada@example.org>", "ada", false);
        check("Ada Byron <ada@example.org>", "", false);
        check("<ada@example.org>", "ada@example.org", true);
        check("<ada@example.org>", "", false);
        check("ada", "ADA", true);
        check("ada", "", false);
        check("", "", true);
        check("", "ada", false);
        check("broken>", "broken", false);
        check("Ada <ada@example.org>\nBob <bob@example.org>", "bob", true);
        check("Ada <ada@example.org>\nBob <bob@example.org>", "Ada@example.org", true);
        check("Ada <ada@example.org>\nBob <bob@example.org>", "eve", false);
    }

    #[test]
    fn reference_is_number_uuid_or_title() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let check = |literal: &str, expect| {
            let (reference, implied) =
                (ItemNumber { space: NumberSpace::Milestone, number: 12 }, NumberSpace::Milestone);
            assert_eq!(reference_is(id, reference, "Version Ä", implied, literal), expect, "{literal:?}");
        };
        check("12", true);
        check("milestone/12", true);
        check("board/12", false);
        check("item/12", false);
        check("#12", true);
        check("##12", false);
        check("+12", false);
        check("-12", false);
        check("#", false);
        check("1", false);
        check("99999999999999999999999", false);
        check("01890A5D-AC96-774B-BCCE-B302099A8057", true);
        check("01890a5d", false);
        check("version ä", true);
        check("version", false);
        check("", false);
    }
}
