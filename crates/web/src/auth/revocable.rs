//! A stream that ends when its token is revoked.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};

use super::streams::Stream;

/// A body that ends when `is_open` returns false, which is checked before each frame. Keep-alive comments bound the
/// delay on an idle stream to a few seconds.
pub(super) struct Revocable<F> {
    body: Body,
    is_open: F,
    _stream: Option<Stream>,
}

impl<F: Fn() -> bool + Send + Unpin + 'static> Revocable<F> {
    pub(super) fn wrap(body: Body, stream: Option<Stream>, is_open: F) -> Body {
        Body::new(Self { body, is_open, _stream: stream })
    }
}

impl<F: Fn() -> bool + Unpin> http_body::Body for Revocable<F> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(_)) if !(self.is_open)() => Poll::Ready(None),
            other => other,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Waker;

    use super::*;

    #[test]
    fn revoked_token_ends_the_stream() {
        let is_open = Arc::new(AtomicBool::new(true));
        let open = || {
            let is_open = Arc::clone(&is_open);
            Revocable::wrap(Body::from("news"), None, move || is_open.load(Ordering::Relaxed))
        };
        let (mut first, mut second) = (open(), open());
        let mut context = Context::from_waker(Waker::noop());
        let mut poll = |body: &mut Body| http_body::Body::poll_frame(Pin::new(body), &mut context);
        assert!(matches!(poll(&mut first), Poll::Ready(Some(Ok(_)))));
        is_open.store(false, Ordering::Relaxed);
        assert!(matches!(poll(&mut second), Poll::Ready(None)));
    }
}
