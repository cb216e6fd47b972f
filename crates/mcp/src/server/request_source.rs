//! Who asks: a client that the protocol library serves, or one whose whole affair is a single call.

use axum::http::request::Parts;
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Era;
use crate::call::Caller;
use crate::delivery::Delivery;
use crate::witness::Witness;

/// A call over HTTP that stands for itself: nothing can be said to its client before the answer. Dropped, it is cancelled.
pub(crate) struct LoneCall {
    parts: Parts,
    cancelled: CancellationToken,
    _guard: DropGuard,
}

impl LoneCall {
    pub(crate) fn new(parts: Parts) -> Self {
        let cancelled = CancellationToken::new();
        Self { parts, _guard: cancelled.clone().drop_guard(), cancelled }
    }
}

/// Who asks.
#[derive(Clone, Copy)]
pub(super) enum Asker<'a> {
    /// A client of the library's, which can be spoken to.
    Client(&'a RequestContext<RoleServer>),
    /// One that waits for one answer.
    Alone(&'a LoneCall),
}

impl<'a> Asker<'a> {
    pub(super) fn era(self) -> Era {
        match self {
            Self::Client(context) => Era::of(context),
            Self::Alone(_) => Era::Legacy,
        }
    }

    pub(super) fn cancelled(self) -> &'a CancellationToken {
        match self {
            Self::Client(context) => &context.ct,
            Self::Alone(call) => &call.cancelled,
        }
    }

    /// Returns what the library knows of the request.
    pub(super) fn context(self) -> Option<&'a RequestContext<RoleServer>> {
        match self {
            Self::Client(context) => Some(context),
            Self::Alone(_) => None,
        }
    }

    /// Finds who calls, when something in front of the server found out.
    pub(super) fn caller(self) -> Option<Caller> {
        self.parts()?.extensions.get::<Caller>().cloned()
    }

    /// Finds who keeps a record of what is done.
    pub(super) fn witness(self) -> Option<Witness> {
        self.parts()?.extensions.get::<Witness>().cloned()
    }

    /// Finds what is to be told about the answer's way.
    pub(super) fn delivery(self) -> Option<Delivery> {
        match self {
            Self::Client(context) => Delivery::of(&context.extensions),
            Self::Alone(call) => call.parts.extensions.get::<Delivery>().cloned(),
        }
    }

    fn parts(self) -> Option<&'a Parts> {
        match self {
            Self::Client(context) => context.extensions.get::<Parts>(),
            Self::Alone(call) => Some(&call.parts),
        }
    }
}
