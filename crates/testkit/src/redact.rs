//! Redacts values that differ between two runs, so that output can be compared with a snapshot.

/// Redacts ids, commits, times, ages, temporary folders and ports.
pub fn redact(text: &str) -> String {
    text.split('\n').map(redact_line).collect::<Vec<_>>().join("\n")
}

/// Redacts one line; trailing white space is dropped.
pub(crate) fn redact_line(line: &str) -> String {
    let line = redact_ports(&redact_folders(line.trim_end()));
    let mut redacted = String::new();
    let mut word = String::new();
    for c in line.chars() {
        if c.is_ascii_alphanumeric() || "-:.".contains(c) {
            word.push(c);
        } else {
            push_word(&mut redacted, &mut word);
            redacted.push(c);
        }
    }
    push_word(&mut redacted, &mut word);
    let age = redacted.strip_suffix(" ago").and_then(|start| start.rsplit_once(' '));
    match age {
        Some((start, age)) if is_age(age) => format!("{start} now"),
        _ => redacted,
    }
}

fn push_word(redacted: &mut String, word: &mut String) {
    // A full stop or a colon after an id belongs to the sentence.
    let mark = word.split_off(word.trim_end_matches(['.', ':']).len());
    let is_hex = word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let is_hash = is_hex && matches!(word.len(), 8 | 12 | 40 | 64);
    let is_uuid = word.len() == 36 && word.matches('-').count() == 4;
    let is_clock = word.len() == 5 && shape(word) == "00:00";
    let is_instant = word.ends_with('Z') && shape(word).starts_with("0000-00-00T00:00:00");
    if is_clock && ends_with_date(redacted) {
        redacted.truncate(redacted.len() - "2026-01-31 ".len());
        redacted.push_str("<moment>");
    } else if is_hash || is_uuid {
        redacted.push_str("<id>");
    } else if is_instant {
        redacted.push_str("<moment>");
    } else {
        let is_bare_uuid = |part: &&str| part.len() == 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bare_uuid = word.split(['-', '.']).find(is_bare_uuid);
        redacted.push_str(&bare_uuid.map_or_else(|| word.clone(), |uuid| word.replace(uuid, "<id>")));
    }
    redacted.push_str(&mark);
    word.clear();
}

fn is_age(word: &str) -> bool {
    let digits = word.strip_suffix(['m', 'h']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn ends_with_date(text: &str) -> bool {
    let start = text.len().checked_sub("2026-01-31 ".len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| shape(end) == "0000-00-00 ")
}

fn shape(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Prefix of all folders of the `tempfile` crate, and the number of characters after it.
const TEMPORARY: (&str, usize) = ("/.tmp", 6);

fn redact_folders(line: &str) -> String {
    redact_temporary_file(&redact_temporary_folders(line))
}

// The temporary name of a file that is renamed when it is complete.
fn redact_temporary_file(line: &str) -> String {
    match line.split_once("/.cairn-").and_then(|(start, rest)| Some((start, rest.split_once(".tmp")?.1))) {
        Some((start, rest)) => format!("{start}/<new>{rest}"),
        None => line.to_owned(),
    }
}

fn redact_temporary_folders(line: &str) -> String {
    let mut rest = line;
    let mut redacted = String::new();
    while let Some(at) = rest.find(TEMPORARY.0) {
        let before = &rest[..at];
        let parents = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "/-_".contains(c));
        redacted.push_str(parents);
        redacted.push_str("<tmp>");
        rest = rest.get(at + TEMPORARY.0.len() + TEMPORARY.1..).unwrap_or_default();
    }
    redacted + rest
}

fn redact_ports(line: &str) -> String {
    const HOST: &str = "127.0.0.1:";
    let mut parts = line.split(HOST);
    let mut redacted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        redacted.push_str(HOST);
        redacted.push_str(if rest.len() < part.len() { "<port>" } else { "" });
        redacted.push_str(rest);
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(redact(text), expect);
    }

    #[test]
    fn varying_parts_are_replaced() {
        check("a 0bce277c: b\n2026-11-15 23:32  Ada ", "a <id>: b\n<moment>  Ada");
        check("in `/dev/shm/.tmpAb12Cd/repo/.git`: no", "in `<tmp>/repo/.git`: no");
        check("index-01a1ed70f9cb7427ab9c6e584699a787.db", "index-<id>.db");
        check("http://127.0.0.1:40123/ and 127.0.0.1", "http://127.0.0.1:<port>/ and 127.0.0.1");
    }

    #[test]
    fn everything_else_stays() {
        check("item not found: `7` (due 2026-11-16)", "item not found: `7` (due 2026-11-16)");
        check("12 items, 3 ms, http://a:80", "12 items, 3 ms, http://a:80");
    }
}
