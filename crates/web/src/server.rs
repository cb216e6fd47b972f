//! Combines pages, API, MCP endpoints, health and metrics into one router on one address.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use app::Error;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use database::{Database, Options};
use dialects::ServerContext;
use mcp::Service;
use mcp::http::{Access, HttpServices, Shutdown};
use serde_json::json;

use crate::audit::{AuditLog, AuditWriter, SharedAuditLog};
use crate::auth::{Auth, AuthMode, AuthOptions, Rate};
use crate::compress::compress;
use crate::listen::{self, Listening, Tls};
use crate::metrics::{Format, Metrics};
use crate::proxy::Proxy;
use crate::shared::Shared;
use crate::tokens::{TokenSecret, folder_of};
use crate::watch::{Log, Watch};
use crate::{api, health, pages};

/// Settings of a server.
pub struct ServerSettings {
    /// Listen address; port 0 takes a free one.
    pub address: SocketAddr,
    /// Opens the dialects, each mounted at `/mcp/NAME`.
    pub services: Open,
    /// The dialect that is also mounted at `/mcp`.
    pub chosen: &'static str,
    /// The repository and the environment of the server.
    pub context: ServerContext,
    /// The database of tokens, sessions, audit records and failed logins, if several servers share one.
    pub database: Option<Arc<Database>>,
    /// The authentication mode.
    pub auth_mode: AuthMode,
    /// A login key for browsers, which log in with the first static token.
    pub first_login: Option<TokenSecret>,
    /// Host names of the server, in addition to this machine's own.
    pub hosts: Vec<String>,
    /// TLS configuration; plain HTTP without one.
    pub tls: Option<Tls>,
    /// Allows plain HTTP on addresses that other machines can reach, where tokens can be read in transit.
    pub allows_plain: bool,
    /// Whether a reverse proxy is in front.
    pub proxy: Proxy,
    /// Maximum number of authenticated connections.
    pub max_connections: usize,
    /// Rate limit per token.
    pub rate: Rate,
    /// Receives each request after its response.
    pub log: Option<Log>,
}

/// Opens the services, once the server has completed the context.
pub type Open = Box<dyn FnOnce(&ServerContext) -> Vec<Service>>;

/// Serves until a signal; `ready` is called with the address when the server listens.
pub fn serve(settings: ServerSettings, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let address = settings.address;
    // Checked before the server listens.
    check(&settings)?;
    let listening = Listening {
        address,
        // The listener ends TLS; the routes only need to know that there is a certificate.
        tls: settings.tls.clone(),
        max_connections: settings.max_connections,
        n_connections: Arc::default(),
    };
    let cannot_serve = |error| Error::unavailable(format!("cannot serve on {address}: {error}"));
    let observed = observe(settings, Arc::clone(&listening.n_connections))?;
    // Dropped here, outside of the async runtime, where closing a connection may block.
    let _databases = (observed.settings.database.clone(), observed.own_database.clone());
    let watch = observed.watch.clone();
    let make = |address, stop: &Shutdown| build(observed, address, stop);
    let served = listen::serve(listening, make, ready);
    watch.flush();
    served.map_err(cannot_serve)
}

/// Builds the routes of a server without a socket, as if it listened on the address of its settings.
pub fn router(settings: ServerSettings, stop: &Shutdown) -> Result<Router, Error> {
    check(&settings)?;
    let address = settings.address;
    build(observe(settings, Arc::default())?, address, stop).map_err(|error| Error::unavailable(error.to_string()))
}

/// Connections of its own for authentication: behind the catch-up of a large log, a revoked token would stay valid.
fn separate(database: &Database) -> Result<Arc<Database>, Error> {
    let options = Options { max_connections: 4, statement_timeout: Duration::from_secs(5), ..Options::default() };
    Ok(Arc::new(Database::lazy(database.address().clone(), &options)?))
}

/// Settings, with what observes requests.
struct Observed {
    settings: ServerSettings,
    watch: Watch,
    /// The same database as that of the settings, with other connections.
    own_database: Option<Arc<Database>>,
}

