//! Saved views and templates, and names that must exist.

use app::ErrorKind;
use app::verb::ListOptions;
use app::view::{BoardLook, ViewGroup, ViewLayout};
use model::item::ItemKind;
use model::person::Person;
use model::saved_view::ViewQuery;

use crate::harness::{TestProject, by_name, open, refusal};

fn shown(test: &TestProject, name: &str) -> Vec<u64> {
    let query = test.project.saved_view(name).unwrap().query();
    let options = ListOptions { ..test.project.view_options(&query).unwrap() };
    test.project.list(&options).unwrap().items.iter().map(|item| item.number).collect()
}

#[test]
fn a_saved_view_is_the_list_it_was_saved_from() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two", "Three"]);
    test.edit("1", &[("priority", "high"), ("assign", "me")]);
    test.edit("3", &[("priority", "urgent")]);
    let query = ViewQuery {
        kind: Some("issue".into()),
        filter: Some("priority >= high".into()),
        sort: vec!["priority:desc".into()],
        ..ViewQuery::default()
    };
    test.project.save_view("Hot", &query).unwrap();
    assert_eq!(shown(&test, "hot"), [3, 1]);
    // Saving again replaces it; saving the same writes nothing.
    let mine = ViewQuery { assignee: Some("me".into()), ..ViewQuery::default() };
    test.project.save_view("hot", &mine).unwrap();
    assert_eq!(shown(&test, "HOT"), [1]);
    test.writes_nothing(|test| test.project.save_view("hot", &mine).unwrap());
    assert_eq!(test.project.saved_views().unwrap().len(), 1);
    // `me` is whoever looks at it.
    test.project.act_as(Some(Person::parse("Grace Hopper <grace@example.com>")));
    assert!(shown(&test, "hot").is_empty());
    test.project.remove_view("Hot").unwrap();
    insta::assert_snapshot!(refusal(test.project.saved_view("hot")), @"
    NotFound: view not found: `hot`
    hint: `cairn view` shows every one
    ");
    test.project.save_view("hot", &query).unwrap();
    assert_eq!(shown(&test, "hot"), [3, 1]);
}

#[test]
fn a_view_of_the_board_keeps_its_look_under_another_name_too() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let query = ViewQuery { filter: Some("priority >= high".into()), ..ViewQuery::default() };
    let look = BoardLook { layout: Some(ViewLayout::Board), group: Some(ViewGroup::Epic) };
    test.project.save_board_view("Hot", &query, look).unwrap();
    let renamed = test.project.rename_view("hot", "Urgent").unwrap();
    assert_eq!((renamed.query(), renamed.look), (query.clone(), look));
    insta::assert_snapshot!(refusal(test.project.saved_view("hot")), @"
    NotFound: view not found: `hot`
    hint: `cairn view` shows every one
    ");
    assert_eq!(test.project.rename_view("urgent", "URGENT").unwrap().name, "URGENT");
    assert_eq!(test.project.saved_views().unwrap().len(), 1);
    // Another view is never overwritten, and saving from a list forgets the look.
    test.project.save_view("Late", &query).unwrap();
    insta::assert_snapshot!(refusal(test.project.rename_view("late", "urgent")), @"Conflict: there is already a view `urgent`");
    assert_eq!(test.project.save_view("urgent", &query).unwrap().look, BoardLook::default());
}

#[test]
fn invalid_view_is_refused() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let mut check = |name: &str, query: ViewQuery, kind: ErrorKind, message: &str| {
        let refused = test.writes_nothing(|test| test.project.save_view(name, &query));
        let error = refused.unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
    };
    let filter = |text: &str| ViewQuery { filter: Some(text.into()), ..ViewQuery::default() };
    check(
        "x",
        filter("priority >="),
        ErrorKind::Invalid,
        "in the filter, expected a value at column 12, found end of filter\npriority >=\n           ^",
    );
    check(
        "x",
        ViewQuery { sort: vec!["mood".into()], ..ViewQuery::default() },
        ErrorKind::Invalid,
        "cannot sort by `mood`; did you mean `id`?",
    );
    check(
        "x",
        ViewQuery { labels: vec!["bug".into()], ..ViewQuery::default() },
        ErrorKind::Invalid,
        "unknown label `bug`",
    );
    check("a/b", ViewQuery::default(), ErrorKind::Invalid, "invalid name `a/b` for a view");
    check(" ", ViewQuery::default(), ErrorKind::Invalid, "the name is empty");
}

