//! For crates that plan their own writes on a project: the state of a plan, and the rules for every change.

pub use crate::change::assignees::remove_assignee;
pub use crate::change::completed::follow_status;
pub use crate::change::{ItemCreation, NumberAllocator};
pub use crate::project::{PlanContext, WritePlan, mention, set};
pub use crate::verb::declare_labels;
