//! Pauses that the server asks for, and the limit of concurrent requests.

use std::time::Duration;

use taiga::dto::{Draft, ItemId, Story};
use taiga::{ErrorKind, Meter};
use testkit::taiga::{Answer, FakeTaiga, Fault};

use crate::harness::{HARBOUR, client_of, clocked_client, settings};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn long_pause_is_reported_and_stops_all_requests() {
    let fake = FakeTaiga::start();
    let (client, clock) = clocked_client(&settings(&fake), &fake);
    fake.throttle_next(1, seconds(60));
    let error = client.me().unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::RateLimit { wait: seconds(60) }, Some(429)));
    clock.advance(seconds(20));
    // Other clones and other calls respect the pause and send nothing.
    let other = client.clone();
    for error in [
        other.me().unwrap_err(),
        other.get::<Story>(ItemId(1)).unwrap_err(),
        other.delete::<Story>(ItemId(1)).unwrap_err(),
    ] {
        assert_eq!(error.kind, ErrorKind::RateLimit { wait: seconds(40) });
    }
    assert_eq!(fake.requests().len(), 1);
    clock.advance(seconds(40));
    assert!(other.me().is_ok());
    assert!(clock.slept().is_empty(), "nobody slept in silence");
}

#[test]
fn short_pause_is_waited_for_and_measured() {
    let fake = FakeTaiga::start();
    let (client, clock) = clocked_client(&settings(&fake), &fake);
    fake.throttle_next(1, seconds(2));
    let meter = Meter::default();
    assert!(client.metered(&meter).me().is_ok());
    assert_eq!((meter.held_back(), meter.requests()), (seconds(2), 2));
    assert_eq!(clock.slept().iter().sum::<Duration>(), seconds(2));
    let meter = Meter::default();
    client.metered(&meter).me().unwrap();
    assert_eq!((meter.held_back(), meter.requests()), (seconds(0), 1));
}

#[test]
fn wait_budget_is_for_the_whole_call() {
    let fake = FakeTaiga::start();
    let (client, clock) = clocked_client(&settings(&fake), &fake);
    fake.throttle_next(9, seconds(2));
    let error = client.me().unwrap_err();
    assert_eq!(error.kind, ErrorKind::RateLimit { wait: seconds(2) });
    assert!(clock.slept().iter().sum::<Duration>() <= settings(&fake).patience);
}

#[test]
fn refused_write_is_not_sent_again() {
    let fake = FakeTaiga::start();
    let (client, _) = clocked_client(&settings(&fake), &fake);
    fake.throttle_next(1, seconds(1));
    let error = client.create::<Story>(&Draft::new(HARBOUR, "x").into()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::RateLimit { wait: seconds(1) });
    assert_eq!(fake.count("POST", "/userstories"), 1);
}

#[test]
fn pause_of_a_proxy_counts_too() {
    let fake = FakeTaiga::start();
    let (client, _) = clocked_client(&settings(&fake), &fake);
    fake.fault_next(1, Fault::Answer(Answer::html(429, "Too Many Requests").header("Retry-After", 30)));
    assert_eq!(client.me().unwrap_err().kind, ErrorKind::RateLimit { wait: seconds(30) });
}

#[test]
fn pause_on_the_machines_clock_ends() {
    let fake = FakeTaiga::start();
    let (client, clock) = clocked_client(&settings(&fake), &fake);
    fake.throttle(seconds(3600));
    assert_eq!(client.me().unwrap_err().kind.category(), "rate_limit");
    fake.clear_faults();
    clock.advance(seconds(3600));
    assert!(client.me().is_ok());
}

#[test]
fn four_requests_run_at_once_and_no_more() {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    let latch = fake.hold_next(12);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| client.me().unwrap());
        }
        fake.wait_for_requests(4);
        latch.open();
    });
    assert_eq!((fake.peak(), fake.requests().len()), (4, 12));
    assert_eq!(settings(&fake).max_concurrent, 4);
}
