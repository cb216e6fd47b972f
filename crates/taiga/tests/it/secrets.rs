//! Secrets never appear in printed values, whatever goes wrong.

use std::sync::Arc;

use taiga::dto::{Draft, Patch, Story, StoryPatch};
use taiga::{Client, Credentials, Error, Secret};
use testkit::taiga::{Answer, FakeTaiga, Fault, PASSWORD};

use crate::harness::{HARBOUR, MemoryStore, pair_of, settings, stored_client};

/// All representations of an error.
fn shown(error: &Error) -> String {
    format!("{error} {error:?} {error:#?}")
}

#[test]
fn no_error_shows_a_token_even_if_the_server_does() {
    let fake = FakeTaiga::start();
    let pair = pair_of(&fake, "alice");
    let (access, refresh) = (pair.access.expose().to_owned(), pair.refresh.clone().unwrap().expose().to_owned());
    let bodies = [
        serde_json::json!({"_error_message": format!("bad token {access}"), "_error_type": "x"}),
        serde_json::json!({"detail": format!("spent {refresh}"), "code": "token_not_valid"}),
        serde_json::json!({"subject": [format!("{access} {refresh}")]}),
        serde_json::json!(access.clone()),
        serde_json::json!({"auth_token": 5, "refresh": access.clone()}),
    ];
    for status in [200, 400, 401, 403, 404, 429, 451, 500, 503] {
        for body in &bodies {
            let store = Arc::new(MemoryStore::default());
            *store.pair.lock().unwrap() = Some(pair.clone());
            let client = stored_client(&fake, &store);
            fake.fault_next(9, Fault::Answer(Answer::json(status, body)));
            let patch: StoryPatch = Patch::default().into();
            let errors = [
                client.me().unwrap_err(),
                client.create::<Story>(&Draft::new(HARBOUR, "x").into()).unwrap_err(),
                client.patch::<Story>(taiga::dto::ItemId(1), 1, &patch).unwrap_err(),
            ];
            fake.clear_faults();
            for error in errors {
                let shown = shown(&error);
                assert!(!shown.contains(&access) && !shown.contains(&refresh), "{status} {body}: {shown}");
            }
        }
    }
}

#[test]
fn no_error_of_a_log_in_shows_the_password() {
    let fake = FakeTaiga::start();
    let password = Secret::new(PASSWORD);
    for status in [200, 400, 401, 429, 500] {
        let body = serde_json::json!({"password": [format!("not {PASSWORD}")]});
        fake.fault_next(1, Fault::Answer(Answer::json(status, &body)));
        let error = Client::log_in(&settings(&fake), "alice", &password).unwrap_err();
        assert!(!shown(&error).contains(PASSWORD), "{status}: {}", shown(&error));
    }
    let login = Client::log_in(&settings(&fake), "alice", &password).unwrap();
    let shown = format!("{login:?} {:?} {password:?} {password}", Credentials::Bearer(login.tokens.access.clone()));
    assert!(!shown.contains(PASSWORD) && !shown.contains(login.tokens.access.expose()), "{shown}");
}

#[test]
fn client_shows_nothing_of_its_credentials() {
    let fake = FakeTaiga::start();
    let store = Arc::new(MemoryStore::default());
    let pair = pair_of(&fake, "alice");
    *store.pair.lock().unwrap() = Some(pair.clone());
    let client = stored_client(&fake, &store);
    client.me().unwrap();
    let shown = format!("{client:?} {client:#?} {pair:?} {:?}", Credentials::Stored(store));
    assert!(!shown.contains("eyJ"), "{shown}");
}
