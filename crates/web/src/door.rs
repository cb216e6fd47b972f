//! The door: who gets in, and as whom. It stands in front of dialects, API and pages alike.

mod bearer;
mod entrance;
mod keyring;
mod refusal;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use mcp::Caller;
use mcp::http::{Access, Guard};

use crate::tokens::{Fingerprint, Tokens};
use crate::visitor::Visitor;
pub use entrance::{Entrance, Pass};
use keyring::Keyring;
use refusal::Refusal;

/// The door; cheap to clone.
#[derive(Clone)]
pub(crate) struct Door(Arc<Inner>);

struct Inner {
    keyring: Keyring,
}

impl Door {
    pub(crate) fn new(entrance: Entrance, tokens: Tokens) -> Self {
        Self(Arc::new(Inner { keyring: Keyring::new(entrance, tokens) }))
    }

    /// Returns the guard of the dialects.
    pub(crate) fn guard(&self) -> Guard {
        let door = self.clone();
        Arc::new(move |parts| {
            let visitor = door.admit(parts).map_err(|refusal| Box::new(refusal.answer(parts)))?;
            Ok(Some(caller(&visitor)))
        })
    }

    /// Puts the door in front of pages and API.
    pub(crate) fn before(&self, router: Router, access: &Access) -> Router {
        router.layer(from_fn_with_state((self.clone(), access.clone()), pass))
    }

    /// Finds out who sent a request.
    fn admit(&self, parts: &Parts) -> Result<Visitor, Refusal> {
        let keyring = &self.0.keyring;
        if let Some(anyone) = keyring.anyone() {
            return Ok(anyone.clone());
        }
        let token = bearer::token(&parts.headers).ok_or(Refusal::Unknown)?;
        let key = keyring.try_find(&Fingerprint::of(token)).ok_or(Refusal::Unknown)?;
        Ok(key.visitor)
    }
}

async fn pass(State((door, access)): State<(Door, Access)>, request: Request, next: Next) -> Response {
    if !access.admits(request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let (parts, body) = request.into_parts();
    let visitor = match door.admit(&parts) {
        Ok(visitor) => visitor,
        Err(refusal) => return refusal.answer(&parts),
    };
    let mut request = Request::from_parts(parts, body);
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

fn caller(visitor: &Visitor) -> Caller {
    Caller {
        name: visitor.name.clone(),
        acts_as: visitor.person.as_ref().map(ToString::to_string),
        may_write: visitor.role.may_write(),
    }
}
