//! Validates arguments against the parameters of a tool and the rules for texts, with errors by field.

use serde_json::Value;

use super::parameters::Parameters;
use super::refusal::Refusal;
use super::texts;

/// Rejects arguments that violate the tool's parameters or the rules for texts.
pub(super) fn check(parameters: &Parameters, tool: &'static str, given: &Value) -> Result<(), Refusal> {
    let mut details = parameters.mistakes(given);
    details.extend(texts::mistakes(tool, given));
    if details.is_empty() {
        return Ok(());
    }
    details.sort_by(|(a, _), (b, _)| (parameters.position(a), a).cmp(&(parameters.position(b), b)));
    // Keeps the first error of each field; the sort is stable.
    details.dedup_by(|(later, _), (earlier, _)| later == earlier);
    Err(Refusal::fields(details))
}
