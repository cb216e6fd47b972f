//! The server side of the connections: one thread each, every request recorded, faults injected.

use std::io::BufReader;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::fault::{Fault, Faults};
use super::http::{Answer, Request};
use super::refusal;
use super::world::World;

#[derive(Debug)]
pub(super) struct Wire {
    root: String,
    address: SocketAddr,
    pub(super) world: Mutex<World>,
    faults: Mutex<Faults>,
    log: Mutex<Log>,
    logged: Condvar,
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<Request>,
    in_flight: usize,
    peak: usize,
    connections: Vec<TcpStream>,
    is_closed: bool,
}

/// The result of a request.
enum Outcome {
    Whole(Answer),
    /// The connection is closed in the middle of the response.
    Partial(Answer),
    Nothing,
}

const READ_TIMEOUT: Duration = Duration::from_secs(30);

impl Wire {
    /// Listens on a free port, for an API under a path.
    pub(super) fn open(path: &str, world: World) -> (Arc<Self>, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on this machine");
        let address = listener.local_addr().expect("a bound socket has an address");
        let wire = Arc::new(Self {
            root: format!("{path}/api/v1"),
            address,
            world: Mutex::new(world),
            faults: Mutex::default(),
            log: Mutex::default(),
            logged: Condvar::new(),
        });
        let accepting = Arc::clone(&wire);
        std::thread::spawn(move || accepting.accept(&listener));
        (wire, address.port())
    }

    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming() {
            let Ok(connection) = connection else { continue };
            let mut log = self.log();
            if log.is_closed {
                return;
            }
            // Small responses must not wait for the client's acknowledgement.
            let _ = connection.set_nodelay(true);
            log.connections.extend(connection.try_clone());
            let serving = Arc::clone(&self);
            std::thread::spawn(move || serving.serve(connection));
        }
    }

    fn serve(&self, mut connection: TcpStream) {
        let Ok(reading) = connection.try_clone() else { return };
        let mut reading = BufReader::new(reading);
        while let Ok(Some(request)) = Request::read(&mut reading) {
            self.begin(&request);
            let outcome = self.outcome(&request);
            // Before the response is sent: a client may send the next request as soon as it has it.
            self.log().in_flight -= 1;
            let is_head = request.method == "HEAD";
            let is_whole = match outcome {
                Outcome::Whole(answer) if is_head => answer.write_head(&mut connection).is_ok(),
                Outcome::Whole(answer) => answer.write(&mut connection).is_ok(),
                Outcome::Partial(answer) => {
                    let _ = answer.write_part(&mut connection);
                    false
                }
                Outcome::Nothing => false,
            };
            if !is_whole {
                break;
            }
        }
        let _ = connection.shutdown(Shutdown::Both);
    }

    fn begin(&self, request: &Request) {
        let mut log = self.log();
        log.requests.push(request.clone());
        log.in_flight += 1;
        log.peak = log.peak.max(log.in_flight);
        self.logged.notify_all();
    }

    fn outcome(&self, request: &Request) -> Outcome {
        let Some(path) = request.path.strip_prefix(&self.root) else {
            return Outcome::Whole(refusal::no_such_route());
        };
        let fault = self.faults().take(request, path);
        let answer = || self.world.lock().unwrap_or_else(PoisonError::into_inner).answer(path, request);
        match fault {
            None => Outcome::Whole(answer()),
            Some(Fault::Answer(answer)) => Outcome::Whole(answer),
            Some(Fault::Throttle(pause)) => {
                let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
                Outcome::Whole(refusal::throttled(seconds))
            }
            Some(Fault::Redirect(to)) => Outcome::Whole(Answer::empty(302).header("Location", to)),
            Some(Fault::CutBefore) => Outcome::Nothing,
            Some(Fault::CutAfter) => {
                answer();
                Outcome::Nothing
            }
            Some(Fault::CutWithin) => Outcome::Partial(answer()),
            Some(Fault::Delay(delay)) => {
                std::thread::sleep(delay);
                Outcome::Whole(answer())
            }
            Some(Fault::Hold(latch)) => {
                latch.pass();
                Outcome::Whole(answer())
            }
        }
    }

    pub(super) fn close(&self) {
        self.faults().clear();
        let connections = {
            let mut log = self.log();
            log.is_closed = true;
            std::mem::take(&mut log.connections)
        };
        for connection in connections {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the listener, which then sees the shutdown.
        let _ = TcpStream::connect(self.address);
    }

    pub(super) fn root(&self) -> &str {
        &self.root
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.log().requests.clone()
    }

    pub(super) fn forget_requests(&self) {
        let mut log = self.log();
        log.requests.clear();
        log.peak = log.in_flight;
    }

    pub(super) fn peak(&self) -> usize {
        self.log().peak
    }

    pub(super) fn wait_for_requests(&self, count: usize) {
        let log = self.log();
        let waited = self.logged.wait_timeout_while(log, READ_TIMEOUT, |log| log.requests.len() < count);
        let (log, _) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(log.requests.len() >= count, "only {} of {count} requests came", log.requests.len());
    }

    pub(super) fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
