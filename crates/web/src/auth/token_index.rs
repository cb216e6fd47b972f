//! Whom each token lets in, right now: what was revoked a moment ago opens nothing any more.

use std::sync::Arc;

use app::Role;
use subtle::ConditionallySelectable;

use super::entrance::{Entrance, Pass};
use crate::private_file::Followed;
use crate::tokens::{Fingerprint, Known, Tokens};
use crate::visitor::Visitor;

/// All tokens, those of this run and those of the repository.
pub(crate) struct Keyring {
    /// Whoever comes without a token; nobody when tokens are wanted.
    anyone: Option<Visitor>,
    passes: Vec<Key>,
    tokens: Tokens,
    seen: Followed<Vec<Key>>,
}

/// A token and whom it lets in.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) visitor: Visitor,
    pub(crate) fingerprint: Fingerprint,
    /// A person made it up.
    pub(crate) is_chosen: bool,
}

impl Keyring {
    pub(crate) fn new(entrance: Entrance, tokens: Tokens) -> Self {
        let (anyone, passes) = match entrance {
            Entrance::Open => (Some(Visitor { name: "local".to_owned(), person: None, role: Role::Admin }), Vec::new()),
            Entrance::Tokens(passes) => (None, passes.iter().map(Key::of_pass).collect()),
        };
        Self { anyone, passes, tokens, seen: Followed::default() }
    }

    /// Returns who comes in without a token.
    pub(crate) fn anyone(&self) -> Option<&Visitor> {
        self.anyone.as_ref()
    }

    /// Finds the token with this fingerprint. Every one is compared, and each in constant time, so that how long it
    /// takes tells nothing.
    pub(crate) fn try_find(&self, fingerprint: &Fingerprint) -> Option<Key> {
        let stored = self.stored();
        let all: Vec<&Key> = self.passes.iter().chain(stored.iter()).collect();
        let mut found = 0;
        for (place, key) in (1_u64..).zip(&all) {
            found.conditional_assign(&place, key.fingerprint.matches(fingerprint));
        }
        let place = usize::try_from(found).ok()?.checked_sub(1)?;
        all.get(place).map(|key| (*key).clone())
    }

    // A file that cannot be read opens nothing: better nobody than somebody whose token was revoked.
    fn stored(&self) -> Arc<Vec<Key>> {
        let read = || self.tokens.known().unwrap_or_default().into_iter().map(Key::of_known).collect();
        self.seen.newest(self.tokens.version(), read)
    }
}

impl Key {
    fn of_pass(pass: &Pass) -> Self {
        let visitor = Visitor { name: pass.name.to_owned(), person: None, role: pass.role };
        Self { visitor, fingerprint: pass.secret.fingerprint(), is_chosen: pass.is_chosen }
    }

    fn of_known(known: Known) -> Self {
        let Known { name, role, person, fingerprint } = known;
        Self { visitor: Visitor { name, person: Some(person), role }, fingerprint, is_chosen: false }
    }
}
