//! Who may speak to the server: requests that were meant for it, and callers that a guard lets in. A page of another
//! site may make a browser send a request, under its own origin, or under a name that it lets point here.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::response::Response;

use crate::call::Caller;

/// Finds out who calls, or refuses them. Asked after the headers are known to be those of a client of this protocol.
pub type Guard = Arc<dyn Fn(&Parts) -> Result<Option<Caller>, Box<Response>> + Send + Sync>;

/// Who gets in.
#[derive(Clone)]
pub struct Access {
    authorities: Arc<[String]>,
    guard: Option<Guard>,
}

impl Access {
    /// This machine only, through an address that no other can reach.
    pub fn loopback(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "only loopback addresses can be served"));
        }
        let names = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{}", address.port()));
        Ok(Self { authorities: names.into(), guard: None })
    }

    /// Whoever the guard lets in, under these names (`host` or `host:port`, as clients write them).
    pub fn guarded(authorities: Vec<String>, guard: Guard) -> Self {
        Self { authorities: authorities.into(), guard: Some(guard) }
    }

    /// The same, with a guard.
    #[must_use]
    pub fn with_guard(self, guard: Guard) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Tells whether a request was meant for this server.
    pub fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let is_ours = |authority: &str| self.authorities.iter().any(|own| own == authority);
        let of_origin = |origin: &str| {
            let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            authority.is_some_and(is_ours)
        };
        is_ours(text(HOST).unwrap_or_default()) && text(ORIGIN).is_none_or(of_origin)
    }

    /// Finds out who calls.
    pub(super) fn caller(&self, parts: &Parts) -> Result<Option<Caller>, Box<Response>> {
        self.guard.as_ref().map_or(Ok(None), |guard| guard(parts))
    }
}
