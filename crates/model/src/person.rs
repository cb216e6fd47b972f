//! A person as git names one: `Name <email>`. Two people are the same if their e-mail addresses are.

use std::fmt;
use std::sync::Arc;

use crate::value_error::ValueError;

/// An author or assignee. Cloning is cheap: every operation has one, and clones share the text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    name: Arc<str>,
    email: Arc<str>,
}

impl Person {
    /// Creates a person from git's two parts; angle brackets and line breaks, which git rejects too, are dropped.
    pub fn new(name: &str, email: &str) -> Self {
        Self { name: clean(name), email: clean(email) }
    }

    /// Parses `Name <email>`, a bare e-mail address or a bare name.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some((name, rest)) = text.split_once('<') {
            return Self::new(name, rest.trim_end_matches('>'));
        }
        if text.contains('@') { Self::new("", text) } else { Self::new(text, "") }
    }

    /// Returns the name; empty if only the address is known.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the e-mail address; empty if only a name is known.
    pub fn email(&self) -> &str {
        &self.email
    }

    /// Returns a short form: the name, or else the address.
    pub fn short(&self) -> &str {
        if self.name.is_empty() { &self.email } else { &self.name }
    }

    /// Returns whether `word` is this person's name, address or the whole `Name <email>`, ignoring case.
    pub fn is_called(&self, word: &str) -> bool {
        let word = word.trim().to_lowercase();
        !word.is_empty() && [&self.name, &self.email].into_iter().any(|own| own.to_lowercase() == word)
            || self.to_string().to_lowercase() == word
    }
}

/// A reference to a person, resolved later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonRef {
    /// The caller.
    Me,
    /// Exactly this person.
    Known(Person),
    /// By name, address, user name or number (`person/3`).
    Text(String),
}

impl PersonRef {
    /// Parses a reference; `me` is the caller.
    pub fn parse(text: &str) -> Result<Self, ValueError> {
        if text.trim().eq_ignore_ascii_case("me") {
            return Ok(Self::Me);
        }
        Ok(Self::Text(crate::text::check_line("name", text)?))
    }
}

fn clean(part: &str) -> Arc<str> {
    const DROPPED: [char; 5] = ['<', '>', '\n', '\r', '\0'];
    if part.contains(DROPPED) { part.replace(DROPPED, "").trim().into() } else { part.trim().into() }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.is_empty(), self.email.is_empty()) {
            (true, _) => f.write_str(&self.email),
            (false, true) => f.write_str(&self.name),
            // Not `write!`: every operation has an author, and the machinery of a format takes longer than the text.
            (false, false) => [&*self.name, " <", &*self.email, ">"].into_iter().try_for_each(|part| f.write_str(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_written_back() {
        for text in ["Ada Lovelace <ada@example.org>", "ada@example.org", "Ada"] {
            assert_eq!(Person::parse(text).to_string(), text);
        }
    }

    #[test]
    fn a_person_answers_to_name_address_and_both() {
        let ada = Person::parse("Ada Lovelace <ada@example.org>");
        for word in ["ada lovelace", "ADA@example.org", "Ada Lovelace <ada@example.org>"] {
            assert!(ada.is_called(word), "{word}");
        }
        assert!(!ada.is_called("ada"));
        assert!(!ada.is_called(""));
    }
}
