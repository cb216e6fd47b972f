//! Request and response types of Taiga. Fields that no caller needs are left out, unknown fields are ignored, and
//! fields that a server may omit are optional.

mod blocked;
mod change;
mod comment;
mod draft;
mod id;
mod item;
mod lookup;
mod member;
mod milestone;
mod patch;
mod project;
mod tag;

pub use blocked::Blocked;
pub use change::Change;
pub use comment::{Comment, CommentAuthor};
pub use draft::{Draft, EpicDraft, IssueDraft, StoryDraft, TaskDraft};
pub use id::{
    IssueTypeId, ItemId, MembershipId, MilestoneId, PointsId, PriorityId, ProjectId, RoleId, SeverityId, StatusId,
    UserId,
};
pub use item::{Core, Epic, EpicRef, Issue, Item, Kind, StatusInfo, Story, StoryCounts, StoryRef, Task, UserInfo};
pub use lookup::{Attachment, CustomAttribute, CustomValues, IssueType, Points, Priority, Role, Severity, Status};
pub use member::{Member, Membership, RelatedStory, User};
pub use milestone::{Milestone, MilestoneDraft, MilestonePatch};
pub use patch::{EpicPatch, IssuePatch, Patch, StoryPatch, TaskPatch};
pub use project::{Project, ProjectSummary, view_right};
pub use tag::Tag;
