//! Delivery of messages to a client.

use app::Error;
use jiff::Timestamp;
use model::message::Message;
use store::spool::{Delivery, SpooledMessage};

use super::CodeNow;
use crate::view::MessageView;

/// Messages taken from the inbox. Dropping it without `done` puts them back.
pub struct DeliveredMessages {
    deliveries: Vec<Delivery>,
    /// The messages, oldest first.
    pub messages: Vec<MessageView>,
}

impl DeliveredMessages {
    pub(super) fn new(deliveries: Vec<Delivery>, code: impl Fn(&Message) -> Option<CodeNow>) -> Self {
        let view = |delivery: &Delivery| {
            let spooled = SpooledMessage::delivered(delivery);
            MessageView::new(&spooled, code(&spooled.message))
        };
        let messages = deliveries.iter().map(view).collect();
        Self { deliveries, messages }
    }

    /// Keeps the oldest messages and puts the others back.
    pub fn keep_first(&mut self, n: usize) {
        self.deliveries.truncate(n);
        self.messages.truncate(n);
    }

    /// Records that the client has received them.
    pub fn done(self, at: Timestamp) -> Result<(), Error> {
        for delivery in self.deliveries {
            delivery.done(at)?;
        }
        Ok(())
    }
}
