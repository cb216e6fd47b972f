//! The `taiga` dialect.

mod bench;
mod catalogue;
mod contract;
mod extended;
mod input;
mod local;
mod paging;
mod recorded;
mod remote;
mod seed;
