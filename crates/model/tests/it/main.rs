//! Properties of the model that hold for every set of operations.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod annotations;
mod fold;
mod numbers;
mod operations;
mod renumber;
