//! Ids. Each kind of object has its own type, since the numbers overlap: epic status 1 is not story status 1.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$about:meta] $name:ident),* $(,)?) => {$(
        #[$about]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )*};
}

id! {
    /// An epic, story, task or issue; unique on the server within its kind.
    ItemId,
    /// A project.
    ProjectId,
    /// A user.
    UserId,
    /// A status of one kind of item.
    StatusId,
    /// A sprint.
    MilestoneId,
    /// A priority of issues.
    PriorityId,
    /// A severity of issues.
    SeverityId,
    /// A type of issues.
    IssueTypeId,
    /// A role in a project.
    RoleId,
    /// A value of the points scale.
    PointsId,
    /// A membership in a project; not the user.
    MembershipId,
}
