//! Two users update the same item.

use serde_json::json;
use taiga::dto::{ItemId, Patch, Story, StoryPatch};
use taiga::{Client, Error, ErrorKind};
use testkit::taiga::{FakeTaiga, ItemKind};

use crate::harness::client_of;

fn renamed(subject: &str) -> StoryPatch {
    Patch { subject: Some(subject.into()), ..Patch::default() }.into()
}

fn story(client: &Client) -> Story {
    client.get(ItemId(3)).unwrap()
}

fn assert_conflict(error: &Error) {
    assert!(error.is_conflict(), "{error:?}");
    assert_eq!((error.kind.category(), error.status), ("validation", Some(400)));
}

#[test]
fn change_of_the_same_field_is_a_conflict_and_overwrites_nothing() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let base = story(&client);
    fake.edit("bob", ItemKind::Story, 3, &json!({"subject": "Bob's"}));
    assert_conflict(&client.patch::<Story>(base.core.id, base.core.version, &renamed("Alice's")).unwrap_err());
    assert_conflict(&client.patch_from(&base, &renamed("Alice's")).unwrap_err());
    assert_eq!(story(&client).core.subject, "Bob's");
}

#[test]
fn change_of_another_field_is_none() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let base = story(&client);
    fake.edit("bob", ItemKind::Story, 3, &json!({"description": "Bob's"}));
    let after = client.patch_from(&base, &renamed("Alice's")).unwrap();
    assert_eq!((after.core.subject.as_str(), after.core.description.as_deref()), ("Alice's", Some("Bob's")));
}

#[test]
fn false_conflict_is_detected() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.edit("bob", ItemKind::Story, 3, &json!({"subject": "First"}));
    let base = story(&client);
    // A save without changes: the version rises but the history does not.
    fake.edit("bob", ItemKind::Story, 3, &json!({}));
    assert_conflict(&client.patch::<Story>(base.core.id, base.core.version, &renamed("Second")).unwrap_err());
    let after = client.patch_from(&base, &renamed("Second")).unwrap();
    assert_eq!(after.core.subject, "Second");
}

#[test]
fn false_conflict_is_not_assumed_where_the_base_does_not_say() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let mut base = story(&client);
    base.core.description = None; // As in a row of a list.
    fake.edit("bob", ItemKind::Story, 3, &json!({"description": "Bob's"}));
    let change: StoryPatch = Patch { description: Some("Alice's".into()), ..Patch::default() }.into();
    assert_conflict(&client.patch_from(&base, &change).unwrap_err());
    assert_eq!(story(&client).core.description.as_deref(), Some("Bob's"));
}

#[test]
fn version_from_the_future_is_a_conflict_too() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    assert_conflict(&client.patch::<Story>(ItemId(3), 99, &renamed("x")).unwrap_err());
}

#[test]
fn of_racing_changes_one_wins() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let base = story(&client);
    let outcomes: Vec<Result<Story, Error>> = std::thread::scope(|scope| {
        let race = |number: usize| {
            let (client, base) = (&client, &base);
            scope.spawn(move || client.patch_from(base, &renamed(&format!("Number {number}"))))
        };
        let racers: Vec<_> = (0..8).map(race).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    let is_conflict = |error: &Error| matches!(error.kind, ErrorKind::Validation { conflict: true, .. });
    assert!(outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).all(is_conflict));
}
