//! The lines on which a peer is ahead of Cairn: the page says these first.

use std::time::Duration;

use super::super::statistics::{milliseconds, ratio};
use super::record::Record;

/// A peer is ahead only if it is by more than what two runs of the same program differ by.
const MIN_LEAD: f64 = 0.95;

/// Returns a sentence for each line on which a peer is ahead.
pub(crate) fn sentences(records: &[Record]) -> Vec<String> {
    records.iter().flat_map(of_record).collect()
}

fn of_record(record: &Record) -> Vec<String> {
    match record {
        Record::Timing { peer, n_items, action, costs: [ours, theirs] } => {
            let what = format!("{peer}: `{}` with {n_items} items", action.name());
            let times = [("CPU", theirs.cpu, ours.cpu), ("wall", theirs.wall, ours.wall)];
            times.into_iter().filter_map(|(unit, theirs, ours)| time(&what, unit, theirs, ours)).collect()
        }
        Record::Writers { peer, tallies: [ours, theirs] } => {
            let lost = match theirs.n_lost() {
                0 => String::new(),
                n_lost => format!(", of which {n_lost} of {} are lost", theirs.n_acknowledged),
            };
            let is_ahead = ours.rate() < theirs.rate() * MIN_LEAD;
            let (theirs, ours) = (theirs.shown_rate(), ours.shown_rate());
            let sentence = format!("{peer}: 8 writers at once, {theirs} a second{lost}, beside {ours} of Cairn");
            is_ahead.then_some(sentence).into_iter().collect()
        }
        Record::Servers { peer, costs: [ours, theirs] } => {
            let what = |part: &str| format!("{peer}: {part}");
            let start = [("CPU", theirs.start.cpu, ours.start.cpu), ("wall", theirs.start.wall, ours.start.wall)];
            let mut sentences: Vec<String> = start
                .into_iter()
                .filter_map(|(unit, theirs, ours)| time(&what("MCP start"), unit, theirs, ours))
                .collect();
            if let (Some(theirs), Some(ours)) = (theirs.list, ours.list) {
                sentences.extend(time(&what("MCP list"), "wall", theirs.wall, ours.wall));
            }
            sentences.extend(count(&what("memory of the server"), "KiB", theirs.resident, ours.resident));
            let tokens = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
            let definitions = [theirs, ours].map(|cost| tokens(cost.n_definition_tokens));
            sentences.extend(count(&what("definitions of the tools"), "tokens", definitions[0], definitions[1]));
            if let (Some(theirs), Some(ours)) = (theirs.n_list_tokens, ours.n_list_tokens) {
                sentences.extend(count(&what("result of a list"), "tokens", tokens(theirs), tokens(ours)));
            }
            sentences
        }
        Record::Run { .. } | Record::Missing { .. } => Vec::new(),
    }
}

fn time(what: &str, unit: &str, theirs: Duration, ours: Duration) -> Option<String> {
    let is_ahead = ratio(theirs, ours) < MIN_LEAD;
    is_ahead.then(|| format!("{what}, {} {unit} beside {} of Cairn", milliseconds(theirs), milliseconds(ours)))
}

fn count(what: &str, unit: &str, theirs: u64, ours: u64) -> Option<String> {
    // At most some hundred thousand of them.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let is_ahead = (theirs as f64) < ours as f64 * MIN_LEAD;
    is_ahead.then(|| format!("{what}, {theirs} {unit} beside {ours} of Cairn"))
}

#[cfg(test)]
mod tests {
    use super::super::subject::Action;
    use super::super::timing::Cost;
    use super::super::writers::Tally;
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_lead_is_named_with_both_numbers() {
        let cost = |cpu, wall| Cost { cpu: cpu * MS, wall: wall * MS };
        let timing = |theirs| Record::Timing {
            peer: "git-mile".to_owned(),
            n_items: 1_000,
            action: Action::Create,
            costs: [cost(10, 12), theirs],
        };
        let expected = "git-mile: `create` with 1000 items, 9.00 ms CPU beside 10.0 ms of Cairn";
        assert_eq!(sentences(&[timing(cost(9, 12))]), [expected]);
        assert!(sentences(&[timing(cost(10, 12))]).is_empty());
        assert_eq!(sentences(&[timing(cost(1, 1))]).len(), 2);
    }

    #[test]
    fn more_writes_in_a_second_are_a_lead() {
        let tally = |n| Tally { n_acknowledged: n, n_found: n, wall: Duration::from_secs(1), ..Tally::default() };
        let record = |ours, theirs| Record::Writers { peer: "x".to_owned(), tallies: [tally(ours), tally(theirs)] };
        assert_eq!(sentences(&[record(150, 250)]), ["x: 8 writers at once, 250 a second, beside 150 of Cairn"]);
        assert!(sentences(&[record(250, 150)]).is_empty());
        let careless =
            Record::Writers { peer: "x".to_owned(), tallies: [tally(150), Tally { n_found: 200, ..tally(250) }] };
        let expected = "x: 8 writers at once, 250 a second, of which 50 of 250 are lost, beside 150 of Cairn";
        assert_eq!(sentences(&[careless]), [expected]);
    }
}
