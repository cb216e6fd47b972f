//! A response body that marks its connection as busy until it was sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};

use super::connections::RequestInProgress;

/// A body and its request.
pub(super) struct BusyBody {
    body: Body,
    _busy: RequestInProgress,
}

impl BusyBody {
    pub(super) fn wrap(body: Body, busy: RequestInProgress) -> Body {
        Body::new(Self { body, _busy: busy })
    }
}

impl http_body::Body for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
