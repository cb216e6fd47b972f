//! Results on disk, a line each, so that a run of one peer updates its part of the page and keeps the rest.

use std::time::Duration;

use super::servers::ServerCost;
use super::subject::Action;
use super::timing::Cost;
use super::writers::Tally;

/// A result, always with Cairn's from the same minutes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// When and how a peer was measured.
    Run { peer: String, version: String, date: String, load: String, noise: String },
    /// A command at a number of items.
    Timing { peer: String, n_items: usize, action: Action, costs: [Cost; 2] },
    /// Writers at once; the sums of all rounds.
    Writers { peer: String, tallies: [Tally; 2] },
    /// MCP servers.
    Servers { peer: String, costs: [ServerCost; 2] },
    /// What could not be measured, and why.
    Missing { peer: String, what: String, reason: String },
}

impl Record {
    /// Returns the peer that it is about.
    pub(crate) fn peer(&self) -> &str {
        match self {
            Self::Run { peer, .. }
            | Self::Timing { peer, .. }
            | Self::Writers { peer, .. }
            | Self::Servers { peer, .. }
            | Self::Missing { peer, .. } => peer,
        }
    }

    /// Returns what it is about; a result of the same replaces it.
    fn key(&self) -> String {
        match self {
            Self::Run { peer, .. } => format!("{peer}, the run"),
            Self::Timing { peer, n_items, action, .. } => format!("{peer}, {}", timing_key(*n_items, *action)),
            Self::Writers { peer, .. } => format!("{peer}, {WRITERS}"),
            Self::Servers { peer, .. } => format!("{peer}, {SERVER}"),
            Self::Missing { peer, what, .. } => format!("{peer}, {what}"),
        }
    }
}

/// The key of writers at once.
pub(crate) const WRITERS: &str = "8 writers at once";
/// The key of MCP servers.
pub(crate) const SERVER: &str = "MCP server";

/// The key of a peer that is not there.
pub(crate) const NOT_INSTALLED: &str = "not installed";

/// Returns the key of all commands at a number of items.
pub(crate) fn size_key(n_items: usize) -> String {
    format!("{n_items} items")
}

/// Returns the key of a timed command.
pub(crate) fn timing_key(n_items: usize, action: Action) -> String {
    format!("`{}` at {n_items}", action.name())
}

/// Adds a result in place of an earlier one about the same.
pub(crate) fn insert(records: &mut Vec<Record>, record: Record) {
    let key = record.key();
    records.retain(|earlier| earlier.key() != key);
    records.push(record);
}

/// Renders results, a line each with fields between tabs.
pub(crate) fn render(records: &[Record]) -> String {
    records.iter().map(|record| fields(record).join("\t") + "\n").collect()
}

fn fields(record: &Record) -> Vec<String> {
    let texts = |tag: &str, texts: &[&String]| {
        std::iter::once(tag.to_owned())
            .chain(texts.iter().map(|text| text.replace(['\t', '\n'], " ")))
            .collect::<Vec<_>>()
    };
    match record {
        Record::Run { peer, version, date, load, noise } => texts("run", &[peer, version, date, load, noise]),
        Record::Missing { peer, what, reason } => texts("missing", &[peer, what, reason]),
        Record::Timing { peer, n_items, action, costs } => {
            let mut fields = texts("timing", &[peer, &n_items.to_string(), &action.name().to_owned()]);
            fields.extend(costs.iter().flat_map(cost_fields));
            fields
        }
        Record::Writers { peer, tallies } => {
            let mut fields = texts("writers", &[peer]);
            fields.extend(tallies.iter().flat_map(|tally| {
                let counts = [tally.n_attempted, tally.n_acknowledged, tally.n_found].map(|count| count.to_string());
                counts.into_iter().chain(cost_fields(&Cost { cpu: tally.cpu, wall: tally.wall }))
            }));
            fields
        }
        Record::Servers { peer, costs } => {
            let mut fields = texts("servers", &[peer]);
            fields.extend(costs.iter().flat_map(server_fields));
            fields
        }
    }
}

fn cost_fields(cost: &Cost) -> [String; 2] {
    [cost.cpu, cost.wall].map(|time| time.as_micros().to_string())
}

fn server_fields(cost: &ServerCost) -> Vec<String> {
    let list = cost.list.as_ref().map_or_else(|| ["-".to_owned(), "-".to_owned()], cost_fields);
    let counts = [cost.resident.to_string(), cost.n_definition_tokens.to_string()];
    let n_list_tokens = cost.n_list_tokens.map_or_else(|| "-".to_owned(), |count| count.to_string());
    cost_fields(&cost.start).into_iter().chain(list).chain(counts).chain([n_list_tokens]).collect()
}

