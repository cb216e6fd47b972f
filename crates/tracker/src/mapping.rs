//! How a Taiga and this repository say the same thing: one mapping for the tools (`tracker`) and for the bridge. It knows items,
//! fields and requests of a Taiga, and which words and numbers of ours they are; it decides nothing.

pub(crate) mod fields;
pub(crate) mod grades;
pub(crate) mod item;
pub(crate) mod points;
mod priority_scale;
pub(crate) mod requests;
pub(crate) mod tags;
