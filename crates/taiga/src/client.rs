//! The client: one call, from credentials through limits and retries to an answer or an error.
//!
//! A write is sent once. Only an answer that says it was not carried out (401, and then once) lets it be sent again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::answer::Answer;
use crate::dto::User;
use crate::limiter::{Patience, RateLimiter};
use crate::query::Query;
use crate::secret::scrub;
use crate::session::{Renewal, Session};
use crate::transport::{Http, NoAnswer, Outgoing, Transport, Verb};
use crate::{AuthProblem, Clock, Credentials, Error, ErrorKind, Meter, Secret, Settings, SystemClock, TokenPair};

/// Talks to a Taiga server as one user. Clones share the connection, the limits and the tokens.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    meter: Meter,
    /// When the calls through this client must have ended, by the clock.
    deadline: Option<Duration>,
}

struct Shared {
    line: Line,
    session: Session,
}

/// What a log-in gives.
#[derive(Debug, Clone)]
pub struct Login {
    /// Who logged in.
    pub user: User,
    /// For [`Credentials::Stored`], by way of a store.
    pub tokens: TokenPair,
}

impl Login {
    pub(crate) fn read(answer: &Answer) -> Result<Self, Error> {
        Ok(Self { user: answer.json("/auth")?, tokens: answer.json("/auth")? })
    }
}

/// How many tokens of somebody else's are tried. One that was renewed for this call is the last.
const MAX_RENEWALS: usize = 3;

/// What is sent to log in.
#[derive(Serialize)]
struct LogInBody<'call> {
    #[serde(rename = "type")]
    kind: &'static str,
    username: &'call str,
    password: &'call str,
}

/// What is sent for the next pair of tokens.
#[derive(Serialize)]
struct RefreshBody<'call> {
    refresh: &'call str,
}

impl Client {
    /// Makes a client. Nothing is sent yet.
    pub fn new(settings: &Settings, credentials: Credentials) -> Result<Self, Error> {
        Self::with_clock(settings, credentials, Arc::new(SystemClock::new()))
    }

    /// Makes a client that takes the time from a clock of the caller's.
    pub fn with_clock(settings: &Settings, credentials: Credentials, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let line = Line::new(settings, clock)?;
        Ok(Self::on(line, credentials))
    }

    /// Logs in with a password. The name may be an e-mail address.
    pub fn log_in(settings: &Settings, username: &str, password: &Secret) -> Result<Login, Error> {
        let line = Line::new(settings, Arc::new(SystemClock::new()))?;
        let body = LogInBody { kind: "normal", username, password: password.expose() };
        Login::read(&line.anonymous("/auth", &body, &[password], None)?)
    }

    /// Returns this client with a meter of the caller's, to learn what the calls through it cost.
    #[must_use]
    pub fn metered(&self, meter: &Meter) -> Self {
        Self { shared: Arc::clone(&self.shared), meter: meter.clone(), deadline: self.deadline }
    }

    /// Returns this client with a limit of time for all calls through it together, retries and pauses included.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        let deadline = Some(self.shared.line.clock.now() + limit);
        Self { shared: Arc::clone(&self.shared), meter: self.meter.clone(), deadline }
    }

    pub(crate) fn on(line: Line, credentials: Credentials) -> Self {
        let shared = Shared { line, session: Session::new(credentials) };
        Self { shared: Arc::new(shared), meter: Meter::default(), deadline: None }
    }

    /// Asks for something and reads it.
    pub(crate) fn fetch<T: DeserializeOwned>(&self, path: &str, query: &Query) -> Result<T, Error> {
        self.read(path, query)?.json(path)
    }

    /// Asks for something.
    pub(crate) fn read(&self, path: &str, query: &Query) -> Result<Answer, Error> {
        self.call(Verb::Get, path, query, None)
    }

    /// Sends something and reads what comes of it.
    pub(crate) fn send<T: DeserializeOwned>(&self, verb: Verb, path: &str, body: &Value) -> Result<T, Error> {
        self.write(verb, path, &Query::default(), Some(body))?.json(path)
    }

    /// Changes something; what comes of it is for the caller to read.
    pub(crate) fn write(&self, verb: Verb, path: &str, query: &Query, body: Option<&Value>) -> Result<Answer, Error> {
        let body = body.map(to_bytes).transpose()?;
        self.call(verb, path, query, body.as_ref().map(|bytes| bytes.as_slice()))
    }

    /// Sends a request with a token, renews that if it is refused, and turns bad answers into errors.
    pub(crate) fn call(&self, verb: Verb, path: &str, query: &Query, body: Option<&[u8]>) -> Result<Answer, Error> {
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
            let answer = line.answer(&outgoing, &self.meter, self.deadline)?;
            if answer.is_success() {
                return Ok(answer);
            }
            let known = session.secrets();
            let secrets: Vec<&Secret> = known.iter().chain([&authorization.token]).collect();
            if answer.status != 401 || renewals >= MAX_RENEWALS {
                return Err(line.error(&answer, path, &secrets));
            }
            let renewal = session.renew(&authorization.token, |refresh| {
                let body = RefreshBody { refresh: refresh.expose() };
                line.anonymous("/auth/refresh", &body, &secrets, self.deadline)?.json("/auth/refresh")
            })?;
            match renewal {
                // What somebody else left may have run out as well.
                Renewal::Found => renewals += 1,
                Renewal::Refreshed => renewals = MAX_RENEWALS,
                Renewal::Impossible => return Err(line.error(&answer, path, &secrets)),
            }
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("meter", &self.meter).finish_non_exhaustive()
    }
}

