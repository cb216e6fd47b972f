//! Placeholder.

pub mod filter;
