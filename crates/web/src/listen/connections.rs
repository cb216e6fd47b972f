//! Limits the connections of a server.
//!
//! A connection is anonymous until a request on it has a valid token. Anonymous connections share a small budget, and
//! the oldest is closed when another arrives, so that nobody without a token can lock others out. Authenticated
//! connections have a separate budget, of which no token gets all.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// Maximum number of anonymous connections. A connection is anonymous for the milliseconds until its first request is
/// read, so an attacker must open this many within that time to evict an honest client.
const MAX_ANONYMOUS: usize = 256;

/// Connection limits.
#[derive(Debug, Clone, Copy)]
struct Limits {
    anonymous: usize,
    known: usize,
    of_one_token: usize,
}

/// All connections of a server; cheap to clone.
#[derive(Clone)]
pub(super) struct Connections(Arc<Inner>);

struct Inner {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// In order of arrival.
    open: BTreeMap<u64, Entry>,
}

struct Entry {
    address: IpAddr,
    /// Name of the token; `None` while anonymous.
    token: Option<String>,
    /// Requests in progress, including streams.
    n_requests: usize,
    /// Cancelled to close the connection.
    closing: CancellationToken,
}

pub(super) struct OpenConnection {
    connections: Connections,
    id: u64,
    closing: CancellationToken,
}

/// The connection of a request; every request has one in its extensions.
#[derive(Clone)]
pub(crate) struct Connection {
    connections: Connections,
    id: u64,
}

/// A request in progress.
pub(super) struct RequestInProgress(Connection);

/// The connection limit is reached and all connections are busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionLimitReached;

impl Connections {
    /// Allows `max_known` authenticated connections, of which one token may hold three quarters.
    pub(super) fn new(max_known: usize) -> Self {
        let of_one_token = (max_known - max_known / 4).max(1);
        Self::with(Limits { anonymous: MAX_ANONYMOUS, known: max_known, of_one_token })
    }

    fn with(limits: Limits) -> Self {
        Self(Arc::new(Inner { limits, state: Mutex::default() }))
    }

    /// Registers a new connection. If there are too many anonymous ones, the oldest of the address with the most
    /// connections is closed.
    pub(super) fn open(&self, address: IpAddr) -> OpenConnection {
        let mut state = self.lock();
        let (id, closing) = (state.next, CancellationToken::new());
        state.next += 1;
        let (address, closed) = (client_prefix(address), closing.clone());
        state.open.insert(id, Entry { address, token: None, n_requests: 0, closing: closed });
        if state.anonymous().count() > self.0.limits.anonymous
            && let Some(oldest) = state.oldest_of_crowded_address()
        {
            state.close(oldest);
        }
        drop(state);
        OpenConnection { connections: self.clone(), id, closing }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock()
    }
}

impl State {
    fn anonymous(&self) -> impl Iterator<Item = (&u64, &Entry)> {
        self.open.iter().filter(|(_, entry)| entry.token.is_none())
    }

    fn oldest_of_crowded_address(&self) -> Option<u64> {
        let mut counts: HashMap<IpAddr, (usize, u64)> = HashMap::new();
        for (id, entry) in self.anonymous() {
            counts.entry(entry.address).or_insert((0, *id)).0 += 1;
        }
        // Of addresses with equally many connections, the one with the oldest connection.
        counts.into_values().max_by_key(|(count, oldest)| (*count, u64::MAX - oldest)).map(|(_, oldest)| oldest)
    }

    /// Makes room for another connection of a token; `false` if none can be closed.
    fn make_room(&mut self, token: &str, limits: Limits) -> bool {
        let known = || self.open.iter().filter_map(|(id, entry)| Some((id, entry, entry.token.as_deref()?)));
        let n_known = known().count();
        let is_of_token = |held: &&str| *held == token;
        let n_of_token = known().map(|(_, _, held)| held).filter(is_of_token).count();
        let is_token_full = n_of_token >= limits.of_one_token;
        if n_known < limits.known && !is_token_full {
            return true;
        }
        let is_idle = |entry: &Entry| entry.n_requests == 0;
        // If the token is at its own limit, only its own connections may be closed.
        let mut idle = known().filter(|(_, entry, held)| is_idle(entry) && (!is_token_full || *held == token));
        let oldest = idle.next().map(|(id, _, _)| *id);
        oldest.is_some_and(|id| {
            self.close(id);
            true
        })
    }

