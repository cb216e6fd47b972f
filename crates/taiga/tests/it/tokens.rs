//! Expired tokens and their renewal.

use std::sync::{Arc, Mutex};

use taiga::dto::{Draft, ItemId, Story};
use taiga::{
    AuthProblem, Client, Credentials, ErrorKind, Secret, StoryFilter, TokenPair, TokenStore, TokenStoreError, Window,
};
use testkit::taiga::{FakeTaiga, Fault};

use crate::harness::{HARBOUR, MemoryStore, client_of, pair_of, settings, stored_client};

fn with_store(fake: &FakeTaiga) -> (Client, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::default());
    *store.pair.lock().unwrap() = Some(pair_of(fake, "alice"));
    (stored_client(fake, &store), store)
}

#[test]
fn run_out_token_is_renewed_and_stored() {
    let fake = FakeTaiga::start();
    let (client, store) = with_store(&fake);
    client.me().unwrap();
    fake.expire_access_tokens();
    assert_eq!(client.me().unwrap().username, "alice");
    assert_eq!(client.me().unwrap().username, "alice");
    assert_eq!((fake.count("POST", "/auth/refresh"), store.saved.lock().unwrap().len()), (1, 1));
    // Writes succeed as well, and are sent once.
    fake.expire_access_tokens();
    client.create::<Story>(&Draft::new(HARBOUR, "After the night").into()).unwrap();
    assert_eq!(client.list_all::<Story>(HARBOUR, &StoryFilter::default()).unwrap().len(), 53);
}

#[test]
fn eight_threads_cause_one_refresh() {
    let fake = FakeTaiga::start();
    let (client, store) = with_store(&fake);
    client.me().unwrap();
    fake.expire_access_tokens();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(client.me().unwrap().username, "alice"));
        }
    });
    assert_eq!((fake.count("POST", "/auth/refresh"), store.saved.lock().unwrap().len()), (1, 1));
}

/// Records which tokens the server had seen when a pair was stored.
struct Watching<'fake> {
    fake: &'fake FakeTaiga,
    inner: MemoryStore,
    used_too_early: Mutex<bool>,
}

impl TokenStore for Watching<'static> {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        self.inner.load()
    }

    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        let header = format!("Bearer {}", pair.access.expose());
        let is_used = self.fake.requests().iter().any(|request| request.header("authorization") == Some(&header));
        *self.used_too_early.lock().unwrap() |= is_used;
        self.inner.save(pair)
    }
}

#[test]
fn new_pair_is_stored_before_it_is_used() {
    let fake: &'static FakeTaiga = Box::leak(Box::new(FakeTaiga::start()));
    let inner = MemoryStore::default();
    *inner.pair.lock().unwrap() = Some(pair_of(fake, "alice"));
    let store = Arc::new(Watching { fake, inner, used_too_early: Mutex::default() });
    let client = Client::new(&settings(fake), Credentials::Stored(store.clone())).unwrap();
    fake.expire_access_tokens();
    client.me().unwrap();
    assert_eq!(store.inner.saved.lock().unwrap().len(), 1);
    assert!(!*store.used_too_early.lock().unwrap());
}

#[test]
fn pair_that_cannot_be_stored_is_not_used_and_not_lost() {
    let fake = FakeTaiga::start();
    let (client, store) = with_store(&fake);
    fake.expire_access_tokens();
    *store.is_full.lock().unwrap() = true;
    let error = client.me().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unknown);
    insta::assert_snapshot!(error.message, @"cannot store the new tokens: the disk is full");
    // Again: the refresh token is spent, the new pair is kept, and no request uses it.
    client.me().unwrap_err();
    assert_eq!((fake.count("POST", "/auth/refresh"), fake.count("GET", "/users/me")), (1, 2));
    *store.is_full.lock().unwrap() = false;
    assert_eq!(client.me().unwrap().username, "alice");
    assert_eq!(fake.count("POST", "/auth/refresh"), 1);
}

#[test]
fn crash_between_refresh_and_store_asks_for_a_new_log_in() {
    let fake = FakeTaiga::start();
    let (client, store) = with_store(&fake);
    fake.expire_access_tokens();
    *store.is_full.lock().unwrap() = true;
    client.me().unwrap_err();
    drop(client);
    *store.is_full.lock().unwrap() = false;
    let error = stored_client(&fake, &store).me().unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Auth(AuthProblem::SessionEnded), Some(401)));
}

#[test]
fn token_pair_renewed_by_another_program_is_adopted() {
    let fake = FakeTaiga::start();
    let (client, store) = with_store(&fake);
    client.me().unwrap();
    fake.expire_access_tokens();
    *store.pair.lock().unwrap() = Some(pair_of(&fake, "alice"));
    client.me().unwrap();
    assert_eq!(fake.count("POST", "/auth/refresh"), 0);
    // The token of the other process may have expired in the meantime.
    fake.expire_access_tokens();
    *store.pair.lock().unwrap() = Some(pair_of(&fake, "alice"));
    fake.expire_access_tokens();
    client.me().unwrap();
    assert_eq!(fake.count("POST", "/auth/refresh"), 1);
}

/// Records whether it is locked.
#[derive(Default)]
struct Locked {
    inner: MemoryStore,
    guard: Arc<Mutex<()>>,
    saved_unlocked: Mutex<bool>,
}

/// Holds the lock on behalf of another thread's guard until it is dropped.
struct Guard(std::sync::mpsc::Sender<()>, Option<std::thread::JoinHandle<()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send(());
        let _ = self.1.take().unwrap().join();
    }
}

