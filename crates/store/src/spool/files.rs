//! The inbox of one clone: a folder in the common git directory with one file per message, like a maildir.
//!
//! A file is written under `tmp` and renamed atomically, so nobody reads half a message and senders never collide. A
//! message moves between folders by renaming: `draft`, `new`, `taken` while it is being delivered, `seen`. Replies are
//! in a folder next to them. Files are never changed, and none is removed except a discarded draft and what is taken back.

mod delivery;
mod mark;
mod name;
mod watch;

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::message::{Message, MessageId, MessageState, Reply};
use uuid::Uuid;

use super::{Contents, MessageReader, MessageStore, SpoolError, SpoolWatch, SpooledMessage, format};
use crate::clock::new_uuid;
use crate::git::{GitError, Repository};
use delivery::FileReader;
pub use mark::LineMark;
use name::FileName;

const TMP: &str = "tmp";
const DRAFT: &str = "draft";
const NEW: &str = "new";
const TAKEN: &str = "taken";
const SEEN: &str = "seen";
const REPLIES: &str = "replies";
const READERS: &str = "readers";

/// Maximum size of a message file; ours are far smaller.
const MAX_MESSAGE: u64 = 8 * 1024 * 1024;

/// The folder of an inbox.
#[derive(Debug, Clone)]
pub(super) struct FileSpool {
    repository: Repository,
    root: PathBuf,
}

impl MessageStore for FileSpool {
    fn send(&self, message: &Message) -> Result<(), SpoolError> {
        self.put(NEW, message.id, &format::message(message))
    }

    fn draft(&self, message: &Message) -> Result<(), SpoolError> {
        self.put(DRAFT, message.id, &format::message(message))
    }

    fn reply(&self, reply: &Reply) -> Result<(), SpoolError> {
        self.put(REPLIES, reply.id, &format::reply(reply))
    }

    fn submit(&self, ids: &[MessageId]) -> Result<(), SpoolError> {
        let _alone = self.keep_readers_out()?;
        let new = self.folder(NEW)?;
        for id in ids {
            let name = FileName::plain(*id).to_string();
            let from = self.root.join(DRAFT).join(&name);
            match fs::rename(&from, new.join(&name)) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(SpoolError::NoDraft(*id)),
                Err(source) => return Err(GitError::writing(&from, source).into()),
            }
        }
        Ok(self.repository.sync_own_folder(&new)?)
    }

    fn withdraw(&self, id: MessageId, at: Timestamp) -> Result<(), SpoolError> {
        let _alone = self.keep_readers_out()?;
        let seen = self.folder(SEEN)?;
        for (name, path) in self.names(NEW)?.into_iter().filter(|(name, _)| name.id == id) {
            fs::rename(&path, seen.join(name.seen(at).to_string()))
                .map_err(|source| GitError::writing(&path, source))?;
        }
        Ok(self.repository.sync_own_folder(&seen)?)
    }

    fn discard(&self, id: MessageId) -> Result<(), SpoolError> {
        let path = self.root.join(DRAFT).join(FileName::plain(id).to_string());
        if remove(&path)? { Ok(()) } else { Err(SpoolError::NoDraft(id)) }
    }

    fn take_back(&self, id: MessageId) -> Result<bool, SpoolError> {
        let _alone = self.keep_readers_out()?;
        let mut is_removed = false;
        for (_, path) in self.names(NEW)?.into_iter().filter(|(name, _)| name.id == id) {
            is_removed |= remove(&path)?;
        }
        self.repository.sync_own_folder(&self.folder(NEW)?)?;
        Ok(is_removed)
    }

    fn take_back_reply(&self, reply: &Reply) -> Result<(), SpoolError> {
        let _alone = self.keep_readers_out()?;
        // First the reply: nobody may get a message that still counts as resolved.
        remove(&self.root.join(REPLIES).join(FileName::plain(reply.id).to_string()))?;
        self.repository.sync_own_folder(&self.folder(REPLIES)?)?;
        // Names have milliseconds.
        let withdrawn_at = reply.resolves.then(|| reply.at.as_millisecond());
        let is_withdrawn = |name: &FileName| {
            name.id == reply.thread && name.delivered().map(Timestamp::as_millisecond) == withdrawn_at
        };
        let new = self.folder(NEW)?;
        for (name, path) in self.names(SEEN)?.into_iter().filter(|(name, _)| is_withdrawn(name)) {
            fs::rename(&path, new.join(name.before_taken().to_string()))
                .map_err(|source| GitError::writing(&path, source))?;
        }
        Ok(self.repository.sync_own_folder(&new)?)
    }

    fn contents(&self) -> Result<Contents, SpoolError> {
        let mut contents = Contents::default();
        let mut replies = self.replies(&mut contents.unreadable)?;
        // In the order in which messages move, so that one that moves meanwhile is found twice rather than never.
        let mut kept: BTreeMap<MessageId, SpooledMessage> = BTreeMap::new();
        for folder in [DRAFT, NEW, TAKEN, SEEN] {
            for (name, path) in self.names(folder)? {
                if let Some(message) = read(&path, &mut contents.unreadable, format::read_message)? {
                    kept.insert(message.id, found(message, folder, &name));
                }
            }
        }
        for (id, kept) in &mut kept {
            kept.answer(replies.remove(id).unwrap_or_default());
        }
        contents.messages = kept.into_values().collect();
        Ok(contents)
    }

    fn reader(&self, name: Uuid) -> Result<Box<dyn MessageReader>, SpoolError> {
        Ok(Box::new(FileReader::register(self, name)?))
    }

    fn watch(&self, changed: Box<dyn FnMut() + Send>) -> Result<SpoolWatch, SpoolError> {
        watch::watch(self, changed)
    }
}

