//! One function per verb: the only thing front doors call. A front door decodes its input, calls one of these, and
//! encodes the answer.
//!
//! Nothing here prints, parses a command line or knows a protocol; `view` holds the shapes that the outside sees.

mod change;
mod cursor;
mod error;
mod external_name;
pub mod inbox;
pub mod people;
pub mod plan;
mod pool;
mod project;
mod resolve;
mod role;
pub mod tasks;
pub mod verb;
pub mod view;

pub use model::instructions::looks_like_instructions;
pub use store::{Listener, Notice, local_zone, now};

pub use change::{ChangeSet, NewItem};
pub use error::{Detail, Error, ErrorKind};
pub use pool::ProjectPool;
pub use project::{Env, Location, Project, locate};
pub use role::Role;
