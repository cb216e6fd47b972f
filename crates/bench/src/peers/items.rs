//! The items that every tracker is filled with, in the file formats that trackers document.

use std::fmt::Write as _;

use super::super::prose::{self, Random};

const SEED: u64 = 0x7065_6572;
const CREATED: &str = "2026-11-01T09:00:00Z";

/// An open item of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) title: String,
    pub(crate) description: String,
    /// An earlier item that must be closed first.
    pub(crate) blocked_by: Option<usize>,
}

/// Generates items; the same for every program.
pub(crate) fn generate(n_items: usize) -> Vec<Item> {
    let mut random = Random::new(SEED);
    let item = |number: usize| {
        let earlier =
            random.percent(15).then(|| number.saturating_sub(1 + usize::try_from(random.below(30)).unwrap_or(0)));
        Item {
            number,
            title: prose::title(&mut random),
            description: prose::description(&mut random),
            blocked_by: earlier.filter(|earlier| *earlier > 0),
        }
    };
    (1..=n_items).map(item).collect()
}

/// Returns the id of an item in the file of beads.
pub(crate) fn beads_id(number: usize) -> String {
    // At least three characters follow the dash.
    format!("bench-{number:05}")
}

/// Writes items as beads exports them: one JSON object per line.
pub(crate) fn beads_file(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        let id = beads_id(item.number);
        let dependencies = item.blocked_by.map_or_else(String::new, |earlier| {
            format!(
                r#"{{"issue_id":"{id}","depends_on_id":"{}","type":"blocks","created_at":"{CREATED}","created_by":"ada"}}"#,
                beads_id(earlier)
            )
        });
        let _ = writeln!(
            text,
            r#"{{"id":"{id}","title":{},"description":{},"status":"open","priority":2,"issue_type":"task","created_at":"{CREATED}","updated_at":"{CREATED}","labels":["bug"],"dependencies":[{dependencies}]}}"#,
            json(&item.title),
            json(&item.description),
        );
    }
    text
}

/// Returns the name and the text of the file that Backlog.md keeps for a task.
pub(crate) fn backlog_file(item: &Item) -> (String, String) {
    let number = item.number;
    let dependencies = item.blocked_by.map_or_else(|| " []".to_owned(), |earlier| format!("\n  - TASK-{earlier}"));
    let text = format!(
        "---\nid: TASK-{number}\ntitle: {}\nstatus: To Do\nassignee: []\ncreated_date: '2026-11-01 09:00'\nlabels:\n  \
         - bug\ndependencies:{dependencies}\npriority: medium\nordinal: {}\n---\n\n## Description\n\n\
         <!-- SECTION:DESCRIPTION:BEGIN -->\n{}\n<!-- SECTION:DESCRIPTION:END -->\n",
        json(&item.title),
        number * 1000,
        item.description,
    );
    (format!("task-{number} - {}.md", item.title.replace(' ', "-")), text)
}

/// Writes the file of Task Master.
pub(crate) fn task_master_file(items: &[Item]) -> String {
    let task = |item: &Item| {
        let dependencies = item.blocked_by.map_or_else(String::new, |earlier| earlier.to_string());
        format!(
            r#"{{"id":{},"title":{},"description":{},"details":"","testStrategy":"","status":"pending","dependencies":[{dependencies}],"priority":"medium","subtasks":[]}}"#,
            item.number,
            json(&item.title),
            json(&item.description),
        )
    };
    let tasks: Vec<String> = items.iter().map(task).collect();
    format!(
        r#"{{"master":{{"tasks":[{}],"metadata":{{"created":"{CREATED}","updated":"{CREATED}","description":"bench"}}}}}}"#,
        tasks.join(",\n")
    )
}

/// Serializes a text as JSON; generated texts contain no control characters except line breaks.
pub(crate) fn json(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Item {
        Item { number: 7, title: "Fix \"it\"".to_owned(), description: "a\nb".to_owned(), blocked_by: Some(3) }
    }

    #[test]
    fn items_are_the_same_every_time_and_blocked_only_by_earlier_ones() {
        let items = generate(500);
        assert_eq!(items, generate(500));
        assert_eq!(items[..100], generate(100));
        let blocked = items.iter().filter_map(|item| item.blocked_by.map(|earlier| (earlier, item.number)));
        let blocked: Vec<(usize, usize)> = blocked.collect();
        assert!((50..100).contains(&blocked.len()), "{}", blocked.len());
        assert!(blocked.iter().all(|(earlier, number)| (1..*number).contains(earlier)));
    }

    #[test]
    fn files_have_the_documented_form() {
        let beads = beads_file(&[item()]);
        insta::assert_snapshot!(beads, @r#"{"id":"bench-00007","title":"Fix \"it\"","description":"a\nb","status":"open","priority":2,"issue_type":"task","created_at":"2026-11-01T09:00:00Z","updated_at":"2026-11-01T09:00:00Z","labels":["bug"],"dependencies":[{"issue_id":"bench-00007","depends_on_id":"bench-00003","type":"blocks","created_at":"2026-11-01T09:00:00Z","created_by":"ada"}]}"#);
        let (name, text) = backlog_file(&item());
        assert_eq!(name, "task-7 - Fix-\"it\".md");
        insta::assert_snapshot!(text, @r#"
        ---
        id: TASK-7
        title: "Fix \"it\""
        status: To Do
        assignee: []
        created_date: '2026-11-01 09:00'
        labels:
          - bug
        dependencies:
          - TASK-3
        priority: medium
        ordinal: 7000
        ---

        ## Description

        <!-- SECTION:DESCRIPTION:BEGIN -->
        a
        b
        <!-- SECTION:DESCRIPTION:END -->
        "#);
        let tasks = task_master_file(&[item(), Item { blocked_by: None, ..item() }]);
        insta::assert_snapshot!(tasks, @r#"
        {"master":{"tasks":[{"id":7,"title":"Fix \"it\"","description":"a\nb","details":"","testStrategy":"","status":"pending","dependencies":[3],"priority":"medium","subtasks":[]},
        {"id":7,"title":"Fix \"it\"","description":"a\nb","details":"","testStrategy":"","status":"pending","dependencies":[],"priority":"medium","subtasks":[]}],"metadata":{"created":"2026-11-01T09:00:00Z","updated":"2026-11-01T09:00:00Z","description":"bench"}}}
        "#);
    }
}