#[test]
fn a_milestone_of_a_view_may_be_renamed() {
    let mut test = TestProject::with(ItemKind::Milestone, &["Beta"]);
    test.create(ItemKind::Task, "Work");
    test.edit("1", &[("milestone", "Beta")]);
    let query = ViewQuery { milestone: Some("Beta".into()), ..ViewQuery::default() };
    test.project.save_view("beta", &query).unwrap();
    test.edit("milestone/1", &[("title", "Release 1")]);
    assert_eq!(shown(&test, "beta"), [1]);
}

#[test]
fn a_file_takes_precedence_over_a_saved_template() {
    let mut test = TestProject::new();
    test.project.save_template("bug", "from the log").unwrap();
    test.project.save_template("idea", "Say why.").unwrap();
    let folder = test.fixture.path().join(".cairn/templates");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Bug.md"), "from the file").unwrap();
    std::fs::write(folder.join("notes.txt"), "not a template").unwrap();
    let found: Vec<(String, String)> =
        test.project.templates().unwrap().into_iter().map(|template| (template.name, template.text)).collect();
    assert_eq!(found, [("Bug".to_owned(), "from the file".to_owned()), ("idea".to_owned(), "Say why.".to_owned())]);
    insta::assert_snapshot!(refusal(test.project.template("ida")), @"
    NotFound: template not found: `ida`
    hint: did you mean `idea`?
    ");
    test.project.remove_template("bug").unwrap();
    let refused = test.writes_nothing(|test| test.project.remove_template("bug"));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: template not found: `bug`
    hint: `bug` is a file in `.cairn/templates`; remove it with git
    ");
    // Another process sees the same.
    assert_eq!(open(test.fixture.path()).template("IDEA").unwrap().text, "Say why.");
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_of_templates_are_not_followed() {
    let test = TestProject::new();
    let secret = test.fixture.path().join("secret.md");
    std::fs::write(&secret, "secret").unwrap();
    let folder = test.fixture.path().join(".cairn/templates");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("bug.md")).unwrap();
    assert!(test.project.templates().unwrap().is_empty());
}

#[test]
fn known_people_are_found_and_others_are_refused() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let find = |test: &TestProject, text: &str| test.project.known_person(text).map(|person| person.to_string());
    assert_eq!(find(&test, "ada@example.com").unwrap(), "Ada Lovelace <ada@example.com>");
    insta::assert_snapshot!(refusal(find(&test, "Grace")), @"
    NotFound: person not found: `Grace`
    hint: `cairn member list` shows everyone
    ");
    test.edit("1", &[("assign", "Grace Hopper <grace@example.com>")]);
    assert_eq!(find(&test, "grace").unwrap(), "Grace Hopper <grace@example.com>");
    insta::assert_snapshot!(refusal(find(&test, "grce")), @"
    NotFound: person not found: `grce`
    hint: did you mean `Grace`?
    ");
    // A first name that two people have names neither.
    test.create(ItemKind::Issue, "Two");
    test.edit("2", &[("assign", "Grace Kelly <kelly@example.com>")]);
    insta::assert_snapshot!(refusal(find(&test, "Grace")), @"
    NotFound: person not found: `Grace`
    hint: did you mean `Grace Hopper <grace@example.com>` or `Grace Kelly <kelly@example.com>`?
    ");
}

#[test]
fn an_unknown_milestone_has_the_nearest_title() {
    let mut test = TestProject::with(ItemKind::Milestone, &["Release 1.0", "Beta"]);
    test.create(ItemKind::Task, "Work");
    let refused = test.writes_nothing(|test| test.try_edit("1", &[("milestone", "Relase 1.0")]));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: item not found: `Relase 1.0`
    hint: did you mean the milestone `Release 1.0`?
    ");
    let refused = test.writes_nothing(|test| test.try_edit("1", &[("milestone", "7")]));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: item not found: `7`
    hint: `cairn list milestone --all` shows every one
    ");
    assert_eq!(
        test.project.find_named(ItemKind::Milestone, &by_name("beta")).unwrap().to_string(),
        test.show("milestone/2").id
    );
}
