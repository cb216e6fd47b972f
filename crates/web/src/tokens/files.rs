//! The tokens of one clone, in a file that only its owner can read.

use std::path::Path;

use app::Error;
use serde::{Deserialize, Serialize};

use super::{Addition, TokenRecord, TokenStore};
use crate::audit::{AuditLog, Entry};
use crate::cached::SourceVersion;
use crate::private_file::PrivateFile;

/// Version of the file layout.
const LAYOUT: u32 = 1;

/// The file, and the audit log beside it.
#[derive(Debug)]
pub(super) struct FileTokens {
    file: PrivateFile,
    audit: AuditLog,
}

#[derive(Debug, Serialize, Deserialize)]
struct Content {
    layout: u32,
    tokens: Vec<TokenRecord>,
}

impl Default for Content {
    fn default() -> Self {
        Self { layout: LAYOUT, tokens: Vec::new() }
    }
}

impl FileTokens {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { file: PrivateFile::at(folder.join("tokens.json")), audit: AuditLog::in_folder(folder) }
    }

    fn change<T>(&self, edit: impl FnOnce(&mut Vec<TokenRecord>) -> Result<T, Error>) -> Result<T, Error> {
        self.file.change(|content: &mut Content| {
            let mut known = checked(std::mem::take(content))?;
            let answer = edit(&mut known.tokens)?;
            *content = known;
            Ok(answer)
        })
    }

    // Recorded before the change is stored: a change that cannot be audited is not made.
    fn record(&self, entry: &Entry<'_>) -> Result<(), Error> {
        let added = self.audit.add(entry);
        added
            .map_err(|error| Error::unavailable(format!("cannot write to the audit log: {error}; nothing was changed")))
    }
}

impl TokenStore for FileTokens {
    fn list(&self) -> Result<Vec<TokenRecord>, Error> {
        Ok(checked(self.file.read()?)?.tokens)
    }

    fn add(&self, token: &TokenRecord, record: &Entry<'_>) -> Result<Addition, Error> {
        self.change(|tokens| {
            if tokens.iter().any(|other| is_called(other, &token.name)) {
                return Ok(Addition::NameTaken);
            }
            tokens.push(token.clone());
            self.record(record)?;
            Ok(Addition::Added)
        })
    }

    fn remove(&self, name: &str, record: &Entry<'_>) -> Result<Option<TokenRecord>, Error> {
        self.change(|tokens| {
            let Some(place) = tokens.iter().position(|token| is_called(token, name)) else { return Ok(None) };
            let removed = tokens.remove(place);
            self.record(record)?;
            Ok(Some(removed))
        })
    }

    fn version(&self) -> Option<SourceVersion> {
        Some(SourceVersion::File(self.file.version()))
    }
}

fn checked(content: Content) -> Result<Content, Error> {
    if content.layout == LAYOUT {
        return Ok(content);
    }
    Err(Error::conflict("the tokens were written by a newer version of cairn").hint("use that version"))
}

fn is_called(token: &TokenRecord, name: &str) -> bool {
    token.name.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use crate::tokens::Tokens;
    use crate::tokens::tests::new;

    #[test]
    fn file_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens.json");
        std::fs::write(&path, r#"{"layout": 2, "tokens": []}"#).expect("it is written");
        let tokens = Tokens::in_folder(folder.path());
        assert!(tokens.list().is_err() && tokens.create(&new("ada"), jiff::Timestamp::UNIX_EPOCH).is_err());
        assert!(std::fs::read_to_string(&path).expect("a file").contains('2'));
    }
}
