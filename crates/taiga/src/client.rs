//! The client: one call, from credentials through limits and retries to a result or an error.
//!
//! A write is sent once. It is repeated only after a response that says it was not carried out (401), and then once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::dto::User;
use crate::limiter::{RateLimiter, WaitBudget};
use crate::query::Query;
use crate::response::HttpResponse;
use crate::secret::scrub;
use crate::session::{Renewal, Session};
use crate::transport::{Http, Outgoing, Transport, TransportFailure, Verb};
use crate::{AuthProblem, Clock, Credentials, Error, ErrorKind, Meter, Secret, Settings, SystemClock, TokenPair};

/// Talks to a Taiga server as one user. Clones share the connection, the limits and the tokens.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    meter: Meter,
    /// Deadline of all calls through this client, by the clock.
    deadline: Option<Duration>,
}

struct Shared {
    line: ServerConnection,
    session: Session,
}

/// The result of a login.
#[derive(Debug, Clone)]
pub struct Login {
    /// The user who logged in.
    pub user: User,
    /// For [`Credentials::Stored`]; put it into the token store.
    pub tokens: TokenPair,
}

impl Login {
    pub(crate) fn read(response: &HttpResponse) -> Result<Self, Error> {
        Ok(Self { user: response.json("/auth")?, tokens: response.json("/auth")? })
    }
}

/// How many renewed tokens of other processes are tried. A token that this call renewed itself is the last.
const MAX_RENEWALS: usize = 3;

/// Body of the login request.
#[derive(Serialize)]
struct LogInBody<'call> {
    #[serde(rename = "type")]
    kind: &'static str,
    username: &'call str,
    password: &'call str,
}

/// Body of the token refresh request.
#[derive(Serialize)]
struct RefreshBody<'call> {
    refresh: &'call str,
}

impl Client {
    /// Makes a client. Sends nothing yet.
    pub fn new(settings: &Settings, credentials: Credentials) -> Result<Self, Error> {
        Self::with_clock(settings, credentials, Arc::new(SystemClock::new()))
    }

    /// Makes a client with the caller's clock.
    pub fn with_clock(settings: &Settings, credentials: Credentials, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let line = ServerConnection::new(settings, clock)?;
        Ok(Self::on(line, credentials))
    }

    /// Logs in with a password. The user name may be an e-mail address.
    pub fn log_in(settings: &Settings, username: &str, password: &Secret) -> Result<Login, Error> {
        let line = ServerConnection::new(settings, Arc::new(SystemClock::new()))?;
        let body = LogInBody { kind: "normal", username, password: password.expose() };
        Login::read(&line.anonymous("/auth", &body, &[password], None)?)
    }

    /// Returns this client with the caller's meter, which counts its requests.
    #[must_use]
    pub fn metered(&self, meter: &Meter) -> Self {
        Self { shared: Arc::clone(&self.shared), meter: meter.clone(), deadline: self.deadline }
    }

