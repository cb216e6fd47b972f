//! What can be asked of a Taiga: a file for each topic, all of them methods of the client.

mod comments;
mod epic_stories;
mod items;
mod lookups;
pub(crate) mod order;
mod projects;
