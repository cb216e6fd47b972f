//! A generated history of two years of work, as a stream for `git fast-import`: one commit per write, in the bytes that
//! Cairn writes. It has its own writer of the format on purpose, as a check of the specification; `doctor` verifies the
//! result before anything is measured.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::moment::{DAY, date, rfc3339};
use super::prose::{self, Random};

/// The size of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Items of all kinds.
    pub(crate) n_items: usize,
    /// Operations on them, including creations.
    pub(crate) n_ops: usize,
}

impl Size {
    /// Returns the size of a typical project with this many items: five operations per item.
    pub(crate) fn of(n_items: usize) -> Self {
        Self { n_items, n_ops: n_items * 5 }
    }
}

/// The ref that the history is written to.
pub(crate) const REF: &str = "refs/cairn/work";

/// Start of the history, 2024-11-01, and its length.
const START: u64 = 1_730_419_200_000;
const SPAN: u64 = 2 * 365 * DAY;
const SEED: u64 = 0x6361_6972_6e21;

pub(crate) const PEOPLE: &[&str] = &[
    "Ada Byron <ada@example.org>",
    "Alan Mathison <alan@example.org>",
    "Barbara Liskov <barbara@example.org>",
    "Dennis Ritchie <dennis@example.org>",
    "Edsger Dijkstra <edsger@example.org>",
    "Frances Allen <frances@example.org>",
    "Grace Hopper <grace@example.org>",
    "Jean Bartik <jean@example.org>",
    "José Valim <jose@example.org>",
    "Katherine Johnson <katherine@example.org>",
    "Radia Perlman <radia@example.org>",
    "Tony Hoare <tony@example.org>",
];

pub(crate) const LABELS: &[&str] =
    &["bug", "feature", "docs", "ui", "api", "backend", "security", "performance", "regression"];

const SIZES: &[&str] = &["small", "small", "medium", "medium", "large", "xlarge"];

struct Item {
    id: String,
    kind: &'static str,
    number: usize,
    born: u64,
}

enum Action {
    Create,
    Start,
    Close,
    Comment,
    Label,
    Prioritize,
    /// Blocks the item at this position.
    Block(usize),
}

impl Action {
    fn n_ops(&self) -> usize {
        if matches!(self, Self::Start | Self::Close) { 2 } else { 1 }
    }
}

/// An event of the item at a position.
struct Event {
    at: u64,
    item: usize,
    action: Action,
}

/// Writes the history as a stream for `git fast-import`.
pub(crate) fn write(size: Size, to: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(SEED);
    let items = items(size.n_items, &mut random);
    let events = events(size, &items, &mut random);
    let mut writer = Writer { random, items: &items, lamport: 0, to };
    events.iter().try_for_each(|event| writer.write(event))
}

fn items(n_items: usize, random: &mut Random) -> Vec<Item> {
    let slot = SPAN / n_items as u64;
    let item = |place: usize| {
        let kind = match place {
            // One milestone per four hundred items, and one at the beginning.
            place if place % 400 == 0 => "milestone",
            place if place % 100 == 1 => "epic",
            _ => random.pick(&["issue", "issue", "issue", "task", "story"]),
        };
        let born = START + place as u64 * slot + random.below(slot.max(1));
        Item { id: uuid(born, random), kind, number: place + 1, born }
    };
    (0..n_items).map(item).collect()
}

fn events(size: Size, items: &[Item], random: &mut Random) -> Vec<Event> {
    let end = START + SPAN;
    let mut events = Vec::with_capacity(size.n_ops);
    for (place, item) in items.iter().enumerate() {
        let mut happen = |at: u64, action| events.push(Event { at: at.min(end), item: place, action });
        happen(item.born, Action::Create);
        if item.kind == "milestone" {
            continue;
        }
        if random.percent(20) {
            happen(item.born + random.below(20 * DAY), Action::Prioritize);
        }
        if random.percent(15) {
            happen(item.born + random.below(10 * DAY), Action::Label);
        }
        // Always a later one, so that there are no cycles.
        let next = place + 1 + usize::try_from(random.below(30)).unwrap_or(0);
        if let Some(blocked) = items.get(next).filter(|blocked| blocked.kind != "milestone" && random.percent(15)) {
            happen(blocked.born + random.below(DAY), Action::Block(next));
        }
        let started = item.born + random.below(45 * DAY);
        let closed = started + random.below(45 * DAY);
        let is_closed = random.percent(75) && closed < end;
        if started < end && (is_closed && random.percent(70) || random.percent(5)) {
            happen(started, Action::Start);
        }
        if is_closed {
            happen(closed, Action::Close);
        }
    }
    let n_ops: usize = events.iter().map(|event| event.action.n_ops()).sum();
    // Fill up with comments until the history has its size.
    for _ in n_ops..size.n_ops {
        let place = usize::try_from(random.below(items.len() as u64)).expect("a place in a slice");
        let at = (items[place].born + random.below(60 * DAY)).min(end);
        events.push(Event { at, item: place, action: Action::Comment });
    }
    events.sort_by_key(|event| event.at);
    events
}

