//! The flags for authentication.

use std::net::SocketAddr;
use std::path::PathBuf;

use app::Error;
use clap::Args;
use web::{AuthMode, TokenSecret, Tokens};

/// The environment variable for a token; unlike a flag, it is not visible to other users of the machine.
const VARIABLE: &str = "CAIRN_TOKEN";

/// Authentication.
#[derive(Debug, Args)]
#[command(next_help_heading = "Authentication")]
pub(super) struct AuthArguments {
    /// Accept this token, which may read and write as git's user. Other users of this machine can see it on the command
    /// line; use the variable `CAIRN_TOKEN` to keep it private.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Read the token from a file.
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// Accept every request on this machine without a token; for tests and trusted machines.
    #[arg(long, conflicts_with_all = ["token", "token_file"])]
    without_token: bool,
}

impl AuthArguments {
    /// Returns the authentication mode, and the token generated for this run, if any.
    pub(super) fn auth_mode(
        &self,
        address: SocketAddr,
        tokens: &Tokens,
    ) -> Result<(AuthMode, Option<TokenSecret>), Error> {
        if self.without_token {
            if !address.ip().is_loopback() {
                return Err(Error::invalid(format!("`--without-token` is for this machine only, not for `{address}`"))
                    .hint("listen on 127.0.0.1, or make a token with `cairn token create NAME`"));
            }
            return Ok((AuthMode::Open, None));
        }
        AuthMode::decide(address, self.chosen()?, tokens)
    }

    fn chosen(&self) -> Result<Option<TokenSecret>, Error> {
        if let Some(path) = &self.token_file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Error::invalid(format!("cannot read the token in `{}`: {error}", path.display())))?;
            return TokenSecret::chosen(&text).map(Some);
        }
        let variable = || std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned());
        self.token.clone().or_else(variable).map(|text| TokenSecret::chosen(&text)).transpose()
    }
}
