//! Login, users, projects, lookup tables.

use std::sync::Arc;

use taiga::dto::{Kind, MilestoneDraft, ProjectId, UserId};
use taiga::{AuthProblem, Client, Credentials, ErrorKind, Secret, Window};
use testkit::taiga::{FakeTaiga, PASSWORD};

use crate::harness::{HARBOUR, HandClock, KIOSK, category, client_of, settings};

#[test]
fn logging_in_gives_a_user_and_tokens() {
    let fake = FakeTaiga::start();
    for name in ["alice", "alice@example.com"] {
        let login = Client::log_in(&settings(&fake), name, &Secret::new(PASSWORD)).unwrap();
        assert_eq!((login.user.id, login.user.username.as_str()), (UserId(6), "alice"));
        let client = Client::new(&settings(&fake), Credentials::Bearer(login.tokens.access)).unwrap();
        assert_eq!(client.me().unwrap().id, UserId(6));
        assert!(login.tokens.refresh.is_some());
    }
    let error = Client::log_in(&settings(&fake), "alice", &Secret::new("wrong")).unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Auth(AuthProblem::Refused), Some(401)));
    assert_eq!(category(Client::log_in(&settings(&fake), "", &Secret::new(""))), "validation");
}

#[test]
fn application_token_is_enough() {
    let fake = FakeTaiga::start();
    let token = Secret::new(fake.application_token("bob"));
    let client =
        Client::with_clock(&settings(&fake), Credentials::Application(token), Arc::new(HandClock::default())).unwrap();
    assert_eq!(client.me().unwrap().username, "bob");
    let bad = Credentials::Application(Secret::new("nonsense"));
    assert_eq!(category(Client::new(&settings(&fake), bad).unwrap().me()), "auth");
}

#[test]
fn projects_are_listed_and_read_by_id_and_slug() {
    let fake = FakeTaiga::start_under("/agile");
    let client = client_of(&fake, "alice");
    let page = client.projects_of(UserId(6), Window::new(0, 2).unwrap()).unwrap();
    assert_eq!(
        page.items.iter().map(|project| project.slug.as_str()).collect::<Vec<_>>(),
        ["big-backlog", "harbour-logistics"]
    );
    assert_eq!((page.total, page.has_next()), (3, true));
    let project = client.project(HARBOUR).unwrap();
    assert_eq!(project.statuses(Kind::Story).len(), 6);
    assert_eq!(
        project.members.iter().map(|member| member.username.as_str()).collect::<Vec<_>>(),
        ["alice", "bob", "carol", "eve"]
    );
    assert_eq!(project.priorities.len(), 5);
    assert_eq!(client.project_by_slug("harbour-logistics").unwrap(), project);
    // Another user's project is forbidden by id and not found by slug.
    assert_eq!(category(client.project(ProjectId(4))), "auth");
    assert_eq!(category(client.project_by_slug("dave-private")), "not_found");
    assert_eq!(category(client.project(ProjectId(99_999))), "not_found");
}

#[test]
fn lookups_equal_the_project_detail() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    for id in [HARBOUR, KIOSK] {
        let project = client.project(id).unwrap();
        for kind in [Kind::Epic, Kind::Story, Kind::Task, Kind::Issue] {
            assert_eq!(client.statuses(kind, id).unwrap(), project.statuses(kind));
        }
        assert_eq!(client.priorities(id).unwrap(), project.priorities);
        assert_eq!(client.severities(id).unwrap(), project.severities);
        assert_eq!(client.issue_types(id).unwrap(), project.issue_types);
        assert_eq!(client.points(id).unwrap(), project.points);
    }
    let places = client.memberships(HARBOUR).unwrap();
    assert_eq!(places.iter().filter(|place| place.user.is_none()).count(), 1);
    assert_eq!(places.len(), 5);
}

#[test]
fn sprints_are_listed_and_made() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    assert_eq!(client.milestones(HARBOUR).unwrap().len(), 4);
    let day = |text: &str| text.parse().unwrap();
    let draft = MilestoneDraft {
        project: HARBOUR,
        name: "Sprint 5".into(),
        estimated_start: day("2026-12-01"),
        estimated_finish: day("2026-12-14"),
    };
    assert_eq!(client.create_milestone(&draft).unwrap().name, "Sprint 5");
    assert_eq!(category(client.create_milestone(&draft)), "validation");
    assert_eq!(client.milestones(HARBOUR).unwrap().len(), 5);
}
