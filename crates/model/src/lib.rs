//! The domain of Cairn: operations, entities folded from them, items, workflows, numbers and the filter language.
//!
//! Everything here is a pure function of its arguments. This crate never opens a file, reads a clock, draws a random
//! number or knows how anything is serialized; callers pass time and identity in.

pub mod annotation;
pub mod attachment;
pub mod comment;
pub mod course;
pub mod diff;
pub mod entity;
pub mod field;
pub mod filter;
pub mod hex;
pub mod id;
pub mod imported;
pub mod instructions;
pub mod item;
pub mod item_ref;
pub mod label;
pub mod link;
pub mod member;
pub mod mention;
pub mod message;
mod names;
pub mod nearest;
pub mod number;
pub mod op;
pub mod patch;
pub mod person;
pub mod priority;
pub mod rank;
pub mod relocate;
pub mod renumber;
pub mod saved_view;
pub mod size;
pub mod sort;
pub mod text;
pub mod tokens;
pub mod value_error;
pub mod workflow;
