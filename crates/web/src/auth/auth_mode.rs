//! The authentication mode, decided once before the server listens.

use std::net::SocketAddr;

use app::{Error, Role};

use crate::tokens::{TokenSecret, Tokens};

/// The authentication mode.
#[derive(Debug)]
pub enum AuthMode {
    /// No authentication: every request has full access, as git's user. For loopback addresses only.
    Open,
    /// A token of the repository, or one of these, is required.
    Tokens(Vec<StaticToken>),
}

/// A token of this process, in addition to those of the repository. Its bearer acts as git's user.
#[derive(Debug)]
pub struct StaticToken {
    /// Name in logs.
    pub name: &'static str,
    /// The token.
    pub secret: TokenSecret,
    /// Its access.
    pub role: Role,
    /// A person chose it, so it may be guessable.
    pub is_chosen: bool,
}

impl AuthMode {
    /// Returns the mode for an address: the token that a person chose, else the repository's tokens. With neither, a token
    /// is generated for this process and returned, on loopback addresses only.
    pub fn decide(
        address: SocketAddr,
        chosen: Option<TokenSecret>,
        tokens: &Tokens,
    ) -> Result<(Self, Option<TokenSecret>), Error> {
        if let Some(secret) = chosen {
            let token = StaticToken { name: "static", secret, role: Role::Writer, is_chosen: true };
            return Ok((Self::Tokens(vec![token]), None));
        }
        if !tokens.list()?.is_empty() {
            return Ok((Self::Tokens(Vec::new()), None));
        }
        if !address.ip().is_loopback() {
            return Err(Error::invalid(format!("no token exists, and `{address}` can be reached by other machines"))
                .hint("make one with `cairn token create NAME`, or set `CAIRN_TOKEN`"));
        }
        let token = StaticToken::for_this_run()?;
        let made = token.secret.clone();
        Ok((Self::Tokens(vec![token]), Some(made)))
    }
}

impl StaticToken {
    /// Generates an admin token for the person who started this process.
    pub fn for_this_run() -> Result<Self, Error> {
        Ok(Self { name: "local", secret: TokenSecret::random()?, role: Role::Admin, is_chosen: false })
    }
}
