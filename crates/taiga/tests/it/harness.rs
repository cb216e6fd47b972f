//! A server, a client, a clock that is set by hand, and a token store that records its use.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use taiga::dto::ProjectId;
use taiga::{Client, Clock, Credentials, Error, Secret, Settings, TokenPair, TokenStore, TokenStoreError};
use testkit::taiga::FakeTaiga;

pub(crate) const HARBOUR: ProjectId = ProjectId(1);
pub(crate) const KIOSK: ProjectId = ProjectId(2);
pub(crate) const BACKLOG: ProjectId = ProjectId(5);

/// A clock on which sleeping takes no time.
#[derive(Debug, Default)]
pub(crate) struct HandClock {
    now: Mutex<Duration>,
    slept: Mutex<Vec<Duration>>,
}

impl HandClock {
    pub(crate) fn advance(&self, by: Duration) {
        *self.now.lock().unwrap() += by;
    }

    pub(crate) fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap().clone()
    }
}

impl Clock for HandClock {
    fn now(&self) -> Duration {
        *self.now.lock().unwrap()
    }

    fn time_of_day(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn sleep(&self, duration: Duration) {
        self.slept.lock().unwrap().push(duration);
        self.advance(duration);
    }
}

/// A token store in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore {
    pub(crate) pair: Mutex<Option<TokenPair>>,
    pub(crate) saved: Mutex<Vec<TokenPair>>,
    pub(crate) is_full: Mutex<bool>,
}

impl TokenStore for MemoryStore {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        Ok(self.pair.lock().unwrap().clone())
    }

    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        if *self.is_full.lock().unwrap() {
            return Err("the disk is full".into());
        }
        *self.pair.lock().unwrap() = Some(pair.clone());
        self.saved.lock().unwrap().push(pair.clone());
        Ok(())
    }
}

pub(crate) fn settings(fake: &FakeTaiga) -> Settings {
    Settings::new(fake.url().parse().unwrap())
}

/// A client with a plain token.
pub(crate) fn client_of(fake: &FakeTaiga, username: &str) -> Client {
    let token = Secret::new(fake.log_in(username).access);
    Client::with_clock(&settings(fake), Credentials::Bearer(token), Arc::new(HandClock::default())).unwrap()
}

pub(crate) fn clocked_client(settings: &Settings, fake: &FakeTaiga) -> (Client, Arc<HandClock>) {
    let clock = Arc::new(HandClock::default());
    let token = Secret::new(fake.log_in("alice").access);
    (Client::with_clock(settings, Credentials::Bearer(token), clock.clone()).unwrap(), clock)
}

/// A token pair of a user, as in a store.
pub(crate) fn pair_of(fake: &FakeTaiga, username: &str) -> TokenPair {
    let tokens = fake.log_in(username);
    TokenPair { access: Secret::new(tokens.access), refresh: Some(Secret::new(tokens.refresh)) }
}

/// A client whose tokens can be renewed.
pub(crate) fn stored_client(fake: &FakeTaiga, store: &Arc<MemoryStore>) -> Client {
    let credentials = Credentials::Stored(store.clone());
    Client::with_clock(&settings(fake), credentials, Arc::new(HandClock::default())).unwrap()
}

pub(crate) fn category<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.expect_err("this must fail").kind.category()
}
