//! Databases for unit tests.

use std::sync::Arc;

use database::{Database, Options};
use testkit::postgres::TestDatabase;

/// Opens a test database, with its tables.
pub(crate) fn open(stored: &TestDatabase<'_>) -> Arc<Database> {
    let address = stored.url().parse().expect("an address");
    Arc::new(Database::open(address, &Options::default()).expect("it answers"))
}
