//! Listening: connections, their limits, and the end of them all.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::patient::Patient;
use super::tls::Tls;
use crate::signals::Signals;

/// How many connections there are at once unless said. Each costs a few kilobytes, and a person's agents hold a handful.
const MOST_CONNECTIONS: usize = 512;

/// How long a client may take to send the head of a request, the first one or the next. It bounds idle connections too:
/// a client that sends a byte now and then to hold connections for ever is cut off.
const LONGEST_HEAD: Duration = Duration::from_secs(30);

/// How many calls are worked on at once. Those that write wait for the disk together, and one commit carries them all, so
/// many more than there are processors help.
const MOST_THREADS: usize = 64;

/// Where a server listens, and how.
pub struct Listening {
    /// Where; port 0 takes a free one.
    pub address: SocketAddr,
    /// What makes connections private; plain ones without it.
    pub tls: Option<Tls>,
    /// How many connections there are at once; more wait to be accepted.
    pub most_connections: usize,
    /// Counts the connections there are.
    pub n_connections: Arc<AtomicUsize>,
}

impl Listening {
    /// Listens for plain connections.
    pub fn at(address: SocketAddr) -> Self {
        Self { address, tls: None, most_connections: MOST_CONNECTIONS, n_connections: Arc::default() }
    }
}

/// The other end of a connection; every request has one among its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The end of a server: those who listen are let go at once, and what was begun is finished.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    token: CancellationToken,
    tasks: TaskTracker,
}

impl Stop {
    /// Waits for the end.
    pub async fn wait(&self) {
        self.token.cancelled().await;
    }

    pub(crate) fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Does something that the end waits for.
    pub(crate) fn finish(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }
}

/// Serves until a signal says so; requests that were begun are answered first, and a second signal does not wait for
/// them. `make` makes the routes, once the address is known; `ready` hears the address once it can be reached.
pub fn serve(
    listening: Listening,
    make: impl FnOnce(SocketAddr, &Stop) -> io::Result<Router>,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(MOST_THREADS).enable_all().build()?;
    let done = runtime.block_on(run(listening, make, ready));
    runtime.shutdown_background();
    done
}

async fn run(
    listening: Listening,
    make: impl FnOnce(SocketAddr, &Stop) -> io::Result<Router>,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let signals = Signals::listen()?;
    let listener = TcpListener::bind(listening.address).await?;
    let address = listener.local_addr()?;
    let stop = Stop::default();
    let router = make(address, &stop)?;
    ready(address);
    let serving = accept(listener, &listening, router, &stop);
    tokio::select! {
        () = serving => {}
        () = signals.stop_then_leave(&stop.token) => {}
    }
    Ok(())
}

/// Serves all who come until `stop`, and then those who are there until they are done.
pub(super) async fn accept(listener: TcpListener, listening: &Listening, router: Router, stop: &Stop) {
    let places = Arc::new(Semaphore::new(listening.most_connections));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            () = stop.wait() => break,
        };
        // One that went away before it was accepted is nothing to us; when files run out, some will be closed.
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (counted, tls) = (Counted::one(&listening.n_connections), listening.tls.clone());
        let serving = welcome(stream, tls, Visit { peer: Peer(peer), router: router.clone(), stop: stop.token() });
        stop.finish(async move {
            serving.await;
            drop((place, counted));
        });
    }
    drop(listener);
    stop.tasks.close();
    stop.tasks.wait().await;
}

/// What a connection is served with.
struct Visit {
    peer: Peer,
    router: Router,
    stop: CancellationToken,
}

async fn welcome(stream: TcpStream, tls: Option<Tls>, visit: Visit) {
    // Small answers would otherwise wait for the client's delayed acknowledgement, some 40 ms.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream);
    let Some(tls) = tls else { return converse(stream, visit).await };
    // Whoever cannot agree with us on how to speak, or takes too long, is let go.
    let agreed = tokio::select! {
        agreed = tokio::time::timeout(LONGEST_HEAD, tls.acceptor().accept(stream)) => agreed,
        () = visit.stop.cancelled() => return,
    };
    if let Ok(Ok(stream)) = agreed {
        converse(stream, visit).await;
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, visit: Visit) {
    let Visit { peer, router, stop } = visit;
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.call(request)
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(LONGEST_HEAD);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // How a connection ends is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Something that counts while it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn one(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(counter))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
