//! The `taiga` dialect.

mod bench;
mod catalogue;
mod contract;
mod input;
mod local;
