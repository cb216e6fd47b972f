//! Properties of the model: what must hold for every set of operations.

mod fold;
mod numbers;
mod operations;
