//! Bodies: one that tells when it has been handed over whole, and one that nobody wants to read.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::StreamExt;
use http_body::{Frame, SizeHint};

use super::shutdown::Shutdown;
use crate::delivery::Delivery;

/// How long a refused client may go on sending.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// Takes in for a moment what a refused client still sends. A connection that is closed with something left to read is
/// reset, and the client would lose the answer that tells it why.
pub fn discard(body: Body) {
    tokio::spawn(tokio::time::timeout(LINGER_TIMEOUT, async {
        let mut frames = body.into_data_stream();
        while let Some(Ok(_)) = frames.next().await {}
    }));
}

/// A body with something to be done once it is out: when the last of it was taken to be written to the socket. One that
/// was not taken to its end does nothing.
pub(super) struct Delivered {
    body: Body,
    delivery: Delivery,
    stop: Shutdown,
    is_whole: bool,
}

impl Delivered {
    pub(super) fn wrap(body: Body, delivery: Delivery, stop: Shutdown) -> Body {
        Body::new(Self { body, delivery, stop, is_whole: false })
    }
}

impl http_body::Body for Delivered {
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

impl Drop for Delivered {
    fn drop(&mut self) {
        if self.is_whole && self.delivery.is_planned() {
            let delivery = self.delivery.clone();
            self.stop.spawn(async move { delivery.is_done().await });
        }
    }
}
