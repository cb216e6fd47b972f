//! Failed logins, summed over all servers of a database: an attacker must not get one allowance per server.
//!
//! Requests never wait for the database: a thread exchanges the counts. While the database is away, each server counts
//! alone.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use database::Database;
use parking_lot::Mutex;

/// How often counts are exchanged. So long an attacker's failures on other servers are not known.
const EXCHANGE_INTERVAL: Duration = Duration::from_millis(250);

/// Maximum number of addresses whose failures wait for the exchange; more are counted by this server alone.
const MAX_PENDING: usize = 10_000;

/// The failures of all servers.
pub(super) struct SharedFailures(Arc<Counts>);

#[derive(Default)]
struct Counts {
    /// Failures at this server since the last exchange.
    pending: Mutex<HashMap<IpAddr, i64>>,
    /// Addresses with too many failures, and when they may try again.
    locked: Mutex<HashMap<IpAddr, Instant>>,
}

impl SharedFailures {
    pub(super) fn start(database: &Arc<Database>, max_failures: i64) -> io::Result<Self> {
        let counts = Arc::new(Counts::default());
        let (exchanged, database) = (Arc::downgrade(&counts), Arc::clone(database));
        let run = move || exchange_all(&exchanged, &database, max_failures);
        thread::Builder::new().name("cairn-failures".to_owned()).spawn(run)?;
        Ok(Self(counts))
    }

    pub(super) fn count(&self, address: IpAddr) {
        let mut pending = self.0.pending.lock();
        if pending.len() < MAX_PENDING || pending.contains_key(&address) {
            *pending.entry(address).or_default() += 1;
        }
    }

    pub(super) fn locked(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        self.0.locked.lock().get(&address).and_then(|until| until.checked_duration_since(now))
    }
}

/// Ends when the counts are dropped.
fn exchange_all(counts: &Weak<Counts>, database: &Database, max_failures: i64) {
    while let Some(counts) = counts.upgrade() {
        let new: Vec<(String, i64)> = std::mem::take(&mut *counts.pending.lock())
            .into_iter()
            .map(|(address, n)| (address.to_string(), n))
            .collect();
        // What cannot be sent is forgotten: this server has counted it for itself.
        if let Ok(found) = database.exchange_failures(&new, max_failures) {
            let until = Instant::now() + Duration::from_secs(found.seconds_left);
            let addresses = found.addresses.iter().filter_map(|address| address.parse().ok());
            *counts.locked.lock() = addresses.map(|address| (address, until)).collect();
        }
        drop(counts);
        thread::sleep(EXCHANGE_INTERVAL);
    }
}
