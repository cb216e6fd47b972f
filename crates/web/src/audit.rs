//! The audit log: changes over HTTP, logins, logouts, failed logins, and tokens that were created or revoked. One line
//! of JSON per event, in a file with mode 0600 or in the database. It names tokens but never contains one.

mod shared;
mod writer;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::private_file::{lock, private};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use uuid::Uuid;

pub(crate) use shared::{SharedAuditLog, record};
pub(crate) use writer::{AuditWriter, OnWritten};

/// File size at which the log is rotated. One rotated file is kept.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Where audit records are stored.
pub(crate) trait AuditStore: Send {
    /// Stores lines of JSON, each with its line break. Waits until they are stored.
    fn append(&self, lines: &[Vec<u8>]) -> io::Result<()>;

    /// Returns how long a line may wait for others that are stored with it.
    fn collect_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// The audit log of one clone.
#[derive(Debug)]
pub(crate) struct AuditLog {
    path: PathBuf,
    max_bytes: u64,
    file: Mutex<Option<(File, Identity)>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Entry<'a> {
    /// Time at which the event ended.
    pub(crate) when: String,
    /// Name of the token.
    pub(crate) who: &'a str,
    /// The person of the token; git's user if it has none.
    pub(crate) person: Option<String>,
    /// The request or tool.
    pub(crate) what: String,
    /// How it ended.
    pub(crate) outcome: &'a str,
    /// Client address; `None` for a command on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<IpAddr>,
    /// Trace id, as in the request log and in the response header.
    pub(crate) trace: Uuid,
}

impl Entry<'_> {
    pub(crate) fn to_line(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

impl AuditStore for AuditLog {
    // One `write` for whole lines, so that lines of several servers do not interleave.
    fn append(&self, lines: &[Vec<u8>]) -> io::Result<()> {
        let mut kept = self.file.lock();
        let (file, identity) = match kept.take().filter(|(_, identity)| self.is_still(*identity)) {
            Some(same) => same,
            None => self.open()?,
        };
        let (file, _) = kept.insert((file, identity));
        file.write_all(&lines.concat())
    }
}

impl AuditLog {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("audit.log"), max_bytes: MAX_BYTES, file: Mutex::default() }
    }

    /// Appends an entry. Waits for the disk.
    pub(crate) fn add(&self, entry: &Entry<'_>) -> io::Result<()> {
        self.append(&[entry.to_line()?])
    }

    // Another server or a person may have moved the file away; then the next line goes into a new file.
    fn is_still(&self, identity: Identity) -> bool {
        let now = fs::metadata(&self.path);
        now.is_ok_and(|now| now.len() < self.max_bytes && identity.is_some() && identity_of(&now) == identity)
    }

    fn open(&self) -> io::Result<(File, Identity)> {
        if fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() >= self.max_bytes) {
            self.make_room()?;
        }
        let file = self.create()?;
        let identity = identity_of(&file.metadata()?);
        Ok((file, identity))
    }

    // A refused request may be the first event in a clone, before our folder exists.
    fn create(&self) -> io::Result<File> {
        let open = || private(OpenOptions::new().append(true).create(true)).open(&self.path);
        match (open(), self.path.parent()) {
            (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder)?;
                open()
            }
            (opened, _) => opened,
        }
    }

    // Several servers may find the file too long: the first one renames it, the others see that it is gone.
    fn make_room(&self) -> io::Result<()> {
        let _lock = lock(&self.path.with_extension("lock"))?;
        if fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() >= self.max_bytes) {
            fs::rename(&self.path, self.path.with_extension("log.1"))?;
        }
        Ok(())
    }
}

/// Device and inode, which detect a replaced file, where the system has them.
type Identity = Option<(u64, u64)>;

#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "elsewhere there is none"))]
#[cfg_attr(not(unix), expect(unused_variables, reason = "there is none"))]
fn identity_of(metadata: &Metadata) -> Identity {
    #[cfg(unix)]
    return {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    };
    #[cfg(not(unix))]
    return None;
}

/// Formats a time for the log.
pub(crate) fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(audit: &AuditLog, what: &str) {
        let entry = Entry {
            when: moment(Timestamp::UNIX_EPOCH),
            who: "ada",
            person: None,
            what: what.to_owned(),
            outcome: "done",
            address: None,
            trace: Uuid::nil(),
        };
        audit.add(&entry).expect("it is written");
    }

    /// Returns the calls that a file of the record has.
    fn calls(folder: &Path, name: &str) -> Vec<String> {
        let text = fs::read_to_string(folder.join(name)).expect("it is there");
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        lines.map(|line| line["what"].as_str().expect("a text").to_owned()).collect()
    }

    #[test]
    fn record_begins_in_a_clone_where_nothing_is_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("cairn");
        add(&AuditLog::in_folder(&folder), "call");
        assert!(folder.join("audit.log").is_file());
    }

    #[test]
    fn audit_log_is_recreated_after_its_file_was_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("audit.log");
        let audit = AuditLog::in_folder(folder.path());
        add(&audit, "call 0");
        fs::remove_file(&place).expect("it was there");
        add(&audit, "call 1");
        fs::rename(&place, folder.path().join("kept")).expect("it is there again");
        add(&audit, "call 2");
        assert_eq!(calls(folder.path(), "kept"), ["call 1"]);
        assert_eq!(calls(folder.path(), "audit.log"), ["call 2"]);
    }

    #[test]
    fn servers_that_share_a_record_lose_no_line_when_it_makes_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = || AuditLog { max_bytes: 200, ..AuditLog::in_folder(folder.path()) };
        let (one, other) = (server(), server());
        for (n, audit) in [&one, &other, &one, &other].into_iter().enumerate() {
            add(audit, &format!("call {n}"));
        }
        assert_eq!(calls(folder.path(), "audit.log.1"), ["call 0", "call 1"]);
        assert_eq!(calls(folder.path(), "audit.log"), ["call 2", "call 3"]);
    }

    #[test]
    fn long_record_makes_room_and_the_one_before_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let audit = AuditLog { max_bytes: 200, ..AuditLog::in_folder(folder.path()) };
        for n in 0..4 {
            add(&audit, &format!("call {n}"));
        }
        assert_eq!(calls(folder.path(), "audit.log.1"), ["call 0", "call 1"]);
        insta::assert_snapshot!(fs::read_to_string(folder.path().join("audit.log")).expect("it is there"), @r#"
        {"when":"1970-01-01T00:00:00.000Z","who":"ada","person":null,"what":"call 2","outcome":"done","trace":"00000000-0000-0000-0000-000000000000"}
        {"when":"1970-01-01T00:00:00.000Z","who":"ada","person":null,"what":"call 3","outcome":"done","trace":"00000000-0000-0000-0000-000000000000"}
        "#);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.path().join("audit.log")).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
