//! What is to be done once an answer is with the client. A transport puts one of these into each request it reads, and
//! says when the answer has gone out; one that never goes out does nothing.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::Extensions;

use crate::answer::Then;

/// One answer on its way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivery(Arc<Mutex<Option<Then>>>);

impl Delivery {
    /// Finds the one of a request.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let direct = extensions.get::<Self>();
        let through_http = || extensions.get::<axum::http::request::Parts>()?.extensions.get::<Self>();
        direct.or_else(through_http).cloned()
    }

    /// Remembers what to do.
    pub(crate) fn plan(&self, then: Option<Then>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = then;
    }

    /// Tells whether there is anything to do.
    pub(crate) fn is_planned(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Does it: the answer is out.
    pub(crate) async fn is_done(&self) {
        let then = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Then(then)) = then {
            // A panic in it is its own affair: the answer is out.
            let _ = tokio::task::spawn_blocking(then).await;
        }
    }
}
