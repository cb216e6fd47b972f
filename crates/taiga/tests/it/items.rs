//! Create, read, update and delete for epics, stories, tasks and issues.

use serde_json::json;
use taiga::dto::{
    Blocked, Change, Draft, Epic, EpicDraft, EpicPatch, Issue, IssueDraft, IssuePatch, Item, ItemId, Kind, MilestoneId,
    Patch, PointsId, PriorityId, RoleId, StatusId, Story, StoryDraft, StoryPatch, Tag, Task, TaskDraft, TaskPatch,
    UserId,
};
use taiga::{AuthProblem, Client, EpicFilter, ErrorKind, IssueFilter, ItemFilter, StoryFilter, TaskFilter, Window};
use testkit::taiga::{FakeTaiga, ItemKind};

use crate::harness::{HARBOUR, KIOSK, category, client_of};

/// Creates, reads, updates and deletes an item of a kind.
fn live<I: Item>(draft: impl Fn(Draft) -> I::Draft, patch: impl Fn(Patch) -> I::Patch) {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let made: I = client.create::<I>(&draft(full_draft())).unwrap();
    let core = made.core();
    assert_eq!((core.subject.as_str(), core.reference), ("Berth “A” 🚢", Some(134)));
    assert_eq!(
        core.tags,
        [Tag { name: "alpha".into(), color: None }, Tag { name: "b c".into(), color: Some("#123456".into()) }]
    );
    assert_eq!((core.is_blocked, core.blocked_note.as_str()), (true, "no crane"));
    assert_eq!(core.assigned_to_extra_info.as_ref().unwrap().username, "bob");

    let read: I = client.get(core.id).unwrap();
    assert_eq!(read.core().description.as_deref(), Some("Some *text*"));
    assert_eq!(client.by_reference::<I>(HARBOUR, 134).unwrap().core().id, core.id);

    let changes = Patch {
        subject: Some("Another".into()),
        status: Some(StatusId(2)),
        assigned_to: Change::Clear,
        tags: Some(vec![]),
        blocked: Some(Blocked::No),
        ..Patch::default()
    };
    let changed: I = client.patch(core.id, core.version, &patch(changes)).unwrap();
    let after = changed.core();
    assert_eq!((after.subject.as_str(), after.version, after.assigned_to), ("Another", 2, None));
    assert_eq!((after.is_blocked, after.blocked_note.as_str(), after.tags.len()), (false, "", 0));
    assert_eq!(after.description.as_deref(), Some("Some *text*"));
    assert!(after.modified_date > core.modified_date);

    client.delete::<I>(core.id).unwrap();
    let gone = client.delete::<I>(core.id).unwrap_err();
    assert_eq!((gone.kind, gone.status), (ErrorKind::NotFound, Some(404)));
    assert_eq!(category(client.patch::<I>(core.id, 2, &patch(Patch::default()))), "not_found");
    assert_eq!(category(client.get::<I>(core.id)), "not_found");
}

fn full_draft() -> Draft {
    Draft {
        description: Some("Some *text*".into()),
        status: Some(StatusId(1)),
        assigned_to: Some(UserId(7)),
        tags: vec![Tag::new("Alpha"), Tag { name: "B c".into(), color: Some("#123456".into()) }, Tag::new("alpha")],
        blocked: Some(Blocked::Yes { reason: "no crane".into() }),
        ..Draft::new(HARBOUR, "Berth “A” 🚢")
    }
}

#[test]
fn epic_is_created_changed_and_deleted() {
    live::<Epic>(|core| EpicDraft { color: Some("#aabbcc".into()), ..core.into() }, EpicPatch::from);
}

#[test]
fn story_is_created_changed_and_deleted() {
    live::<Story>(|core| StoryDraft { due_date: Some("2026-12-24".parse().unwrap()), ..core.into() }, StoryPatch::from);
}

#[test]
fn task_is_created_changed_and_deleted() {
    live::<Task>(|core| TaskDraft { user_story: Some(ItemId(1)), ..core.into() }, TaskPatch::from);
}

#[test]
fn issue_is_created_changed_and_deleted() {
    live::<Issue>(|core| IssueDraft { priority: Some(PriorityId(3)), ..core.into() }, IssuePatch::from);
}