    fn close(&mut self, id: u64) {
        if let Some(entry) = self.open.remove(&id) {
            entry.closing.cancel();
        }
    }
}

impl OpenConnection {
    pub(super) fn handle(&self) -> Connection {
        Connection { connections: self.connections.clone(), id: self.id }
    }

    /// Waits until the connection is evicted.
    pub(super) async fn closed(&self) {
        self.closing.cancelled().await;
    }

    /// Returns whether no request has been authenticated so far.
    pub(super) fn is_anonymous(&self) -> bool {
        self.connections.lock().open.get(&self.id).is_none_or(|entry| entry.token.is_none())
    }

    /// Returns whether no request is in progress.
    pub(super) fn is_idle(&self) -> bool {
        self.connections.lock().open.get(&self.id).is_none_or(|entry| entry.n_requests == 0)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connections.lock().open.remove(&self.id);
    }
}

impl Connection {
    /// Moves the connection to the budget of a token, or fails if there is no room. Call it only for a valid token.
    pub(crate) fn admit(&self, token: &str) -> Result<(), ConnectionLimitReached> {
        let mut state = self.connections.lock();
        // Evicted meanwhile: the connection is about to be closed.
        let Some(entry) = state.open.get(&self.id) else { return Ok(()) };
        if entry.token.as_deref() == Some(token) {
            return Ok(());
        }
        if !state.make_room(token, self.connections.0.limits) {
            return Err(ConnectionLimitReached);
        }
        if let Some(entry) = state.open.get_mut(&self.id) {
            entry.token = Some(token.to_owned());
        }
        Ok(())
    }

    pub(super) fn begin_request(&self) -> RequestInProgress {
        self.count(|n_requests| n_requests + 1);
        RequestInProgress(self.clone())
    }

    fn count(&self, change: impl FnOnce(usize) -> usize) {
        if let Some(entry) = self.connections.lock().open.get_mut(&self.id) {
            entry.n_requests = change(entry.n_requests);
        }
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.0.count(|n_requests| n_requests.saturating_sub(1));
    }
}

/// Returns the prefix that all addresses of one client share: a /64 for IPv6, which providers assign as a whole.
pub(crate) fn client_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(anonymous: usize, known: usize, of_one_token: usize) -> Connections {
        Connections::with(Limits { anonymous, known, of_one_token })
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn oldest_anonymous_connection_makes_room_and_known_ones_stay() {
        let connections = connections(2, 10, 10);
        let known = connections.open(address(1));
        known.handle().admit("ada").expect("there is room");
        let others: Vec<_> = (0..5).map(|_| connections.open(address(1))).collect();
        let closed: Vec<bool> = others.iter().map(|open| open.closing.is_cancelled()).collect();
        assert_eq!(closed, [true, true, true, false, false]);
        assert!(!known.closing.is_cancelled());
    }

    #[test]
    fn busiest_address_loses_a_connection() {
        let connections = connections(3, 10, 10);
        let honest = connections.open(address(1));
        let greedy: Vec<_> = (0..6).map(|_| connections.open(address(2))).collect();
        assert!(!honest.closing.is_cancelled());
        assert_eq!(greedy.iter().filter(|open| !open.closing.is_cancelled()).count(), 2);
    }

    #[test]
    fn token_that_holds_its_share_closes_its_own_idle_connections_or_is_refused() {
        let connections = connections(10, 10, 2);
        let bob = connections.open(address(1));
        bob.handle().admit("bob").expect("there is room");
        let mut held: Vec<_> = (0..3).map(|_| connections.open(address(1))).collect();
        for open in &held {
            open.handle().admit("ada").expect("idle ones make room");
        }
        assert!(held[0].closing.is_cancelled() && !bob.closing.is_cancelled());
        held.remove(0);
        let _busy: Vec<RequestInProgress> = held.iter().map(|open| open.handle().begin_request()).collect();
        let one_more = connections.open(address(1));
        assert_eq!(one_more.handle().admit("ada"), Err(ConnectionLimitReached));
        assert!(held.iter().all(|open| !open.closing.is_cancelled()));
        assert_eq!(one_more.handle().admit("bob"), Ok(()), "others are not held up");
    }

    #[test]
    fn place_is_given_back() {
        let connections = connections(10, 1, 1);
        for _ in 0..3 {
            let open = connections.open(address(1));
            let _busy = open.handle().begin_request();
            assert_eq!(open.handle().admit("ada"), Ok(()));
        }
        assert!(connections.lock().open.is_empty());
    }
}