    /// Returns this client with a time limit for all calls through it together, including retries and pauses.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        let deadline = Some(self.shared.line.clock.now() + limit);
        Self { shared: Arc::clone(&self.shared), meter: self.meter.clone(), deadline }
    }

    pub(crate) fn on(line: ServerConnection, credentials: Credentials) -> Self {
        let shared = Shared { line, session: Session::new(credentials) };
        Self { shared: Arc::new(shared), meter: Meter::default(), deadline: None }
    }

    /// Reads and parses a resource.
    pub(crate) fn fetch<T: DeserializeOwned>(&self, path: &str, query: &Query) -> Result<T, Error> {
        self.read(path, query)?.json(path)
    }

    pub(crate) fn read(&self, path: &str, query: &Query) -> Result<HttpResponse, Error> {
        self.call(Verb::Get, path, query, None)
    }

    /// Sends a body and parses the response.
    pub(crate) fn send<T: DeserializeOwned>(&self, verb: Verb, path: &str, body: &Value) -> Result<T, Error> {
        self.write(verb, path, &Query::default(), Some(body))?.json(path)
    }

    /// Sends a write; the caller parses the response.
    pub(crate) fn write(
        &self,
        verb: Verb,
        path: &str,
        query: &Query,
        body: Option<&Value>,
    ) -> Result<HttpResponse, Error> {
        let body = body.map(to_bytes).transpose()?;
        self.call(verb, path, query, body.as_ref().map(|bytes| bytes.as_slice()))
    }

    /// Sends a request with a token, renews the token if it is refused, and converts error responses.
    pub(crate) fn call(
        &self,
        verb: Verb,
        path: &str,
        query: &Query,
        body: Option<&[u8]>,
    ) -> Result<HttpResponse, Error> {
        let Shared { line, session } = &*self.shared;
        let path_and_query = query.after(path);
        let mut renewals = 0;
        loop {
            let authorization = session.authorization()?;
            let outgoing = Outgoing {
                verb,
                path_and_query: &path_and_query,
                authorization: Some(&authorization.header),
                body,
                timeout: line.timeout,
            };
            let response = line.send_with_retries(&outgoing, &self.meter, self.deadline)?;
            if response.is_success() {
                return Ok(response);
            }
            let known = session.secrets();
            let secrets: Vec<&Secret> = known.iter().chain([&authorization.token]).collect();
            if response.status != 401 || renewals >= MAX_RENEWALS {
                return Err(line.error(&response, path, &secrets));
            }
            let renewal = session.renew(&authorization.token, |refresh| {
                let body = RefreshBody { refresh: refresh.expose() };
                line.anonymous("/auth/refresh", &body, &secrets, self.deadline)?.json("/auth/refresh")
            })?;
            match renewal {
                // A token that another process stored may have expired as well.
                Renewal::Found => renewals += 1,
                Renewal::Refreshed => renewals = MAX_RENEWALS,
                Renewal::Impossible => return Err(line.error(&response, path, &secrets)),
            }
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("meter", &self.meter).finish_non_exhaustive()
    }
}

/// The connection to one server: limits and retries, without credentials.
pub(crate) struct ServerConnection {
    transport: Box<dyn Transport>,
    limiter: RateLimiter,
    clock: Arc<dyn Clock>,
    patience: Duration,
    /// Timeout of one request.
    timeout: Duration,
}

/// Delays before the first and the second retry of a read.
static BACKOFF: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1200)];

