//! Many idle connections must not delay authenticated requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testkit::http::HttpConnection;

use crate::served::Served;
use crate::support::Project;

const TOKEN: &str = "a-token-of-this-test";
const N_REQUESTS: usize = 200;
const READ_TIMEOUT: Duration = Duration::from_secs(20);

fn connect(served: &Served) -> Option<TcpStream> {
    let stream = TcpStream::connect(&served.authority).ok()?;
    stream.set_read_timeout(Some(READ_TIMEOUT)).ok()?;
    Some(stream)
}

/// Sends requests one after the other, each on a new connection, and returns the 99th percentile of their times.
fn p99_of_requests(served: &Served) -> Duration {
    let mut times: Vec<Duration> = (0..N_REQUESTS)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(served.ask("GET", "/api/project", Some(TOKEN)).status, 200);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[N_REQUESTS * 99 / 100 - 1]
}

/// Requests an event stream, and returns the status and the connection.
fn open_stream(served: &Served) -> Option<(String, BufReader<TcpStream>)> {
    let mut stream = connect(served)?;
    let head =
        format!("GET /api/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n", served.authority);
    stream.write_all(head.as_bytes()).ok()?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    Some((line.split(' ').nth(1).unwrap_or_default().to_owned(), reader))
}

#[test]
fn idle_slow_and_listening_connections_leave_room_for_requests() {
    let project = Project::with_items(&["one"]);
    let served = Served::start(&project.cairn, &["--token", TOKEN]);
    // A connection with a token that is used occasionally: it must not be evicted.
    let mut kept = HttpConnection::open(&served.authority, READ_TIMEOUT).unwrap();
    let bearer = format!("Bearer {TOKEN}");
    let mut ask_kept = || kept.ask("GET", "/api/project", &[("Authorization", &bearer)], "").unwrap().status;
    assert_eq!(ask_kept(), 200);
    let idle: Vec<TcpStream> = (0..1000).filter_map(|_| connect(&served)).collect();
    assert!(p99_of_requests(&served) < Duration::from_secs(1), "{} idle connections", idle.len());
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let mut slow: Vec<TcpStream> = (0..500).filter_map(|_| connect(&served)).collect();
        let (served, is_done) = (&served, &is_done);
        scope.spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                for stream in &mut slow {
                    // Closed connections are opened again, as an attacker would do.
                    if stream.write_all(b"G").is_err()
                        && let Some(new) = connect(served)
                    {
                        *stream = new;
                    }
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        let p99 = p99_of_requests(served);
        is_done.store(true, Ordering::Relaxed);
        assert!(p99 < Duration::from_secs(1), "{p99:?} beside slow connections");
    });
    let streams: Vec<_> = (0..600).filter_map(|_| open_stream(&served)).collect();
    let served_streams = streams.iter().filter(|(status, _)| status == "200").count();
    let refused = streams.iter().filter(|(status, _)| status == "503").count();
    assert_eq!((served_streams, served_streams + refused), (128, 600));
    let p99 = p99_of_requests(&served);
    assert!(p99 < Duration::from_secs(1), "{p99:?} beside streams");
    for (_, mut stream) in streams.into_iter().filter(|(status, _)| status == "503") {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("a refused stream gives its connection back");
    }
    assert_eq!(ask_kept(), 200, "a connection with a token was pushed out");
}

#[test]
fn connection_without_a_token_is_closed_after_a_while() {
    let project = Project::new();
    let served = Served::start(&project.cairn, &["--token", TOKEN]);
    let start = Instant::now();
    let mut stream = connect(&served).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: half").unwrap();
    stream.read_to_end(&mut Vec::new()).expect("it is closed");
    assert!(start.elapsed() < Duration::from_secs(18), "{:?}", start.elapsed());
}
