//! The flag for the database that several servers share.

use std::sync::Arc;

use app::Error;
use clap::Args;
use database::{Address, Database, Options};
use web::Tokens;

use super::RepoPath;

/// The environment variable for the address; unlike a flag, it is not visible to other users of the machine.
const VARIABLE: &str = "CAIRN_DATABASE";

/// The database of several servers.
#[derive(Debug, Args)]
pub(super) struct DatabaseArgument {
    /// The PostgreSQL that several servers share, such as
    /// `postgres://cairn@db1,db2/project?target_session_attrs=read-write`. Other users of this machine can see a
    /// password in it; use the variable `CAIRN_DATABASE` to keep it private.
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

impl DatabaseArgument {
    /// Returns the address; `None` if neither the flag nor the variable gives one.
    pub(super) fn address(&self) -> Result<Option<Address>, Error> {
        let variable = || std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned());
        let text = self.database.clone().or_else(variable).filter(|text| !text.is_empty());
        let address = text.map(|text| text.parse()).transpose();
        address.map_err(|error: database::DatabaseError| {
            Error::invalid(error.to_string())
                .hint("write `postgres://USER@HOST:PORT/DATABASE`; several hosts with commas")
        })
    }

    /// Connects and changes nothing; `None` without an address.
    pub(super) fn connect(&self) -> Result<Option<Arc<Database>>, Error> {
        let Some(address) = self.address()? else { return Ok(None) };
        Ok(Some(Arc::new(Database::connect(address, &Options::default())?)))
    }

    /// Connects, and creates or updates the tables; `None` without an address.
    pub(super) fn open(&self) -> Result<Option<Arc<Database>>, Error> {
        let Some(address) = self.address()? else { return Ok(None) };
        Ok(Some(Arc::new(Database::open(address, &Options::default())?)))
    }
}

/// Returns the tokens of a database, or those of the clone.
pub(super) fn tokens(database: Option<&Arc<Database>>, place: &RepoPath) -> Result<Tokens, Error> {
    match database {
        Some(database) => Ok(Tokens::shared(Arc::clone(database))),
        None => Tokens::of(place.path()),
    }
}
