//! Where a request comes from: a client of the protocol library, or a stateless call over HTTP.

use axum::http::request::Parts;
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Era;
use crate::audit_hook::AuditHook;
use crate::call::Caller;
use crate::delivery::Delivery;

/// A stateless call over HTTP: nothing can be sent to its client before the result. Dropping it cancels the call.
pub(crate) struct StatelessCall {
    parts: Parts,
    cancelled: CancellationToken,
    _guard: DropGuard,
}

impl StatelessCall {
    pub(crate) fn new(parts: Parts) -> Self {
        let cancelled = CancellationToken::new();
        Self { parts, _guard: cancelled.clone().drop_guard(), cancelled }
    }
}

#[derive(Clone, Copy)]
pub(super) enum RequestSource<'a> {
    /// A client that the library serves; it can receive notifications and questions.
    Client(&'a RequestContext<RoleServer>),
    /// A client that waits for a single response.
    Stateless(&'a StatelessCall),
}

impl<'a> RequestSource<'a> {
    pub(super) fn era(self) -> Era {
        match self {
            Self::Client(context) => Era::of(context),
            Self::Stateless(_) => Era::Legacy,
        }
    }

    pub(super) fn cancelled(self) -> &'a CancellationToken {
        match self {
            Self::Client(context) => &context.ct,
            Self::Stateless(call) => &call.cancelled,
        }
    }

    /// Returns the library's context of the request, which stateless calls do not have.
    pub(super) fn context(self) -> Option<&'a RequestContext<RoleServer>> {
        match self {
            Self::Client(context) => Some(context),
            Self::Stateless(_) => None,
        }
    }

    /// Returns the authenticated caller, if there is one.
    pub(super) fn caller(self) -> Option<Caller> {
        self.parts()?.extensions.get::<Caller>().cloned()
    }

    /// Returns the audit hook of the request.
    pub(super) fn audit_hook(self) -> Option<AuditHook> {
        self.parts()?.extensions.get::<AuditHook>().cloned()
    }

    /// Returns the delivery of the request's response.
    pub(super) fn delivery(self) -> Option<Delivery> {
        match self {
            Self::Client(context) => Delivery::of(&context.extensions),
            Self::Stateless(call) => call.parts.extensions.get::<Delivery>().cloned(),
        }
    }

    fn parts(self) -> Option<&'a Parts> {
        match self {
            Self::Client(context) => context.extensions.get::<Parts>(),
            Self::Stateless(call) => Some(&call.parts),
        }
    }
}
