//! The page with the passed scenarios and the servers.

use std::fmt::Write as _;

use super::{Exception, Place, REVISIONS, Row, find};

const HEAD: &str = "\
# Conformance

What the public conformance suite of the Model Context Protocol (`@modelcontextprotocol/conformance`, pinned in
`crates/conformance/suite`) requires of a server, and where each scenario is shown to pass: `cairn` is `cairn serve`, the program
itself, with the dialect `mile`, and `cairn's own dialect` the same program at `/mcp/cairn`; `fixtures` and `fixtures without sessions` are the tools, resources and prompts that the suite
asks for by name, on the stack that serves our dialects. Written by `cargo xtask conformance --write` and checked by
`cargo xtask ci`. Scenarios that the suite does not score (extensions, pending ones) are not listed.
";

pub(super) fn render(rows: &[Row], exceptions: &[Exception]) -> String {
    let mut page = HEAD.to_owned();
    for revision in REVISIONS {
        let of_revision: Vec<&Row> = rows.iter().filter(|row| row.revision == revision.name).collect();
        let _ = write!(page, "\n## {}\n\n| scenario | result | shown by |\n|---|---|---|\n", revision.name);
        let mut scenarios: Vec<&str> = Vec::new();
        for row in &of_revision {
            if !scenarios.contains(&row.scenario.as_str()) {
                scenarios.push(&row.scenario);
            }
        }
        for scenario in scenarios {
            let rows: Vec<&Row> = of_revision.iter().filter(|row| row.scenario == scenario).copied().collect();
            let _ = writeln!(page, "| `{scenario}` | {} | {} |", result(&rows, exceptions), places(&rows));
        }
    }
    page
}

fn result(rows: &[&Row], exceptions: &[Exception]) -> String {
    let failed = rows.iter().find(|row| !row.has_passed);
    match failed.and_then(|row| find(exceptions, row)) {
        Some(exception) => format!("known to fail: {}", exception.reason),
        None => "passed".to_owned(),
    }
}

fn places(rows: &[&Row]) -> String {
    let mut places: Vec<Place> = rows.iter().map(|row| row.place).collect();
    places.sort_unstable();
    let name = |place| match place {
        Place::Fixtures => "fixtures",
        Place::StatelessFixtures => "fixtures without sessions",
        Place::Cairn => "cairn",
        Place::OwnDialect => "cairn's own dialect",
    };
    places.into_iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenario_is_listed_once_with_all_its_places() {
        let row = |place, has_passed| Row { revision: "2025-11-25", scenario: "ping".to_owned(), place, has_passed };
        let rows = |page: &str| page.lines().filter(|line| line.starts_with("| `")).collect::<Vec<_>>().join("\n");
        let page = render(&[row(Place::Cairn, true), row(Place::Fixtures, true)], &[]);
        insta::assert_snapshot!(rows(&page), @"| `ping` | passed | fixtures, cairn |");
        let listed = [Exception { revision: "2025-11-25", scenario: "ping", reason: "why" }];
        let page = render(&[row(Place::Fixtures, false)], &listed);
        insta::assert_snapshot!(rows(&page), @"| `ping` | known to fail: why | fixtures |");
    }
}
