//! TLS: the server's certificate chain and key.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// The TLS configuration of a server.
#[derive(Clone)]
pub struct Tls(Arc<ServerConfig>);

impl Tls {
    /// Reads a certificate chain, the server's own certificate first, and its private key, both in PEM.
    pub fn read(certificates: &Path, key: &Path) -> io::Result<Self> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificates)
            .and_then(Iterator::collect)
            .map_err(|error| invalid(certificates, "certificate", &error))?;
        if chain.is_empty() {
            return Err(invalid(certificates, "certificate", &"it holds none"));
        }
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| invalid(key, "private key", &error))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret));
        let mut config = config.map_err(|error| {
            let message = format!("`{}` and `{}` do not match: {error}", certificates.display(), key.display());
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0))
    }
}

// The message never contains bytes of the file.
fn invalid(path: &Path, what: &str, error: &dyn std::fmt::Display) -> io::Error {
    let message = format!("cannot read a {what} from `{}`: {error}", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
