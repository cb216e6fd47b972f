//! Git hooks for new, merged and rewritten commits. The user's own hook is kept and runs first; our hooks never stop a commit.

mod install;
mod run;
mod script;

use std::str::FromStr;

pub use install::{HooksPlace, hooks_status, install_hooks, remove_hooks};
pub use run::run_hook;

/// A hook that Cairn uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Before a message is written: records the source commits while git still knows them.
    PrepareCommitMsg,
    /// After a commit: trailers become an annotation, notes of squashed or picked commits are carried, and items that the
    /// commit closes are closed.
    PostCommit,
    /// After a merge, also by `git pull`: items that the merged commits close are closed.
    PostMerge,
    /// After an amend or a rebase: notes are carried, and links of items to commits follow.
    PostRewrite,
}

impl Hook {
    /// All hooks.
    pub const ALL: [Self; 4] = [Self::PrepareCommitMsg, Self::PostCommit, Self::PostMerge, Self::PostRewrite];

    /// Returns git's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrepareCommitMsg => "prepare-commit-msg",
            Self::PostCommit => "post-commit",
            Self::PostMerge => "post-merge",
            Self::PostRewrite => "post-rewrite",
        }
    }
}

impl FromStr for Hook {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|hook| hook.name() == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|hook| hook.name()).collect();
            format!("unknown hook `{name}` (expected: {})", known.join(", "))
        })
    }
}