/// Parses results; a line that is not understood, as of another version, is left out.
pub(crate) fn parse(text: &str) -> Vec<Record> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Record> {
    let mut fields = line.split('\t');
    let tag = fields.next()?;
    let mut text = || fields.next().map(str::to_owned);
    let peer = text()?;
    match tag {
        "run" => Some(Record::Run { peer, version: text()?, date: text()?, load: text()?, noise: text()? }),
        "missing" => Some(Record::Missing { peer, what: text()?, reason: text()? }),
        "timing" => {
            let (n_items, action) = (text()?.parse().ok()?, Action::parse(&text()?)?);
            Some(Record::Timing { peer, n_items, action, costs: [cost(&mut fields)?, cost(&mut fields)?] })
        }
        "writers" => Some(Record::Writers { peer, tallies: [tally(&mut fields)?, tally(&mut fields)?] }),
        "servers" => Some(Record::Servers { peer, costs: [server(&mut fields)?, server(&mut fields)?] }),
        _ => None,
    }
}

fn cost<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Cost> {
    let mut time = || fields.next()?.parse().ok().map(Duration::from_micros);
    Some(Cost { cpu: time()?, wall: time()? })
}

fn tally<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Tally> {
    let mut count = || fields.next()?.parse::<usize>().ok();
    let (n_attempted, n_acknowledged, n_found) = (count()?, count()?, count()?);
    let Cost { cpu, wall } = cost(fields)?;
    Some(Tally { n_attempted, n_acknowledged, n_found, wall, cpu })
}

fn server<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<ServerCost> {
    let start = cost(fields)?;
    let list: Vec<&str> = fields.take(2).collect();
    let list = cost(&mut list.into_iter());
    let resident = fields.next()?.parse().ok()?;
    let n_definition_tokens = fields.next()?.parse().ok()?;
    Some(ServerCost { start, list, resident, n_definition_tokens, n_list_tokens: fields.next()?.parse().ok() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost_of(milliseconds: u64) -> Cost {
        Cost { cpu: Duration::from_millis(milliseconds), wall: Duration::from_millis(2 * milliseconds) }
    }

    fn records() -> Vec<Record> {
        let tally = Tally {
            n_attempted: 160,
            n_acknowledged: 150,
            n_found: 140,
            wall: Duration::from_secs(1),
            cpu: Duration::from_secs(2),
        };
        let full = ServerCost {
            start: cost_of(3),
            list: Some(cost_of(4)),
            resident: 9_000,
            n_definition_tokens: 1_700,
            n_list_tokens: Some(763),
        };
        let poor = ServerCost { list: None, n_list_tokens: None, ..full };
        let peer = || "Backlog.md".to_owned();
        vec![
            Record::Run {
                peer: peer(),
                version: "1.52.0".to_owned(),
                date: "2026-11-18".to_owned(),
                load: "1.00".to_owned(),
                noise: "2 ms".to_owned(),
            },
            Record::Timing {
                peer: peer(),
                n_items: 1_000,
                action: Action::ListAll,
                costs: [cost_of(7), cost_of(1_100)],
            },
            Record::Writers { peer: peer(), tallies: [tally, Tally { n_found: 150, ..tally }] },
            Record::Servers { peer: peer(), costs: [full, poor] },
            Record::Missing { peer: peer(), what: "`ready` at 1000".to_owned(), reason: "none".to_owned() },
        ]
    }

    #[test]
    fn results_survive_the_disk() {
        assert_eq!(parse(&render(&records())), records());
    }

    #[test]
    fn lines_that_are_not_understood_are_left_out() {
        let text = render(&records()).replace("timing\t", "speed\t") + "timing\tx\t1000\tlist all\t1\nnonsense\n";
        assert_eq!(parse(&text).len(), records().len() - 1);
    }

    #[test]
    fn a_reason_stays_on_its_line() {
        let missing = Record::Missing { peer: "x".to_owned(), what: "y".to_owned(), reason: "a\nb\tc".to_owned() };
        assert_eq!(render(&[missing]), "missing\tx\ty\ta b c\n");
    }

    #[test]
    fn a_new_result_replaces_the_one_about_the_same() {
        let mut all = records();
        let missing = Record::Missing {
            peer: "Backlog.md".to_owned(),
            what: "`list all` at 1000".to_owned(),
            reason: "x".to_owned(),
        };
        insert(&mut all, missing.clone());
        assert_eq!(all.len(), records().len());
        assert!(all.contains(&missing) && !all.iter().any(|record| matches!(record, Record::Timing { .. })));
    }
}
