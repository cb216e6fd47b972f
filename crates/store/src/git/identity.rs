//! The author's identity and the time, as git resolves them. Unlike git, it never guesses a name from the system's
//! accounts: what is written into the log stays there.

use std::env;

use super::gix;
use super::settings::Settings;
use super::{GitError, Repository};
use crate::zone::local_zone;

/// A person as git names them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
}

/// Author or committer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Author,
    Committer,
}

impl Role {
    fn variables(self) -> [&'static str; 3] {
        match self {
            Self::Author => ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"],
            Self::Committer => ["GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"],
        }
    }

    fn section(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Committer => "committer",
        }
    }
}

/// A person and a time, as in a commit.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) identity: Identity,
    pub(super) seconds: i64,
    /// UTC offset in seconds, positive to the east.
    pub(super) offset: i32,
}

impl Signature {
    /// Resolves identity and time from the environment, the settings and the clock.
    pub(super) fn resolve(settings: &Settings, role: Role) -> Result<Self, GitError> {
        let [_, _, variable] = role.variables();
        let time = match env::var(variable) {
            Ok(value) if !value.is_empty() => {
                gix::date::parse(&value, None).map_err(|_| GitError::BadDate { variable, value })?
            }
            _ => now(),
        };
        Ok(Self { identity: resolve(settings, role)?, seconds: time.seconds, offset: time.offset })
    }

    /// Returns git's notation: `Name <email> seconds +hhmm`.
    pub(super) fn line(&self) -> String {
        let Identity { name, email } = &self.identity;
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs() / 60;
        let (hours, minutes) = (minutes / 60, minutes % 60);
        format!("{} <{}> {} {sign}{hours:02}{minutes:02}", clean(name), clean(email), self.seconds)
    }
}

impl Repository {
    /// Returns the author's identity by git's settings.
    pub fn identity(&self) -> Result<Identity, GitError> {
        resolve(&*self.settings()?, Role::Author)
    }
}

/// Reads the clock and the local UTC offset.
fn now() -> gix::date::Time {
    let now = crate::clock::now();
    gix::date::Time::new(now.as_second(), local_zone().to_offset(now).seconds())
}

/// Returns the identity in a role. Git refuses a commit without a committer's name of its own; here the author's counts, since
/// agents are often given a name by the author's variables alone.
fn resolve(settings: &Settings, role: Role) -> Result<Identity, GitError> {
    try_resolve(settings, role).or_else(|| try_resolve(settings, Role::Author)).ok_or(GitError::NoIdentity)
}

fn try_resolve(settings: &Settings, role: Role) -> Option<Identity> {
    let [name, email, _] = role.variables();
    let section = role.section();
    let variable = |name: &str| env::var(name).ok();
    let setting = |key: &str| settings.string(key);
    let name = variable(name).or_else(|| setting(&format!("{section}.name"))).or_else(|| setting("user.name"));
    let email = variable(email)
        .or_else(|| setting(&format!("{section}.email")))
        .or_else(|| setting("user.email"))
        .or_else(|| variable("EMAIL"));
    let name = name.map(|name| clean(&name)).filter(|name| !name.is_empty());
    let email = email.map(|email| clean(&email)).filter(|email| !email.is_empty());
    Some(Identity { name: name?, email: email? })
}

/// Removes characters that would end the field early, and git's list of punctuation at both ends, as git does.
fn clean(text: &str) -> String {
    let is_mark = |mark: char| mark <= ' ' || ".,:;<>\"\\'".contains(mark);
    text.trim_matches(is_mark).replace(['\n', '<', '>', '\0'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned_as_git_does() {
        let check = |text: &str, expected: &str| assert_eq!(clean(text), expected);
        check("Ada Lovelace", "Ada Lovelace");
        check("  \"Ada\" <x>\n", "Ada\" x");
        check("Martin King, Jr.", "Martin King, Jr");
        check("<ada@example.com>", "ada@example.com");
        check(" .;", "");
    }

    #[test]
    fn the_offset_is_written_in_hours_and_minutes() {
        let identity = Identity { name: "Ada".into(), email: "ada@example.com".into() };
        let line = |offset| Signature { identity: identity.clone(), seconds: 7, offset }.line();
        assert_eq!(line(0), "Ada <ada@example.com> 7 +0000");
        assert_eq!(line(-(3 * 3600 + 30 * 60)), "Ada <ada@example.com> 7 -0330");
    }
}
