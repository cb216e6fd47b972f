//! Widths of lists with random items on terminals of any width.

use std::collections::BTreeMap;

use app::view::BlockedView;
use jiff::Timestamp;
use model::size::Size;
use model::workflow::Category;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::output::safe;

#[test]
fn a_bar_is_full_only_if_all_is_done() {
    let shown = |done: u64, todo: u64| {
        progress(&CategoryCounts { done, todo, ..CategoryCounts::default() }).fit(20).text.clone()
    };
    assert_eq!(shown(0, 3), "▱▱▱▱▱▱▱▱ 0/3");
    assert_eq!(shown(99, 1), "▰▰▰▰▰▰▰▱ 99/100");
    assert_eq!(shown(3, 0), "▰▰▰▰▰▰▰▰ 3/3");
    assert_eq!(shown(0, 0), "");
}

#[test]
fn every_column_has_a_name_that_reads_back() {
    for column in ItemColumn::value_variants() {
        assert_eq!(ItemColumn::try_find(&column.name()), Some(*column));
    }
    assert_eq!(ItemColumn::try_find("mood"), None);
}

fn item(number: u64, title: String, labels: Vec<String>, assignee: Option<String>, priority: u8) -> ItemView {
    let at = Timestamp::from_second(1_700_000_000).unwrap();
    ItemView {
        id: format!("item-{number}"),
        number,
        kind: ItemKind::Issue,
        title,
        description: String::new(),
        status: "in_progress".to_owned(),
        state: State::Open,
        category: Category::Doing,
        labels,
        assignees: assignee.iter().cloned().collect(),
        assignee,
        author: "Ada Lovelace <ada@example.com>".to_owned(),
        priority,
        size: Some(Size::Small),
        severity: None,
        type_: None,
        board: None,
        milestone: None,
        parent: None,
        blocks: Vec::new(),
        blocked_by: Vec::new(),
        relates: Vec::new(),
        touches: Vec::new(),
        blocked: BlockedView { is: false, reason: None },
        approved: false,
        started: None,
        expected: None,
        completed: None,
        due: Some(jiff::civil::date(2026, 1, 1)),
        color: None,
        rank: String::new(),
        comment_count: priority.into(),
        created: at,
        updated: at,
        imported: None,
        former_numbers: Vec::new(),
        deleted: false,
        revision: String::new(),
        extra: BTreeMap::new(),
        comments: None,
        commits: None,
        progress: None,
        attachments: Vec::new(),
        children: None,
        formerly_this_number: None,
    }
}

/// Titles of several scripts: Latin, Chinese, Japanese, Arabic, Hebrew, emoji, combining marks.
fn title() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-zA-Z0-9äöüß,.()-]{1,14}",
        "[\u{4e00}-\u{4e80}\u{3041}-\u{3090}]{1,12}",
        "[\u{627}-\u{64a}]{1,10}",
        "[\u{5d0}-\u{5ea}]{1,10}",
        "[\u{1f600}-\u{1f640}]{1,3}",
        "[a-z]\u{301}[a-z]{1,5}",
    ];
    proptest::collection::vec(word, 1..14).prop_map(|words| words.join(" "))
}

fn random_item() -> impl Strategy<Value = ItemView> {
    let labels = proptest::collection::vec("[a-z-]{1,16}|[\u{30a1}-\u{30ef}]{1,8}", 0..6);
    let assignee = proptest::option::of("[A-Z][a-z]{1,12}( [A-Z][a-z]{1,16}){0,3} <a@b.c>");
    (1_u64..100_000, title(), labels, assignee, 0_u8..=10)
        .prop_map(|(number, title, labels, assignee, priority)| item(number, title, labels, assignee, priority))
}

fn columns() -> impl Strategy<Value = Vec<ItemColumn>> {
    let all = ItemColumn::value_variants().to_vec();
    prop_oneof![
        Just(ItemColumn::defaults(None).to_vec()),
        Just(ItemColumn::defaults(Some(ItemKind::Epic)).to_vec()),
        Just(ItemColumn::defaults(Some(ItemKind::Milestone)).to_vec()),
        proptest::sample::subsequence(all, 1..8).prop_map(|mut columns| {
            if !columns.contains(&ItemColumn::Title) {
                columns.insert(0, ItemColumn::Title);
            }
            columns
        }),
    ]
}

proptest! {
    /// No line is wider than the terminal, and a title is cut only where nothing stands after it.
    #[test]
    fn lines_fit_and_titles_go_first(
        items in proptest::collection::vec(random_item(), 1..6),
        columns in columns(),
        width in 1_usize..180,
    ) {
        let mut shares = SharesById::new();
        shares.insert(items[0].id.clone(), CategoryCounts { done: 3, todo: 9, ..CategoryCounts::default() });
        let rendered = item_table_with(&items, &columns, &shares).render_for(Some(width));
        let plain = anstream::adapter::strip_str(&rendered).to_string();
        let lines: Vec<&str> = plain.lines().collect();
        prop_assert_eq!(lines.len(), items.len() + 1);
        for (line, item) in lines[1..].iter().zip(&items) {
            prop_assert!(line.width() <= width, "{} columns of {width}: {line:?}", line.width());
            let is_whole = line.contains(&safe(&item.title));
            let is_last = line.trim_end_matches('\u{200e}').ends_with('…');
            prop_assert!(is_whole || is_last, "a cut title is followed by something: {line:?}");
        }
    }
}