impl FileSpool {
    pub(super) fn of(repository: &Repository) -> Self {
        Self { repository: repository.clone(), root: repository.common_dir().join("cairn").join("inbox") }
    }

    fn replies(&self, unreadable: &mut Vec<PathBuf>) -> Result<HashMap<MessageId, Vec<Reply>>, SpoolError> {
        let mut replies: HashMap<MessageId, Vec<Reply>> = HashMap::new();
        for (_, path) in self.names(REPLIES)? {
            if let Some(reply) = read(&path, unreadable, format::read_reply)? {
                replies.entry(reply.thread).or_default().push(reply);
            }
        }
        Ok(replies)
    }

    /// Returns the files of a folder with valid names, sorted.
    fn names(&self, folder: &str) -> Result<Vec<(FileName, PathBuf)>, SpoolError> {
        let folder = self.root.join(folder);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(GitError::reading(&folder, source).into()),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| GitError::reading(&folder, source))?;
            if let Some(name) = entry.file_name().to_str().and_then(FileName::parse) {
                names.push((name, entry.path()));
            }
        }
        names.sort_by_key(|(name, _)| name.id);
        Ok(names)
    }

    fn put(&self, folder: &str, id: MessageId, bytes: &[u8]) -> Result<(), SpoolError> {
        let folder = self.folder(folder)?;
        self.write(&folder.join(FileName::plain(id).to_string()), bytes)?;
        Ok(self.repository.sync_own_folder(&folder)?)
    }

    /// Writes a file atomically.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), SpoolError> {
        let temporary = self.folder(TMP)?.join(new_uuid().to_string());
        let written = File::create_new(&temporary)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| self.repository.share_own_file(&temporary))
            .and_then(|()| fs::rename(&temporary, path));
        if let Err(source) = written {
            // Report the first failure.
            let _ = fs::remove_file(&temporary);
            return Err(GitError::writing(path, source).into());
        }
        Ok(())
    }

    fn folder(&self, name: &str) -> Result<PathBuf, SpoolError> {
        let path = self.root.join(name);
        self.repository.make_own_folder(&path)?;
        Ok(path)
    }

    /// Takes the lock that readers hold while they choose messages.
    fn keep_readers_out(&self) -> Result<File, SpoolError> {
        let path = self.folder(READERS)?.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|source| GitError::writing(&path, source))?;
        match file.lock() {
            Ok(()) => Ok(file),
            // Some network disks do not support locks. Renaming still gives each message to one reader only.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(file),
            Err(source) => Err(GitError::writing(&path, source).into()),
        }
    }
}

fn found(message: Message, folder: &str, name: &FileName) -> SpooledMessage {
    let state = match folder {
        DRAFT => MessageState::Draft,
        NEW | TAKEN => MessageState::Sent,
        _ => MessageState::Delivered,
    };
    SpooledMessage { delivered: name.delivered(), again: name.is_again(), ..SpooledMessage::new(message, state) }
}

/// Removes a file; returns whether it was there.
fn remove(path: &Path) -> Result<bool, SpoolError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(GitError::writing(path, source).into()),
    }
}

/// Reads a file; `None` if it was moved or is not a message.
fn read<T>(path: &Path, unreadable: &mut Vec<PathBuf>, parse: fn(&[u8]) -> Option<T>) -> Result<Option<T>, SpoolError> {
    let is_huge = fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_MESSAGE);
    let bytes = match fs::read(path) {
        Ok(bytes) if !is_huge => bytes,
        Ok(_) => Vec::new(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(GitError::reading(path, source).into()),
    };
    let read = parse(&bytes);
    if read.is_none() {
        unreadable.push(path.to_owned());
    }
    Ok(read)
}
