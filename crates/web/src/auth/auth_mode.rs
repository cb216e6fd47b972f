//! What lets people in, decided once, before anything listens.

use std::net::SocketAddr;

use app::{Error, Role};

use crate::tokens::{Secret, Tokens};

/// What lets people in.
#[derive(Debug)]
pub enum Entrance {
    /// Reaching the address: whoever does may do everything, as the person git names. For loopback addresses only.
    Open,
    /// One of the repository's tokens, or one of these.
    Tokens(Vec<Pass>),
}

/// A token of this run, beside those of the repository. Its bearer acts as the person git names.
#[derive(Debug)]
pub struct Pass {
    /// What it is called in logs.
    pub name: &'static str,
    /// What its bearer sends.
    pub secret: Secret,
    /// What it allows.
    pub role: Role,
    /// A person made it up, so it may be possible to guess it.
    pub is_chosen: bool,
}

impl Entrance {
    /// Decides who gets in: whoever has the token that a person chose, or one of the repository's. Where there is
    /// neither, one is made for this run and returned; but only for this machine, since whoever serves others should
    /// have said to whom.
    pub fn decide(
        address: SocketAddr,
        chosen: Option<Secret>,
        tokens: &Tokens,
    ) -> Result<(Self, Option<Secret>), Error> {
        if let Some(secret) = chosen {
            let pass = Pass { name: "static", secret, role: Role::Writer, is_chosen: true };
            return Ok((Self::Tokens(vec![pass]), None));
        }
        if !tokens.list()?.is_empty() {
            return Ok((Self::Tokens(Vec::new()), None));
        }
        if !address.ip().is_loopback() {
            return Err(Error::invalid(format!("there is no token, and `{address}` can be reached by other machines"))
                .hint("make one with `cairn token create NAME`, or set `CAIRN_TOKEN`"));
        }
        let pass = Pass::for_this_run()?;
        let made = pass.secret.clone();
        Ok((Self::Tokens(vec![pass]), Some(made)))
    }
}

impl Pass {
    /// Makes one for whoever started this run, who may do everything here anyway.
    pub fn for_this_run() -> Result<Self, Error> {
        Ok(Self { name: "local", secret: Secret::random()?, role: Role::Admin, is_chosen: false })
    }
}
