//! The HTTP listener: accepts connections, limits them, and shuts down gracefully.

mod busy_body;
mod connections;
mod tls;
mod write_timeout;

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
use mcp::Signals;
use mcp::http::Shutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use busy_body::BusyBody;
pub(crate) use connections::{Connection, client_prefix};
use connections::{Connections, OpenConnection};
pub use tls::Tls;
use write_timeout::WriteTimeout;

/// The default limit of authenticated connections. Each costs a few kilobytes, and the agents of one person hold a
/// handful.
pub const DEFAULT_MAX_CONNECTIONS: usize = 512;

/// How long a connection may stay unauthenticated. Programs send their token with the first request, and the login page
/// is loaded again when it is submitted.
const ANONYMOUS_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a client may take to send the head of a request, the first one or the next. It also ends idle connections and
/// slow-loris attacks.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How many calls run at once. Writes wait for the disk and share one commit, so more threads than cores help. More than
/// [`MAX_WRITES`] and those of the dialects: while commits hang, reads go on.
const MAX_THREADS: usize = 256;

/// How many of them may be writes of pages and API.
pub(crate) const MAX_WRITES: usize = 64;

/// Where and how a server listens.
pub struct Listening {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// The certificate; plain HTTP without one.
    pub tls: Option<Tls>,
    /// The limit of authenticated connections.
    pub max_connections: usize,
    /// The number of open connections.
    pub n_connections: Arc<AtomicUsize>,
}

impl Listening {
    /// Listens for plain connections.
    pub fn at(address: SocketAddr) -> Self {
        Self { address, tls: None, max_connections: DEFAULT_MAX_CONNECTIONS, n_connections: Arc::default() }
    }
}

/// The remote address of a connection; every request has one in its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Serves until the first SIGTERM or SIGINT, then completes the requests that were begun; a second signal does not wait.
/// `make` builds the routes once the address is known; `ready` is called when the server listens.
pub fn serve(
    listening: Listening,
    make: impl FnOnce(SocketAddr, &Shutdown) -> io::Result<Router>,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime =
        // One thread for all connections; handlers run on blocking threads, so it never waits.
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(MAX_THREADS).enable_all().build()?;
    let done = runtime.block_on(run(listening, make, ready));
    // After a second signal, handlers may still run; do not wait for them.
    runtime.shutdown_background();
    done
}

async fn run(
    listening: Listening,
    make: impl FnOnce(SocketAddr, &Shutdown) -> io::Result<Router>,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let signals = Signals::listen()?;
    let listener = TcpListener::bind(listening.address).await?;
    let address = listener.local_addr()?;
    let stop = Shutdown::default();
    let router = make(address, &stop)?;
    ready(address);
    let (serving, token) = (accept(listener, &listening, router, &stop), stop.token());
    tokio::select! {
        () = serving => {}
        () = signals.stop_then_leave(&token) => {}
    }
    Ok(())
}

/// Accepts connections until `stop`, then waits for the open ones to finish.
async fn accept(listener: TcpListener, listening: &Listening, router: Router, stop: &Shutdown) {
    let connections = Connections::new(listening.max_connections);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.wait() => break,
        };
        // The client may have gone already (ECONNABORTED), or file descriptors ran out (EMFILE): the pause avoids a
        // busy loop.
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (counted, tls) = (OpenCounter::one(&listening.n_connections), listening.tls.clone());
        let open = connections.open(peer.ip());
        let context = ConnectionContext { peer: Peer(peer), router: router.clone(), stop: stop.token() };
        stop.spawn(async move {
            // Dropping the future closes the connection at once.
            tokio::select! {
                () = serve_stream(stream, tls, context, &open) => {}
                () = open.closed() => {}
            }
            drop(counted);
        });
    }
    drop(listener);
    stop.finished().await;
}

/// The context of a connection.
struct ConnectionContext {
    peer: Peer,
    router: Router,
    stop: CancellationToken,
}

async fn serve_stream(stream: TcpStream, tls: Option<Tls>, context: ConnectionContext, open: &OpenConnection) {
    // Nagle's algorithm would hold small responses back until the client's delayed ACK, some 40 ms.
    let _ = stream.set_nodelay(true);
    let stream = WriteTimeout::new(stream);
    let Some(tls) = tls else { return serve_connection(stream, context, open).await };
    // A failed or slow handshake closes the connection.
    let agreed = tokio::select! {
        agreed = tokio::time::timeout(ANONYMOUS_TIMEOUT, tls.acceptor().accept(stream)) => agreed,
        () = context.stop.cancelled() => return,
    };
    if let Ok(Ok(stream)) = agreed {
        serve_connection(stream, context, open).await;
    }
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    context: ConnectionContext,
    open: &OpenConnection,
) {
    let ConnectionContext { peer, router, stop } = context;
    let router = TowerToHyperService::new(router);
    let handle = open.handle();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let busy = handle.begin_request();
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(handle.clone());
        let answer = has_one_host(&request).then(|| router.call(request));
        async move {
            let response = match answer {
                Some(answer) => answer.await?,
                None => bad_host(),
            };
            Ok::<_, Infallible>(response.map(|body| BusyBody::wrap(body, busy)))
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // A connection error concerns the client only.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = anonymous_timeout(open) => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Completes when a connection was idle and unauthenticated for too long; never for an authenticated one. A request in
/// progress has timeouts of its own.
async fn anonymous_timeout(open: &OpenConnection) {
    loop {
        tokio::time::sleep(ANONYMOUS_TIMEOUT).await;
        if !open.is_anonymous() {
            // Authenticated: never completes.
            std::future::pending::<()>().await;
        }
        if open.is_idle() {
            return;
        }
    }
}

/// Returns whether a request has exactly one `Host`, equal to the authority of an absolute URI. Anything else could be
/// read differently by a proxy, which enables request smuggling.
fn has_one_host<T>(request: &hyper::Request<T>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (host, another) = (hosts.next(), hosts.next());
    let is_same = |authority: &str| host.is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(authority.as_bytes()));
    another.is_none() && request.uri().authority().is_none_or(|authority| is_same(authority.as_str()))
}

fn bad_host() -> Response<Body> {
    (StatusCode::BAD_REQUEST, [(CONNECTION, "close")], "missing or ambiguous Host header\n").into_response()
}

/// Counts an open connection until it is dropped.
struct OpenCounter(Arc<AtomicUsize>);

impl OpenCounter {
    fn one(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(counter))
    }
}

impl Drop for OpenCounter {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
