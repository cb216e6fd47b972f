//! Rate limits: requests per token, which protect one server, and failed logins per address, which are summed over all
//! servers of a database.

mod shared;

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use database::Database;
use parking_lot::{Mutex, MutexGuard};

use crate::listen::client_prefix;
use shared::SharedFailures;

/// Failed tokens per address and minute. A person mistypes a few; a program that guesses sends many.
const MAX_FAILURES: u32 = 300;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// Maximum number of addresses with a failure counter.
const MAX_ADDRESSES: usize = 10_000;

/// The rate limit of one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// No limit.
    Unlimited,
    /// At this rate, with bursts of the same size.
    Limited(Quota),
}

/// A number of requests in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The time that one request uses up.
    interval: Duration,
    /// The length of a burst: requests that may come at once.
    period: Duration,
}

impl Quota {
    fn new(n_requests: NonZeroU32, period: Duration) -> Self {
        Self { interval: period / n_requests.get(), period }
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let (number, unit) = text.split_once('/').unwrap_or((text, "s"));
        let number: Option<NonZeroU32> = number.parse().ok();
        let quota = match (number, unit) {
            (Some(number), "s") => Quota::new(number, SECOND),
            (Some(number), "m") => Quota::new(number, MINUTE),
            _ => return Err(format!("invalid rate `{text}`; write `50/s`, `600/m` or `unlimited`")),
        };
        Ok(Self::Limited(quota))
    }
}

/// The rate limiter of all tokens: for each the time at which its requests so far will be used up (the generic cell rate
/// algorithm). Only names of valid tokens come here, so the map stays as small as the list of tokens.
pub(crate) struct Rates {
    rate: Rate,
    used_until: Mutex<HashMap<String, Instant>>,
}

impl Rates {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, used_until: Mutex::default() }
    }

    /// Counts a request of a token; returns how long to wait if the limit is reached.
    pub(crate) fn take(&self, name: &str, now: Instant) -> Result<(), Duration> {
        let Rate::Limited(quota) = self.rate else { return Ok(()) };
        let mut all = self.used_until.lock();
        let before = all.get(name).copied().unwrap_or(now).max(now);
        let after = before + quota.interval;
        let wait = after.duration_since(now).saturating_sub(quota.period);
        // A refused request does not count: a client that keeps asking is served as soon as its time has come.
        if wait > Duration::ZERO {
            return Err(wait);
        }
        all.insert(name.to_owned(), after);
        Ok(())
    }
}

/// Recent failures per address.
#[derive(Default)]
pub(crate) struct Failures {
    windows: Mutex<HashMap<IpAddr, Window>>,
    shared: Option<SharedFailures>,
}

struct Window {
    since: Instant,
    n_failures: u32,
}

impl Failures {
    /// Counts together with the other servers of a database.
    pub(crate) fn shared(database: &Arc<Database>) -> io::Result<Self> {
        Ok(Self { windows: Mutex::default(), shared: Some(SharedFailures::start(database, i64::from(MAX_FAILURES))?) })
    }

    /// Returns how long an address with too many failures must wait.
    pub(crate) fn locked(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        let address = client_prefix(address);
        let windows = self.lock();
        let own = windows.get(&address).filter(|window| window.n_failures >= MAX_FAILURES);
        let own = own.and_then(|window| MINUTE.checked_sub(now.duration_since(window.since)));
        own.or_else(|| self.shared.as_ref()?.locked(address, now))
    }

    pub(crate) fn count(&self, address: IpAddr, now: Instant) {
        if let Some(shared) = &self.shared {
            shared.count(client_prefix(address));
        }
        let mut windows = self.lock();
        if windows.len() >= MAX_ADDRESSES {
            windows.retain(|_, window| now.duration_since(window.since) < MINUTE);
        }
        // An attacker with this many addresses is not slowed down by the limit anyway; clearing bounds the memory.
        if windows.len() >= MAX_ADDRESSES {
            windows.clear();
        }
        let window = windows.entry(client_prefix(address)).or_insert(Window { since: now, n_failures: 0 });
        if now.duration_since(window.since) >= MINUTE {
            *window = Window { since: now, n_failures: 0 };
        }
        window.n_failures += 1;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Window>> {
        self.windows.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        for text in ["50/s", "600/m", "7", "unlimited"] {
            assert!(text.parse::<Rate>().is_ok(), "{text}");
        }
        for text in ["", "0/s", "-1/s", "5/h", "many", "5/"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_token_has_its_own_rate() {
        let (rates, start) = (Rates::new("2/m".parse().expect("a rate")), Instant::now());
        assert!(rates.take("ada", start).is_ok() && rates.take("ada", start).is_ok());
        assert_eq!(rates.take("ada", start), Err(Duration::from_secs(30)));
        assert!(rates.take("bob", start).is_ok());
        assert!((0..1000).all(|_| Rates::new(Rate::Unlimited).take("ada", start).is_ok()));
    }

    #[test]
    fn rate_limit_refills_over_time() {
        let (rates, start) = (Rates::new("2/m".parse().expect("a rate")), Instant::now());
        let at = |seconds| rates.take("ada", start + Duration::from_secs(seconds));
        assert!(at(0).is_ok() && at(0).is_ok());
        assert_eq!(at(10), Err(Duration::from_secs(20)));
        assert_eq!(at(29), Err(Duration::from_secs(1)));
        assert!(at(30).is_ok());
        assert_eq!(at(30), Err(Duration::from_secs(30)));
        // A pause is worth one burst, however long it is.
        assert!(at(1000).is_ok() && at(1000).is_ok() && at(1000).is_err());
    }

    #[test]
    fn address_that_guesses_is_locked_for_a_while() {
        let (failures, start) = (Failures::default(), Instant::now());
        let [ada, beside, bob]: [IpAddr; 3] =
            ["2001:db8::1", "2001:db8::2", "192.0.2.1"].map(|text| text.parse().expect("an address"));
        for _ in 0..MAX_FAILURES {
            assert_eq!(failures.locked(ada, start), None);
            failures.count(ada, start);
        }
        assert_eq!(failures.locked(beside, start + Duration::from_secs(20)), Some(Duration::from_secs(40)));
        assert_eq!(failures.locked(bob, start), None);
        assert_eq!(failures.locked(ada, start + MINUTE + Duration::from_secs(1)), None);
        failures.count(ada, start + MINUTE);
        assert_eq!(failures.locked(ada, start + MINUTE), None);
    }

    #[test]
    fn failures_of_all_servers_count_together() {
        let Some(stored) = testkit::postgres::TestDatabase::shared() else { return };
        let servers = [(); 3].map(|()| Failures::shared(&crate::shared_test::open(&stored)).expect("a thread"));
        let guesser: IpAddr = "192.0.2.7".parse().expect("an address");
        let start = Instant::now();
        // Each server alone sees less than the limit. Counted again and again, since a minute may end meanwhile.
        while !servers.iter().all(|server| server.locked(guesser, Instant::now()).is_some()) {
            assert!(start.elapsed() < MINUTE, "the servers never agree");
            for server in &servers {
                for _ in 0..MAX_FAILURES / 2 {
                    server.shared.as_ref().expect("it is shared").count(guesser);
                }
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        let bob: IpAddr = "192.0.2.8".parse().expect("an address");
        assert!(servers.iter().all(|server| server.locked(bob, Instant::now()).is_none()));
    }
}
