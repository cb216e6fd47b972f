//! A file that is only ours. Its last line has a checksum of the rest, so that a file that somebody changed is told from
//! one of another version and left alone.

use super::PartError;

const MARK: &str = "<!-- made by `cairn agents install`, ";

/// Returns the text of the file; fails if a text is there that we did not write.
pub(super) fn install(text: &str, own: &str) -> Result<String, PartError> {
    if text.is_empty() || is_ours(text) { Ok(signed(own)) } else { Err(PartError::Foreign) }
}

/// Returns an empty text, for a file to delete; fails if a text is there that we did not write.
pub(super) fn remove(text: &str) -> Result<String, PartError> {
    if text.is_empty() || is_ours(text) { Ok(String::new()) } else { Err(PartError::Foreign) }
}

fn signed(own: &str) -> String {
    format!("{own}\n{MARK}{:016x} -->\n", checksum(own))
}

/// Returns whether a text is as some version of this program wrote it. Git may have changed its line ends.
fn is_ours(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    text.rfind(MARK).and_then(|start| text[..start].strip_suffix('\n')).is_some_and(|own| signed(own) == text)
}

/// FNV-1a: it finds edits by hand, and is not meant to resist a forger.
fn checksum(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_of_another_version_is_ours_and_an_edited_one_is_not() {
        let old = install("", "old\n").unwrap();
        assert_eq!(install(&old, "new\n").unwrap(), signed("new\n"));
        assert_eq!(install(&old.replace('\n', "\r\n"), "new\n").unwrap(), signed("new\n"));
        for foreign in ["theirs\n".to_owned(), old.replace("old", "older"), format!("{old}more\n")] {
            assert!(install(&foreign, "new\n").is_err() && remove(&foreign).is_err(), "{foreign}");
        }
        assert_eq!(remove(&old).unwrap(), "");
    }
}
