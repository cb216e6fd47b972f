//! The `cairn` dialect.

mod attachments;
mod bench;
mod claims;
mod code;
mod hints;
mod lists;
mod writes;