/// Starts what observes requests, and counts the notices of the store too.
fn observe(mut settings: ServerSettings, n_connections: Arc<AtomicUsize>) -> Result<Observed, Error> {
    let folder = folder_of(&settings.context.place)?;
    let own_database = settings.database.as_deref().map(separate).transpose()?;
    let metrics = Metrics::new(n_connections);
    settings.context.listener = metrics.over(Arc::clone(&settings.context.listener));
    let audit = match own_database.clone() {
        Some(database) => AuditWriter::start(SharedAuditLog::new(database, &folder)),
        None => AuditWriter::start(AuditLog::in_folder(&folder)),
    };
    let audit = audit.map_err(|error| Error::unavailable(format!("cannot write the audit log: {error}")))?;
    let watch = Watch::new(audit, metrics, settings.log.take(), settings.proxy);
    Ok(Observed { settings, watch, own_database })
}

fn build(observed: Observed, address: SocketAddr, stop: &Shutdown) -> io::Result<Router> {
    let Observed { settings, watch, own_database } = observed;
    let folder = folder_of(&settings.context.place).map_err(io::Error::other)?;
    let services = (settings.services)(&settings.context);
    let access = Access::anywhere(address, &settings.hosts);
    let auth = Auth::new(AuthOptions {
        auth_mode: settings.auth_mode,
        first_login: settings.first_login,
        rate: settings.rate,
        folder: &folder,
        database: own_database.clone(),
        address,
        is_private: settings.tls.is_some(),
        proxy: settings.proxy,
        access: access.clone(),
        watch: watch.clone(),
    })?;
    let services = HttpServices { services, chosen: Some(settings.chosen), access: access.with_guard(auth.guard()) };
    let shared = Shared::new(settings.context);
    let own = pages::routes(shared.clone()).merge(api::routes(shared.clone(), stop));
    let health = health::routes(shared, settings.database.into_iter().chain(own_database).collect());
    Ok(routes(&auth, &watch, health, own, mcp::http::router(services, stop)))
}

fn check(settings: &ServerSettings) -> Result<(), Error> {
    let address = settings.address;
    if address.ip().is_loopback() {
        return Ok(());
    }
    if matches!(settings.auth_mode, AuthMode::Open) {
        return Err(Error::invalid(format!("`{address}` can be reached by other machines, and no token is required"))
            .hint("make a token with `cairn token create NAME`"));
    }
    if settings.tls.is_none() && !settings.allows_plain && settings.proxy == Proxy::None {
        return Err(Error::invalid(format!("tokens would be sent to `{address}` unencrypted"))
            .hint("give a certificate with `--tls-cert` and `--tls-key`; or, behind a proxy that has one, say `--behind-proxy`"));
    }
    Ok(())
}

// Unknown paths need authentication too, so that they reveal nothing; the pages answer them with 404.
fn routes(auth: &Auth, watch: &Watch, health: Router, own: Router, dialects: Router) -> Router {
    let open = health.route("/metrics", numbers(auth.clone(), watch.metrics().clone()));
    let own = own.route("/mcp/{*rest}", any(no_dialect)).route("/mcp/", any(no_dialect));
    // Not the dialects: their answers are streams, or small.
    let all = auth.before(own).layer(from_fn(compress)).merge(dialects).merge(open);
    watch.over(auth.over_all(all))
}

// Clients of this path are programs, so the error is JSON and not a page.
async fn no_dialect() -> Response {
    let body = json!({"error": "Not Found", "hint": "`/mcp`, or `/mcp/NAME` with the name of a dialect"});
    (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn numbers(auth: Auth, metrics: Metrics) -> axum::routing::MethodRouter {
    get(async move |request: Request| -> Response {
        let (parts, _) = request.into_parts();
        if let Err(refused) = auth.check_metrics(&parts) {
            return *refused;
        }
        let format = Format::wanted(&parts.headers);
        match metrics.text(format) {
            Ok(text) => ([(CONTENT_TYPE, format.content_type()), (VARY, "Accept")], text).into_response(),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    })
}
