//! Network failures, server failures and misleading responses.

use std::net::TcpListener;
use std::time::Duration;

use taiga::dto::{Draft, ItemId, Patch, Story};
use taiga::{Client, Credentials, ErrorKind, Secret, Settings, StoryFilter, Window};
use testkit::redact;
use testkit::taiga::{Answer, FakeTaiga, Fault};

use crate::harness::{HARBOUR, category, client_of, clocked_client, settings};

#[test]
fn read_is_tried_three_times() {
    for fault in [Fault::CutBefore, Fault::CutWithin, Fault::Answer(Answer::html(502, "Bad Gateway"))] {
        let fake = FakeTaiga::start();
        let (client, clock) = clocked_client(&settings(&fake), &fake);
        fake.fault_next(2, fault.clone());
        assert!(client.me().is_ok(), "{fault:?}");
        assert_eq!((fake.requests().len(), clock.slept().len()), (3, 2), "{fault:?}");
        fake.fault_next(9, fault);
        let sent = fake.requests().len();
        assert!(client.me().is_err());
        assert_eq!(fake.requests().len() - sent, 3);
    }
}

#[test]
fn only_temporary_failures_are_retried() {
    for (status, tries) in [(500, 1), (501, 1), (502, 3), (503, 3), (504, 3), (404, 1), (400, 1), (418, 1)] {
        let fake = FakeTaiga::start();
        let client = client_of(&fake, "alice");
        fake.fail_next(9, status);
        let error = client.me().unwrap_err();
        assert_eq!((error.status, fake.requests().len()), (Some(status), tries));
        assert!(!error.message.contains('<'), "html is not quoted: {error}");
    }
}

#[test]
fn write_is_never_tried_again() {
    let faults = [
        Fault::CutBefore,
        Fault::CutAfter,
        Fault::CutWithin,
        Fault::Answer(Answer::html(503, "Unavailable")),
        Fault::Redirect("/api/v1/userstories".into()),
    ];
    for fault in faults {
        let fake = FakeTaiga::start();
        let client = client_of(&fake, "alice");
        client.get::<Story>(ItemId(1)).unwrap(); // A connection is open now.
        for method in ["POST", "PATCH", "DELETE"] {
            fake.fault_on(method, "/userstories", 9, fault.clone());
        }
        assert!(client.create::<Story>(&Draft::new(HARBOUR, "x").into()).is_err());
        assert!(client.patch::<Story>(ItemId(3), 1, &Patch::default().into()).is_err());
        assert!(client.delete::<Story>(ItemId(3)).is_err());
        let writes = ["POST", "PATCH", "DELETE"].map(|method| fake.count(method, ""));
        assert_eq!(writes, [1, 1, 1], "{fault:?}");
    }
}

#[test]
fn refused_connection_is_a_network_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client =
        Client::new(&Settings::new(address.parse().unwrap()), Credentials::Bearer(Secret::new("sesame"))).unwrap();
    let error = client.me().unwrap_err();
    assert_eq!((&error.kind, error.status), (&ErrorKind::Network, None));
    // The system's own words for the cause follow.
    insta::assert_snapshot!(error.message.split_once(": ").unwrap().0, @"cannot talk to `127.0.0.1`");
    assert!(!error.message.contains("sesame"), "{error}");
}

#[test]
fn slow_server_times_out() {
    let fake = FakeTaiga::start();
    let mut settings = settings(&fake);
    settings.timeout = Duration::from_millis(50);
    let (client, _) = clocked_client(&settings, &fake);
    let latch = fake.hold_next(9);
    let error = client.create::<Story>(&Draft::new(HARBOUR, "x").into()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network);
    insta::assert_snapshot!(redact(&error.message), @"`127.0.0.1` did not answer in time");
    // On a busy machine the timeout may pass before the request was sent.
    assert!(fake.count("POST", "/userstories") <= 1, "a write is not sent again");
    latch.open();
}

