//! Authentication: tokens, login, refresh.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::http::{Answer, Request};
use super::refusal::{self, FieldErrors, Reply};
use super::world::World;

/// A token pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// For the header.
    pub access: String,
    /// For the next pair, once.
    pub refresh: String,
}

#[derive(Debug, Default)]
pub(super) struct TokenBook {
    tokens: HashMap<String, Token>,
    issued: usize,
}

#[derive(Debug)]
struct Token {
    user: u64,
    kind: Kind,
    is_good: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Access,
    Refresh,
    Application,
}

/// The password of every user.
pub const PASSWORD: &str = "open-sesame-4711";

impl TokenBook {
    pub(super) fn issue(&mut self, user: u64, kind: Kind) -> String {
        self.issued += 1;
        let name = format!("{kind:?}").to_lowercase();
        let token = format!("eyJmYWtl.{name}-of-{user}.number{:06}", self.issued);
        self.tokens.insert(token.clone(), Token { user, kind, is_good: true });
        token
    }

    pub(super) fn issue_pair(&mut self, user: u64) -> Tokens {
        Tokens { access: self.issue(user, Kind::Access), refresh: self.issue(user, Kind::Refresh) }
    }

    pub(super) fn expire(&mut self, kind: Kind) {
        for token in self.tokens.values_mut().filter(|token| token.kind == kind) {
            token.is_good = false;
        }
    }

    /// Returns the user of a request; `None` if it is anonymous.
    pub(super) fn user(&self, request: &Request) -> Result<Option<u64>, Answer> {
        let Some(header) = request.header("authorization") else {
            return Ok(None);
        };
        let words: Vec<&str> = header.split_whitespace().collect();
        match words[..] {
            ["Bearer", token] => self.access(token).map(Some),
            ["Bearer", ..] => {
                let text = "Authorization header must contain two space-delimited values";
                Err(refusal::detail(401, text, "bad_authorization_header"))
            }
            ["Application", token] => match self.tokens.get(token) {
                Some(token) if token.kind == Kind::Application && token.is_good => Ok(Some(token.user)),
                _ => Err(refusal::bad_application_token()),
            },
            _ => Ok(None),
        }
    }

    fn access(&self, token: &str) -> Result<u64, Answer> {
        match self.tokens.get(token) {
            Some(token) if token.kind == Kind::Refresh => Err(refusal::bad_access_token("Token has wrong type")),
            Some(token) if token.kind == Kind::Access && token.is_good => Ok(token.user),
            _ => Err(refusal::bad_access_token("Token is invalid or expired")),
        }
    }
}

/// `POST /auth`.
pub(super) fn log_in(world: &mut World, body: &Value) -> Reply {
    if body["type"] != "normal" {
        return Err(refusal::bad_request("invalid login type"));
    }
    let mut errors = FieldErrors::default();
    for name in ["username", "password"] {
        if body[name].as_str().is_none_or(str::is_empty) {
            errors.add(name, refusal::REQUIRED);
        }
    }
    errors.check()?;
    let name = body["username"].as_str().unwrap_or_default();
    let user = world.users.iter().find(|user| user["username"] == name || user["email"] == name);
    let Some(user) = user.filter(|_| body["password"] == PASSWORD).cloned() else {
        let text = "No active account found with the given credentials";
        return Err(refusal::detail(401, text, "invalid_credentials"));
    };
    let pair = world.tokens.issue_pair(user["id"].as_u64().unwrap_or_default());
    let mut answer = user;
    answer["auth_token"] = json!(pair.access);
    answer["refresh"] = json!(pair.refresh);
    Ok(Answer::json(200, &answer))
}

/// `POST /auth/refresh`: a refresh token works once.
pub(super) fn refresh(world: &mut World, body: &Value) -> Reply {
    let Some(token) = body["refresh"].as_str() else {
        return Err(refusal::field("refresh", refusal::REQUIRED));
    };
    let user = match world.tokens.tokens.get_mut(token) {
        Some(token) if token.kind == Kind::Refresh && token.is_good => {
            token.is_good = false;
            token.user
        }
        _ => return Err(refusal::detail(401, "Token is invalid or expired", "token_not_valid")),
    };
    let pair = world.tokens.issue_pair(user);
    Ok(Answer::json(200, &json!({"auth_token": pair.access, "refresh": pair.refresh})))
}
