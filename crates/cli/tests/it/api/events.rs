//! Live updates: every listener gets every change, also after a reconnect.

use serde_json::{Value, json};

use super::{Heard, Listener, Server, commit, served};

/// Starts listening, and skips the first event.
fn listen(server: &Server) -> (Listener, Heard) {
    let mut listener = Listener::start(server, None);
    let greeting = listener.next().unwrap();
    assert_eq!(greeting.event, "state");
    (listener, greeting)
}

/// Waits for the change that leads to this state.
fn until_state(listener: &mut Listener, state: &str) -> Vec<Heard> {
    let mut heard = Vec::new();
    loop {
        let next = listener.next().unwrap();
        let is_last = next.data["state"] == state;
        heard.push(next);
        if is_last {
            return heard;
        }
    }
}

#[test]
fn a_change_by_another_process_is_an_event() {
    let (project, server) = served(&["one", "two"]);
    let (mut listener, greeting) = listen(&server);
    let (mut other, _) = listen(&server);
    assert_eq!(greeting.data, json!({"state": project.tip()}));
    project.cairn.quiet(&["edit", "2", "--title", "x"]);
    let expected = json!({"state": project.tip(), "items": ["#2"], "inbox": false, "missed": false});
    for listener in [&mut listener, &mut other] {
        let heard = listener.next().unwrap();
        assert_eq!((heard.event.as_str(), &heard.data), ("change", &expected));
        assert!(heard.id.starts_with(&project.tip()), "{heard:?}");
    }
    let made = server.write("POST", "/api/items", &json!({"kind": "task", "title": "three"}));
    assert_eq!(made.status, 201);
    assert_eq!(listener.next().unwrap().data["items"], json!(["#3"]));
}

#[test]
fn a_project_without_work_is_silent_until_there_is_some() {
    let (project, server) = served(&[]);
    let (mut listener, _) = listen(&server);
    // Long enough for several polls.
    for _ in 0..20 {
        project.cairn.ok(&["list"]);
    }
    project.cairn.quiet(&["new", "task", "one"]);
    assert_eq!(listener.next().unwrap().data["items"], json!(["#1"]));
}

#[test]
fn messages_are_events() {
    let (project, server) = served(&[]);
    commit(&project, "a.txt", "one\n");
    let (mut listener, _) = listen(&server);
    // A draft is not announced: the first event is the one after it.
    project.cairn.ok(&["inbox", "draft", "--file", "a.txt", "--comment", "not yet"]);
    project.cairn.quiet(&["new", "task", "one"]);
    let heard = listener.next().unwrap();
    assert_eq!((&heard.data["inbox"], &heard.data["items"]), (&json!(false), &json!(["#1"])));
    project.cairn.ok(&["inbox", "send", "--file", "a.txt", "--comment", "why?"]);
    let heard = listener.next().unwrap();
    assert_eq!((&heard.data["inbox"], &heard.data["items"]), (&json!(true), &json!([])));
}

#[test]
fn reconnecting_client_gets_the_missed_events() {
    let (project, server) = served(&["one", "two"]);
    let (mut listener, greeting) = listen(&server);
    drop(Listener::start(&server, None));
    project.cairn.quiet(&["edit", "1", "--title", "x"]);
    project.cairn.quiet(&["edit", "2", "--title", "y"]);
    let heard = until_state(&mut listener, &project.tip());
    let last = heard.last().unwrap();

    let missed = Listener::start(&server, Some(&greeting.id)).next().unwrap();
    assert_eq!((missed.event.as_str(), &missed.id), ("change", &last.id));
    assert_eq!((&missed.data["items"], &missed.data["missed"]), (&json!(["#1", "#2"]), &json!(false)));
    let nothing = Listener::start(&server, Some(&last.id)).next().unwrap();
    assert_eq!((nothing.event.as_str(), &nothing.id), ("state", &last.id));
    let unknown = Listener::start(&server, Some("nonsense")).next().unwrap();
    assert_eq!((unknown.event.as_str(), &unknown.data["missed"]), ("change", &Value::Bool(true)));
}

#[test]
fn a_restarted_server_reports_lost_event_history() {
    let (project, server) = served(&["one"]);
    let (_, greeting) = listen(&server);
    drop(server);
    let server = Server::start(&project.cairn);
    let same = Listener::start(&server, Some(&greeting.id)).next().unwrap();
    assert_eq!((same.event.as_str(), &same.id), ("state", &greeting.id));
    drop(server);
    project.cairn.quiet(&["edit", "1", "--title", "x"]);
    let server = Server::start(&project.cairn);
    let changed = Listener::start(&server, Some(&greeting.id)).next().unwrap();
    assert_eq!((changed.event.as_str(), &changed.data["missed"]), ("change", &json!(true)));
}

#[test]
fn listeners_are_bounded_and_their_places_given_back() {
    let (_project, server) = served(&[]);
    let mut listeners: Vec<Listener> = (0..128).map(|_| Listener::start(&server, None)).collect();
    let refused = server.send("GET", "/api/events", &[], None);
    refused.problem(503, "this token has reached its limit of connections or streams; close some, or try again later");
    assert!(!refused.header("retry-after").is_empty());
    listeners.pop();
    // The server notices a closed connection at its next write, which a change triggers.
    server.write("POST", "/api/items", &json!({"kind": "task", "title": "a"}));
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while server.send("HEAD", "/api/events", &[], None).status == 503 {
        assert!(std::time::Instant::now() < deadline, "no place was given back");
    }
}

#[cfg(unix)]
#[test]
fn listeners_are_let_go_when_the_server_ends() {
    let (_project, server) = served(&[]);
    let (mut listener, _) = listen(&server);
    assert_eq!(server.stop(), Some(0));
    assert_eq!(listener.next(), None);
}
