//! The inbox: messages, their states and their delivery. Where they are stored is behind one trait: in the files of a
//! clone, or in the database that several servers share.
//!
//! Each message is delivered to one reader only, and marked as delivered only after the reader's client has it.

mod files;
mod format;
mod shared;
mod watch;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use database::Database;
use jiff::Timestamp;
use model::message::{Message, MessageId, MessageState, Reply};
use uuid::Uuid;

use crate::git::{GitError, Repository};
use files::FileSpool;
pub use files::LineMark;
use shared::SharedSpool;
pub use watch::SpoolWatch;

/// Why an inbox operation failed.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// A file or folder could not be read or written.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] database::DatabaseError),
    /// The draft does not exist, or no longer.
    #[error("draft not found: `{0}`")]
    NoDraft(MessageId),
}

/// The inbox of a repository.
#[derive(Debug, Clone)]
pub struct Spool {
    /// Marks are of one person at one clone.
    files: FileSpool,
    store: Arc<dyn MessageStore>,
}

/// Where messages are stored.
trait MessageStore: fmt::Debug + Send + Sync {
    fn send(&self, message: &Message) -> Result<(), SpoolError>;
    fn draft(&self, message: &Message) -> Result<(), SpoolError>;
    fn reply(&self, reply: &Reply) -> Result<(), SpoolError>;
    fn submit(&self, ids: &[MessageId]) -> Result<(), SpoolError>;
    fn withdraw(&self, id: MessageId, at: Timestamp) -> Result<(), SpoolError>;
    fn discard(&self, id: MessageId) -> Result<(), SpoolError>;
    fn take_back(&self, id: MessageId) -> Result<bool, SpoolError>;
    fn take_back_reply(&self, reply: &Reply) -> Result<(), SpoolError>;
    fn contents(&self) -> Result<Contents, SpoolError>;
    fn reader(&self, name: Uuid) -> Result<Box<dyn MessageReader>, SpoolError>;
    fn watch(&self, changed: Box<dyn FnMut() + Send>) -> Result<SpoolWatch, SpoolError>;
}

/// Takes messages, until it is dropped.
trait MessageReader: fmt::Debug + Send + Sync {
    fn take(&self) -> Result<Vec<Delivery>, SpoolError>;
}

/// A message that a reader has taken.
trait Claim: fmt::Debug + Send + Sync {
    fn finish(self: Box<Self>, at: Timestamp) -> Result<(), SpoolError>;
    fn put_back(self: Box<Self>);
}

/// A reader of messages. It lives until it and all its deliveries are dropped.
#[derive(Debug)]
pub struct Reader(Box<dyn MessageReader>);

/// A message that is being delivered. If it is dropped without `done`, it is delivered to the next reader.
#[derive(Debug)]
pub struct Delivery {
    /// The message.
    pub message: Message,
    is_again: bool,
    claim: Option<Box<dyn Claim>>,
}

/// A message and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpooledMessage {
    /// The message.
    pub message: Message,
    /// Delivery state.
    pub state: MessageState,
    /// Time of delivery.
    pub delivered: Option<Timestamp>,
    /// Whether it still has to be delivered.
    pub is_waiting: bool,
    /// Whether an earlier reader that died may have delivered it already.
    pub again: bool,
    /// Replies, oldest first.
    pub replies: Vec<Reply>,
}

/// The whole inbox.
#[derive(Debug, Default)]
pub struct Contents {
    /// Messages, oldest first.
    pub messages: Vec<SpooledMessage>,
    /// Files that are not messages; they are left as they are.
    pub unreadable: Vec<PathBuf>,
}

impl Spool {
    /// Returns the inbox of a clone, shared by its work trees. Folders are created on the first write.
    pub fn of(repository: &Repository) -> Self {
        let files = FileSpool::of(repository);
        Self { store: Arc::new(files.clone()), files }
    }

    /// Returns the inbox that all servers of a database share.
    pub fn shared(repository: &Repository, database: Arc<Database>) -> Self {
        Self { files: FileSpool::of(repository), store: Arc::new(SharedSpool::new(database)) }
    }

    /// Sends a message.
    pub fn send(&self, message: &Message) -> Result<(), SpoolError> {
        self.store.send(message)
    }

    /// Stores a message as a draft.
    pub fn draft(&self, message: &Message) -> Result<(), SpoolError> {
        self.store.draft(message)
    }