impl ServerConnection {
    fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        Ok(Self::over(Box::new(Http::new(settings, |name| std::env::var(name).ok())?), settings, clock))
    }

    pub(crate) fn over(transport: Box<dyn Transport>, settings: &Settings, clock: Arc<dyn Clock>) -> Self {
        let limiter = RateLimiter::new(Arc::clone(&clock), settings.max_concurrent);
        Self { transport, limiter, clock, patience: settings.patience, timeout: settings.timeout }
    }

    /// Sends a request without a token, once.
    fn anonymous(
        &self,
        path: &str,
        body: &impl Serialize,
        secrets: &[&Secret],
        deadline: Option<Duration>,
    ) -> Result<HttpResponse, Error> {
        let body = to_secret_bytes(body)?;
        let outgoing = Outgoing {
            verb: Verb::Post,
            path_and_query: path,
            authorization: None,
            body: Some(body.as_slice()),
            timeout: self.timeout,
        };
        let response = self.send_with_retries(&outgoing, &Meter::default(), deadline)?;
        if response.is_success() { Ok(response) } else { Err(self.error(&response, path, secrets)) }
    }

    /// Returns a response, whatever its status. Reads are retried when the network or a proxy fails, and after a pause
    /// that the server asked for; writes never.
    fn send_with_retries(
        &self,
        outgoing: &Outgoing<'_>,
        meter: &Meter,
        deadline: Option<Duration>,
    ) -> Result<HttpResponse, Error> {
        let mut patience = WaitBudget(self.patience);
        let mut backoff = BACKOFF.iter();
        loop {
            let pass = self.limiter.enter(&mut patience, meter)?;
            let timeout = self.time_left(deadline)?.min(self.timeout);
            let outgoing = Outgoing { timeout, ..*outgoing };
            meter.count_request();
            let result = self.transport.send(&outgoing);
            drop(pass);
            if let Ok(response) = &result
                && response.status == 429
            {
                // The pause applies to all requests of this client, not only to this one.
                self.limiter.close_for(response.pause(self.clock.time_of_day()));
            }
            let wait = if outgoing.verb.is_read() { self.delay(&result, &patience, &mut backoff) } else { None };
            match wait {
                Some(wait) if self.time_left(deadline).is_ok_and(|left| left > wait) => self.clock.sleep(wait),
                _ => return result.map_err(|failure| lost(failure, outgoing.verb)),
            }
        }
    }

    /// Returns the time until the deadline; an error if it has passed.
    fn time_left(&self, deadline: Option<Duration>) -> Result<Duration, Error> {
        let Some(deadline) = deadline else { return Ok(Duration::MAX) };
        let left = deadline.saturating_sub(self.clock.now());
        if left.is_zero() { Err(Error::network("the server did not answer in time")) } else { Ok(left) }
    }

    /// Returns the delay before a retry; `None` if the request must not be retried.
    fn delay(
        &self,
        result: &Result<HttpResponse, TransportFailure>,
        patience: &WaitBudget,
        backoff: &mut impl Iterator<Item = &'static Duration>,
    ) -> Option<Duration> {
        match result {
            Err(failure) if failure.is_passing => backoff.next().copied(),
            Ok(response) if matches!(response.status, 502..=504) => backoff.next().copied(),
            // The rate limiter waits for the pause, if it is not too long.
            Ok(response) if response.status == 429 && response.pause(self.clock.time_of_day()) <= patience.0 => {
                backoff.next().map(|_| Duration::ZERO)
            }
            _ => None,
        }
    }

    fn error(&self, response: &HttpResponse, path: &str, secrets: &[&Secret]) -> Error {
        let mut error = response.error(path, self.clock.time_of_day());
        error.message = scrub(&error.message, secrets);
        if let ErrorKind::Validation { fields, .. } = &mut error.kind {
            for why in fields.values_mut() {
                *why = scrub(why, secrets);
            }
        }
        error
    }
}

/// The error for a missing response. A write that was sent may have been carried out.
fn lost(failure: TransportFailure, verb: Verb) -> Error {
    let may_be_done = !verb.is_read() && !failure.is_unsent;
    Error { may_be_done, ..failure.error }
}

/// Serializes a body. Taiga fails on a NUL character in a text, so it is rejected here.
fn to_bytes(body: &Value) -> Result<Zeroizing<Vec<u8>>, Error> {
    if let Some(field) = field_with_nul(body) {
        return Err(Error::invalid(&field, "a text must not contain the character NUL"));
    }
    let bytes = serde_json::to_vec(body).map_err(|_| Error::unknown("the request cannot be written as JSON"))?;
    Ok(Zeroizing::new(bytes))
}

/// Serializes a body with a secret. The buffer is wiped after use, and large enough not to be reallocated, which would
/// leave a copy.
fn to_secret_bytes(body: &impl Serialize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 << 10));
    serde_json::to_writer(&mut *bytes, body).map_err(|_| Error::unknown("the request cannot be written as JSON"))?;
    Ok(bytes)
}

fn field_with_nul(body: &Value) -> Option<String> {
    let fields = body.as_object()?;
    fields.iter().find(|(_, value)| has_nul(value)).map(|(field, _)| field.clone())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields.values().any(has_nul),
        _ => false,
    }
}

/// Returns whether the user lacks the permission. Taiga also answers so for objects that do not exist.
pub(crate) fn is_forbidden(error: &Error) -> bool {
    error.kind == ErrorKind::Auth(AuthProblem::Forbidden)
}
