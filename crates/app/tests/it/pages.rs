//! A list read page by page is the whole list, also during writes.

use std::io::Cursor;

use std::collections::BTreeSet;

use app::ChangeSet;
use app::verb::{CloseOptions, ListOptions};
use app::view::ListView;
use model::item::ItemKind;
use model::sort::SortField;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{TestProject, by_name, cases, parsed, texts};

/// The fields of a new item, from pools so small that most items share values.
fn fields() -> impl Strategy<Value = Value> {
    let title = select(vec!["stone", "Stone on stone", "stone and moss", "größe", "moss", "🎉", "", "stone\u{0}x"]);
    let date = || proptest::option::of(select(vec!["2026-03-10", "2026-03-11", "0001-01-01"]));
    let size = proptest::option::of(select(vec!["small", "large", "odd"]));
    let who = proptest::option::of(select(vec!["Ada <ada@example.org>", "bob"]));
    let status = select(vec!["backlog", "ready", "done", "odd"]);
    let text = select(vec!["", "stone", "moss and stone and more stone"]);
    (title, text, status, 0..3_u8, (size, who), (date(), date(), date(), date())).prop_map(
        |(title, text, status, priority, (size, assignee), (started, expected, completed, due))| {
            json!({"title": title, "description": text, "status": status, "priority": priority, "size": size,
                "assignee": assignee, "started": started, "expected": expected, "completed": completed, "due": due})
        },
    )
}

/// An item: kind, fields, labels, the second of its creation, and whether it is deleted.
type Made = (&'static str, Value, Vec<&'static str>, i64, bool);

fn made() -> impl Strategy<Value = Made> {
    let labels = proptest::collection::vec(select(vec!["stone", "moss"]), 0..2);
    (select(vec!["issue", "task", "board"]), fields(), labels, 0..3_i64, proptest::bool::weighted(0.1))
}

fn lines(items: &[Made]) -> Vec<u8> {
    let mut lines = Vec::new();
    for (n, (kind, fields, labels, second, is_deleted)) in items.iter().enumerate() {
        // Ids are in another order than numbers.
        let entity = Uuid::from_u128((n as u128 * 7) % 31);
        let head = |lamport: usize, kind: &str| {
            json!({"v": 1, "id": Uuid::from_u128(1000 + lamport as u128), "entity": entity, "lamport": lamport,
                "at": format!("2026-03-01T00:00:0{second}Z"), "by": "Ada <ada@example.org>", "kind": kind})
        };
        let mut create = head(2 * n, "create");
        create["item"] = json!(kind);
        create["number"] = json!(n + 1);
        create["fields"] = fields.clone();
        create["sets"] = json!({ "labels": labels });
        lines.extend(format!("{create}\n").into_bytes());
        if *is_deleted {
            lines.extend(format!("{}\n", head(2 * n + 1, "delete")).into_bytes());
        }
    }
    lines
}

fn options() -> impl Strategy<Value = ListOptions> {
    let names: Vec<&str> = SortField::NAMES.iter().map(|(name, _)| *name).collect();
    let key =
        (select(names), any::<bool>()).prop_map(|(name, desc)| format!("{name}:{}", if desc { "desc" } else { "asc" }));
    let words =
        proptest::option::weighted(0.4, select(vec!["stone", "st mo", "moss", "größe"]).prop_map(str::to_owned));
    let filters = vec!["priority > 0", "labels ~ s or due == none", "state == closed", "text ~ stone"];
    let filter = proptest::option::weighted(0.3, select(filters).prop_map(str::to_owned));
    let sort = proptest::collection::vec(key, 0..4);
    (sort, words, filter, any::<bool>(), any::<bool>(), 1..5_usize).prop_map(
        |(sort, words, filter, all, deleted, limit)| ListOptions {
            sort,
            words,
            filter,
            all,
            deleted,
            limit: Some(limit),
            ..ListOptions::default()
        },
    )
}

