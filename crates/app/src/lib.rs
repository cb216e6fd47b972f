//! One function per verb: the API for the command line, the web server and the dialects. Each of them decodes its
//! input, calls one of these functions, and encodes the result.
//!
//! Nothing here prints, parses a command line or knows a protocol; `view` defines the JSON shapes.

mod change;
mod cursor;
mod error;
mod external_name;
mod imported_name;
mod known;
pub mod people;
pub mod plan;
mod pool;
mod project;
mod resolve;
mod role;
pub mod shared;
mod shared_entry;
pub mod tasks;
pub mod verb;
pub mod view;

pub use model::instructions::looks_like_instructions;
pub use store::git::{RecoveredLog, RefRecovery};
pub use store::{Listener, Notice, local_zone, now, private_file};

pub use change::{ChangeSet, NewItem};
pub use error::{Detail, Error, ErrorKind, NumberedObject, UnknownNumber};
pub use external_name::is_external_name;
pub use known::UnknownNames;
pub use pool::ProjectPool;
pub use project::{Env, Location, Project, locate, today};
pub use role::Role;
