//! TLS to the database: `rustls`, verified by the roots of the system.

use std::error::Error;
use std::io;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{DatabaseError, DatabaseErrorKind};

/// Returns a connector that accepts only certificates that the system trusts for the host's name.
pub(crate) fn connector() -> Result<MakeRustlsConnect, DatabaseError> {
    let failed =
        |error: rustls::Error| DatabaseError::new(DatabaseErrorKind::Refused, format!("cannot set up TLS: {error}"));
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(failed)?
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Returns whether a handshake failed because of a certificate or a protocol, and not because the connection broke.
pub(crate) fn is_refusal(cause: &(dyn Error + 'static)) -> bool {
    let of_io = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    cause.is::<rustls::Error>() || of_io.and_then(|inner| inner.downcast_ref::<rustls::Error>()).is_some()
}
