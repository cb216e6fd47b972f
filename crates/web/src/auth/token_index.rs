//! Finds the principal of a token. A revoked token is invalid within a fraction of a second.

use std::io;

use app::Role;
use subtle::ConditionallySelectable;

use super::auth_mode::{AuthMode, StaticToken};
use crate::cached_file::CachedFile;
use crate::principal::Principal;
use crate::tokens::{Fingerprint, Known, Tokens};

/// All tokens: those of this process and those of the repository.
pub(crate) struct TokenIndex {
    /// The principal of requests without a token; `None` when tokens are required.
    anyone: Option<Principal>,
    static_tokens: Vec<Key>,
    stored: CachedFile<Vec<Key>>,
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
        let versioned = tokens.clone();
        // Fail closed: with an unreadable file no stored token is valid, since one of them may have been revoked.
        let read = move || tokens.known().unwrap_or_default().into_iter().map(Key::of_known).collect();
        Ok(Self { anyone, static_tokens, stored: CachedFile::new(move || versioned.version(), read)? })
    }

    /// Returns the principal of requests without a token.
    pub(crate) fn anyone(&self) -> Option<&Principal> {
        self.anyone.as_ref()
    }

    /// Finds the token with this fingerprint. Every token is compared, in constant time, against timing
    /// attacks.
    pub(crate) fn try_find(&self, fingerprint: &Fingerprint) -> Option<Key> {
        let stored = self.stored.get();
        let all: Vec<&Key> = self.static_tokens.iter().chain(stored.iter()).collect();
        let mut found = 0;
        for (place, key) in (1_u64..).zip(&all) {
            found.conditional_assign(&place, key.fingerprint.matches(fingerprint));
        }
        let place = usize::try_from(found).ok()?.checked_sub(1)?;
        all.get(place).map(|key| (*key).clone())
    }
}

impl Key {
    fn of_static(token: &StaticToken) -> Self {
        let principal = Principal { name: token.name.to_owned(), person: None, role: token.role };
        Self { principal, fingerprint: token.secret.fingerprint(), is_chosen: token.is_chosen }
    }

    fn of_known(known: Known) -> Self {
        let Known { name, role, person, fingerprint } = known;
        Self { principal: Principal { name, person: Some(person), role }, fingerprint, is_chosen: false }
    }
}
