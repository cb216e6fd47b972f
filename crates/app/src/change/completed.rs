//! The rule for `completed`: set when the status closes an item, cleared when it reopens.

use jiff::civil::Date;
use model::op::Change;
use serde_json::Value;

use crate::project::set;

/// Returns the change of `completed` for an item that was closed on a day, or is open. A day that is set already stays.
pub fn follow_status(closed_on: Option<Date>, completed: Option<Date>) -> Option<Change> {
    match (closed_on, completed) {
        (Some(day), None) => Some(set("completed", day.to_string())),
        (None, Some(_)) => Some(set("completed", Value::Null)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completed_is_set_by_closing_and_cleared_by_opening() {
        let day = jiff::civil::date(2026, 3, 1);
        let earlier = Some(jiff::civil::date(2026, 2, 1));
        assert_eq!(follow_status(Some(day), None), Some(set("completed", "2026-03-01")));
        assert_eq!(follow_status(Some(day), earlier), None);
        assert_eq!(follow_status(None, earlier), Some(set("completed", Value::Null)));
        assert_eq!(follow_status(None, None), None);
    }
}
