//! Operations in git and back, the derived index, and sync between clones.

pub mod git;
