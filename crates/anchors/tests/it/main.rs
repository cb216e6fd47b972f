//! Symbols of whole files in every language, and where names resolve to.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the failure report")]

mod any_text;
mod broken;
mod places;
mod resolving;
mod samples;