/// A write by someone else between two pages.
#[derive(Debug, Clone)]
enum Write {
    Create(&'static str),
    ChangeSet(Index, &'static str, &'static str),
    Comment(Index),
    Close(Index),
    Delete(Index),
    Label(Index),
}

fn write() -> impl Strategy<Value = Write> {
    let values = vec![
        ("title", "moss stone"),
        ("priority", "1"),
        ("priority", "10"),
        ("due", "2026-03-11"),
        ("due", ""),
        ("size", "small"),
        ("assign", "Zoe"),
        ("description", "stone stone stone stone"),
    ];
    prop_oneof![
        2 => select(vec!["stone", "moss and moss", "unrelated"]).prop_map(Write::Create),
        4 => (any::<Index>(), select(values)).prop_map(|(item, (field, value))| Write::ChangeSet(item, field, value)),
        1 => any::<Index>().prop_map(Write::Comment),
        1 => any::<Index>().prop_map(Write::Close),
        1 => any::<Index>().prop_map(Write::Delete),
        1 => any::<Index>().prop_map(Write::Label),
    ]
}

/// Runs a write and returns the id of the changed item; `None` if it was rejected.
fn act(test: &mut TestProject, existing: &[String], write: &Write) -> Option<String> {
    let id = |item: &Index| vec![by_name(item.get(existing))];
    let project = &mut test.project;
    let done = match write {
        Write::Create(title) => return Some(test.create(ItemKind::Task, title).id),
        Write::ChangeSet(item, field, value) => {
            project.edit(&id(item), &ChangeSet { fields: parsed(&[(field, value)]), ..ChangeSet::default() })
        }
        Write::Comment(item) => project.comment(&id(item)[0], "stone", None).map(|item| vec![item]),
        Write::Close(item) => project.close(&id(item), &CloseOptions::default()),
        Write::Delete(item) => project.delete(&id(item), None),
        Write::Label(item) => {
            project.edit(&id(item), &ChangeSet { add_labels: texts(&["stone"]), ..ChangeSet::default() })
        }
    };
    done.ok().and_then(|items| items.into_iter().next()).map(|item| item.id)
}

fn found(list: &ListView) -> Vec<String> {
    list.items.iter().map(|item| item.id.clone()).collect()
}

fn whole(test: &TestProject, options: &ListOptions) -> Vec<String> {
    let list = test.project.list(&ListOptions { limit: None, ..options.clone() }).unwrap();
    assert_eq!((list.total, list.next_cursor.is_none()), (list.items.len() as u64, true));
    found(&list)
}

/// Reads all pages; `between` runs between two of them.
fn paged(test: &mut TestProject, options: &ListOptions, mut between: impl FnMut(&mut TestProject)) -> Vec<String> {
    let mut options = options.clone();
    let mut seen = Vec::new();
    loop {
        let page = test.project.list(&options).unwrap();
        assert!(page.items.len() <= options.limit.unwrap());
        seen.extend(found(&page));
        let Some(cursor) = page.next_cursor else { return seen };
        assert!(seen.len() < 200, "the pages do not end");
        options.cursor = Some(cursor);
        between(test);
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn pages_together_are_the_whole_list(
        items in proptest::collection::vec(made(), 1..16),
        queries in proptest::collection::vec(options(), 12),
    ) {
        let mut test = TestProject::new();
        test.project.import_operations(&mut Cursor::new(lines(&items))).unwrap();
        for options in &queries {
            let whole = whole(&test, options);
            prop_assert_eq!(paged(&mut test, options, |_| {}), whole, "{:?}", options);
        }
    }

    #[test]
    fn unchanged_items_are_on_exactly_one_page(
        items in proptest::collection::vec(made(), 1..16),
        options in options(),
        writes in proptest::collection::vec(write(), 1..12),
    ) {
        let mut test = TestProject::new();
        test.project.import_operations(&mut Cursor::new(lines(&items))).unwrap();
        let every = ListOptions { all: true, deleted: true, ..ListOptions::default() };
        let existing = whole(&test, &every);
        let before: BTreeSet<String> = whole(&test, &options).into_iter().collect();
        let mut left = writes.iter();
        let mut touched = BTreeSet::new();
        let seen = paged(&mut test, &options, |test| {
            touched.extend(left.by_ref().take(2).filter_map(|write| act(test, &existing, write)));
        });
        for id in before.difference(&touched) {
            let times = seen.iter().filter(|other| *other == id).count();
            prop_assert_eq!(times, 1, "{} came {} times", id, times);
        }
        prop_assert!(seen.iter().all(|id| before.contains(id) || touched.contains(id)));
    }
}
