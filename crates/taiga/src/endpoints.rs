//! The endpoints of Taiga's API as methods of the client, one file per topic.

mod comments;
mod epic_stories;
mod items;
mod lookups;
pub(crate) mod order;
mod projects;
