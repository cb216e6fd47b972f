//! The table of tokens in the page of benchmarks: what an agent pays for each call. It has its own section, which
//! `bench` keeps when it writes the page.

use std::fmt::Write as _;

use crate::page_section;

/// The heading of the section.
pub const HEADING: &str = "## Tokens";

/// A measured text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Its name in the script.
    pub name: String,
    /// Its tokens.
    pub tokens: usize,
}

/// The text behind a name, and its limits.
struct Limit {
    name: &'static str,
    about: &'static str,
    least: usize,
    most: Option<usize>,
}

const LIMITS: &[Limit] = &[
    limit("definitions", "definitions of all tools: name, description, inputSchema", 0, Some(1_800)),
    limit("ready", "`ready` of 20 items", 0, Some(600)),
    limit("list", "`list` of 50 items", 0, Some(1_300)),
    limit("show", "`show` of an item with a description of 60 words", 0, None),
    limit("context 500", "`context` of a file with 40 annotations and 12 items, `max_tokens` 500", 450, Some(500)),
    limit("context 1000", "the same with 1000", 900, Some(1_000)),
    limit("context 2000", "the same with 2000", 1_800, Some(2_000)),
    limit("prime", "`cairn prime`", 0, Some(800)),
];

const fn limit(name: &'static str, about: &'static str, least: usize, most: Option<usize>) -> Limit {
    Limit { name, about, least, most }
}

/// Parses the output of the script: an array of pairs.
pub fn parse(output: &str) -> Result<Vec<TokenRow>, String> {
    let wrong = || format!("the script printed no table: {output}");
    let inner = output.trim().strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).ok_or_else(wrong)?;
    let row = |pair: &str| {
        let (name, tokens) = pair.rsplit_once(',')?;
        Some(TokenRow { name: name.trim_matches('"').to_owned(), tokens: tokens.trim().parse().ok()? })
    };
    inner.split("],[").map(|pair| row(pair).ok_or_else(wrong)).collect()
}

/// Fails if a text is missing, or outside of its limits.
pub fn judge(rows: &[TokenRow]) -> Result<(), String> {
    let problems = LIMITS.iter().filter_map(|limit| {
        let Some(row) = rows.iter().find(|row| row.name == limit.name) else {
            return Some(format!("`{}` was not measured", limit.name));
        };
        let is_within = row.tokens >= limit.least && limit.most.is_none_or(|most| row.tokens <= most);
        (!is_within).then(|| format!("`{}` has {} tokens ({})", limit.name, row.tokens, limit.words()))
    });
    let problems: Vec<String> = problems.collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

impl Limit {
    fn words(&self) -> String {
        match (self.least, self.most) {
            (0, None) => String::new(),
            (0, Some(most)) => format!("≤ {most}"),
            (least, Some(most)) => format!("{least} to {most}"),
            (least, None) => format!("≥ {least}"),
        }
    }
}

/// Renders the section.
pub fn section(rows: &[TokenRow]) -> String {
    let mut text = format!("\n{HEADING}\n");
    text.push_str(
        "\nWritten by `cargo xtask agents --write`. What a model reads of the `cairn` dialect, counted with the encoding\n\
         `o200k_base`; each is the text of the result. The limits hold in every run of CI.\n\n\
         | What | Tokens | Limit |\n|---|---|---|\n",
    );
    for limit in LIMITS {
        let tokens = rows.iter().find(|row| row.name == limit.name).map_or(0, |row| row.tokens);
        let _ = writeln!(text, "| {} | {tokens} | {} |", limit.about, limit.words());
    }
    text
}

/// Returns a page with this section instead of its own, or at its end.
pub fn replace(page: &str, section: &str) -> String {
    page_section::replace(page, HEADING, section)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(context: usize) -> Vec<TokenRow> {
        let tokens = |limit: &Limit| limit.most.unwrap_or(100);
        let mut rows: Vec<TokenRow> =
            LIMITS.iter().map(|limit| TokenRow { name: limit.name.to_owned(), tokens: tokens(limit) }).collect();
        rows[4].tokens = context;
        rows
    }

    #[test]
    fn output_of_the_script_is_parsed() {
        let parsed = parse("[[\"ready\",12],[\"context 500\",490]]\n").unwrap();
        assert_eq!((parsed[1].name.as_str(), parsed[1].tokens), ("context 500", 490));
        for wrong in ["", "[]", "[[\"a\"]]", "{}"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn too_many_and_too_few_tokens_are_refused() {
        assert_eq!(judge(&rows(450)), Ok(()));
        assert_eq!(judge(&rows(449)), Err("`context 500` has 449 tokens (450 to 500)".to_owned()));
        assert_eq!(judge(&rows(501)), Err("`context 500` has 501 tokens (450 to 500)".to_owned()));
        assert_eq!(judge(&rows(500)[1..]), Err("`definitions` was not measured".to_owned()));
    }

    #[test]
    fn a_section_is_replaced_where_it_is() {
        let (old, new) = (section(&rows(450)), section(&rows(500)));
        let page = format!("# Page\n\n## First\n\ntext\n{old}\n## Last\n\nend\n");
        assert_eq!(replace(&page, &new), format!("# Page\n\n## First\n\ntext\n{new}\n## Last\n\nend\n"));
        assert_eq!(replace("# Page\n\nend\n", &new), format!("# Page\n\nend\n{new}"));
    }
}
