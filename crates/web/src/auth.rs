//! Authentication: maps each request to a principal, or refuses it. Dialects, API and pages are all behind it.
//!
//! Programs send a token with each request; people log in once and send a session cookie, which is valid for pages and
//! API only.

mod auth_mode;
mod bearer;
mod headers;
mod limits;
mod login;
mod origin;
mod refusal;
mod return_to;
mod revocable;
mod sessions;
mod streams;
mod timeouts;
mod token_index;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use database::Database;
use mcp::Caller;
use mcp::http::{Access, Guard};

use crate::listen::Connection;
use crate::proxy::Proxy;
use crate::tokens::{Fingerprint, TokenSecret, Tokens};
use crate::watch::{Authenticated, Record, Watch, is_stream};
pub use auth_mode::{AuthMode, StaticToken};
pub use limits::Rate;
use limits::{Failures, Rates};
use refusal::Refusal;
use revocable::Revocable;
use sessions::{Cookie, Sessions};
use streams::Streams;
use token_index::{Key, TokenIndex};

/// The authentication layer; cheap to clone.
#[derive(Clone)]
pub(crate) struct Auth(Arc<Inner>);

struct Inner {
    token_index: TokenIndex,
    rates: Rates,
    failures: Failures,
    sessions: Sessions,
    first_login: Option<FirstLogin>,
    streams: Streams,
    access: Access,
    watch: Watch,
    is_private: bool,
    proxy: Proxy,
}

/// A login key for the browsers of the person who runs `cairn board`; it is valid as long as the server runs.
struct FirstLogin {
    key: Fingerprint,
    token: Fingerprint,
}

/// How to authenticate.
pub(crate) struct AuthOptions<'a> {
    pub(crate) auth_mode: AuthMode,
    pub(crate) first_login: Option<TokenSecret>,
    pub(crate) rate: Rate,
    /// The folder of the token and session files.
    pub(crate) folder: &'a Path,
    /// The database of tokens, sessions and failed logins, if several servers share one.
    pub(crate) database: Option<Arc<Database>>,
    pub(crate) address: SocketAddr,
    pub(crate) is_private: bool,
    pub(crate) proxy: Proxy,
    pub(crate) access: Access,
    pub(crate) watch: Watch,
}

impl Auth {
    pub(crate) fn new(options: AuthOptions<'_>) -> io::Result<Self> {
        let token = match &options.auth_mode {
            AuthMode::Tokens(tokens) => tokens.first().map(|token| token.secret.fingerprint()),
            AuthMode::Open => None,
        };
        // Behind a proxy, browsers use TLS.
        let is_private = options.is_private || options.proxy == Proxy::InFront;
        let first_login =
            options.first_login.zip(token).map(|(key, token)| FirstLogin { key: key.fingerprint(), token });
        let port = options.address.port();
        let (tokens, sessions, failures) = if let Some(database) = options.database {
            let (cookie, failures) = (Cookie::of_database(&database, is_private), Failures::shared(&database)?);
            (Tokens::shared(Arc::clone(&database)), Sessions::shared(database, cookie)?, failures)
        } else {
            let sessions = Sessions::in_folder(options.folder, Cookie::of(port, is_private))?;
            (Tokens::in_folder(options.folder), sessions, Failures::default())
        };
        Ok(Self(Arc::new(Inner {
            token_index: TokenIndex::new(options.auth_mode, tokens)?,
            rates: Rates::new(options.rate),
            failures,
            sessions,
            first_login,
            streams: Streams::default(),
            access: options.access,
            watch: options.watch,
            is_private,
            proxy: options.proxy,
        })))
    }

    /// Returns the check that the MCP endpoints run on each request.
    pub(crate) fn guard(&self) -> Guard {
        let auth = self.clone();
        Arc::new(move |parts| {
            let authenticated = auth.admit_program(parts);
            let authenticated =
                authenticated.map_err(|refusal| Box::new(refusal.answer(&parts.method, parts.uri.path())))?;
            Ok(Some(caller(&authenticated)))
        })
    }

    /// Adds authentication, body limits and security headers to the routes of pages and API.
    pub(crate) fn before(&self, router: Router) -> Router {
        let own = router.layer(from_fn(timeouts::limit)).layer(from_fn_with_state(self.clone(), authenticate));
        let login = login::routes(self.clone()).layer(from_fn(timeouts::limit));
        let login = login.layer(from_fn_with_state(self.clone(), check_host));
        own.merge(login).layer(from_fn(headers::protect))
    }

    /// Limits the streams of each token, ends them when the token is revoked, and sets HSTS if the connection is
    /// encrypted, here or at a proxy.
    pub(crate) fn over_all(&self, router: Router) -> Router {
        let router = router.layer(from_fn_with_state(self.clone(), end_streams_with_token));
        if !self.0.is_private {
            return router;
        }
        router.layer(from_fn_with_state(self.0.proxy, headers::keep_private))
    }

    /// Checks that a request may read the metrics: it must be authenticated. A loopback address proves nothing, since a
    /// local proxy forwards requests of others.
    pub(crate) fn check_metrics(&self, parts: &Parts) -> Result<(), Box<Response>> {
        let refuse = |refusal: Refusal| Box::new(refusal.answer(&parts.method, "/api"));
        if !self.0.access.admits(&parts.headers) {
            return Err(refuse(Refusal::Misnamed));
        }
        self.admit(parts).map(|_| ()).map_err(refuse)
    }

