//! Failover: the primary dies under load, its synchronous standby is promoted, and no acknowledged write is lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use store::StoreError;
use store::shared::{ShareOptions, verify_database};
use testkit::postgres::Postgres;

use crate::shared_support::{Server, assert_sound, connect, create, numbers, with_code};

const N_SERVERS: usize = 2;
const N_CLIENTS: usize = 3;

/// How soon after the promotion every server must write again.
const MAX_OUTAGE: Duration = Duration::from_secs(10);

/// What the clients were told.
#[derive(Default)]
struct Told {
    /// Numbers of acknowledged items, with the server and the time.
    acknowledged: Mutex<Vec<(u64, usize, Instant)>>,
    n_unknown: AtomicUsize,
    is_over: AtomicBool,
}

impl Told {
    fn acknowledged(&self) -> Vec<(u64, usize, Instant)> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until every server acknowledged a write after a moment; returns how long that took.
    fn wait_for_all(&self, since: Instant) -> Duration {
        loop {
            let acknowledged = self.acknowledged();
            let first =
                |server| acknowledged.iter().find(|(_, by, at)| *by == server && *at > since).map(|(.., at)| *at);
            if let Some(firsts) = (0..N_SERVERS).map(first).collect::<Option<Vec<Instant>>>() {
                return firsts.into_iter().max().unwrap_or(since) - since;
            }
            assert!(since.elapsed() < 3 * MAX_OUTAGE, "a server does not write again");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Creates items until the test is over.
fn write_all(told: &Told, server: usize, connected: &Server) {
    let mut store = connected.store();
    while !told.is_over.load(Ordering::SeqCst) {
        match create(&mut store, "written during a failover") {
            Ok((_, number)) => {
                let now = Instant::now();
                told.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).push((number, server, now));
            }
            Err(StoreError::OutcomeUnknown(_)) => _ = told.n_unknown.fetch_add(1, Ordering::SeqCst),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn no_acknowledged_write_is_lost_when_the_standby_takes_over() {
    let Some(primary) = Postgres::start() else { return };
    let database = primary.database();
    let standby = primary.start_synchronous_standby();
    let url = database.url_at(&[primary.address(), standby.address()]);
    let fixture = with_code();
    let clones = (0..N_SERVERS).map(|n| fixture.clone_beside(&format!("server-{n}"), &[]));
    let servers: Vec<Server> = clones.map(|clone| connect(clone, &url, ShareOptions::default()).unwrap()).collect();
    let told = Told::default();
    thread::scope(|scope| {
        for (n, server) in servers.iter().enumerate() {
            for _ in 0..N_CLIENTS {
                let told = &told;
                scope.spawn(move || write_all(told, n, server));
            }
        }
        told.wait_for_all(Instant::now());
        primary.crash();
        standby.promote();
        let outage = told.wait_for_all(Instant::now());
        told.is_over.store(true, Ordering::SeqCst);
        assert!(outage < MAX_OUTAGE, "back only {outage:?} after the promotion");
    });
    let acknowledged: Vec<u64> = told.acknowledged().into_iter().map(|(number, ..)| number).collect();
    let unique: BTreeSet<u64> = acknowledged.iter().copied().collect();
    assert_eq!(unique.len(), acknowledged.len(), "a number was given twice");
    for server in &servers {
        let stored = numbers(&mut server.store());
        let lost: Vec<&u64> = unique.iter().filter(|number| stored.binary_search(number).is_err()).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        let n_unacknowledged = stored.len() - unique.len();
        assert!(n_unacknowledged <= told.n_unknown.load(Ordering::SeqCst), "{n_unacknowledged} false failures");
        assert_sound(&server.clone);
        let repository = store::git::Repository::discover(&server.clone).unwrap();
        assert!(verify_database(&repository, server.shared.as_ref().unwrap().database()).unwrap().is_sound());
    }
}

/// A commit waits for its standby, which is gone, when the primary is restarted: the primary has the commit then, but no
/// client may be told before the standby has it too.
#[test]
fn a_write_that_only_the_restarted_primary_has_is_not_acknowledged() {
    let Some(primary) = Postgres::start() else { return };
    let database = primary.database();
    let standby = primary.start_synchronous_standby();
    let fixture = with_code();
    let server = connect(fixture.path().to_owned(), &database.url(), ShareOptions::default()).unwrap();
    create(&mut server.store(), "both have it").unwrap();
    standby.crash();
    let (is_told, is_restored) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let written = create(&mut server.store(), "the primary has it");
            is_told.store(true, Ordering::SeqCst);
            (written, is_restored.load(Ordering::SeqCst))
        });
        let is_waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        while database.sql(is_waiting).is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
        primary.crash();
        primary.restart();
        // Found again by now, and waited for.
        while database.sql(is_waiting).is_empty() && !is_told.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
        is_restored.store(true, Ordering::SeqCst);
        standby.restart();
        let (written, was_restored) = writer.join().unwrap();
        assert_eq!((written.unwrap().1, was_restored), (2, true), "acknowledged before the standby had it");
    });
    assert_eq!(numbers(&mut server.store()), [1, 2]);
}
