//! The inbox: review messages from a person to an agent or another person, and the replies.
//!
//! It needs the repository but not the log, so sending a message costs one file write.

mod choose;
mod code;
mod deliver;
mod lazy;
mod menu;
mod send;
mod snippet;
pub mod view;

use std::path::Path;
use std::sync::Arc;

use app::{Env, Error};
use database::Database;
use model::message::{Message, MessageId, MessageState, Reply};
use model::person::Person;
use model::text::check_body;
use parking_lot::Mutex;
use store::git::Repository;
use store::spool::{Contents, Reader, Spool, SpoolWatch, SpooledMessage};

use crate::view::{InboxView, MessageView};
pub use choose::{ChangedFileView, ChangedLineView, LineChoice};
pub(crate) use code::CodeNow;
pub use deliver::DeliveredMessages;
pub use lazy::LazyInbox;
pub use menu::{MenuEntryView, MenuScope, RemarkPlace};
pub use send::Remark;
pub use snippet::{CodeSnippet, SnippetLine};

/// The inbox of one repository.
pub struct Inbox {
    repository: Repository,
    spool: Spool,
    env: Env,
    /// Created by the first call that takes messages; lives as long as the inbox.
    reader: Mutex<Option<Reader>>,
}

/// Where the messages of an inbox are.
#[derive(Debug, Clone, Default)]
pub enum InboxPlace {
    /// In the clone.
    #[default]
    Clone,
    /// In the database that several servers share.
    Database(Arc<Database>),
}

/// Which messages a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageFilter {
    /// Messages that are not resolved.
    Unresolved,
    /// All of them.
    All,
}

impl MessageFilter {
    fn admits(self, spooled: &SpooledMessage) -> bool {
        self == Self::All || spooled.state < MessageState::Resolved
    }
}

impl Inbox {
    /// Opens the inbox of the repository that contains `start`.
    pub fn open(start: &Path, env: Env) -> Result<Self, Error> {
        Self::open_at(&InboxPlace::Clone, start, env)
    }

    /// Opens the inbox at a place, for the repository that contains `start`.
    fn open_at(place: &InboxPlace, start: &Path, env: Env) -> Result<Self, Error> {
        let repository = Repository::discover(start)?;
        let spool = match place {
            InboxPlace::Clone => Spool::of(&repository),
            InboxPlace::Database(database) => Spool::shared(&repository, Arc::clone(database)),
        };
        Ok(Self { repository, spool, env, reader: Mutex::default() })
    }

    /// Lists sent messages.
    pub fn list(&self, filter: MessageFilter) -> Result<InboxView, Error> {
        let contents = self.spool.contents()?;
        Ok(self.views(&contents, |spooled| !is_draft(spooled) && filter.admits(spooled)))
    }

    /// Lists the same for git's user, including their drafts.
    pub fn list_with_drafts(&self, filter: MessageFilter) -> Result<InboxView, Error> {
        let (contents, me) = (self.spool.contents()?, self.author(None).ok());
        Ok(self.views(&contents, |spooled| is_seen_by(spooled, me.as_ref()) && filter.admits(spooled)))
    }

    /// Lists pending messages without taking them.
    pub fn waiting(&self) -> Result<InboxView, Error> {
        let contents = self.spool.waiting()?;
        Ok(self.views(&contents, |_| true))
    }

    /// Shows a message to git's user.
    pub fn show(&self, id: &str) -> Result<MessageView, Error> {
        let spooled = self.find(id)?;
        Ok(self.view(&spooled))
    }

