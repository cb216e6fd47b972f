//! The flags for a database that several servers share.

use std::sync::Arc;
use std::time::Duration;

use app::Error;
use app::shared::{ShareOptions, Shared, WhenAway, share};
use clap::Args;
use database::Database;

use crate::commands::RepoPath;
use crate::output;

/// How this server follows the database.
#[derive(Debug, Args)]
pub(super) struct SharingArguments {
    /// With a database: maximum age of a read, in milliseconds. With 0 each read asks the database first, and so sees
    /// every acknowledged write.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    max_staleness: u64,
    /// With a database: read from the clone while the database is unavailable, although it may be outdated. Writes fail
    /// until the database is available again.
    #[arg(long)]
    read_without_database: bool,
}

impl SharingArguments {
    /// Connects the clone with the database, until the result is dropped.
    pub(super) fn share(&self, place: &RepoPath, database: &Arc<Database>) -> Result<Shared, Error> {
        let when_away = if self.read_without_database { WhenAway::ReadFromClone } else { WhenAway::Fail };
        let options = ShareOptions { max_staleness: Duration::from_millis(self.max_staleness), when_away };
        share(place.path(), Arc::clone(database), options, output::listener())
    }
}
