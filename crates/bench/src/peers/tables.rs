//! The tables of the section about peers.

use std::fmt::Write as _;
use std::time::Duration;

use super::super::statistics::ratio;
use super::catalog::{CAIRN, PEERS};
use super::record::Record;
use super::subject::{Action, Field};
use super::timing::{Cost, median};

/// A row of cells.
type Row = Vec<String>;

pub(crate) fn table(head: &[&str], rows: &[Row]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// Renders the commands of the programs of a field at a number of items.
pub(crate) fn timings(records: &[Record], field: Field, n_items: usize) -> Option<String> {
    let found: Vec<(&str, Action, [Cost; 2])> = records
        .iter()
        .filter_map(|record| match record {
            Record::Timing { peer, n_items: at, action, costs } if *at == n_items => {
                Some((peer.as_str(), *action, *costs))
            }
            _ => None,
        })
        .filter(|(peer, _, _)| PEERS.iter().any(|known| known.name == *peer && known.field == field))
        .collect();
    let actions: Vec<Action> =
        Action::ALL.into_iter().filter(|action| found.iter().any(|(_, known, _)| known == action)).collect();
    if actions.is_empty() {
        return None;
    }
    let mut rows = vec![vec![CAIRN.name.to_owned()]];
    rows[0].extend(actions.iter().map(|action| {
        let ours: Vec<Cost> =
            found.iter().filter(|(_, known, _)| known == action).map(|(_, _, costs)| costs[0]).collect();
        let median_of = |part: fn(&Cost) -> Duration| number(median(&ours.iter().map(part).collect::<Vec<_>>()));
        format!("{} / {}", median_of(|cost| cost.cpu), median_of(|cost| cost.wall))
    }));
    for peer in PEERS.iter().filter(|peer| found.iter().any(|(name, _, _)| *name == peer.name)) {
        let cell = |action: &Action| {
            let cost = found.iter().find(|(name, known, _)| *name == peer.name && known == action);
            cost.map_or_else(|| "–".to_owned(), |(_, _, costs)| beside(*costs))
        };
        rows.push(std::iter::once(peer.name.to_owned()).chain(actions.iter().map(cell)).collect());
    }
    let names: Vec<&str> =
        std::iter::once("CPU / wall, ms").chain(actions.iter().map(|action| action.name())).collect();
    Some(table(&names, &rows))
}

fn beside([ours, theirs]: [Cost; 2]) -> String {
    let times = times(ratio(theirs.cpu, ours.cpu));
    format!("{} / {} ({times})", number(theirs.cpu), number(theirs.wall))
}

/// Formats a ratio with two significant digits: `0.95×`, `1.4×`, `38×`, `1,100×`.
pub(crate) fn times(ratio: f64) -> String {
    match ratio {
        ..1.0 => format!("{ratio:.2}×"),
        ..9.95 => format!("{ratio:.1}×"),
        ..99.5 => format!("{ratio:.0}×"),
        ..995.0 => format!("{:.0}×", (ratio / 10.0).round() * 10.0),
        _ => format!("{}×", thousands((ratio / 100.0).round() * 100.0)),
    }
}

/// Formats a time in milliseconds: `7.2`, `38`, `1,130`.
pub(crate) fn number(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    match milliseconds {
        ..1.0 => format!("{milliseconds:.2}"),
        ..20.0 => format!("{milliseconds:.1}"),
        _ => thousands(milliseconds),
    }
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    match digits.len() {
        ..=3 => digits,
        length => format!("{},{}", &digits[..length - 3], &digits[length - 3..]),
    }
}

/// Renders writers at once.
pub(crate) fn writers(records: &[Record]) -> Option<String> {
    let mut rows: Vec<Row> = Vec::new();
    for record in records {
        let Record::Writers { peer, tallies } = record else { continue };
        for (name, tally) in [(format!("Cairn, beside {peer}"), tallies[0]), (peer.clone(), tallies[1])] {
            let n_attempted = u32::try_from(tally.n_attempted).unwrap_or(u32::MAX).max(1);
            rows.push(vec![
                name,
                tally.n_attempted.to_string(),
                tally.n_acknowledged.to_string(),
                tally.n_lost().to_string(),
                tally.shown_rate(),
                number(tally.cpu / n_attempted),
            ]);
        }
    }
    let head = ["", "Attempted", "Acknowledged", "Lost of these", "A second", "CPU ms each"];
    (!rows.is_empty()).then(|| table(&head, &rows))
}

/// Renders MCP servers.
pub(crate) fn servers(records: &[Record]) -> Option<String> {
    let servers = records.iter().filter_map(|record| match record {
        Record::Servers { peer, costs } => Some((peer.as_str(), costs)),
        _ => None,
    });
    let servers: Vec<_> = servers.collect();
    // Cairn's line is that of the first pair; the others differ by noise.
    let ours = servers.first().map(|(_, costs)| (CAIRN.name, costs[0]))?;
    let rows = std::iter::once(ours).chain(servers.iter().map(|(peer, costs)| (*peer, costs[1])));
    let row = |(name, cost): (&str, super::servers::ServerCost)| {
        let list =
            cost.list.map_or_else(|| "–".to_owned(), |list| format!("{} / {}", number(list.cpu), number(list.wall)));
        let tokens = |count: usize| thousands(f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
        vec![
            name.to_owned(),
            format!("{} / {}", number(cost.start.cpu), number(cost.start.wall)),
            list,
            format!("{}", cost.resident.div_ceil(1024)),
            tokens(cost.n_definition_tokens),
            cost.n_list_tokens.map_or_else(|| "–".to_owned(), tokens),
        ]
    };
    let head =
        ["", "Start, CPU / wall ms", "List call, CPU / wall ms", "MiB", "Tokens of definitions", "Tokens of a list"];
    Some(table(&head, &rows.map(row).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(cpu: u64) -> Cost {
        Cost { cpu: Duration::from_millis(cpu), wall: Duration::from_millis(2 * cpu) }
    }

    fn timing(peer: &str, action: Action, ours: u64, theirs: u64) -> Record {
        Record::Timing { peer: peer.to_owned(), n_items: 1_000, action, costs: [cost(ours), cost(theirs)] }
    }

    #[test]
    fn a_row_per_program_and_a_column_per_action() {
        let records = [
            timing("Backlog.md", Action::ListAll, 10, 1_130),
            timing("git-mile", Action::ListAll, 12, 36),
            timing("git-mile", Action::Create, 10, 9),
            timing("Chronicle", Action::Annotate, 10, 9),
        ];
        let expected = "\
| CPU / wall, ms | create | list all |
|---|---|---|
| Cairn | 10.0 / 20 | 11.0 / 22 |
| git-mile | 9.0 / 18.0 (0.90×) | 36 / 72 (3.0×) |
| Backlog.md | – | 1,130 / 2,260 (110×) |
";
        assert_eq!(timings(&records, Field::Tracker, 1_000).as_deref(), Some(expected));
        assert_eq!(timings(&records, Field::Tracker, 10_000), None);
    }

    #[test]
    fn numbers_have_two_or_three_digits_that_mean_something() {
        let shown = [0.951, 1.44, 37.6, 113.0, 1_149.0].map(times);
        assert_eq!(shown, ["0.95×", "1.4×", "38×", "110×", "1,100×"]);
        assert_eq!(number(Duration::from_micros(720)), "0.72");
        assert_eq!(number(Duration::from_micros(7_240)), "7.2");
        assert_eq!(number(Duration::from_millis(1_130)), "1,130");
    }

    #[test]
    fn lost_writes_have_a_column() {
        let tally = super::super::writers::Tally {
            n_attempted: 160,
            n_acknowledged: 115,
            n_found: 69,
            wall: Duration::from_secs(5),
            cpu: Duration::from_millis(1_600),
        };
        let records = [Record::Writers { peer: "Chronicle".to_owned(), tallies: [tally, tally] }];
        let table = writers(&records).unwrap();
        assert_eq!(table.lines().nth(3), Some("| Chronicle | 160 | 115 | 46 | 23 | 10.0 |"));
    }
}