/// The way to one server: limits and retries, without credentials.
pub(crate) struct Line {
    transport: Box<dyn Transport>,
    limiter: RateLimiter,
    clock: Arc<dyn Clock>,
    patience: Duration,
    /// How long one request may take.
    timeout: Duration,
}

/// How long to wait before a read is tried again, the first and the second time.
static BACKOFF: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1200)];

impl Line {
    fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        Ok(Self::over(Box::new(Http::new(settings, |name| std::env::var(name).ok())?), settings, clock))
    }

    pub(crate) fn over(transport: Box<dyn Transport>, settings: &Settings, clock: Arc<dyn Clock>) -> Self {
        let limiter = RateLimiter::new(Arc::clone(&clock), settings.max_concurrent);
        Self { transport, limiter, clock, patience: settings.patience, timeout: settings.timeout }
    }

    /// Sends something that needs no token, once.
    fn anonymous(
        &self,
        path: &str,
        body: &impl Serialize,
        secrets: &[&Secret],
        deadline: Option<Duration>,
    ) -> Result<Answer, Error> {
        let body = to_secret_bytes(body)?;
        let outgoing = Outgoing {
            verb: Verb::Post,
            path_and_query: path,
            authorization: None,
            body: Some(body.as_slice()),
            timeout: self.timeout,
        };
        let answer = self.answer(&outgoing, &Meter::default(), deadline)?;
        if answer.is_success() { Ok(answer) } else { Err(self.error(&answer, path, secrets)) }
    }

    /// Gets an answer, whatever it says. Reads are tried again when the network or a proxy in between fails, and after a
    /// pause that the server asked for; writes never.
    fn answer(&self, outgoing: &Outgoing<'_>, meter: &Meter, deadline: Option<Duration>) -> Result<Answer, Error> {
        let mut patience = Patience(self.patience);
        let mut backoff = BACKOFF.iter();
        loop {
            let pass = self.limiter.enter(&mut patience, meter)?;
            let timeout = self.time_left(deadline)?.min(self.timeout);
            let outgoing = Outgoing { timeout, ..*outgoing };
            meter.count_request();
            let result = self.transport.send(&outgoing);
            drop(pass);
            if let Ok(answer) = &result
                && answer.status == 429
            {
                self.limiter.close_for(answer.pause(self.clock.time_of_day()));
            }
            let wait = if outgoing.verb.is_read() { self.delay(&result, &patience, &mut backoff) } else { None };
            match wait {
                Some(wait) if self.time_left(deadline).is_ok_and(|left| left > wait) => self.clock.sleep(wait),
                _ => return result.map_err(|no_answer| lost(no_answer, outgoing.verb)),
            }
        }
    }

    /// Returns how much time is left for a call; an error if there is none.
    fn time_left(&self, deadline: Option<Duration>) -> Result<Duration, Error> {
        let Some(deadline) = deadline else { return Ok(Duration::MAX) };
        let left = deadline.saturating_sub(self.clock.now());
        if left.is_zero() { Err(Error::network("the server did not answer in time")) } else { Ok(left) }
    }

    /// How long to wait before a read is tried again; none if it should not be.
    fn delay(
        &self,
        result: &Result<Answer, NoAnswer>,
        patience: &Patience,
        backoff: &mut impl Iterator<Item = &'static Duration>,
    ) -> Option<Duration> {
        match result {
            Err(no_answer) if no_answer.is_passing => backoff.next().copied(),
            Ok(answer) if matches!(answer.status, 502..=504) => backoff.next().copied(),
            // The gate does the waiting, if that is not too long.
            Ok(answer) if answer.status == 429 && answer.pause(self.clock.time_of_day()) <= patience.0 => {
                backoff.next().map(|_| Duration::ZERO)
            }
            _ => None,
        }
    }

    fn error(&self, answer: &Answer, path: &str, secrets: &[&Secret]) -> Error {
        let mut error = answer.error(path, self.clock.time_of_day());
        error.message = scrub(&error.message, secrets);
        if let ErrorKind::Validation { fields, .. } = &mut error.kind {
            for why in fields.values_mut() {
                *why = scrub(why, secrets);
            }
        }
        error
    }
}

/// Says that no answer came. A write that was sent may have been carried out.
fn lost(no_answer: NoAnswer, verb: Verb) -> Error {
    let may_be_done = !verb.is_read() && !no_answer.is_unsent;
    Error { may_be_done, ..no_answer.error }
}

/// Writes JSON. A NUL in a text makes a Taiga fail, so it is refused here.
fn to_bytes(body: &Value) -> Result<Zeroizing<Vec<u8>>, Error> {
    if let Some(field) = field_with_nul(body) {
        return Err(Error::invalid(&field, "a text must not contain the character NUL"));
    }
    let bytes = serde_json::to_vec(body).map_err(|_| Error::unknown("the request cannot be written as JSON"))?;
    Ok(Zeroizing::new(bytes))
}

/// Writes JSON with a secret in it, in memory that is wiped and does not move while it grows.
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

/// Tells whether the user may not do something, or perhaps the thing is not there.
pub(crate) fn is_forbidden(error: &Error) -> bool {
    error.kind == ErrorKind::Auth(AuthProblem::Forbidden)
}
