//! The tokens that all servers of a database share. A change and its audit record are one transaction.

use std::sync::Arc;

use app::Error;
use database::Database;
use database::access::{StoredToken, TokenAddition, Versioned};

use super::{Addition, Fingerprint, TokenRecord, TokenStore};
use crate::audit::{Entry, record};
use crate::cached::SourceVersion;

/// The table of tokens.
#[derive(Debug)]
pub(super) struct SharedTokens {
    database: Arc<Database>,
}

impl SharedTokens {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }
}

impl TokenStore for SharedTokens {
    fn list(&self) -> Result<Vec<TokenRecord>, Error> {
        Ok(self.database.tokens()?.into_iter().map(of_row).collect())
    }

    fn add(&self, token: &TokenRecord, entry: &Entry<'_>) -> Result<Addition, Error> {
        let line = line(entry)?;
        Ok(match self.database.add_token(&to_row(token)?, &record(&line))? {
            TokenAddition::Added => Addition::Added,
            TokenAddition::NameTaken => Addition::NameTaken,
        })
    }

    fn remove(&self, name: &str, entry: &Entry<'_>) -> Result<Option<TokenRecord>, Error> {
        let line = line(entry)?;
        Ok(self.database.remove_token(name, &record(&line))?.map(of_row))
    }

    fn version(&self) -> Option<SourceVersion> {
        self.database.version(Versioned::Tokens).ok().map(SourceVersion::Database)
    }
}

fn line(entry: &Entry<'_>) -> Result<Vec<u8>, Error> {
    entry.to_line().map_err(|error| Error::invalid(error.to_string()))
}

fn of_row(row: StoredToken) -> TokenRecord {
    let StoredToken { name, role, person, created_at, sha256 } = row;
    // A hash of another length matches no token.
    let sha256 = Fingerprint::from_bytes(&sha256).map(Fingerprint::to_hex).unwrap_or_default();
    TokenRecord { name, role, person, created_at, sha256 }
}

fn to_row(token: &TokenRecord) -> Result<StoredToken, Error> {
    let TokenRecord { name, role, person, created_at, sha256 } = token.clone();
    let sha256 = Fingerprint::from_hex(&sha256).ok_or_else(|| Error::invalid("the hash of a token is not one"))?;
    Ok(StoredToken { name, role, person, created_at, sha256: sha256.as_bytes().to_vec() })
}