#[test]
fn kinds_have_their_own_fields() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let story: Story = client.get(ItemId(1)).unwrap();
    assert_eq!(story.epics.iter().map(|epic| epic.id.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(story.points.len(), 4);
    let change = StoryPatch {
        milestone: Change::Set(MilestoneId(2)),
        due_date: Change::Set("2026-12-01".parse().unwrap()),
        ..StoryPatch::default()
    };
    let changed: Story = client.patch_from(&story, &change).unwrap();
    assert_eq!((changed.milestone, changed.due_date.unwrap().to_string()), (Some(MilestoneId(2)), "2026-12-01".into()));
    let change = StoryPatch { milestone: Change::Clear, due_date: Change::Clear, ..StoryPatch::default() };
    let cleared: Story = client.patch_from(&changed, &change).unwrap();
    assert_eq!((cleared.milestone, cleared.due_date), (None, None));
    let points = Some([(RoleId(1), PointsId(8))].into());
    let estimated = client.patch_from(&cleared, &StoryPatch { points, ..StoryPatch::default() }).unwrap();
    assert_eq!((estimated.points[&RoleId(1)], estimated.points.len()), (PointsId(8), 4));
    assert_eq!(estimated.total_points, Some(8.0));

    let task: Task = client.get(ItemId(1)).unwrap();
    let story = task.user_story_extra_info.as_ref().unwrap();
    assert_eq!((story.id, story.reference), (ItemId(1), Some(7)));
    let detached = TaskPatch { user_story: Change::Clear, ..TaskPatch::default() };
    assert_eq!(client.patch_from(&task, &detached).unwrap().user_story, None);

    let issue: Issue = client.create::<Issue>(&Draft::new(HARBOUR, "Bare").into()).unwrap();
    assert_eq!((issue.priority, issue.severity.unwrap().0, issue.issue_type.unwrap().0), (Some(PriorityId(2)), 3, 1));
}

#[test]
fn deleting_a_story_deletes_its_tasks_and_an_epic_leaves_its_stories() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    client.delete::<Story>(ItemId(1)).unwrap();
    assert_eq!(category(client.get::<Task>(ItemId(1))), "not_found");
    client.delete::<Epic>(ItemId(1)).unwrap();
    assert!(client.get::<Story>(ItemId(11)).unwrap().epics.is_empty());
}

#[test]
fn refusal_of_a_write_differs_from_absence() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "eve");
    let story: Story = client.get(ItemId(2)).unwrap();
    let error = client.delete::<Story>(story.core.id).unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Auth(AuthProblem::Forbidden), Some(403)));
    let foreign = client.get::<Story>(ItemId(63)).unwrap_err();
    assert_eq!(foreign.kind, ErrorKind::Auth(AuthProblem::Forbidden));
}

#[test]
fn read_only_projects_are_errors() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.archive_project(2);
    let error = client.create::<Story>(&Draft::new(KIOSK, "x").into()).unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Auth(AuthProblem::Archived), Some(403)));
    fake.block_project(2);
    let error = client.create::<Story>(&Draft::new(KIOSK, "x").into()).unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Auth(AuthProblem::Blocked), Some(451)));
    assert!(client.get::<Story>(ItemId(53)).is_ok());
}

fn fields_of_refusal<I: Item>(client: &Client, draft: &I::Draft) -> Vec<String> {
    let error = client.create::<I>(draft).unwrap_err();
    let ErrorKind::Validation { fields, conflict: false } = error.kind else { panic!("{error:?}") };
    fields.into_keys().collect()
}

#[test]
fn wrong_values_name_their_field() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let with_status = |status| Draft { status: Some(StatusId(status)), ..Draft::new(HARBOUR, "x") };
    // A status that does not exist, and one of another project: 400 and 403 for stories, 400 twice for epics.
    for status in [99_999, 7] {
        assert_eq!(fields_of_refusal::<Story>(&client, &with_status(status).into()), ["status"]);
        assert_eq!(fields_of_refusal::<Epic>(&client, &with_status(status).into()), ["status"]);
    }
    let stranger = Draft { assigned_to: Some(UserId(9)), ..Draft::new(HARBOUR, "x") };
    assert_eq!(fields_of_refusal::<Task>(&client, &stranger.into()), ["assigned_to"]);
    let sprint = IssueDraft { milestone: Some(MilestoneId(5)), ..Draft::new(HARBOUR, "x").into() };
    assert_eq!(fields_of_refusal::<Issue>(&client, &sprint), ["milestone"]);
    let story = TaskDraft { user_story: Some(ItemId(53)), ..Draft::new(HARBOUR, "x").into() };
    assert_eq!(fields_of_refusal::<Task>(&client, &story), ["user_story"]);
    assert_eq!(fields_of_refusal::<Story>(&client, &Draft::new(HARBOUR, "").into()), ["subject"]);

    let sent = fake.requests().len();
    assert_eq!(fields_of_refusal::<Story>(&client, &Draft::new(HARBOUR, "a\0b").into()), ["subject"]);
    assert_eq!(fake.requests().len(), sent, "a NUL makes the server fail, so it is not sent");
}

