//! A TCP proxy in front of PostgreSQL that can cut connections at a chosen message of the client, delay answers and
//! refuse everything.

mod message;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use message::{MessageReader, contains};

/// A proxy; its connections end when it is dropped.
#[derive(Debug)]
pub struct TcpProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    n_messages: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cut: Option<Cut>,
    delay: Duration,
    is_refusing: bool,
    open: Vec<TcpStream>,
}

/// Cuts one connection, once, at a message of a client.
#[derive(Debug, Clone)]
pub struct Cut {
    /// Number of matching messages that pass before.
    pub n_before: usize,
    /// Counts only messages with this text, in any case; empty counts all.
    pub containing: &'static str,
    /// On which side of the server the connection is cut.
    pub place: CutPlace,
}

/// Where a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutPlace {
    /// The server never gets the message.
    BeforeServer,
    /// The server executes the message; the client never gets the answer.
    AfterServer,
}

impl TcpProxy {
    /// Starts a proxy to a server.
    pub fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared { target, n_messages: AtomicUsize::new(0), state: Mutex::default() });
        let accepting = Arc::downgrade(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Self { address, shared }
    }

    /// Returns the address of the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts a connection at a message, counted from now over all connections.
    pub fn cut(&self, cut: Cut) {
        self.shared.state().cut = Some(cut);
    }

    /// Returns whether the cut that was asked for is still to come.
    pub fn is_cut_pending(&self) -> bool {
        self.shared.state().cut.is_some()
    }

    /// Returns the number of messages that clients have sent so far.
    pub fn n_messages(&self) -> usize {
        self.shared.n_messages.load(Ordering::SeqCst)
    }

    /// Delays the messages of the server.
    pub fn delay(&self, delay: Duration) {
        self.shared.state().delay = delay;
    }

    /// Cuts all connections and refuses new ones.
    pub fn refuse(&self) {
        self.shared.state().is_refusing = true;
        self.cut_all();
    }

    /// Accepts connections again and passes everything on.
    pub fn pass(&self) {
        let mut state = self.shared.state();
        (state.cut, state.delay, state.is_refusing) = (None, Duration::ZERO, false);
    }

    /// Cuts all connections.
    pub fn cut_all(&self) {
        for stream in self.shared.state().open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        self.refuse();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a message; returns where to cut if its turn has come.
    fn count(&self, message: &[u8]) -> Option<CutPlace> {
        self.n_messages.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state();
        let cut = state.cut.as_mut().filter(|cut| contains(message, cut.containing))?;
        if cut.n_before > 0 {
            cut.n_before -= 1;
            return None;
        }
        state.cut.take().map(|cut| cut.place)
    }
}

fn accept(listener: &TcpListener, shared: &Weak<Shared>) {
    for client in listener.incoming() {
        let Some(shared) = shared.upgrade() else { return };
        let Ok(client) = client else { continue };
        if shared.state().is_refusing {
            continue;
        }
        let Ok(server) = TcpStream::connect(shared.target) else { continue };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        connect(&shared, &client, &server);
    }
}

fn connect(shared: &Arc<Shared>, client: &TcpStream, server: &TcpStream) {
    let copies = || Some((client.try_clone().ok()?, server.try_clone().ok()?));
    let (Some(kept), Some(up), Some(down)) = (copies(), copies(), copies()) else { return };
    shared.state().open.extend([kept.0, kept.1]);
    let (above, below) = (Arc::clone(shared), Arc::clone(shared));
    let is_muted = Arc::new(AtomicBool::new(false));
    let muted = Arc::clone(&is_muted);
    let answers = thread::spawn(move || pass_answers(&below, &down.1, &down.0, &muted));
    thread::spawn(move || pass_messages(&above, &up.0, &up.1, &is_muted, answers));
}

/// Passes messages of the client on, until the connection ends or is cut.
fn pass_messages(
    shared: &Shared,
    client: &TcpStream,
    mut server: &TcpStream,
    is_muted: &AtomicBool,
    answers: thread::JoinHandle<()>,
) {
    let mut messages = MessageReader::new(client);
    while let Some(message) = messages.next_message() {
        let cut = shared.count(&message);
        if cut == Some(CutPlace::BeforeServer) {
            break;
        }
        if cut == Some(CutPlace::AfterServer) {
            is_muted.store(true, Ordering::SeqCst);
        }
        if server.write_all(&message).is_err() || cut.is_some() {
            break;
        }
    }
    if !is_muted.load(Ordering::SeqCst) {
        let _ = client.shutdown(Shutdown::Both);
    }
    // The server executes what it has got, then finds the end. Only then the client learns that the connection is lost,
    // so that a test sees a settled result.
    let _ = server.shutdown(Shutdown::Write);
    let _ = answers.join();
    let _ = client.shutdown(Shutdown::Both);
}