    /// Authenticates a request to pages or API, by session cookie or token.
    fn admit(&self, parts: &Parts) -> Result<Authenticated, Refusal> {
        let inner = &self.0;
        let has_cookie = inner.token_index.anyone().is_none() && bearer::token(&parts.headers).is_none();
        let session = if has_cookie { inner.sessions.try_find(&parts.headers, app::now()) } else { None };
        let Some(token) = session else { return self.admit_program(parts) };
        let key = inner.token_index.try_find(&token).ok_or(Refusal::Unknown)?;
        if !parts.method.is_safe() && !origin::is_same_origin(&parts.headers) {
            return Err(Refusal::Foreign);
        }
        self.accept(key, parts)
    }

    /// Authenticates a request by its token alone.
    fn admit_program(&self, parts: &Parts) -> Result<Authenticated, Refusal> {
        if let Some(anyone) = self.0.token_index.anyone() {
            let authenticated = Authenticated { principal: anyone.clone(), token: None };
            identify(parts, &authenticated);
            keep_connection(parts, &authenticated)?;
            return Ok(authenticated);
        }
        let token = bearer::token(&parts.headers).ok_or(Refusal::Unknown)?;
        let key = self.check(token, parts)?;
        self.accept(key, parts)
    }

    /// Looks a token up. An address with too many failures must wait, since a token chosen by a person may be guessed. A
    /// generated token cannot be guessed, so it stays valid from a locked address.
    fn check(&self, token: &str, parts: &Parts) -> Result<Key, Refusal> {
        let (inner, now) = (&self.0, Instant::now());
        // Requests without a known address share one failure count.
        let address = parts.extensions.get::<Record>().and_then(Record::address).unwrap_or(IpAddr::from([0, 0, 0, 0]));
        let locked = inner.failures.locked(address, now);
        let key = inner.token_index.try_find(&Fingerprint::of(token));
        match (key, locked) {
            (Some(key), None) => Ok(key),
            (Some(key), Some(_)) if !key.is_chosen => Ok(key),
            (_, Some(wait)) => Err(Refusal::TooMany(wait)),
            (None, None) => {
                inner.failures.count(address, now);
                Err(Refusal::Unknown)
            }
        }
    }

    fn accept(&self, key: Key, parts: &Parts) -> Result<Authenticated, Refusal> {
        let authenticated = Authenticated { principal: key.principal, token: Some(key.fingerprint) };
        identify(parts, &authenticated);
        keep_connection(parts, &authenticated)?;
        self.0.rates.take(&authenticated.principal.name, Instant::now()).map_err(Refusal::TooMany)?;
        Ok(authenticated)
    }

    /// Redeems a login key; returns its token.
    fn redeem(&self, key: &str) -> Option<Fingerprint> {
        let first = self.0.first_login.as_ref()?;
        bool::from(first.key.matches(&Fingerprint::of(key))).then_some(first.token)
    }
}

async fn authenticate(State(auth): State<Auth>, request: Request, next: Next) -> Response {
    if !auth.0.access.admits(request.headers()) {
        return Refusal::Misnamed.answer(request.method(), request.uri().path());
    }
    let (mut parts, body) = request.into_parts();
    let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
    let authenticated = match auth.admit(&parts) {
        Ok(authenticated) => authenticated,
        Err(refusal) => return refusal.answer_principal(&parts),
    };
    parts.extensions.insert(authenticated.principal);
    let record = parts.extensions.get::<Record>().filter(|_| !method.is_safe()).cloned();
    let writing = record.map(|record| auth.0.watch.writing(record, &method, &path));
    let response = next.run(Request::from_parts(parts, body)).await;
    if let Some(writing) = writing {
        writing.end(response.status());
    }
    response
}

async fn check_host(State(auth): State<Auth>, request: Request, next: Next) -> Response {
    if auth.0.access.admits(request.headers()) {
        next.run(request).await
    } else {
        Refusal::Misnamed.answer(request.method(), request.uri().path())
    }
}

async fn end_streams_with_token(State(auth): State<Auth>, request: Request, next: Next) -> Response {
    let record = request.extensions().get::<Record>().cloned();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let authenticated = record.as_ref().and_then(Record::authenticated).filter(|_| is_stream(&response));
    let Some(authenticated) = authenticated else { return response };
    // The response to a call may be a stream too. It must not be refused, because the call has begun; it ends by itself.
    let listens = method.is_safe();
    let stream = if listens { auth.0.streams.try_open(&authenticated.principal.name) } else { None };
    if listens && stream.is_none() {
        return Refusal::Crowded.answer(&method, &path);
    }
    let token = authenticated.token;
    let is_open = move || token.is_none_or(|token| auth.0.token_index.try_find(&token).is_some());
    response.map(|body| Revocable::wrap(body, stream, is_open))
}

/// Moves the connection of a request to the budget of its principal, so that anonymous connections cannot evict it.
fn keep_connection(parts: &Parts, authenticated: &Authenticated) -> Result<(), Refusal> {
    let Some(connection) = parts.extensions.get::<Connection>() else { return Ok(()) };
    connection.admit(&authenticated.principal.name).map_err(|_| Refusal::Crowded)
}

fn identify(parts: &Parts, authenticated: &Authenticated) {
    if let Some(record) = parts.extensions.get::<Record>() {
        record.identify(authenticated);
    }
}

fn caller(authenticated: &Authenticated) -> Caller {
    let principal = &authenticated.principal;
    Caller {
        name: principal.name.clone(),
        acts_as: principal.person.as_ref().map(ToString::to_string),
        may_write: principal.role.may_write(),
    }
}
