//! Opaque page cursors: a keyset position together with the name of its list, so that a cursor of another list is
//! rejected instead of misread.

use crate::fault::Fault;

/// Encodes the position at which a page of a list ended.
pub(crate) fn encode(list: &str, place: &str) -> String {
    let hex = |digit: u8| char::from_digit(digit.into(), 16).unwrap_or_default();
    format!("{list}:{place}").bytes().flat_map(|byte| [hex(byte >> 4), hex(byte & 15)]).collect()
}

/// Decodes a cursor; fails if it belongs to another list.
pub(crate) fn decode(list: &str, cursor: &str) -> Result<String, Fault> {
    let place = read(list, cursor);
    place.ok_or_else(|| Fault::Invalid("the cursor is not one of this list; leave it out to begin anew".to_owned()))
}

fn read(list: &str, cursor: &str) -> Option<String> {
    if !cursor.len().is_multiple_of(2) || !cursor.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let bytes = (0..cursor.len()).step_by(2).map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).ok());
    let text = String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()?;
    text.strip_prefix(list)?.strip_prefix(':').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_is_read_by_its_own_list_only() {
        let cursor = encode("tools", "añ:b");
        assert_eq!(decode("tools", &cursor), Ok("añ:b".to_owned()));
        for (list, cursor) in
            [("tool", &*cursor), ("prompts", &cursor), ("tools", "next"), ("tools", "7"), ("tools", "")]
        {
            assert!(matches!(decode(list, cursor), Err(Fault::Invalid(_))), "{list} {cursor}");
        }
    }
}