fn pass_answers(shared: &Shared, mut server: &TcpStream, mut client: &TcpStream, is_muted: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(n_bytes @ 1..) = server.read(&mut buffer) {
        let delay = shared.state().delay;
        if !delay.is_zero() {
            thread::sleep(delay);
        }
        let is_passed = !is_muted.load(Ordering::SeqCst);
        if is_passed && client.write_all(&buffer[..n_bytes]).is_err() {
            break;
        }
    }
    if !is_muted.load(Ordering::SeqCst) {
        let _ = client.shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers each message with its last byte, and remembers all of them.
    fn echo() -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("it is bound");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut messages = MessageReader::new(&stream);
                while let Some(message) = messages.next_message() {
                    let last = *message.last().expect("not empty");
                    kept.lock().expect("no panic").push(last);
                    if (&stream).write_all(&[last]).is_err() {
                        break;
                    }
                }
            }
        });
        (address, seen)
    }

    fn startup(last: u8) -> Vec<u8> {
        [&9_u32.to_be_bytes()[..], &[0, 3, 0, 0, last]].concat()
    }

    fn query(last: u8) -> Vec<u8> {
        [&b"Q"[..], &5_u32.to_be_bytes(), &[last]].concat()
    }

    /// Sends a startup message and queries; returns how many were answered before the connection ended.
    fn talk(proxy: &TcpProxy, n_queries: u8) -> usize {
        let Ok(mut stream) = TcpStream::connect(proxy.address()) else { return 0 };
        let mut n_answered = 0;
        for message in std::iter::once(startup(b'0')).chain((1..=n_queries).map(|n| query(b'0' + n))) {
            let mut answer = [0];
            if stream.write_all(&message).is_err() || stream.read_exact(&mut answer).is_err() {
                break;
            }
            n_answered += 1;
        }
        n_answered
    }

    fn seen(log: &Mutex<Vec<u8>>) -> String {
        String::from_utf8(std::mem::take(&mut *log.lock().expect("no panic"))).expect("digits")
    }

    #[test]
    fn a_connection_is_cut_once_at_the_chosen_message() {
        let (target, log) = echo();
        let proxy = TcpProxy::start(target);
        assert_eq!((talk(&proxy, 3), seen(&log), proxy.n_messages()), (4, "0123".to_owned(), 4));
        for (place, reached) in [(CutPlace::BeforeServer, "01"), (CutPlace::AfterServer, "012")] {
            proxy.cut(Cut { n_before: 2, containing: "", place });
            assert_eq!((talk(&proxy, 3), seen(&log).as_str(), proxy.is_cut_pending()), (2, reached, false));
            assert_eq!((talk(&proxy, 1), seen(&log).as_str()), (2, "01"));
        }
    }

    #[test]
    fn only_matching_messages_count() {
        let (target, log) = echo();
        let proxy = TcpProxy::start(target);
        proxy.cut(Cut { n_before: 0, containing: "3", place: CutPlace::BeforeServer });
        assert_eq!((talk(&proxy, 5), seen(&log).as_str()), (3, "012"));
    }

    #[test]
    fn refused_connections_end_until_they_pass_again() {
        let (target, _) = echo();
        let proxy = TcpProxy::start(target);
        let mut open = TcpStream::connect(proxy.address()).expect("it accepts");
        let mut answer = [0];
        open.write_all(&startup(b'0')).and_then(|()| open.read_exact(&mut answer)).expect("an answer");
        proxy.refuse();
        assert!(open.read_exact(&mut answer).is_err());
        assert_eq!(talk(&proxy, 1), 0);
        proxy.pass();
        assert_eq!(talk(&proxy, 1), 2);
    }

    #[test]
    fn answers_are_delayed() {
        let (target, _) = echo();
        let proxy = TcpProxy::start(target);
        proxy.delay(Duration::from_millis(30));
        let start = std::time::Instant::now();
        assert_eq!(talk(&proxy, 2), 3);
        assert!(start.elapsed() >= Duration::from_millis(90));
    }
}
