//! Sort order of lists: `field[:asc|desc]`, most significant first, ties always by id.

use std::fmt;
use std::str::FromStr;

use crate::value_error::ValueError;

/// One sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// The field.
    pub by: SortField,
    /// Descending order.
    pub descending: bool,
}

/// Sortable fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the item's field of that name")]
pub enum SortField {
    Id,
    Number,
    Title,
    Status,
    Kind,
    Priority,
    Size,
    Assignee,
    Author,
    Created,
    Updated,
    Started,
    Expected,
    Completed,
    Due,
    CommentCount,
    Rank,
}

impl SortField {
    /// All fields with their names; the first is the canonical one.
    pub const NAMES: &[(&str, Self)] = &[
        ("id", Self::Id),
        ("number", Self::Number),
        ("title", Self::Title),
        ("status", Self::Status),
        ("kind", Self::Kind),
        ("priority", Self::Priority),
        ("size", Self::Size),
        ("assignee", Self::Assignee),
        ("author", Self::Author),
        ("created", Self::Created),
        ("created_at", Self::Created),
        ("updated", Self::Updated),
        ("updated_at", Self::Updated),
        ("started", Self::Started),
        ("expected", Self::Expected),
        ("completed", Self::Completed),
        ("due", Self::Due),
        ("comment_count", Self::CommentCount),
        ("rank", Self::Rank),
    ];

    /// Returns the field's name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, field)| *field == self).map_or("id", |(name, _)| name)
    }
}

/// The default order: last changed first.
pub const DEFAULT: &[SortKey] = &[SortKey { by: SortField::Updated, descending: true }];

impl fmt::Display for SortKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.by.name(), if self.descending { "desc" } else { "asc" })
    }
}

impl FromStr for SortKey {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let (name, order) = text.trim().split_once(':').unwrap_or((text.trim(), "asc"));
        let descending = match order {
            "asc" => false,
            "desc" => true,
            _ => return Err(ValueError::SortOrder { field: name.to_owned(), order: order.to_owned() }),
        };
        let found = SortField::NAMES.iter().find(|(known, _)| *known == name);
        let Some((_, by)) = found else { return Err(unknown(name)) };
        Ok(Self { by: *by, descending })
    }
}

fn unknown(name: &str) -> ValueError {
    let nearest = SortField::NAMES.iter().map(|(known, _)| *known).min_by_key(|known| strsim::levenshtein(known, name));
    let nearest = nearest.filter(|known| strsim::levenshtein(known, name) <= 3);
    ValueError::SortField { field: name.to_owned(), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back() {
        for (name, by) in SortField::NAMES {
            let key: SortKey = format!("{name}:desc").parse().unwrap();
            assert_eq!(key, SortKey { by: *by, descending: true });
        }
    }

    #[test]
    fn an_unknown_field_names_the_nearest() {
        insta::assert_snapshot!("updatd".parse::<SortKey>().unwrap_err(), @"cannot sort by `updatd`; did you mean `updated`?");
        insta::assert_snapshot!("updated:down".parse::<SortKey>().unwrap_err(), @"unknown sort order `down`; write `updated:asc` or `updated:desc`");
    }
}
