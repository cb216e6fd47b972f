//! The inbox in the database that several servers share. The bytes of messages are those of the files.

mod reader;
mod watch;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use database::Database;
use database::messages::{MessagePlace, StoredMessage};
use jiff::Timestamp;
use model::message::{Message, MessageId, MessageState, Reply};
use uuid::Uuid;

use super::{Contents, MessageReader, MessageStore, SpoolError, SpoolWatch, SpooledMessage, format};
use reader::SharedReader;

/// The tables of an inbox.
#[derive(Debug, Clone)]
pub(super) struct SharedSpool {
    database: Arc<Database>,
}

impl SharedSpool {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }
}

impl MessageStore for SharedSpool {
    fn send(&self, message: &Message) -> Result<(), SpoolError> {
        let content = format::message(message);
        Ok(self.database.add_message(&message.id.to_string(), MessagePlace::New, &content)?)
    }

    fn draft(&self, message: &Message) -> Result<(), SpoolError> {
        let content = format::message(message);
        Ok(self.database.add_message(&message.id.to_string(), MessagePlace::Draft, &content)?)
    }

    fn reply(&self, reply: &Reply) -> Result<(), SpoolError> {
        Ok(self.database.add_reply(&reply.id.to_string(), &format::reply(reply))?)
    }

    fn submit(&self, ids: &[MessageId]) -> Result<(), SpoolError> {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let missing = self.database.submit_messages(&names)?;
        let missing = ids.iter().find(|id| missing.contains(&id.to_string()));
        missing.map_or(Ok(()), |id| Err(SpoolError::NoDraft(*id)))
    }

    fn withdraw(&self, id: MessageId, at: Timestamp) -> Result<(), SpoolError> {
        Ok(self.database.withdraw_message(&id.to_string(), at.as_millisecond())?)
    }

    fn discard(&self, id: MessageId) -> Result<(), SpoolError> {
        let is_discarded = self.database.discard_message(&id.to_string())?;
        if is_discarded { Ok(()) } else { Err(SpoolError::NoDraft(id)) }
    }

    fn take_back(&self, id: MessageId) -> Result<bool, SpoolError> {
        Ok(self.database.take_back_message(&id.to_string())?)
    }

    fn take_back_reply(&self, reply: &Reply) -> Result<(), SpoolError> {
        let withdrawn_at = reply.resolves.then(|| reply.at.as_millisecond());
        Ok(self.database.take_back_reply(&reply.id.to_string(), &reply.thread.to_string(), withdrawn_at)?)
    }

    fn contents(&self) -> Result<Contents, SpoolError> {
        let stored = self.database.inbox()?;
        let mut contents = Contents::default();
        let mut replies: HashMap<MessageId, Vec<Reply>> = HashMap::new();
        for (id, content) in &stored.replies {
            match format::read_reply(content) {
                Some(reply) => replies.entry(reply.thread).or_default().push(reply),
                None => contents.unreadable.push(place_of("cairn_replies", id)),
            }
        }
        for row in &stored.messages {
            let Some(message) = format::read_message(&row.content) else {
                contents.unreadable.push(place_of("cairn_messages", &row.id));
                continue;
            };
            let mut kept = kept(message, row);
            kept.answer(replies.remove(&kept.message.id).unwrap_or_default());
            contents.messages.push(kept);
        }
        Ok(contents)
    }

    fn reader(&self, name: Uuid) -> Result<Box<dyn MessageReader>, SpoolError> {
        Ok(Box::new(SharedReader::register(&self.database, name)?))
    }

    fn watch(&self, changed: Box<dyn FnMut() + Send>) -> Result<SpoolWatch, SpoolError> {
        Ok(watch::watch(&self.database, changed))
    }
}

/// Names a row as a path, as unreadable files are.
fn place_of(table: &str, id: &str) -> PathBuf {
    PathBuf::from(table).join(id)
}

fn kept(message: Message, row: &StoredMessage) -> SpooledMessage {
    let state = match row.place {
        MessagePlace::Draft => MessageState::Draft,
        MessagePlace::New | MessagePlace::Taken => MessageState::Sent,
        MessagePlace::Seen => MessageState::Delivered,
    };
    let delivered = row.delivered_at.and_then(|at| Timestamp::from_millisecond(at).ok());
    SpooledMessage { delivered, again: row.is_again, ..SpooledMessage::new(message, state) }
}
