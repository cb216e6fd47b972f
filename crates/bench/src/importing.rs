//! Importing items as JSON lines into a project without items.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::history::{LABELS, PEOPLE};
use super::measure::{Case, Rounds, in_turn, run};
use super::moment::{DAY, rfc3339};
use super::prose::{self, Random};
use super::scenes::Stage;
use super::scratch::Repository;
use super::verdict::{Row, Verdict};

const N_ITEMS: usize = 40_000;
/// Items per second of CPU time.
const MIN_RATE: u32 = 20_000;
const SEED: u64 = 11;
/// When the first item was created: 2024-11-01.
const START: u64 = 1_730_419_200_000;

/// What the lines have.
#[derive(Debug, Clone, Copy)]
enum Lines {
    /// A kind and a title.
    Short,
    /// A description, an author, an assignee, two labels, times and a status as well.
    Full,
}

impl Stage<'_> {
    /// First imports of short and of full items.
    pub(crate) fn importing(&self) -> Result<Vec<Row>, String> {
        let n_items = if self.is_quick { N_ITEMS / 10 } else { N_ITEMS };
        let file = |name: &str, lines: Lines| {
            let place = self.scratch.path(name);
            let written = fs::write(&place, items(n_items, lines));
            written.map(|()| place).map_err(|error| format!("cannot write items: {error}"))
        };
        let (short, full) = (file("short.jsonl", Lines::Short)?, file("full.jsonl", Lines::Full)?);
        let mut cases = [
            self.importing_of("cairn import jsonl, items with a title", &short),
            self.importing_of("cairn import jsonl, items with texts, people, labels and times", &full),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 1, counted: 5, for_cpu: 5 }))?;
        let judged = cases.iter().zip(timings).map(|(case, timing)| {
            let time = timing.cpu.unwrap_or(timing.wall.median);
            let verdict = Verdict::rate(n_items, "items", time, MIN_RATE);
            Row { what: case.name.to_owned(), timing: Some(timing), floor: None, verdict }
        });
        Ok(judged.collect())
    }

    fn importing_of(&self, name: &'static str, file: &Path) -> Case<'_> {
        let target = Repository(self.scratch.path("import"));
        let empty = {
            let place = target.0.clone();
            move || {
                if place.exists() {
                    fs::remove_dir_all(&place).map_err(|error| format!("cannot remove a repository: {error}"))?;
                }
                Repository::empty(place.clone()).map(|_| ())
            }
        };
        let file = file.display().to_string();
        Case::prepared(name, empty, move || run(&mut target.cairn(self.cairn, &["import", "jsonl", &file])))
    }
}

fn items(n_items: usize, lines: Lines) -> String {
    let random = &mut Random::new(SEED);
    let mut text = String::new();
    for n in 0..n_items {
        let title = prose::title(random);
        let _ = write!(text, r#"{{"kind":"issue","title":"{title} {n}""#);
        if matches!(lines, Lines::Full) {
            let description = prose::description(random).replace('\n', "\\n").replace('"', "\\\"");
            let (author, assignee) = (random.pick(PEOPLE), random.pick(PEOPLE));
            let labels = [random.pick(LABELS), random.pick(LABELS)].join("\",\"");
            let created = START + random.below(300) * DAY;
            let (priority, updated) = (random.between(1, 10), created + random.below(60) * DAY);
            let status = if random.percent(33) { "done" } else { "ready" };
            let _ = write!(
                text,
                r#","description":"{description}","author":"{author}","assignee":"{assignee}","labels":["{labels}"],"priority":{priority},"created":"{}","updated":"{}","status":"{status}""#,
                rfc3339(created),
                rfc3339(updated),
            );
        }
        text.push_str("}\n");
    }
    text
}
