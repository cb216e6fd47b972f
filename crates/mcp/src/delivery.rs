//! Post-processing of a response after its handler returned: a callback after the write, and JSON that `rmcp` cannot
//! express.
//!
//! A transport puts a `Delivery` into each request that it reads, lets it edit the encoded response, and reports when
//! the response has been written. If the response is never written, the callback does not run.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::Extensions;
use serde_json::Value;

use crate::results::AfterDelivery;

/// The delivery state of one response.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivery(Arc<Mutex<DeliveryState>>);

#[derive(Debug, Default)]
struct DeliveryState {
    then: Option<AfterDelivery>,
    is_last_page: bool,
}

impl Delivery {
    /// Finds the delivery in the extensions of a request, for either transport.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let direct = extensions.get::<Self>();
        let through_http = || extensions.get::<axum::http::request::Parts>()?.extensions.get::<Self>();
        direct.or_else(through_http).cloned()
    }

    pub(crate) fn plan(&self, then: Option<AfterDelivery>) {
        self.lock().then = then;
    }

    /// Returns whether a callback is set.
    pub(crate) fn is_planned(&self) -> bool {
        self.lock().then.is_some()
    }

    /// Marks the response as the last page of a list, which must have `"nextCursor": null`.
    pub(crate) fn ends_list(&self) {
        self.lock().is_last_page = true;
    }

    /// Returns whether the response needs `"nextCursor": null`.
    pub(crate) fn is_last_page(&self) -> bool {
        self.lock().is_last_page
    }

    /// Adds members to an encoded response that the library leaves out.
    pub(crate) fn finish(&self, bytes: Vec<u8>) -> Vec<u8> {
        if !self.is_last_page() {
            return bytes;
        }
        let Ok(mut answer) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
        self.finish_value(&mut answer);
        answer.to_string().into_bytes()
    }

    /// The same as [`Self::finish`] for a response that is not encoded yet.
    pub(crate) fn finish_value(&self, answer: &mut Value) {
        if let (true, Some(Value::Object(result))) = (self.is_last_page(), answer.get_mut("result")) {
            result.entry("nextCursor").or_insert(Value::Null);
        }
    }

    /// Runs the callback: the response has been written.
    pub(crate) async fn is_done(&self) {
        let then = self.lock().then.take();
        if let Some(AfterDelivery(then)) = then {
            // A panic of the callback is ignored: the response is already sent and there is nobody to report it to.
            let _ = tokio::task::spawn_blocking(then).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, DeliveryState> {
        self.0.lock()
    }
}
