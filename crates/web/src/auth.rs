//! The door: who gets in, and as whom. It stands in front of dialects, API and pages alike.
//!
//! Programs bring a token in the head of each request; people log in once and bring a cookie, which counts for pages and
//! API only.

mod bearer;
mod entrance;
mod headers;
mod keyring;
mod limits;
mod login;
mod origin;
mod patience;
mod refusal;
mod revocable;
mod sessions;
mod streams;
mod way_back;

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use mcp::Caller;
use mcp::http::{Access, Connection, Guard};

use crate::proxy::Proxy;
use crate::tokens::{Fingerprint, Secret, Tokens};
use crate::watch::{Guest, Record, Watch, is_stream};
pub use entrance::{Entrance, Pass};
use keyring::{Key, Keyring};
pub use limits::Rate;
use limits::{Failures, Rates};
use refusal::Refusal;
use revocable::Revocable;
use sessions::{Cookie, Sessions};
use streams::Streams;

/// The door; cheap to clone.
#[derive(Clone)]
pub(crate) struct Door(Arc<Inner>);

struct Inner {
    keyring: Keyring,
    rates: Rates,
    failures: Failures,
    sessions: Sessions,
    first_login: Mutex<Option<FirstLogin>>,
    streams: Streams,
    access: Access,
    watch: Watch,
    is_private: bool,
    proxy: Proxy,
}

/// What lets a browser in once, without a token: for the one that we open ourselves.
struct FirstLogin {
    key: Fingerprint,
    token: Fingerprint,
}

/// What a door is made of.
pub(crate) struct Plan<'a> {
    pub(crate) entrance: Entrance,
    pub(crate) first_login: Option<Secret>,
    pub(crate) rate: Rate,
    /// Where our own files are.
    pub(crate) folder: &'a Path,
    pub(crate) address: SocketAddr,
    pub(crate) is_private: bool,
    pub(crate) proxy: Proxy,
    pub(crate) access: Access,
    pub(crate) watch: Watch,
}

impl Door {
    pub(crate) fn new(plan: Plan<'_>) -> Self {
        let token = match &plan.entrance {
            Entrance::Tokens(passes) => passes.first().map(|pass| pass.secret.fingerprint()),
            Entrance::Open => None,
        };
        // A proxy in front speaks TLS with browsers.
        let is_private = plan.is_private || plan.proxy == Proxy::InFront;
        let first_login = plan.first_login.zip(token).map(|(key, token)| FirstLogin { key: key.fingerprint(), token });
        Self(Arc::new(Inner {
            keyring: Keyring::new(plan.entrance, Tokens::in_folder(plan.folder)),
            rates: Rates::new(plan.rate),
            failures: Failures::default(),
            sessions: Sessions::in_folder(plan.folder, Cookie::of(plan.address.port(), is_private)),
            first_login: Mutex::new(first_login),
            streams: Streams::default(),
            access: plan.access,
            watch: plan.watch,
            is_private,
            proxy: plan.proxy,
        }))
    }

    /// Returns the guard of the dialects.
    pub(crate) fn guard(&self) -> Guard {
        let door = self.clone();
        Arc::new(move |parts| {
            let guest = door.admit_program(parts);
            let guest = guest.map_err(|refusal| Box::new(refusal.answer(&parts.method, parts.uri.path())))?;
            Ok(Some(caller(&guest)))
        })
    }

    /// Puts the door in front of pages and API.
    pub(crate) fn before(&self, router: Router) -> Router {
        let own = router.layer(from_fn(patience::limit)).layer(from_fn_with_state(self.clone(), pass));
        let login = login::routes(self.clone()).layer(from_fn(patience::limit));
        let login = login.layer(from_fn_with_state(self.clone(), pass_by));
        own.merge(login).layer(from_fn(headers::protect))
    }

    /// Limits the streams of each token, ends them when it is revoked, and has browsers come by TLS where they can.
    pub(crate) fn over_all(&self, router: Router) -> Router {
        let router = router.layer(from_fn_with_state(self.clone(), end_with_token));
        if !self.0.is_private {
            return router;
        }
        router.layer(from_fn_with_state(self.0.proxy, headers::keep_private))
    }

    /// Tells whether someone may see the numbers: whoever may come in. That a request comes from this machine proves
    /// nothing, since a proxy on it passes on those of others.
    pub(crate) fn may_measure(&self, parts: &Parts) -> Result<(), Box<Response>> {
        let refuse = |refusal: Refusal| Box::new(refusal.answer(&parts.method, "/api"));
        if !self.0.access.admits(&parts.headers) {
            return Err(refuse(Refusal::Misnamed));
        }
        self.admit(parts).map(|_| ()).map_err(refuse)
    }

