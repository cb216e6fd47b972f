//! File names of the inbox: the message's id, then a mark for state that the folder does not express.

use std::fmt;

use jiff::Timestamp;
use model::message::MessageId;
use uuid::Uuid;

/// A parsed file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileName {
    pub(super) id: MessageId,
    pub(super) mark: Mark,
}

/// State in the file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// A reader died while it had the message; it may have delivered it.
    Again,
    /// A reader has the message now; whether an earlier one may have delivered it.
    Taken {
        by: Uuid,
        again: bool,
    },
    /// It was delivered at this time; whether perhaps twice.
    Seen {
        at: Timestamp,
        again: bool,
    },
}

impl FileName {
    pub(super) fn plain(id: MessageId) -> Self {
        Self { id, mark: Mark::None }
    }

    pub(super) fn again(&self) -> Self {
        Self { id: self.id, mark: Mark::Again }
    }

    pub(super) fn taken(&self, by: Uuid) -> Self {
        Self { id: self.id, mark: Mark::Taken { by, again: self.is_again() } }
    }

    pub(super) fn seen(&self, at: Timestamp) -> Self {
        Self { id: self.id, mark: Mark::Seen { at, again: self.is_again() } }
    }

    /// Returns the name before it was taken.
    pub(super) fn before_taken(&self) -> Self {
        if self.is_again() { self.again() } else { Self::plain(self.id) }
    }

    pub(super) fn is_again(&self) -> bool {
        match self.mark {
            Mark::None => false,
            Mark::Again => true,
            Mark::Taken { again, .. } | Mark::Seen { again, .. } => again,
        }
    }

    pub(super) fn delivered(&self) -> Option<Timestamp> {
        match self.mark {
            Mark::Seen { at, .. } => Some(at),
            _ => None,
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_suffix(".json")?.split('.');
        let id = parts.next()?.parse().ok()?;
        let mark = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => Mark::None,
            (Some("again"), None, _) => Mark::Again,
            (Some(what), flag @ (None | Some("again")), None) => parse_mark(what, flag.is_some())?,
            _ => return None,
        };
        Some(Self { id, mark })
    }
}

fn parse_mark(text: &str, again: bool) -> Option<Mark> {
    if let Some(milliseconds) = text.strip_prefix("at") {
        let at = Timestamp::from_millisecond(milliseconds.parse().ok()?).ok()?;
        return Some(Mark::Seen { at, again });
    }
    Some(Mark::Taken { by: text.parse().ok()?, again })
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        match &self.mark {
            Mark::None | Mark::Again => {}
            Mark::Taken { by, .. } => write!(f, ".{by}")?,
            Mark::Seen { at, .. } => write!(f, ".at{}", at.as_millisecond())?,
        }
        let again = if self.is_again() { ".again" } else { "" };
        write!(f, "{again}.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_back() {
        let id = "018f3c1e-7a1b-7000-8000-000000000001";
        let reader = "018f3c1e-7a1b-7000-8000-00000000000f";
        for name in [
            format!("{id}.json"),
            format!("{id}.again.json"),
            format!("{id}.{reader}.json"),
            format!("{id}.{reader}.again.json"),
            format!("{id}.at1700000000000.json"),
            format!("{id}.at1700000000000.again.json"),
        ] {
            assert_eq!(FileName::parse(&name).unwrap().to_string(), name);
        }
        for other in ["lock", ".json", "x.json", &format!("{id}.json.json"), &format!("{id}.again.again.json"), id] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
    }
}
