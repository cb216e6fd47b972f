//! Paths inside a repository as git stores them: bytes, with forward slashes, relative to the top. A value of this type
//! never leads out of the repository and can be passed to the `git` program as it is, after `--`.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

/// The text or bytes are not a valid path in a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a path inside the repository")]
pub struct BadTreePath {
    text: String,
}

/// A path relative to the top of the repository; it may contain any bytes except NUL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(Vec<u8>);

impl TreePath {
    /// Checks a path.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadTreePath> {
        let is_plain = |part: &[u8]| !part.is_empty() && part != b"." && part != b".." && !part.contains(&0);
        if bytes.split(|byte| *byte == b'/').all(is_plain) {
            Ok(Self(bytes.to_owned()))
        } else {
            Err(BadTreePath { text: String::from_utf8_lossy(bytes).into_owned() })
        }
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the path as text, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        str::from_utf8(&self.0).ok()
    }

    /// Returns the path for system calls. On systems without byte paths, an invalid name is replaced and does not
    /// exist.
    pub(super) fn to_os(&self) -> OsString {
        #[cfg(unix)]
        let name = std::os::unix::ffi::OsStringExt::from_vec(self.0.clone());
        #[cfg(not(unix))]
        let name = OsString::from(self.to_string());
        name
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    pub(super) fn below(folder: Option<&Self>, name: &[u8]) -> Self {
        match folder {
            Some(folder) => Self([folder.as_bytes(), b"/", name].concat()),
            None => Self(name.to_owned()),
        }
    }
}

impl FromStr for TreePath {
    type Err = BadTreePath;

    fn from_str(text: &str) -> Result<Self, BadTreePath> {
        Self::from_bytes(text.as_bytes())
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// Removes the quotes and escapes that git uses for names with unusual bytes.
pub(super) fn unquote(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return name.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(digit @ b'0'..=b'3') => {
                let next = |digit: Option<u8>| digit.map_or(0, |digit| digit.wrapping_sub(b'0') & 7);
                ((digit - b'0') << 6) | (next(rest.next()) << 3) | next(rest.next())
            }
            Some(letter) => match letter {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            },
        });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside() {
        for text in ["a.rs", "src/a b.rs", "-x", ":(top)a", "\"q\"", "...", "a/..b"] {
            assert_eq!(text.parse::<TreePath>().unwrap().as_str(), Some(text));
        }
        for text in ["", "/etc/passwd", "a//b", "../a", "a/../../b", "./a", "a/", "a\0b"] {
            assert!(text.parse::<TreePath>().is_err(), "{text:?}");
        }
        assert_eq!(TreePath::from_bytes(b"a\xff").unwrap().as_str(), None);
    }

    #[test]
    fn quotes_are_undone() {
        assert_eq!(unquote(b"plain name"), b"plain name");
        assert_eq!(unquote(br#""tab\there \"and\" \\ \303\274 \377""#), b"tab\there \"and\" \\ \xc3\xbc \xff");
    }
}
