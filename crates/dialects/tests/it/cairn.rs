//! The `cairn` dialect.

mod bench;
mod claims;
mod code;
mod hints;
mod lists;
mod writes;
