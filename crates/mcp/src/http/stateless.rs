//! Stateless requests: each is answered on its own, and nothing about the client is kept.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use rmcp::model::{CallToolRequestParams, JsonRpcMessage, ServerJsonRpcMessage};
use serde_json::Value;

use super::body::DeliveryBody;
use super::endpoint::{ClassifiedMessage, Endpoint, EndpointResult, VERSION, error_code, json};
use super::era::Era;
use super::{library, media};
use crate::delivery::Delivery;
use crate::server::StatelessCall;
use crate::validate::Refusal;

impl Endpoint {
    /// Answers a stateless request.
    pub(super) async fn answer_stateless(
        &self,
        era: Era,
        mut parts: Parts,
        message: ClassifiedMessage,
    ) -> EndpointResult {
        let is_first = era == Era::Legacy && message.is_initialize();
        let body = match message {
            ClassifiedMessage::Request(id, mut message) => {
                let is_simple = era == Era::Legacy && self.server.can_answer_directly();
                if let Some(call) = is_simple.then(|| library::take_call(&mut message)).flatten() {
                    return self.answer_call(&id, call, parts).await;
                }
                let message = library::readable(id, message);
                let message = message.map_err(|refusal| self.refuse(self.status(era, &refusal), &refusal))?;
                Body::from(Value::Object(message).to_string())
            }
            ClassifiedMessage::Notification(message) => Body::from(Value::Object(message).to_string()),
            ClassifiedMessage::Response(_) => {
                return Err(self.bad_request(&message, "response to an unknown request"));
            }
        };
        parts.headers.remove(CONTENT_LENGTH);
        media::normalize(&mut parts.headers);
        if is_first {
            // The library rejects a header that differs from the requested version, which is still being negotiated
            // here.
            parts.headers.remove(VERSION);
        }
        let delivery = Delivery::default();
        parts.extensions.insert(delivery.clone());
        let response = self.stateless.handle(Request::from_parts(parts, body)).await.map(Body::new);
        let response = if era == Era::Legacy { self.by_contract(response, &delivery).await } else { response };
        Ok(response.map(|body| DeliveryBody::wrap(body, delivery, self.stop.clone())))
    }

    /// Answers a tool call without the library. The library would start a service per request, which takes longer than
    /// most calls.
    async fn answer_call(&self, id: &Value, call: CallToolRequestParams, mut parts: Parts) -> EndpointResult {
        let refuse = |refusal: Refusal| self.refuse(self.status(Era::Legacy, &refusal), &refusal);
        let id = library::request_id(id).map_err(refuse)?;
        let delivery = Delivery::default();
        parts.extensions.insert(delivery.clone());
        let answered = self.server.answer_stateless(call, &StatelessCall::new(parts)).await;
        let code = answered.as_ref().err().map(|error| error.code.0);
        let answer: ServerJsonRpcMessage = match answered {
            Ok(result) => JsonRpcMessage::response(result, id),
            Err(error) => JsonRpcMessage::error(error, Some(id)),
        };
        let Ok(bytes) = serde_json::to_vec(&answer) else {
            return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        };
        let mut response = json(bytes);
        if let (Some(status), Some(code)) = (self.policy.status, code) {
            *response.status_mut() = StatusCode::from_u16(status(code)).unwrap_or_default();
        }
        Ok(response.map(|body| DeliveryBody::wrap(body, delivery, self.stop.clone())))
    }

    /// Applies what only the contract has to a response: the HTTP status of an error, and `nextCursor` on the last
    /// page.
    async fn by_contract(&self, response: Response, delivery: &Delivery) -> Response {
        let is_touched = self.policy.status.is_some() || delivery.is_last_page();
        if !is_touched || !is_json(&response) {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(bytes) = to_bytes(body, usize::MAX).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        if let (Some(status), Some(code)) = (self.policy.status, error_code(&bytes)) {
            parts.status = StatusCode::from_u16(status(code)).unwrap_or(parts.status);
        }
        let bytes = delivery.finish(bytes.into());
        parts.headers.remove(CONTENT_LENGTH);
        Response::from_parts(parts, Body::from(bytes))
    }
}

fn is_json(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}
