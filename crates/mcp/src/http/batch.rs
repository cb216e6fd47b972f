//! JSON-RPC batches over HTTP: an array of messages in one body, answered by one array. Only protocol version
//! 2025-03-26 has them.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::{Map, Value};

use super::body::DeliveryBody;
use super::endpoint::{ClassifiedMessage, Endpoint, EndpointResult, ErrorResponse, VERSION, json};
use super::era::Era;
use super::log::Log;
use super::session::Session;
use crate::call::Caller;
use crate::delivery::Delivery;
use crate::dialect::Versions;
use crate::validate::{Refusal, VERSION_WITH_BATCHES};

/// Messages of a batch that run concurrently. Fewer than the responses that a session keeps for resumption
/// (`MAX_ANSWERED` in `log`), so that no response is dropped before it is read.
const MAX_AT_ONCE: usize = 8;

/// A response and its delivery.
type BatchAnswer = (Value, Delivery);

impl Endpoint {
    pub(super) async fn answer_batch(
        &self,
        era: Era,
        parts: Parts,
        messages: Vec<Value>,
        caller: Option<Caller>,
    ) -> EndpointResult {
        let session = self.check_batch(era, &parts.headers, caller.as_ref())?;
        self.check_type(&parts.headers, Value::Null)?;
        let answers = iter(messages).map(|message| self.answer_in_batch(&parts, session.as_ref(), message));
        let answers: Vec<BatchAnswer> =
            answers.buffered(MAX_AT_ONCE).filter_map(|answer| async { answer }).collect().await;
        if answers.is_empty() {
            return Ok(StatusCode::ACCEPTED.into_response());
        }
        let (values, deliveries): (Vec<Value>, Vec<Delivery>) = answers.into_iter().unzip();
        let response = json(Value::Array(values).to_string().into_bytes());
        let wrap = |body, delivery| DeliveryBody::wrap(body, delivery, self.stop.clone());
        Ok(response.map(|body| deliveries.into_iter().fold(body, wrap)))
    }

    /// Refuses a batch if the protocol version has none. Without a session the version is in a header. That header was
    /// introduced with the next version, so a client without it is taken for 2025-03-26.
    fn check_batch(
        &self,
        era: Era,
        headers: &HeaderMap,
        caller: Option<&Caller>,
    ) -> Result<Option<Arc<Session>>, ErrorResponse> {
        let refused = || self.refuse(StatusCode::BAD_REQUEST, &Refusal::batch());
        if era == Era::Modern || self.versions != Versions::Negotiated {
            return Err(refused());
        }
        if !self.policy.sessions {
            let has_batches = headers.get(VERSION).is_none_or(|version| version == VERSION_WITH_BATCHES);
            return if has_batches { Ok(None) } else { Err(refused()) };
        }
        let session = self.session(headers, caller, Value::Null)?;
        if session.has_batches() { Ok(Some(session)) } else { Err(refused()) }
    }

    /// Answers one message; `None` for notifications and responses.
    async fn answer_in_batch(
        &self,
        parts: &Parts,
        session: Option<&Arc<Session>>,
        message: Value,
    ) -> Option<BatchAnswer> {
        let judged = match self.classify_in_batch(message) {
            Ok(judged) => judged,
            Err(refusal) => return Some((refusal.to_json(&self.validator), Delivery::default())),
        };
        match (judged, session) {
            (ClassifiedMessage::Request(id, message), Some(session)) => {
                self.ask(session, id, message, parts.clone()).await
            }
            (ClassifiedMessage::Notification(message) | ClassifiedMessage::Response(message), Some(session)) => {
                session.accept(message).await;
                None
            }
            (ClassifiedMessage::Response(_), None) => None,
            (judged, None) => {
                let answered = self.answer_stateless(Era::Legacy, parts.clone(), judged).await;
                let value = read(answered.unwrap_or_else(|refused| *refused.0)).await?;
                Some((value, Delivery::default()))
            }
        }
    }

    /// Sends a request into a session and waits for its response. Notifications sent meanwhile are dropped: an array of
    /// responses has no place for them.
    async fn ask(
        &self,
        session: &Arc<Session>,
        id: Value,
        message: Map<String, Value>,
        mut parts: Parts,
    ) -> Option<BatchAnswer> {
        let delivery = Delivery::default();
        parts.extensions.insert(delivery.clone());
        let stream = match session.request(id.clone(), message, parts, delivery.clone()).await {
            Ok(stream) => stream,
            Err(refusal) => return Some((refusal.to_json(&self.validator), Delivery::default())),
        };
        let mut reader = Log::read(&session.log, stream, None)?;
        // Notifications of the call come first; the stream ends with the response.
        let mut answer = None;
        while let Some(event) = reader.next().await {
            let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
            let is_answer = message.get("method").is_none() && message.get("id") == Some(&id);
            answer = is_answer.then_some(message).or(answer);
        }
        answer.map(|answer| (answer, delivery))
    }
}

/// Reads the JSON message in the body of a response.
async fn read(response: Response) -> Option<Value> {
    // Without a limit: it is our own response, whose tools have theirs.
    let bytes = to_bytes(response.into_body(), usize::MAX).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}