struct Writer<'a, W> {
    random: Random,
    items: &'a [Item],
    lamport: u64,
    to: &'a mut W,
}

impl<W: Write> Writer<'_, W> {
    fn write(&mut self, event: &Event) -> io::Result<()> {
        let item = &self.items[event.item];
        let by = self.random.pick(PEOPLE);
        let (words, changes) = self.changes(event, item);
        let mut message = format!("{} #{}: {words}\n\n", item.kind, item.number);
        for change in changes {
            self.lamport += 1;
            let _ = writeln!(
                message,
                "{{\"v\":1,\"id\":\"{}\",\"entity\":\"{}\",\"lamport\":{},\"at\":\"{}\",\"by\":\"{by}\",{change}}}",
                uuid(event.at, &mut self.random),
                item.id,
                self.lamport,
                rfc3339(event.at),
            );
        }
        let seconds = event.at / 1000;
        write!(
            self.to,
            "commit {REF}\nauthor {by} {seconds} +0000\ncommitter {by} {seconds} +0000\ndata {}\n{message}\n",
            message.len()
        )
    }

    fn changes(&mut self, event: &Event, item: &Item) -> (String, Vec<String>) {
        let random = &mut self.random;
        let day = date(event.at);
        match event.action {
            Action::Create => {
                let title = prose::title(random);
                let change = creation(random, item, self.items, &title);
                (format!("create `{title}`"), vec![change])
            }
            Action::Start => ("start".to_owned(), vec![set("status", "in_progress"), set("started", &day)]),
            Action::Close => ("close".to_owned(), vec![set("status", "done"), set("completed", &day)]),
            Action::Comment => {
                let change = format!("\"kind\":\"comment\",\"body\":{}", json(&prose::comment(random)));
                ("comment".to_owned(), vec![change])
            }
            Action::Label => ("change labels".to_owned(), vec![add("labels", random.pick(LABELS))]),
            Action::Prioritize => {
                let priority = random.between(1, 10);
                let change = format!("\"kind\":\"set\",\"field\":\"priority\",\"value\":{priority}");
                ("change priority".to_owned(), vec![change])
            }
            Action::Block(other) => {
                let other = &self.items[other];
                (format!("link (blocks {})", other.number), vec![add("blocks", &other.id)])
            }
        }
    }
}

// Keys in alphabetical order, as in the log.
fn creation(random: &mut Random, item: &Item, items: &[Item], title: &str) -> String {
    let mut fields = Vec::new();
    let mut field = |name: &str, value: String| fields.push(format!("\"{name}\":{value}"));
    let is_work = item.kind != "milestone";
    if is_work {
        if random.percent(60) {
            field("assignee", json(random.pick(PEOPLE)));
        }
        if random.percent(85) {
            field("description", json(&prose::description(random)));
        }
        if random.percent(10) {
            field("due", json(&date(item.born + random.below(120 * DAY))));
        }
        if random.percent(60) {
            field("milestone", json(&items[(item.number - 1) / 400 * 400].id));
        }
        if random.percent(20) && item.number % 100 > 2 {
            field("parent", json(&items[(item.number - 1) / 100 * 100 + 1].id));
        }
        if random.percent(70) {
            field("priority", random.between(1, 10).to_string());
        }
        if random.percent(30) {
            field("size", json(random.pick(SIZES)));
        }
    }
    field("status", json(if is_work { "backlog" } else { "open" }));
    field("title", json(title));
    let mut labels: Vec<&str> = (0..random.below(4)).map(|_| random.pick(LABELS)).collect();
    labels.sort_unstable();
    labels.dedup();
    let labels: Vec<String> = labels.into_iter().map(json).collect();
    let sets =
        if labels.is_empty() { String::new() } else { format!(",\"sets\":{{\"labels\":[{}]}}", labels.join(",")) };
    format!(
        "\"kind\":\"create\",\"item\":\"{}\",\"number\":{},\"fields\":{{{}}}{sets}",
        item.kind,
        item.number,
        fields.join(",")
    )
}