#[test]
fn answer_that_is_too_large_is_not_read() {
    let fake = FakeTaiga::start();
    let mut settings = settings(&fake);
    settings.max_response_bytes = 1000;
    let (client, _) = clocked_client(&settings, &fake);
    let error = client.project(HARBOUR).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unknown);
    insta::assert_snapshot!(redact(&error.message), @"the answer of `127.0.0.1` is larger than 1000 bytes");
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn redirect_to_another_host_is_refused_and_the_token_stays_here() {
    let fake = FakeTaiga::start();
    let other = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let elsewhere = [
        format!("{}/api/v1/users/me", other.url()),
        other.url().replace("http:", ""),
        other.url().replace("127.0.0.1", "localhost"),
        fake.url().replace("http://", "https://"),
    ];
    let mut refusals = Vec::new();
    for to in elsewhere {
        fake.redirect_next(&to);
        let error = client.me().unwrap_err();
        assert_eq!((&error.kind, error.status), (&ErrorKind::Network, None), "{to}");
        refusals.push(redact(&error.message));
    }
    insta::assert_snapshot!(refusals.join("\n"), @"
    `http://127.0.0.1:<port>` sends requests on to `127.0.0.1` by http, which is not followed: is the address of the server right?
    `http://127.0.0.1:<port>` sends requests on to `another place` by http, which is not followed: is the address of the server right?
    `http://127.0.0.1:<port>` sends requests on to `localhost` by http, which is not followed: is the address of the server right?
    `http://127.0.0.1:<port>` sends requests on to `127.0.0.1` by https, which is not followed: is the address of the server right?
    ");
    assert!(other.requests().is_empty());
}

#[test]
fn redirect_on_the_same_server_is_followed_with_the_token() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.fault_on("GET", "/projects", 1, Fault::Redirect("/api/v1/users/me".into()));
    assert!(client.project(HARBOUR).is_err(), "this is no project");
    let requests = fake.requests();
    assert_eq!(requests[1].path, "/api/v1/users/me");
    assert_eq!(requests[0].header("authorization"), requests[1].header("authorization"));
    fake.fault_next(9, Fault::Redirect("/api/v1/users/me".into()));
    insta::assert_snapshot!(redact(&client.me().unwrap_err().message), @"`http://127.0.0.1:<port>` sends requests round in circles");
}

#[test]
fn next_links_are_not_followed() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    // The server's links name a host that does not exist.
    assert_eq!(client.list_all::<Story>(HARBOUR, &StoryFilter::default()).unwrap().len(), 52);
    client.list::<Story>(HARBOUR, &StoryFilter::default(), Window::new(5, 7).unwrap()).unwrap();
}

#[test]
fn web_page_instead_of_json_is_reported() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.fail_next(1, 200);
    let error = client.me().unwrap_err();
    assert_eq!((&error.kind, error.status), (&ErrorKind::Unknown, Some(200)));
    insta::assert_snapshot!(redact(&error.message), @"`/users/me` was answered with a web page: is this the address of a Taiga's API?");
    fake.fault_next(1, Fault::Answer(Answer::json(200, &serde_json::json!({"id": "six"}))));
    assert_eq!(category(client.me()), "unknown");
}

#[test]
fn requests_are_as_the_server_wants_them() {
    let fake = FakeTaiga::start_under("/agile");
    let client = client_of(&fake, "alice");
    client.create::<Story>(&Draft::new(HARBOUR, "x").into()).unwrap();
    client.projects_of(taiga::dto::UserId(6), Window::new(0, 1).unwrap()).unwrap();
    for request in fake.requests() {
        assert!(request.path.starts_with("/agile/api/v1/") && !request.path.ends_with('/'), "{request:?}");
        assert_eq!(request.header("accept-language"), Some("en"));
        assert_eq!(request.header("accept"), Some("application/json"));
        assert!(request.header("user-agent").unwrap().starts_with("taiga-client/"));
        assert!(request.header("authorization").unwrap().starts_with("Bearer "));
        assert_eq!(request.header("content-type").is_some(), request.method == "POST");
    }
}

/// A server that sends one byte every few milliseconds, forever.
fn dripping_server() -> String {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            std::thread::spawn(move || {
                let _ = connection.read(&mut [0; 4096]);
                let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
                while connection.write_all(b" ").is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
    });
    address
}

#[test]
fn r16_19_call_ends_in_time_with_any_server() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let hanging = format!("http://{}", silent.local_addr().unwrap());
    for server in [hanging, dripping_server()] {
        let settings = Settings { timeout: Duration::from_millis(400), ..Settings::new(server.parse().unwrap()) };
        let client = Client::new(&settings, Credentials::Bearer(Secret::new("TOKEN"))).unwrap();
        let began = std::time::Instant::now();
        let error = client.within(Duration::from_millis(600)).me().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Network, "{error}");
        assert!(began.elapsed() < Duration::from_millis(1500), "{server}: {:?}", began.elapsed());
    }
}

#[test]
fn write_that_got_no_answer_may_have_been_done() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.fault_on("POST", "/userstories", 1, Fault::CutAfter);
    assert!(client.create::<Story>(&Draft::new(HARBOUR, "x").into()).unwrap_err().may_be_done);
    fake.fault_next(9, Fault::CutBefore);
    assert!(!client.me().unwrap_err().may_be_done, "a read does nothing");
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = Settings::new(format!("http://{address}").parse().unwrap());
    let nobody = Client::new(&settings, Credentials::Bearer(Secret::new("TOKEN"))).unwrap();
    assert!(!nobody.create::<Story>(&Draft::new(HARBOUR, "x").into()).unwrap_err().may_be_done, "nobody was there");
}
