//! For crates that plan writes of their own on a project: the state a plan sees, and the rules that hold for every change.

pub use crate::change::assignees::remove_assignee;
pub use crate::change::completed::follow_status;
pub use crate::change::{ItemCreation, NumberAllocator};
pub use crate::project::{PlanContext, WritePlan, mention, set};