    /// Returns a name of the state of all messages: it changes when one is sent, delivered, answered or resolved, but
    /// not for a draft.
    pub fn state_name(&self) -> Result<String, Error> {
        let words = |spooled: &SpooledMessage| {
            format!("{} {} {}\n", spooled.message.id, spooled.state.name(), spooled.replies.len())
        };
        let contents = self.spool.contents()?;
        let all: String = contents.messages.iter().filter(|spooled| !is_draft(spooled)).map(words).collect();
        Ok(uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, all.as_bytes()).simple().to_string()[..12].to_owned())
    }

    /// Returns the files in the inbox that are not valid messages.
    pub fn unreadable(&self) -> Result<Vec<String>, Error> {
        Ok(self.spool.contents()?.unreadable.iter().map(|path| path.display().to_string()).collect())
    }

    /// Sends drafts of git's user: the given ones, or all.
    pub fn submit(&self, ids: &[String]) -> Result<InboxView, Error> {
        let drafts: Vec<SpooledMessage> = if ids.is_empty() {
            let (contents, me) = (self.spool.contents()?, self.author(None).ok());
            let is_own = |spooled: &SpooledMessage| is_draft(spooled) && is_seen_by(spooled, me.as_ref());
            contents.messages.into_iter().filter(is_own).collect()
        } else {
            ids.iter().map(|id| self.find(id)).collect::<Result<_, _>>()?
        };
        if let Some(sent) = drafts.iter().find(|spooled| spooled.state != MessageState::Draft) {
            return Err(Error::conflict(format!("message {} was sent already", short(sent.message.id))));
        }
        let ids: Vec<MessageId> = drafts.iter().map(|spooled| spooled.message.id).collect();
        self.spool.submit(&ids)?;
        let contents = self.spool.contents()?;
        Ok(self.views(&contents, |spooled| ids.contains(&spooled.message.id)))
    }

    /// Deletes a draft.
    pub fn discard(&self, id: &str) -> Result<MessageView, Error> {
        let spooled = self.find(id)?;
        if spooled.state != MessageState::Draft {
            return Err(Error::conflict(format!("message {} was sent already", short(spooled.message.id)))
                .hint("`cairn inbox resolve` resolves it"));
        }
        self.spool.discard(spooled.message.id)?;
        Ok(self.view(&spooled))
    }

    /// Fails if a message is a draft of git's user. Drafts of others are not visible.
    pub fn check_sent(&self, id: &str) -> Result<(), Error> {
        match self.find(id) {
            Ok(spooled) if is_draft(&spooled) => {
                Err(Error::conflict(format!("message {} is a draft", short(spooled.message.id)))
                    .hint("send it with `cairn inbox submit`"))
            }
            _ => Ok(()),
        }
    }

    /// Replies to a message; the author is git's user by default.
    pub fn reply(&self, id: &str, body: &str, author: Option<&str>) -> Result<MessageView, Error> {
        if body.trim().is_empty() {
            return Err(Error::invalid("the reply is empty"));
        }
        let spooled = self.find_for(id, None)?;
        self.spool.reply(&self.new_reply(&spooled, body, author)?)?;
        self.show(&spooled.message.id.to_string())
    }

    /// Resolves a message, with or without a reply.
    pub fn resolve(&self, id: &str, body: &str, author: Option<&str>) -> Result<MessageView, Error> {
        let spooled = self.find_for(id, None)?;
        let reply = Reply { resolves: true, ..self.new_reply(&spooled, body, author)? };
        self.spool.reply(&reply)?;
        self.spool.withdraw(spooled.message.id, reply.at)?;
        self.show(&spooled.message.id.to_string())
    }

    /// Deletes a message of the author that nobody has got yet, and returns it.
    pub fn take_back(&self, id: &str, author: Option<&str>) -> Result<MessageView, Error> {
        let spooled = self.find_for(id, None)?;
        self.check_author(&spooled.message.author, author)?;
        if !self.spool.take_back(spooled.message.id)? {
            return Err(Error::conflict(format!("message {} was delivered already", short(spooled.message.id)))
                .hint("answer it or resolve it instead"));
        }
        Ok(self.view(&spooled))
    }

    /// Deletes a reply of the author, and returns its message. A message that was resolved before it was delivered waits
    /// again.
    pub fn take_back_reply(&self, id: &str, reply: &str, author: Option<&str>) -> Result<MessageView, Error> {
        let spooled = self.find_for(id, None)?;
        let found = spooled.replies.iter().find(|known| known.id.to_string() == reply);
        let found = found.ok_or_else(|| {
            let message = format!("reply not found: `{}`", model::text::escape_line(reply));
            Error::not_found(message).hint(format!("`cairn inbox show {}` shows them", short(spooled.message.id)))
        })?;
        self.check_author(&found.author, author)?;
        self.spool.take_back_reply(found)?;
        self.show(&spooled.message.id.to_string())
    }

    /// Fails if a text is of another person than the one who acts.
    fn check_author(&self, of: &Person, author: Option<&str>) -> Result<(), Error> {
        if self.author(author)? == *of {
            return Ok(());
        }
        Err(Error::conflict(format!("only {} can take this back", of.short())))
    }

    /// Calls `changed` soon after each change, until the watch is dropped.
    pub fn watch(&self, changed: impl FnMut() + Send + 'static) -> Result<SpoolWatch, Error> {
        Ok(self.spool.watch(changed)?)
    }

    fn new_reply(&self, spooled: &SpooledMessage, body: &str, author: Option<&str>) -> Result<Reply, Error> {
        Ok(Reply {
            id: self.new_id(),
            thread: spooled.message.thread,
            body: check_body("reply", body.trim_end())?,
            resolves: false,
            author: self.author(author)?,
            at: (self.env.now)(),
        })
    }

    /// Finds a message for git's user: by its id, or by a prefix or suffix of it.
    fn find(&self, text: &str) -> Result<SpooledMessage, Error> {
        self.find_for(text, self.author(None).ok().as_ref())
    }

    /// Finds a message for a person. Drafts of others are not found.
    fn find_for(&self, text: &str, who: Option<&Person>) -> Result<SpooledMessage, Error> {
        let wanted = text.trim().trim_start_matches('#').to_lowercase();
        let contents = self.spool.contents()?;
        let is_named = |spooled: &SpooledMessage| {
            let id = spooled.message.id.to_string();
            is_seen_by(spooled, who) && wanted.len() >= 4 && (id.starts_with(&wanted) || id.ends_with(&wanted))
        };
        let mut found: Vec<SpooledMessage> = contents.messages.into_iter().filter(is_named).collect();
        match (found.len(), found.pop()) {
            (1, Some(spooled)) => Ok(spooled),
            (0, _) => Err(Error::not_found(format!("message not found: `{}`", model::text::escape_line(text)))
                .hint("`cairn inbox list --all` shows them; the last 4 or more characters of an id are enough")
                .tool_hint("`inbox` and `context` show ids; the last 4 or more characters are enough")),
            (n, _) => Err(Error::invalid(format!("{n} messages match `{wanted}`")).hint("give more of the id")),
        }
    }

    fn views(&self, contents: &Contents, is_wanted: impl Fn(&SpooledMessage) -> bool) -> InboxView {
        let items: Vec<MessageView> =
            contents.messages.iter().filter(|spooled| is_wanted(spooled)).map(|spooled| self.view(spooled)).collect();
        InboxView { total: items.len(), items }
    }

    fn view(&self, spooled: &SpooledMessage) -> MessageView {
        MessageView::new(spooled, self.locate_today(&spooled.message))
    }

    fn author(&self, given: Option<&str>) -> Result<Person, Error> {
        if let Some(name) = given.map(str::trim).filter(|name| !name.is_empty()) {
            return Ok(Person::parse(name));
        }
        let identity = self.repository.identity()?;
        Ok(Person::new(&identity.name, &identity.email))
    }

    fn new_id(&self) -> MessageId {
        MessageId::new((self.env.uuid)())
    }

    fn locate_today(&self, message: &Message) -> Option<CodeNow> {
        code::locate_today(&self.repository, message)
    }

    /// Takes the pending messages.
    pub fn take(&self) -> Result<DeliveredMessages, Error> {
        let mut reader = self.reader.lock();
        if reader.is_none() {
            // Created on demand: a reader claims messages under its own name, and most calls never take any.
            *reader = Some(self.spool.reader((self.env.uuid)())?);
        }
        let deliveries = reader.as_ref().map(Reader::take).transpose()?.unwrap_or_default();
        Ok(DeliveredMessages::new(deliveries, |message| self.locate_today(message)))
    }
}

fn is_draft(spooled: &SpooledMessage) -> bool {
    spooled.state == MessageState::Draft
}

/// Returns whether a person may see a message: a draft is visible to its author only.
fn is_seen_by(spooled: &SpooledMessage, who: Option<&Person>) -> bool {
    !is_draft(spooled) || who == Some(&spooled.message.author)
}

/// Returns the short form of an id: its end, since the beginning is the time.
pub(crate) fn short(id: MessageId) -> String {
    let id = id.to_string();
    id[id.len() - 6..].to_owned()
}
