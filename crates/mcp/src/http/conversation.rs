//! Clients with sessions: `initialize`, requests, the event stream, resumption and `DELETE`.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::Value;

use super::body::DeliveryBody;
use super::endpoint::{ClassifiedMessage, Endpoint, EndpointResult, ErrorResponse, VERSION, error_code, json};
use super::era::Era;
use super::log::{COMMON, Log, Reader};
use super::media;
use super::session::Session;
use crate::call::Caller;
use crate::delivery::Delivery;
use crate::validate::{INVALID_REQUEST, Refusal, Verdict};

/// How long a response may take to be sent as plain JSON. After that an event stream is opened, so that the client sees
/// that the server is alive and can resume the stream.
const QUICK_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval of keep-alive comments on an idle stream.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// The `retry` value of event streams: how long a client should wait before it resumes a broken stream.
const RETRY_INTERVAL_MS: u32 = 1000;

/// Index of the priming event, the first event of a stream.
const PRIMING: &str = "p";

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

impl Endpoint {
    /// Answers a request in a session, or begins one.
    pub(super) async fn converse(
        &self,
        mut parts: Parts,
        message: ClassifiedMessage,
        caller: Option<Caller>,
    ) -> EndpointResult {
        if message.is_initialize() {
            return self.begin(parts, message, caller).await;
        }
        let session = self.session(&parts.headers, caller.as_ref(), message.id())?;
        let (id, message) = match message {
            ClassifiedMessage::Request(id, message) => (id, message),
            ClassifiedMessage::Notification(message) | ClassifiedMessage::Response(message) => {
                session.accept(message).await;
                return Ok(StatusCode::ACCEPTED.into_response());
            }
        };
        let is_primed = has_priming(&parts.headers);
        let delivery = Delivery::default();
        parts.extensions.insert(delivery.clone());
        let asked = session.request(id, message, parts, delivery).await;
        let stream = asked.map_err(|refusal| self.refuse(self.status(Era::Legacy, &refusal), &refusal))?;
        Ok(self.stream(&session, stream, is_primed).await)
    }

    async fn begin(&self, parts: Parts, message: ClassifiedMessage, caller: Option<Caller>) -> EndpointResult {
        let session = Arc::new(Session::start(self.server.for_session(), caller));
        let ClassifiedMessage::Request(id, message) = message else {
            return Ok(StatusCode::BAD_REQUEST.into_response());
        };
        let asked = session.request(id.clone(), message, parts, Delivery::default()).await;
        let stream = asked.map_err(|refusal| self.refuse(self.status(Era::Legacy, &refusal), &refusal))?;
        let Some(answer) = session.log.only_event(stream).await else {
            return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        };
        let mut response = json(answer.data.as_bytes().to_vec());
        if error_code(answer.data.as_bytes()).is_none() {
            session.record_version(&answer.data);
            let Some(session_id) = self.sessions.add(session) else {
                return Ok(StatusCode::SERVICE_UNAVAILABLE.into_response());
            };
            response.headers_mut().extend(session_id.parse().map(|id| (HeaderName::from_static(SESSION), id)));
        }
        Ok(response)
    }

    pub(super) fn session(
        &self,
        headers: &HeaderMap,
        caller: Option<&Caller>,
        id: Value,
    ) -> Result<Arc<Session>, ErrorResponse> {
        let Some(name) = headers.get(SESSION).map(|value| value.to_str().unwrap_or_default()) else {
            let text = "the header Mcp-Session-Id is missing; begin with `initialize`";
            return Err(self.refuse(StatusCode::BAD_REQUEST, &Refusal::new(id, INVALID_REQUEST, text)));
        };
        self.sessions.try_find(name, caller).ok_or_else(|| {
            let refusal = Refusal::new(id, INVALID_REQUEST, "there is no such session; begin with `initialize`");
            self.refuse(StatusCode::NOT_FOUND, &refusal)
        })
    }