#[test]
fn lists_can_be_narrowed() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.edit("bob", ItemKind::Story, 5, &json!({"tags": ["Zebra"], "assigned_to": 7, "status": 5}));
    let window = Window::new(0, 50).unwrap();
    let ids = |core: ItemFilter| -> Vec<u64> {
        let page = client.list::<Story>(HARBOUR, &StoryFilter { core, ..StoryFilter::default() }, window).unwrap();
        assert_eq!(page.total, page.items.len() as u64);
        page.items.iter().map(|story| story.core.id.0).collect()
    };
    assert_eq!(ids(ItemFilter { tags: vec!["ZEBRA".into(), "none".into()], ..ItemFilter::default() }), [5]);
    assert_eq!(ids(ItemFilter { words: Some("zeb".into()), ..ItemFilter::default() }), [5]);
    assert!(ids(ItemFilter { status_is_closed: Some(true), ..ItemFilter::default() }).contains(&5));
    let since = fake.item(ItemKind::Story, 5).unwrap()["modified_date"].as_str().unwrap().parse().unwrap();
    assert_eq!(ids(ItemFilter { modified_since: Some(since), ..ItemFilter::default() }), [5]);

    let of_epic = StoryFilter { epics: vec![Some(ItemId(1))], ..StoryFilter::default() };
    assert_eq!(client.list::<Story>(HARBOUR, &of_epic, window).unwrap().total, 6);
    let of_story = TaskFilter { stories: vec![Some(ItemId(1))], ..TaskFilter::default() };
    assert!(client.list::<Task>(HARBOUR, &of_story, window).unwrap().total >= 1);
    assert_eq!(client.list::<Epic>(HARBOUR, &EpicFilter::default(), window).unwrap().total, 6);
    let newest = client.list::<Issue>(HARBOUR, &IssueFilter::default(), window).unwrap().items[0].core.id;
    assert_eq!(newest, ItemId(28));
    assert!(
        client.list::<Story>(HARBOUR, &StoryFilter::default(), window).unwrap().items[0].core.description.is_none()
    );
}

#[test]
fn stories_go_in_and_out_of_epics() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let stories =
        |epic| client.stories_of(ItemId(epic)).unwrap().iter().map(|link| link.user_story.0).collect::<Vec<_>>();
    assert_eq!(stories(1), [1, 11, 21, 31, 41, 51]);
    client.link_story(ItemId(1), ItemId(4)).unwrap();
    assert_eq!(category(client.link_story(ItemId(1), ItemId(4))), "validation");
    assert_eq!(stories(1), [1, 11, 21, 31, 41, 51, 4]);
    client.unlink_story(ItemId(1), ItemId(4)).unwrap();
    assert_eq!(stories(1), [1, 11, 21, 31, 41, 51]);
    // The server answers 403, as for an object that does not exist.
    assert_eq!(category(client.unlink_story(ItemId(1), ItemId(4))), "auth");
}

#[test]
fn comments_are_added_read_edited_and_deleted() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let window = Window::new(0, 10).unwrap();
    for (kind, text) in [(Kind::Epic, "one"), (Kind::Story, "two"), (Kind::Task, "three"), (Kind::Issue, "four")] {
        let version = match kind {
            Kind::Epic => client.get::<Epic>(ItemId(3)).unwrap().core.version,
            Kind::Story => client.get::<Story>(ItemId(3)).unwrap().core.version,
            Kind::Task => client.get::<Task>(ItemId(3)).unwrap().core.version,
            Kind::Issue => client.get::<Issue>(ItemId(3)).unwrap().core.version,
        };
        client.add_comment(kind, ItemId(3), version, text).unwrap();
        let comments = client.comments(kind, ItemId(3), window).unwrap().items;
        assert_eq!((comments.len(), comments[0].text.as_str()), (1, text));
        assert_eq!(comments[0].user.as_ref().unwrap().id, Some(UserId(6)));
        client.edit_comment(kind, ItemId(3), &comments[0].id, "changed").unwrap();
        client.delete_comment(kind, ItemId(3), &comments[0].id).unwrap();
        let comments = client.comments(kind, ItemId(3), window).unwrap().items;
        assert_eq!(comments[0].text, "changed");
        assert!(comments[0].edit_comment_date.is_some() && comments[0].delete_comment_date.is_some());
        assert_eq!(category(client.delete_comment(kind, ItemId(3), &comments[0].id)), "validation");
        assert_eq!(category(client.add_comment(kind, ItemId(99_999), 1, text)), "not_found");
    }
}
