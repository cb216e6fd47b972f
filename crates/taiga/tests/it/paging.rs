//! Offset and limit against pages: every window has exactly its rows.

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::FileFailurePersistence;
use taiga::dto::{Issue, ProjectId, Story};
use taiga::{IssueFilter, OrderBy, StoryFilter, Window};
use testkit::taiga::{Answer, FakeTaiga, Fault, ItemKind};

use crate::harness::{BACKLOG, HARBOUR, category, client_of};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_part_is_that_part(size in 0usize..130, offset in 0u64..140, limit in 1u32..=200, big in any::<bool>()) {
        let fake = FakeTaiga::start();
        let ids = fake.add_items(ItemKind::Story, 4, size);
        let client = client_of(&fake, "dave");
        let whole: Vec<u64> = [63].into_iter().chain(ids).collect();
        let offset = if big { offset * 1_000_000_007 } else { offset };
        let page = client.list::<Story>(ProjectId(4), &StoryFilter::default(), Window::new(offset, limit).unwrap()).unwrap();
        let got: Vec<u64> = page.items.iter().map(|story| story.core.id.0).collect();
        let expected: Vec<u64> = whole.iter().copied().skip(usize::try_from(offset).unwrap()).take(limit as usize).collect();
        prop_assert_eq!(page.total, whole.len() as u64);
        prop_assert_eq!(page.has_next(), offset + (got.len() as u64) < page.total);
        prop_assert_eq!(got, expected);
        prop_assert!(fake.requests().len() <= 2, "two requests at most");
    }

    #[test]
    fn parts_in_a_row_are_the_whole(size in 0usize..130, limit in 1u32..=60, first in 0u64..40) {
        let fake = FakeTaiga::start();
        let mut whole = vec![63];
        whole.extend(fake.add_items(ItemKind::Story, 4, size));
        let client = client_of(&fake, "dave");
        let mut got = Vec::new();
        let mut offset = first;
        loop {
            let page = client.list::<Story>(ProjectId(4), &StoryFilter::default(), Window::new(offset, limit).unwrap()).unwrap();
            got.extend(page.items.iter().map(|story| story.core.id.0));
            offset += u64::from(limit);
            if !page.has_next() {
                break;
            }
        }
        whole.drain(..whole.len().min(usize::try_from(first).unwrap()));
        prop_assert_eq!(got, whole);
    }
}

#[test]
fn limit_is_between_one_and_two_hundred() {
    assert_eq!(category(Window::new(0, 0)), "validation");
    assert_eq!(category(Window::new(0, 201)), "validation");
    assert!(Window::new(u64::MAX, 200).is_ok());
}

#[test]
fn part_far_behind_the_end_is_empty_and_knows_the_total() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    for limit in [1, 200] {
        let page =
            client.list::<Story>(BACKLOG, &StoryFilter::default(), Window::new(u64::MAX, limit).unwrap()).unwrap();
        assert_eq!((page.items.len(), page.total, page.has_next()), (0, 250, false));
    }
}

#[test]
fn whole_list_is_walked() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let filter = StoryFilter { order: Some(OrderBy::OLDEST_FIRST), ..StoryFilter::default() };
    let all = client.list_all::<Story>(BACKLOG, &filter).unwrap();
    assert_eq!(all.iter().map(|story| story.core.id.0).collect::<Vec<_>>(), (64..=313).collect::<Vec<_>>());
    assert_eq!(client.list_all::<Issue>(BACKLOG, &IssueFilter::default()).unwrap().len(), 210);
    assert_eq!(fake.count("GET", "/userstories"), 3);
}

#[test]
fn server_with_smaller_pages_is_followed_exactly() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let whole = client.list_all::<Story>(HARBOUR, &StoryFilter::default()).unwrap();
    let whole: Vec<u64> = whole.iter().map(|story| story.core.id.0).collect();
    fake.limit_pages(7);
    for (offset, limit) in [(0, 20), (3, 11), (13, 1), (49, 200), (52, 5), (7, 7)] {
        let page = client.list::<Story>(HARBOUR, &StoryFilter::default(), Window::new(offset, limit).unwrap()).unwrap();
        let expected: Vec<u64> =
            whole.iter().copied().skip(usize::try_from(offset).unwrap()).take(limit as usize).collect();
        assert_eq!(page.items.iter().map(|story| story.core.id.0).collect::<Vec<_>>(), expected, "{offset} {limit}");
        assert_eq!(page.total, 52);
    }
    assert_eq!(client.list_all::<Story>(HARBOUR, &StoryFilter::default()).unwrap().len(), 52);
}

#[test]
fn never_more_rows_than_asked_for() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let window = Window::new(3, 4).unwrap();
    let rows = fake.items(ItemKind::Story, 1);
    // All rows without paging headers, and all rows with wrong paging headers.
    let everything = Answer::json(200, &rows.clone().into());
    fake.fault_next(1, Fault::Answer(everything.clone()));
    let page = client.list::<Story>(HARBOUR, &StoryFilter::default(), window).unwrap();
    assert_eq!(page.items.iter().map(|story| story.core.id.0).collect::<Vec<_>>(), [4, 5, 6, 7]);
    assert_eq!(page.total, 52);
    let lying = everything.header("x-paginated-by", 4).header("x-pagination-count", 52);
    fake.fault_next(2, Fault::Answer(lying));
    let page = client.list::<Story>(HARBOUR, &StoryFilter::default(), window).unwrap();
    assert_eq!(page.items.len(), 4);
}

#[test]
fn page_without_headers_is_not_the_whole_list() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let rows = |count: usize| Answer::json(200, &fake.items(ItemKind::Story, 5)[..count].iter().cloned().collect());
    for (offset, count) in [(0, 4), (4, 4), (5, 2)] {
        fake.fault_next(1, Fault::Answer(rows(count)));
        let window = Window::new(offset, 4).unwrap();
        assert_eq!(
            category(client.list::<Story>(BACKLOG, &StoryFilter::default(), window)),
            "unknown",
            "{offset} {count}"
        );
    }
    fake.fault_next(1, Fault::Answer(rows(100)));
    assert_eq!(category(client.list_all::<Story>(BACKLOG, &StoryFilter::default())), "unknown");
    // A first page that is not full is the whole list, with or without headers.
    fake.fault_next(1, Fault::Answer(rows(3)));
    let page = client.list::<Story>(BACKLOG, &StoryFilter::default(), Window::new(1, 4).unwrap()).unwrap();
    assert_eq!((page.items.len(), page.total), (2, 3));
}

#[test]
fn list_that_does_not_exist_is_an_error_and_not_empty() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.fault_next(1, Fault::Answer(Answer::html(404, "Not Found")));
    let window = Window::new(0, 4).unwrap();
    assert_eq!(category(client.list::<Story>(HARBOUR, &StoryFilter::default(), window)), "unknown");
}