    /// Responds with JSON if the response is the only event and comes within [`QUICK_TIMEOUT`]; otherwise with a
    /// stream.
    async fn stream(&self, session: &Arc<Session>, number: u64, is_primed: bool) -> Response {
        let only = tokio::time::timeout(QUICK_TIMEOUT, session.log.only_event(number)).await;
        let Some(reader) = Log::read(&session.log, number, None) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let delivery = reader.delivery();
        if let Ok(Some(answer)) = only {
            let response = json(answer.data.as_bytes().to_vec());
            return response.map(|body| DeliveryBody::wrap(body, delivery, self.stop.clone()));
        }
        let response = events(reader, is_primed, pending::<()>());
        response.map(|body| DeliveryBody::wrap(body, delivery, self.stop.clone()))
    }

    /// Opens the stream for server-initiated messages, or resumes a broken stream.
    pub(super) fn get(&self, parts: &Parts) -> EndpointResult {
        if !media::takes_events(&parts.headers) {
            return Ok(StatusCode::NOT_ACCEPTABLE.into_response());
        }
        let caller = self.access.caller(parts)?;
        if Era::of(&parts.headers, &Verdict::Nothing) == Era::Modern {
            return Ok((StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "POST")]).into_response());
        }
        let session = self.session(&parts.headers, caller.as_ref(), Value::Null)?;
        let is_primed = has_priming(&parts.headers);
        let last = parts.headers.get(LAST_EVENT).map(|value| value.to_str().unwrap_or_default());
        let reader = match last.map(place) {
            None if session.log.is_read(COMMON) => return Ok(StatusCode::CONFLICT.into_response()),
            None => Log::read(&session.log, COMMON, None),
            Some(None) => return Ok(StatusCode::BAD_REQUEST.into_response()),
            Some(Some((number, index))) => Log::read(&session.log, number, index),
        };
        // A stream that is no longer kept has no more events.
        let Some(reader) = reader else { return Ok(event_stream(Body::empty())) };
        let delivery = reader.delivery();
        let stop = self.stop.clone();
        let response = if reader.number() == COMMON {
            events(reader, is_primed, async move { stop.wait().await })
        } else {
            events(reader, is_primed, pending::<()>())
        };
        Ok(response.map(|body| DeliveryBody::wrap(body, delivery, self.stop.clone())))
    }

    pub(super) fn delete(&self, parts: &Parts) -> EndpointResult {
        let caller = self.access.caller(parts)?;
        let id = parts.headers.get(SESSION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let status =
            if self.sessions.end(id, caller.as_ref()) { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND };
        Ok(status.into_response())
    }
}

/// Sends the events of a stream until the stream ends or `end` completes.
fn events(reader: Reader, is_primed: bool, end: impl Future<Output = ()> + Send + 'static) -> Response {
    let first = is_primed.then(|| format!("id: {}-{PRIMING}\nretry: {RETRY_INTERVAL_MS}\ndata: \n\n", reader.number()));
    let state = (reader, first, Box::pin(end));
    let stream = unfold(state, |(mut reader, first, mut end)| async move {
        if let Some(first) = first {
            return Some((Ok::<String, Infallible>(first), (reader, None, end)));
        }
        let text = tokio::select! {
            event = reader.next() => {
                let event = event?;
                format!("id: {}-{}\nevent: message\ndata: {}\n\n", reader.number(), event.index, event.data)
            }
            () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => ":\n\n".to_owned(),
            () = end.as_mut() => return None,
        };
        Some((Ok(text), (reader, None, end)))
    });
    event_stream(Body::from_stream(stream))
}

/// Returns whether the client supports priming events (events without data), which were introduced with 2025-11-25.
fn has_priming(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|version| version.as_bytes() >= b"2025-11-25".as_slice())
}

/// Parses an event id into its stream number and its index; the index of the priming event is `None`.
fn place(id: &str) -> Option<(u64, Option<u64>)> {
    let (stream, index) = id.split_once('-')?;
    let index = if index == PRIMING { None } else { Some(index.parse().ok()?) };
    Some((stream.parse().ok()?, index))
}

fn event_stream(body: Body) -> Response {
    ([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")], body).into_response()
}
