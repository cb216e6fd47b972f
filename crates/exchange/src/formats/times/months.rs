//! The names of months in the languages in which trackers often write dates. Jira exports a table in the language of the
//! user.

use std::borrow::Cow;

/// English abbreviations, each with the beginnings of the names in English, German, French, Spanish, Italian, Portuguese, Dutch
/// and the languages of Scandinavia.
const MONTHS: [(&str, &[&str]); 12] = [
    ("Jan", &["jan", "gen", "ene"]),
    ("Feb", &["feb", "fév", "fev"]),
    ("Mar", &["mar", "mär", "mrz", "mrt", "maa"]),
    ("Apr", &["apr", "avr", "abr"]),
    ("May", &["may", "mai", "mei", "maj", "mag"]),
    ("Jun", &["jun", "juin", "giu"]),
    ("Jul", &["jul", "juil", "lug"]),
    ("Aug", &["aug", "aoû", "aou", "ago"]),
    ("Sep", &["sep", "set"]),
    ("Oct", &["oct", "okt", "ott", "out"]),
    ("Nov", &["nov"]),
    ("Dec", &["dec", "déc", "dez", "dic", "des"]),
];

/// Returns the text with the first name of a month replaced by its English abbreviation.
pub(super) fn in_english(text: &str) -> Cow<'_, str> {
    let mut start = 0;
    while let Some(begin) = text[start..].find(char::is_alphabetic).map(|at| start + at) {
        let end = text[begin..].find(|c: char| !c.is_alphabetic()).map_or(text.len(), |at| begin + at);
        if let Some(month) = abbreviation(&text[begin..end]) {
            let rest = &text[end..];
            return format!("{}{month}{}", &text[..begin], rest.strip_prefix('.').unwrap_or(rest)).into();
        }
        start = end;
    }
    text.into()
}

fn abbreviation(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let is_named = |names: &&[&str]| names.iter().any(|name| word.starts_with(name));
    MONTHS.iter().find(|(_, names)| is_named(names)).map(|(month, _)| *month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_named_in_english() {
        let check = |text: &str, expected: &str| assert_eq!(in_english(text), expected);
        check("15/Mär/24 9:00 AM", "15/Mar/24 9:00 AM");
        check("3. Oktober 2024", "3. Oct 2024");
        check("15/juil./24", "15/Jul/24");
        check("15/juin/24", "15/Jun/24");
        check("Wed, 27 Mar 2024 10:03:04 +0100", "Wed, 27 Mar 2024 10:03:04 +0100");
        check("soon", "soon");
    }
}
