//! The hooks through which git tells that a commit was made or replaced. A person's own hook stays and runs first; a hook
//! of ours never stops a commit.

mod install;
mod run;
mod script;

use std::str::FromStr;

pub use install::{hooks_status, install_hooks, remove_hooks};
pub use run::run_hook;

/// A hook that Cairn has something to do in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Before a message is written: what the commit will be made of is looked up while git still knows.
    PrepareCommitMsg,
    /// After a commit: trailers become an annotation, notes of squashed or picked commits come along.
    PostCommit,
    /// After commits were amended or rebased: their notes come along.
    PostRewrite,
}

impl Hook {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::PrepareCommitMsg, Self::PostCommit, Self::PostRewrite];

    /// Returns git's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrepareCommitMsg => "prepare-commit-msg",
            Self::PostCommit => "post-commit",
            Self::PostRewrite => "post-rewrite",
        }
    }
}

impl FromStr for Hook {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|hook| hook.name() == name);
        found.ok_or_else(|| format!("there is nothing to do in a hook `{name}`"))
    }
}
