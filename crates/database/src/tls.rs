//! TLS to the database: `rustls`, verified by the roots of the system.

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
