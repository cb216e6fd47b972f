//! Certificates of test servers, for `localhost` and `board.example`, valid for a hundred years. Made once with
//! `openssl`, so that no test depends on a library or a program that makes them.

/// An authority that signed [`SIGNED`]; its key was not kept.
pub const AUTHORITY: &str = include_str!("certificates/authority.pem");

/// A certificate signed by [`AUTHORITY`].
pub const SIGNED: Certificate =
    Certificate { chain: include_str!("certificates/server.pem"), key: include_str!("certificates/server.key") };

/// A self-signed certificate.
pub const SELF_SIGNED: Certificate = Certificate {
    chain: include_str!("certificates/self_signed.pem"),
    key: include_str!("certificates/self_signed.key"),
};

/// A certificate and its key, in PEM.
#[derive(Debug, Clone, Copy)]
pub struct Certificate {
    /// The certificate.
    pub chain: &'static str,
    /// Its private key.
    pub key: &'static str,
}