impl TokenStore for Locked {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        self.inner.load()
    }

    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        *self.saved_unlocked.lock().unwrap() |= self.guard.try_lock().is_ok();
        self.inner.save(pair)
    }

    fn lock(&self) -> Result<Box<dyn Send>, TokenStoreError> {
        let (release, released) = std::sync::mpsc::channel();
        let (taken, is_taken) = std::sync::mpsc::channel();
        let guard = Arc::clone(&self.guard);
        let holder = std::thread::spawn(move || {
            let _held = guard.lock().unwrap();
            taken.send(()).unwrap();
            let _ = released.recv();
        });
        is_taken.recv().unwrap();
        Ok(Box::new(Guard(release, Some(holder))))
    }
}

#[test]
fn two_programs_on_one_store_cause_one_refresh() {
    let fake = FakeTaiga::start();
    let store = Arc::new(Locked::default());
    *store.inner.pair.lock().unwrap() = Some(pair_of(&fake, "alice"));
    let program = || Client::new(&settings(&fake), Credentials::Stored(store.clone())).unwrap();
    let programs = [program(), program(), program()];
    for client in &programs {
        assert!(client.me().is_ok());
    }
    fake.expire_access_tokens();
    std::thread::scope(|scope| {
        for client in &programs {
            scope.spawn(|| assert!(client.me().is_ok()));
        }
    });
    assert_eq!(fake.count("POST", "/auth/refresh"), 1);
    assert!(!*store.saved_unlocked.lock().unwrap());
}

#[test]
fn refused_refresh_ends_the_session() {
    let fake = FakeTaiga::start();
    let (client, _) = with_store(&fake);
    fake.expire_access_tokens();
    fake.expire_refresh_tokens();
    for _ in 0..2 {
        assert_eq!(client.me().unwrap_err().kind, ErrorKind::Auth(AuthProblem::SessionEnded));
    }
}

#[test]
fn pair_of_an_old_server_cannot_be_renewed() {
    let fake = FakeTaiga::start();
    let store = Arc::new(MemoryStore::default());
    *store.pair.lock().unwrap() = Some(TokenPair { refresh: None, ..pair_of(&fake, "alice") });
    let client = stored_client(&fake, &store);
    client.me().unwrap();
    fake.expire_access_tokens();
    assert_eq!(client.me().unwrap_err().kind, ErrorKind::Auth(AuthProblem::SessionEnded));
    assert_eq!(fake.count("POST", "/auth/refresh"), 0);
}

#[test]
fn refresh_is_never_sent_twice() {
    let fake = FakeTaiga::start();
    let (client, _) = with_store(&fake);
    fake.expire_access_tokens();
    fake.fault_on("POST", "/auth/refresh", 1, Fault::CutAfter);
    assert_eq!(client.me().unwrap_err().kind, ErrorKind::Network);
    assert_eq!(fake.count("POST", "/auth/refresh"), 1);
}

#[test]
fn refused_token_is_not_retried_forever() {
    let fake = FakeTaiga::start();
    let (client, _) = with_store(&fake);
    let refusal = testkit::taiga::Answer::json(401, &serde_json::json!({"detail": "no", "code": "token_not_valid"}));
    fake.fault_on("GET", "/users/me", 5, Fault::Answer(refusal));
    assert_eq!(client.me().unwrap_err().kind, ErrorKind::Auth(AuthProblem::Refused));
    assert_eq!((fake.count("GET", "/users/me"), fake.count("POST", "/auth/refresh")), (2, 1));
}

/// Returns another invalid token each time.
#[derive(Debug, Default)]
struct Fickle(Mutex<usize>);

impl TokenStore for Fickle {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        let mut asked = self.0.lock().unwrap();
        *asked += 1;
        Ok(Some(TokenPair { access: Secret::new(format!("useless{asked}")), refresh: None }))
    }

    fn save(&self, _: &TokenPair) -> Result<(), TokenStoreError> {
        Ok(())
    }
}

#[test]
fn store_that_never_has_a_good_token_is_asked_a_few_times() {
    let fake = FakeTaiga::start();
    let client = Client::new(&settings(&fake), Credentials::Stored(Arc::new(Fickle::default()))).unwrap();
    assert_eq!(client.me().unwrap_err().kind, ErrorKind::Auth(AuthProblem::Refused));
    assert_eq!(fake.requests().len(), 4);
}

#[test]
fn plain_token_that_ran_out_is_refused_without_a_refresh() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    fake.expire_access_tokens();
    assert_eq!(client.me().unwrap_err().kind, ErrorKind::Auth(AuthProblem::Refused));
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn no_request_is_sent_without_a_token() {
    let fake = FakeTaiga::start();
    let empty = Arc::new(MemoryStore::default());
    let clients = [
        stored_client(&fake, &empty),
        Client::new(&settings(&fake), Credentials::Bearer(Secret::new(" "))).unwrap(),
        Client::new(&settings(&fake), Credentials::Application(Secret::new(""))).unwrap(),
    ];
    for client in clients {
        // The server would answer with an empty list and status 200.
        let window = Window::new(0, 10).unwrap();
        let error = client.list::<Story>(HARBOUR, &StoryFilter::default(), window).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Auth(AuthProblem::NoToken));
        assert!(client.get::<Story>(ItemId(1)).is_err());
    }
    assert!(fake.requests().is_empty());
}

#[test]
fn token_that_no_header_can_carry_is_refused() {
    let fake = FakeTaiga::start();
    let client = Client::new(&settings(&fake), Credentials::Bearer(Secret::new("sesame\r\nX-Evil: 1"))).unwrap();
    let error = client.me().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Auth(AuthProblem::Refused));
    assert!(!error.to_string().contains("sesame"));
    assert!(fake.requests().is_empty());
}
