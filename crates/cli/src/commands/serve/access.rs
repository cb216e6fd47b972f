//! The flags for the address and the limits of a server.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use app::Error;
use clap::Args;
use web::listen::Tls;
use web::{AuthMode, Proxy, Rate};

/// Default rate limit per token: above the busiest agents, below a runaway loop.
const DEFAULT_RATE: &str = "10000/s";

/// Who can reach a server, and how much of it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Serving other machines")]
pub(super) struct AccessArguments {
    /// A host name of the server, `board.example.org` or `board.example.org:8443`; may be given several times. Requests
    /// for other names are refused.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The certificate chain in PEM, the server's own certificate first.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The server is behind a reverse proxy with a certificate, and only the proxy can reach it: cookies are marked
    /// `Secure`, browsers are told to use TLS only (HSTS), and `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    #[arg(long)]
    behind_proxy: bool,
    /// Serve other machines without a certificate. Tokens are sent unencrypted: only for trusted networks.
    #[arg(long, conflicts_with = "tls_cert")]
    insecure_plain_http: bool,
    /// Rate limit per token: `50/s`, `600/m` or `unlimited`; default `10000/s`.
    #[arg(long, value_name = "RATE")]
    rate: Option<Rate>,
    /// Maximum number of authenticated connections; one token may use three quarters of them. In addition there are at
    /// most 256 connections without a token, of which a new one replaces the oldest.
    #[arg(long, value_name = "NUMBER", default_value = "512")]
    max_connections: NonZeroUsize,
}

impl AccessArguments {
    pub(super) fn tls(&self) -> Result<Option<Tls>, Error> {
        let Some((certificate, key)) = self.tls_cert.as_ref().zip(self.tls_key.as_ref()) else { return Ok(None) };
        Tls::read(certificate, key).map(Some).map_err(|error| Error::invalid(error.to_string()))
    }

    pub(super) fn hosts(&self) -> Vec<String> {
        self.host.clone()
    }

    pub(super) fn allows_plain(&self) -> bool {
        self.insecure_plain_http
    }

    pub(super) fn proxy(&self) -> Proxy {
        if self.behind_proxy { Proxy::InFront } else { Proxy::None }
    }

    pub(super) fn max_connections(&self) -> usize {
        self.max_connections.get()
    }

    /// Returns the rate limit; without tokens there is none by default.
    pub(super) fn rate(&self, auth_mode: &AuthMode) -> Rate {
        let usual = || match auth_mode {
            AuthMode::Open => Rate::Unlimited,
            AuthMode::Tokens(_) => DEFAULT_RATE.parse().unwrap_or(Rate::Unlimited),
        };
        self.rate.unwrap_or_else(usual)
    }
}