    /// Adds a reply.
    pub fn reply(&self, reply: &Reply) -> Result<(), SpoolError> {
        self.store.reply(reply)
    }

    /// Sends drafts atomically: readers see all of them or none.
    pub fn submit(&self, ids: &[MessageId]) -> Result<(), SpoolError> {
        self.store.submit(ids)
    }

    /// Marks an undelivered message as seen, so that nobody gets it.
    pub fn withdraw(&self, id: MessageId, at: Timestamp) -> Result<(), SpoolError> {
        self.store.withdraw(id, at)
    }

    /// Deletes a draft.
    pub fn discard(&self, id: MessageId) -> Result<(), SpoolError> {
        self.store.discard(id)
    }

    /// Deletes a message that nobody has got; returns whether it was waiting.
    pub fn take_back(&self, id: MessageId) -> Result<bool, SpoolError> {
        self.store.take_back(id)
    }

    /// Deletes a reply. A message that was withdrawn with it waits again.
    pub fn take_back_reply(&self, reply: &Reply) -> Result<(), SpoolError> {
        self.store.take_back_reply(reply)
    }

    /// Returns the whole inbox.
    pub fn contents(&self) -> Result<Contents, SpoolError> {
        self.store.contents()
    }

    /// Returns the undelivered messages, oldest first, without taking them.
    pub fn waiting(&self) -> Result<Contents, SpoolError> {
        let mut contents = self.contents()?;
        contents.messages.retain(|kept| kept.is_waiting);
        Ok(contents)
    }

    /// Registers a reader.
    pub fn reader(&self, name: Uuid) -> Result<Reader, SpoolError> {
        self.store.reader(name).map(Reader)
    }

    /// Calls `changed` soon after each change, on its own thread, until the watch is dropped. Changes in quick
    /// succession may be reported as one.
    pub fn watch(&self, changed: impl FnMut() + Send + 'static) -> Result<SpoolWatch, SpoolError> {
        self.store.watch(Box::new(changed))
    }

    /// Stores a mark, replacing the previous one.
    pub fn set_mark(&self, mark: &LineMark) -> Result<(), SpoolError> {
        self.files.set_mark(mark)
    }

    /// Returns the stored mark.
    pub fn mark(&self) -> Option<LineMark> {
        self.files.mark()
    }

    /// Removes the mark.
    pub fn clear_mark(&self) -> Result<(), SpoolError> {
        self.files.clear_mark()
    }
}

impl Reader {
    /// Takes all waiting messages, oldest first.
    pub fn take(&self) -> Result<Vec<Delivery>, SpoolError> {
        self.0.take()
    }
}

impl Delivery {
    fn new(message: Message, is_again: bool, claim: Box<dyn Claim>) -> Self {
        Self { message, is_again, claim: Some(claim) }
    }

    /// Returns whether an earlier reader that died may have delivered it already.
    pub fn is_again(&self) -> bool {
        self.is_again
    }

    /// Records that the reader's client has the message.
    pub fn done(mut self, at: Timestamp) -> Result<(), SpoolError> {
        self.claim.take().map_or(Ok(()), |claim| claim.finish(at))
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if let Some(claim) = self.claim.take() {
            claim.put_back();
        }
    }
}

impl SpooledMessage {
    /// A message that was just sent.
    pub fn sent(message: Message) -> Self {
        Self::new(message, MessageState::Sent)
    }

    /// A message that was just drafted.
    pub fn drafted(message: Message) -> Self {
        Self::new(message, MessageState::Draft)
    }

    /// A message that is being delivered.
    pub fn delivered(delivery: &Delivery) -> Self {
        Self { again: delivery.is_again(), ..Self::new(delivery.message.clone(), MessageState::Sent) }
    }

    fn new(message: Message, state: MessageState) -> Self {
        let is_waiting = state == MessageState::Sent;
        Self { message, state, delivered: None, is_waiting, again: false, replies: Vec::new() }
    }

    fn answer(&mut self, mut replies: Vec<Reply>) {
        replies.sort_by_key(|reply| reply.id);
        if self.state != MessageState::Draft && !replies.is_empty() {
            self.state = MessageState::Answered;
        }
        if replies.last().is_some_and(|reply| reply.resolves) {
            self.state = MessageState::Resolved;
        }
        self.replies = replies;
    }
}
