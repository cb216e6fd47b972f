//! What is to be done with an answer on its way: something once it is with the client, and what the protocol library has
//! no words for. A transport puts one of these into each request it reads, asks it when the answer is written, and says
//! when that has gone out; an answer that never goes out does nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::Extensions;
use serde_json::Value;

use crate::answer::Then;

/// One answer on its way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivery(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
struct Plan {
    then: Option<Then>,
    is_last_page: bool,
}

impl Delivery {
    /// Finds the one of a request.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let direct = extensions.get::<Self>();
        let through_http = || extensions.get::<axum::http::request::Parts>()?.extensions.get::<Self>();
        direct.or_else(through_http).cloned()
    }

    /// Remembers what to do.
    pub(crate) fn plan(&self, then: Option<Then>) {
        self.lock().then = then;
    }

    /// Tells whether there is anything to do.
    pub(crate) fn is_planned(&self) -> bool {
        self.lock().then.is_some()
    }

    /// Remembers that the answer is the last page of a list, and has to say so.
    pub(crate) fn ends_list(&self) {
        self.lock().is_last_page = true;
    }

    /// Tells whether the answer has to say that it is the last page of a list.
    pub(crate) fn is_last_page(&self) -> bool {
        self.lock().is_last_page
    }

    /// Adds to a written answer what the library leaves out.
    pub(crate) fn finish(&self, bytes: Vec<u8>) -> Vec<u8> {
        if !self.is_last_page() {
            return bytes;
        }
        let Ok(mut answer) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
        self.finish_value(&mut answer);
        answer.to_string().into_bytes()
    }

    /// The same, before it is written.
    pub(crate) fn finish_value(&self, answer: &mut Value) {
        if let (true, Some(Value::Object(result))) = (self.is_last_page(), answer.get_mut("result")) {
            result.entry("nextCursor").or_insert(Value::Null);
        }
    }

    /// Does it: the answer is out.
    pub(crate) async fn is_done(&self) {
        let then = self.lock().then.take();
        if let Some(Then(then)) = then {
            // A panic in it is its own affair: the answer is out.
            let _ = tokio::task::spawn_blocking(then).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
