//! Finds the principal of a token. A revoked token is invalid within a fraction of a second.

use std::io;

use app::Role;
use subtle::ConditionallySelectable;

use super::auth_mode::{AuthMode, StaticToken};
use crate::cached::Cached;
use crate::principal::Principal;
use crate::tokens::{Fingerprint, KnownToken, Tokens};

/// All tokens: those of this process and those of the repository.
pub(crate) struct TokenIndex {
    /// The principal of requests without a token; `None` when tokens are required.
    anyone: Option<Principal>,
    static_tokens: Vec<Key>,
    stored: Cached<Tokens>,
}

/// A token and its principal.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) principal: Principal,
    pub(crate) fingerprint: Fingerprint,
    /// Chosen by a person, not generated.
    pub(crate) is_chosen: bool,
}

impl TokenIndex {
    pub(crate) fn new(auth_mode: AuthMode, tokens: Tokens) -> io::Result<Self> {
        let (anyone, static_tokens) = match auth_mode {
            AuthMode::Open => {
                (Some(Principal { name: "local".to_owned(), person: None, role: Role::Admin }), Vec::new())
            }
            AuthMode::Tokens(tokens) => (None, tokens.iter().map(Key::of_static).collect()),
        };
        Ok(Self { anyone, static_tokens, stored: Cached::new(tokens)? })
    }

    /// Returns the principal of requests without a token.
    pub(crate) fn anyone(&self) -> Option<&Principal> {
        self.anyone.as_ref()
    }

    /// Finds the token with this fingerprint. Every token is compared, in constant time, against timing
    /// attacks.
    pub(crate) fn try_find(&self, fingerprint: &Fingerprint) -> Option<Key> {
        let stored = self.stored.get();
        let mut found = 0;
        let static_tokens = self.static_tokens.iter().map(|key| &key.fingerprint);
        let all = static_tokens.chain(stored.iter().map(|known| &known.fingerprint));
        for (place, own) in (1_u64..).zip(all) {
            found.conditional_assign(&place, own.matches(fingerprint));
        }
        let place = usize::try_from(found).ok()?.checked_sub(1)?;
        let of_stored = || stored.get(place.checked_sub(self.static_tokens.len())?).map(Key::of_known);
        self.static_tokens.get(place).cloned().or_else(of_stored)
    }
}

impl Key {
    fn of_static(token: &StaticToken) -> Self {
        let principal = Principal { name: token.name.to_owned(), person: None, role: token.role };
        Self { principal, fingerprint: token.secret.fingerprint(), is_chosen: token.is_chosen }
    }

    fn of_known(known: &KnownToken) -> Self {
        let KnownToken { name, role, person, fingerprint } = known.clone();
        Self { principal: Principal { name, person: Some(person), role }, fingerprint, is_chosen: false }
    }
}
