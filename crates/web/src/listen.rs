//! Listening: connections, their limits, and the end of them all.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HOST};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::busy_body::BusyBody;
use super::connections::{Connections, OpenConnection};
use super::patient::Patient;
use super::tls::Tls;
use crate::signals::Signals;

/// How many connections with a token there are at once unless said. Each costs a few kilobytes, and a person's agents
/// hold a handful.
pub const DEFAULT_MAX_CONNECTIONS: usize = 512;

/// How long a connection may be open without a request that brings a token. A page to log in on is loaded anew when it is
/// sent; a program sends its token with the first request.
const ANONYMOUS_TIMEOUT: Duration = Duration::from_secs(10);

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
    /// How many connections with a token there are at once.
    pub max_connections: usize,
    /// Counts the connections there are.
    pub n_connections: Arc<AtomicUsize>,
}

impl Listening {
    /// Listens for plain connections.
    pub fn at(address: SocketAddr) -> Self {
        Self { address, tls: None, max_connections: DEFAULT_MAX_CONNECTIONS, n_connections: Arc::default() }
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
    let connections = Connections::new(listening.max_connections);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.wait() => break,
        };
        // One that went away before it was accepted is nothing to us; when files run out, some will be closed.
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (counted, tls) = (Counted::one(&listening.n_connections), listening.tls.clone());
        let open = connections.open(peer.ip());
        let visit = Visit { peer: Peer(peer), router: router.clone(), stop: stop.token() };
        stop.finish(async move {
            // What is dropped here closes the connection, whatever it was about to say.
            tokio::select! {
                () = welcome(stream, tls, visit, &open) => {}
                () = open.closed() => {}
            }
            drop(counted);
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

async fn welcome(stream: TcpStream, tls: Option<Tls>, visit: Visit, open: &OpenConnection) {
    // Small answers would otherwise wait for the client's delayed acknowledgement, some 40 ms.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream);
    let Some(tls) = tls else { return converse(stream, visit, open).await };
    // Whoever cannot agree with us on how to speak, or takes too long, is let go.
    let agreed = tokio::select! {
        agreed = tokio::time::timeout(ANONYMOUS_TIMEOUT, tls.acceptor().accept(stream)) => agreed,
        () = visit.stop.cancelled() => return,
    };
    if let Ok(Ok(stream)) = agreed {
        converse(stream, visit, open).await;
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, visit: Visit, open: &OpenConnection) {
    let Visit { peer, router, stop } = visit;
    let router = TowerToHyperService::new(router);
    let handle = open.handle();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let busy = handle.begin_request();
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(handle.clone());
        let answer = names_one_host(&request).then(|| router.call(request));
        async move {
            let response = match answer {
                Some(answer) => answer.await?,
                None => misnamed(),
            };
            Ok::<_, Infallible>(response.map(|body| BusyBody::wrap(body, busy)))
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(LONGEST_HEAD);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // How a connection ends is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = idles_unknown(open) => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Waits until a connection has been anonymous for too long. One with a token is never waited for in vain; a request
/// that is being answered has limits of its own.
async fn idles_unknown(open: &OpenConnection) {
    loop {
        tokio::time::sleep(ANONYMOUS_TIMEOUT).await;
        if !open.is_anonymous() {
            std::future::pending::<()>().await;
        }
        if open.is_idle() {
            return;
        }
    }
}

/// Tells whether a request says without doubt which host it is for. What a proxy and we read differently is how
/// requests are smuggled past one of the two.
fn names_one_host<T>(request: &hyper::Request<T>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (host, another) = (hosts.next(), hosts.next());
    let is_same = |authority: &str| host.is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(authority.as_bytes()));
    another.is_none() && request.uri().authority().is_none_or(|authority| is_same(authority.as_str()))
}

fn misnamed() -> Response<Body> {
    (StatusCode::BAD_REQUEST, [(CONNECTION, "close")], "the request names no host, or several\n").into_response()
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
