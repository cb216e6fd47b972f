//! The rule for `completed`: set when the status closes an item, cleared when it reopens.

use jiff::civil::Date;
use model::op::Change;
use serde_json::Value;

use crate::project::set;

/// Returns the change of `completed` for a status. `day` is when the item was closed; an existing day is kept.
pub fn follow_status(is_closed: bool, completed: Option<Date>, day: Date) -> Option<Change> {
    match (is_closed, completed) {
        (true, None) => Some(set("completed", day.to_string())),
        (false, Some(_)) => Some(set("completed", Value::Null)),
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
        assert_eq!(follow_status(true, None, day), Some(set("completed", "2026-03-01")));
        assert_eq!(follow_status(true, earlier, day), None);
        assert_eq!(follow_status(false, earlier, day), Some(set("completed", Value::Null)));
        assert_eq!(follow_status(false, None, day), None);
    }
}