    /// Finds out who sent a request to pages or API.
    fn admit(&self, parts: &Parts) -> Result<Guest, Refusal> {
        let inner = &self.0;
        let has_cookie = inner.keyring.anyone().is_none() && bearer::token(&parts.headers).is_none();
        let session = if has_cookie { inner.sessions.try_find(&parts.headers, app::now()) } else { None };
        let Some(token) = session else { return self.admit_program(parts) };
        let key = inner.keyring.try_find(&token).ok_or(Refusal::Unknown)?;
        if !parts.method.is_safe() && !origin::is_same_origin(&parts.headers) {
            return Err(Refusal::Foreign);
        }
        self.welcome(key, parts)
    }

    /// Finds out who sent a request, by its token alone.
    fn admit_program(&self, parts: &Parts) -> Result<Guest, Refusal> {
        if let Some(anyone) = self.0.keyring.anyone() {
            let guest = Guest { visitor: anyone.clone(), token: None };
            identify(parts, &guest);
            keep_connection(parts, &guest)?;
            return Ok(guest);
        }
        let token = bearer::token(&parts.headers).ok_or(Refusal::Unknown)?;
        let key = self.check(token, parts)?;
        self.welcome(key, parts)
    }

    /// Finds the key that a token is. Whoever sent too many wrong ones must wait: a token that a person made up may be
    /// guessed. One of ours cannot be, so it opens the door from every address, whoever else there guesses.
    fn check(&self, token: &str, parts: &Parts) -> Result<Key, Refusal> {
        let (inner, now) = (&self.0, Instant::now());
        let address = parts.extensions.get::<Record>().and_then(Record::address).unwrap_or(IpAddr::from([0, 0, 0, 0]));
        let locked = inner.failures.locked(address, now);
        let key = inner.keyring.try_find(&Fingerprint::of(token));
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

    fn welcome(&self, key: Key, parts: &Parts) -> Result<Guest, Refusal> {
        let guest = Guest { visitor: key.visitor, token: Some(key.fingerprint) };
        identify(parts, &guest);
        keep_connection(parts, &guest)?;
        self.0.rates.take(&guest.visitor.name).map_err(Refusal::TooMany)?;
        Ok(guest)
    }

    /// Returns the token that the key of this run stands for, the first time.
    fn redeem(&self, key: &str) -> Option<Fingerprint> {
        let mut first = self.0.first_login.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = first.as_ref().is_some_and(|first| bool::from(first.key.matches(&Fingerprint::of(key))));
        if is_it { first.take().map(|first| first.token) } else { None }
    }
}

async fn pass(State(door): State<Door>, request: Request, next: Next) -> Response {
    if !door.0.access.admits(request.headers()) {
        return Refusal::Misnamed.answer(request.method(), request.uri().path());
    }
    let (mut parts, body) = request.into_parts();
    let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
    let guest = match door.admit(&parts) {
        Ok(guest) => guest,
        Err(refusal) => return refusal.answer_visitor(&parts),
    };
    parts.extensions.insert(guest.visitor);
    let record = parts.extensions.get::<Record>().filter(|_| !method.is_safe()).cloned();
    let writing = record.map(|record| door.0.watch.writing(record, &method, &path));
    let response = next.run(Request::from_parts(parts, body)).await;
    if let Some(writing) = writing {
        writing.end(response.status());
    }
    response
}

async fn pass_by(State(door): State<Door>, request: Request, next: Next) -> Response {
    if door.0.access.admits(request.headers()) {
        next.run(request).await
    } else {
        Refusal::Misnamed.answer(request.method(), request.uri().path())
    }
}

async fn end_with_token(State(door): State<Door>, request: Request, next: Next) -> Response {
    let record = request.extensions().get::<Record>().cloned();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let guest = record.as_ref().and_then(Record::guest).filter(|_| is_stream(&response));
    let Some(guest) = guest else { return response };
    // The answer to a call may be a stream, too, and must not be refused: the call has begun. It ends by itself.
    let listens = method.is_safe();
    let stream = if listens { door.0.streams.try_open(&guest.visitor.name) } else { None };
    if listens && stream.is_none() {
        return Refusal::Crowded.answer(&method, &path);
    }
    let token = guest.token;
    let is_open = move || token.is_none_or(|token| door.0.keyring.try_find(&token).is_some());
    response.map(|body| Revocable::wrap(body, stream, is_open))
}

/// Counts the connection of a request for whoever sent it, so that it is no longer one of those that anybody can push
/// out.
fn keep_connection(parts: &Parts, guest: &Guest) -> Result<(), Refusal> {
    let Some(connection) = parts.extensions.get::<Connection>() else { return Ok(()) };
    connection.admit(&guest.visitor.name).map_err(|_| Refusal::Crowded)
}

fn identify(parts: &Parts, guest: &Guest) {
    if let Some(record) = parts.extensions.get::<Record>() {
        record.identify(guest);
    }
}

fn caller(guest: &Guest) -> Caller {
    let visitor = &guest.visitor;
    Caller {
        name: visitor.name.clone(),
        acts_as: visitor.person.as_ref().map(ToString::to_string),
        may_write: visitor.role.may_write(),
    }
}