fn set(field: &str, value: &str) -> String {
    format!("\"kind\":\"set\",\"field\":\"{field}\",\"value\":{}", json(value))
}

fn add(field: &str, value: &str) -> String {
    format!("\"kind\":\"add\",\"field\":\"{field}\",\"value\":{}", json(value))
}

/// Serializes a text as JSON; generated texts contain no control characters except line breaks.
fn json(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Makes a UUID of version 7 for a time.
fn uuid(at: u64, random: &mut Random) -> String {
    let (low, high) = (random.next(), random.next());
    format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        at >> 16,
        at & 0xffff,
        low & 0xfff,
        0x8000 | (low >> 12 & 0x3fff),
        high & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn stream(n_items: usize) -> String {
        let mut bytes = Vec::new();
        write(Size::of(n_items), &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn ops(stream: &str) -> Vec<&str> {
        stream.lines().filter(|line| line.starts_with("{\"v\":1,")).collect()
    }

    fn value<'a>(line: &'a str, key: &str) -> &'a str {
        let (_, after) = line.split_once(&format!("\"{key}\":")).unwrap();
        after.split([',', '}']).next().unwrap().trim_matches('"')
    }

    #[test]
    fn a_history_has_exactly_its_size() {
        for n_items in [100, 1000] {
            let stream = stream(n_items);
            let ops = ops(&stream);
            assert_eq!(ops.len(), n_items * 5);
            let n_created = ops.iter().filter(|line| value(line, "kind") == "create").count();
            assert_eq!(n_created, n_items);
        }
    }

    #[test]
    fn the_history_is_the_same_every_time() {
        assert_eq!(stream(50), stream(50));
    }

    #[test]
    fn clocks_count_by_one_and_every_id_is_new() {
        let stream = stream(300);
        let ops = ops(&stream);
        let clocks: Vec<usize> = ops.iter().map(|line| value(line, "lamport").parse().unwrap()).collect();
        assert!(clocks.iter().copied().eq(1..=clocks.len()));
        let ids: HashSet<&str> = ops.iter().map(|line| value(line, "id")).collect();
        assert_eq!(ids.len(), ops.len());
        assert!(ids.iter().all(|id| id.len() == 36 && id.as_bytes()[14] == b'7'));
    }

    #[test]
    fn an_item_is_created_before_anything_happens_to_it() {
        let stream = stream(500);
        let mut created = HashSet::new();
        for line in ops(&stream) {
            if value(line, "kind") == "create" {
                created.insert(value(line, "entity"));
            }
            assert!(created.contains(value(line, "entity")), "{line}");
        }
    }

    #[test]
    fn most_work_is_closed_and_some_waits() {
        let stream = stream(2000);
        let count = |what: &str| ops(&stream).iter().filter(|line| line.contains(what)).count();
        let closed = count("\"value\":\"done\"");
        assert!((1300..1500).contains(&closed), "{closed}");
        let blocks = count("\"field\":\"blocks\"");
        assert!((240..360).contains(&blocks), "{blocks}");
        assert!(count("\"kind\":\"comment\"") > 1000);
    }

    #[test]
    fn every_message_is_as_long_as_it_says() {
        let stream = stream(100);
        let mut rest = stream.as_str();
        while let Some((_, after)) = rest.split_once("\ndata ") {
            let (length, after) = after.split_once('\n').unwrap();
            let (message, after) = after.split_at(length.parse().unwrap());
            assert!(message.ends_with("}\n"), "{message}");
            rest = after;
            assert!(rest == "\n" || rest.starts_with("\ncommit "), "{rest}");
        }
        assert_eq!(rest, "\n");
    }
}
