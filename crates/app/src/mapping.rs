//! How a Taiga and this repository say the same thing: one mapping for the tools (`tracker`) and for the bridge.

pub(crate) mod points;
