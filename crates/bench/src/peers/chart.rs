//! The chart of the section about peers: CPU time of the trackers' commands as bars on a logarithmic scale, in an SVG of
//! plain shapes and text that is readable on light and dark pages.

use std::fmt::Write as _;
use std::time::Duration;

use super::catalog::{CAIRN, PEERS};
use super::record::Record;
use super::subject::{Action, Field};
use super::tables::number;
use super::timing::median;

const ACTIONS: [Action; 6] =
    [Action::Create, Action::List, Action::ListAll, Action::Show, Action::Ready, Action::Search];
const SIZES: [(usize, &str); 2] = [(1_000, "1,000 items"), (10_000, "10,000 items")];

const BAR_HEIGHT: usize = 12;
const LINE_HEIGHT: usize = 16;
const TITLE_HEIGHT: usize = 22;
const HEAD_HEIGHT: usize = 74;
const NAME_WIDTH: usize = 92;
const BAR_WIDTH: f64 = 270.0;
const COLUMN_WIDTH: usize = 440;

/// A bar starts at 1 ms and ends at its time; the scale ends at 50 s.
const MAX_MILLISECONDS: f64 = 50_000.0;

/// A bar of a chart.
struct Bar<'a> {
    name: &'a str,
    time: Duration,
}

pub(crate) fn render(records: &[Record]) -> String {
    let mut body = String::new();
    let mut height = 0;
    for (column, (n_items, title)) in SIZES.into_iter().enumerate() {
        let left = column * COLUMN_WIDTH;
        let _ = writeln!(body, r#"  <text class="name" x="{}" y="52">{title}</text>"#, left + 10);
        let mut top = HEAD_HEIGHT;
        for action in ACTIONS {
            let bars = bars(records, n_items, action);
            if !bars.is_empty() {
                top = group(&mut body, (left, top), action.name(), &bars);
            }
        }
        body.insert_str(0, &grid(left, HEAD_HEIGHT, top));
        height = height.max(top);
    }
    let width = COLUMN_WIDTH * SIZES.len();
    let height = height + 14;
    format!("{}{body}</svg>\n", HEAD.replace("{width}", &width.to_string()).replace("{height}", &height.to_string()))
}

fn bars(records: &[Record], n_items: usize, action: Action) -> Vec<Bar<'_>> {
    let found = records.iter().filter_map(|record| match record {
        Record::Timing { peer, n_items: at, action: known, costs } if (*at, *known) == (n_items, action) => {
            Some((peer.as_str(), costs))
        }
        _ => None,
    });
    let is_tracker = |name: &str| PEERS.iter().any(|peer| peer.name == name && peer.field == Field::Tracker);
    let found: Vec<_> = found.filter(|(peer, _)| is_tracker(peer)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let ours: Vec<Duration> = found.iter().map(|(_, costs)| costs[0].cpu).collect();
    let mut bars: Vec<Bar<'_>> = found.iter().map(|(name, costs)| Bar { name, time: costs[1].cpu }).collect();
    bars.push(Bar { name: CAIRN.name, time: median(&ours) });
    bars.sort_by_key(|bar| bar.time);
    bars
}

/// Draws the bars of an action, and returns where the next group begins.
fn group(body: &mut String, (left, top): (usize, usize), title: &str, bars: &[Bar<'_>]) -> usize {
    let _ = writeln!(body, r#"  <text class="title" x="{}" y="{}">{title}</text>"#, left + 10, top + 14);
    let mut top = top + TITLE_HEIGHT;
    for bar in bars {
        let start = left + NAME_WIDTH;
        let width = length(bar.time);
        let class = if bar.name == CAIRN.name { "ours" } else { "theirs" };
        let text = top + BAR_HEIGHT - 2;
        let _ = writeln!(
            body,
            r#"  <text class="label" x="{}" y="{text}" text-anchor="end">{}</text><rect class="{class}" x="{start}" y="{top}" width="{width:.1}" height="{BAR_HEIGHT}" rx="2"/><text class="label" x="{:.1}" y="{text}">{} ms</text>"#,
            start - 6,
            bar.name,
            f64::from(u32::try_from(start).unwrap_or(0)) + width + 5.0,
            number(bar.time),
        );
        top += LINE_HEIGHT;
    }
    top + 8
}

/// Draws a line per power of ten.
fn grid(left: usize, top: usize, bottom: usize) -> String {
    let powers = [(1, "1 ms"), (10, "10 ms"), (100, "100 ms"), (1_000, "1 s"), (10_000, "10 s")];
    let mut text = String::new();
    for (milliseconds, name) in powers {
        let x = f64::from(u32::try_from(left + NAME_WIDTH).unwrap_or(0)) + length(Duration::from_millis(milliseconds));
        let _ = writeln!(
            text,
            r#"  <line class="grid" x1="{x:.1}" y1="{top}" x2="{x:.1}" y2="{bottom}"/><text class="label" x="{x:.1}" y="{}" text-anchor="middle">{name}</text>"#,
            top - 6,
        );
    }
    text
}

/// Returns the length of a bar; what takes less than a millisecond keeps a visible one.
fn length(time: Duration) -> f64 {
    let milliseconds = (time.as_secs_f64() * 1000.0).max(1.0);
    (milliseconds.ln() / MAX_MILLISECONDS.ln() * BAR_WIDTH).min(BAR_WIDTH).max(if time.as_millis() > 1 {
        2.0
    } else {
        0.0
    })
}

const HEAD: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">
  <title id="title">CPU time of the commands of Cairn and other trackers with 1,000 and 10,000 items, on a logarithmic scale</title>
  <style>
    .page { fill: #ffffff }
    .name { fill: #1c1c1a; font-weight: 600; font-size: 14px }
    .title { fill: #1c1c1a; font-weight: 600 }
    .label { fill: #5c5c57; font-size: 11px }
    .grid { stroke: #d4d4d0; stroke-width: 1 }
    .ours { fill: #0f766e }
    .theirs { fill: #a8a8a2 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #15181b }
      .name, .title { fill: #ececea }
      .label { fill: #a3a39d }
      .grid { stroke: #33383d }
      .ours { fill: #2dd4bf }
      .theirs { fill: #6b7076 }
    }
  </style>
  <rect class="page" x="0" y="0" width="{width}" height="{height}" rx="8"/>
  <text class="name" x="10" y="24">CPU time of a command (user and system, with children and daemons), logarithmic scale</text>
"#;

#[cfg(test)]
mod tests {
    use super::super::timing::Cost;
    use super::*;

    fn timing(peer: &str, ours: u64, theirs: u64) -> Record {
        let cost = |cpu| Cost { cpu: Duration::from_millis(cpu), wall: Duration::ZERO };
        let costs = [cost(ours), cost(theirs)];
        Record::Timing { peer: peer.to_owned(), n_items: 1_000, action: Action::Show, costs }
    }

    #[test]
    fn bars_are_sorted_and_cairn_is_drawn_once() {
        let records = [timing("Backlog.md", 7, 1_200), timing("git-mile", 9, 6), timing("Chronicle", 1, 1)];
        let names: Vec<&str> = bars(&records, 1_000, Action::Show).iter().map(|bar| bar.name).collect();
        assert_eq!(names, ["git-mile", "Cairn", "Backlog.md"]);
        let svg = render(&records);
        assert_eq!(svg.matches("class=\"ours\"").count(), 1);
        assert_eq!(svg.matches("class=\"theirs\"").count(), 2);
        insta::assert_snapshot!(testkit::tags_with(&svg, " ms"), @r#"
        <text class="label" x="532.0" y="68" text-anchor="middle">1 ms
        <text class="label" x="589.5" y="68" text-anchor="middle">10 ms
        <text class="label" x="646.9" y="68" text-anchor="middle">100 ms
        <text class="label" x="92.0" y="68" text-anchor="middle">1 ms
        <text class="label" x="149.5" y="68" text-anchor="middle">10 ms
        <text class="label" x="206.9" y="68" text-anchor="middle">100 ms
        <text class="label" x="141.7" y="106">6.0 ms
        <text class="label" x="148.9" y="122">8.0 ms
        <text class="label" x="273.9" y="138">1,200 ms
        "#);
        assert!(bars(&records, 10_000, Action::Show).is_empty());
    }

    #[test]
    fn ten_times_as_long_is_as_far_everywhere() {
        let at = |milliseconds| length(Duration::from_millis(milliseconds));
        assert!((at(100) - at(10) - (at(1_000) - at(100))).abs() < 1e-9);
        assert!(at(1) < 1e-9 && at(100_000) <= BAR_WIDTH);
    }
}
