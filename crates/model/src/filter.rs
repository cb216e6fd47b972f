//! The filter language: which items a person or a tool wants to see.
//!
//! Two surface forms, infix and s-expressions, give one typed [`Expr`] with one meaning, which
//! [`Expr::matches`] evaluates and other crates may compile. Pure: no I/O and no clock, and no input can
//! make it panic or overflow the stack.

mod compare;
mod evaluate;
mod expr;
mod field;

pub use compare::{contains_folded, person_is, reference_is};
pub use evaluate::{Facts, ReferenceFacts};
pub use expr::{Comparison, Expr, MatchTest, OptionalField, Order, TextTest};
pub use field::{
    DateField, Field, FlagField, InstantField, NumberField, PersonField, ReferenceField, TextField,
};
