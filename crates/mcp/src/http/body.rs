//! Response bodies that report when they were sent, and draining of unwanted request bodies.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::StreamExt;
use http_body::{Frame, SizeHint};

use super::shutdown::Shutdown;
use crate::delivery::Delivery;

/// How long the rest of a refused request body is drained.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// Drains the request body of a refused client for a short time. Closing a connection with unread input resets it, and
/// the client would lose the response that says why it was refused.
pub fn discard(body: Body) {
    tokio::spawn(tokio::time::timeout(LINGER_TIMEOUT, async {
        let mut frames = body.into_data_stream();
        while let Some(Ok(_)) = frames.next().await {}
    }));
}

/// A body that runs its delivery when its last frame has been taken by the connection. A body that is dropped before
/// its end does not.
pub(super) struct DeliveryBody {
    body: Body,
    delivery: Delivery,
    stop: Shutdown,
    is_whole: bool,
}

impl DeliveryBody {
    pub(super) fn wrap(body: Body, delivery: Delivery, stop: Shutdown) -> Body {
        Body::new(Self { body, delivery, stop, is_whole: false })
    }
}

impl http_body::Body for DeliveryBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match &frame {
            Poll::Ready(None) => self.is_whole = true,
            Poll::Ready(Some(Ok(_))) => self.is_whole = self.body.is_end_stream(),
            _ => {}
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for DeliveryBody {
    fn drop(&mut self) {
        if self.is_whole && self.delivery.is_planned() {
            let delivery = self.delivery.clone();
            self.stop.spawn(async move { delivery.is_done().await });
        }
    }
}
