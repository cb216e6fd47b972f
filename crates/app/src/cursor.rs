//! List cursors: the position of the last item as an opaque token, bound to its query.

use model::hex;
use serde_json::Value;
use store::index::Position;
use uuid::Uuid;

use crate::error::Error;

/// Encodes a position of a query.
pub(crate) fn write(query: &str, position: &Position) -> String {
    let body = Value::from(position.0.clone()).to_string();
    let mut cursor = check(query, &body);
    cursor.push_str(&hex::encode(body.as_bytes()));
    cursor
}

/// Decodes a cursor; rejects a damaged one or one of another query.
pub(crate) fn read(query: &str, cursor: &str) -> Result<Position, Error> {
    let refuse = || {
        Error::invalid("this cursor is damaged or belongs to another list")
            .hint("leave the cursor out to start at the first page")
    };
    let (sum, body) = cursor.split_at_checked(CHECK).ok_or_else(refuse)?;
    let body = hex::decode(body).and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(refuse)?;
    if sum != check(query, &body) {
        return Err(refuse());
    }
    let values: Vec<Value> = serde_json::from_str(&body).map_err(|_| refuse())?;
    Ok(Position(values))
}

/// Number of check digits at the start.
const CHECK: usize = 12;

fn check(query: &str, body: &str) -> String {
    let both = format!("{query}\n{body}");
    Uuid::new_v5(&Uuid::NAMESPACE_URL, both.as_bytes()).simple().to_string()[..CHECK].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_for_its_own_query_only() {
        let position = Position(vec![42.into(), "ü".into()]);
        let cursor = write("list issues", &position);
        assert_eq!(read("list issues", &cursor).unwrap(), position);
        assert!(read("list tasks", &cursor).is_err());
        for damaged in ["", "zz", &cursor[1..], &cursor[..cursor.len() - 2], &cursor.replace('4', "5"), "ümlaut-ümlaut"]
        {
            assert!(read("list issues", damaged).is_err(), "{damaged}");
        }
    }
}
