//! Labels: those in use, and those that the team declared.

use model::label::DeclaredLabels;

use super::{Index, IndexError};

impl Index {
    /// Returns all labels in use, sorted.
    pub fn labels(&self) -> Result<Vec<String>, IndexError> {
        Ok(self.label_counts()?.into_iter().map(|(label, _)| label).collect())
    }

    /// Returns all labels in use, sorted, with the number of items that have them.
    pub fn label_counts(&self) -> Result<Vec<(String, u64)>, IndexError> {
        let read = || {
            let mut statement =
                self.connection.prepare("SELECT label, count(*) FROM label GROUP BY label ORDER BY label")?;
            statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        self.check(read())
    }

    /// Returns the labels that the team declared.
    pub fn declared_labels(&self) -> Result<DeclaredLabels, IndexError> {
        let entity = self.entity(DeclaredLabels::id())?;
        Ok(entity.as_ref().map(DeclaredLabels::from_entity).unwrap_or_default())
    }
}
