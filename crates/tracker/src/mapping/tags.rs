//! Tags: the visible ones, and the one that stores a priority where Taiga has none.

use taiga::dto::Tag;

use crate::Priority;

/// Separates the visible tags from the one that stores a priority.
pub(crate) fn split(tags: &[Tag]) -> (Vec<String>, Option<Priority>) {
    let priority = Priority::of_tags(tags.iter().map(|tag| tag.name.as_str()));
    let plain = tags.iter().filter(|tag| !Priority::is_tag(&tag.name)).map(|tag| tag.name.clone());
    (plain.collect(), priority)
}

/// Returns all tags of an item: the wanted ones without duplicates, and the one that stores a priority. An existing tag
/// keeps its color.
pub(crate) fn joined(now: &[Tag], wanted: impl IntoIterator<Item = String>, priority: Option<Priority>) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    for name in wanted.into_iter().chain(priority.map(Priority::tag)) {
        let is_same = |tag: &Tag| tag.name.to_lowercase() == name.to_lowercase();
        if !tags.iter().any(is_same) {
            tags.push(now.iter().find(|tag| is_same(tag)).cloned().unwrap_or_else(|| Tag::new(name.clone())));
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_joined_once_each_and_keep_their_colors() {
        let now = [Tag { name: "dock".into(), color: Some("#123456".into()) }, Tag::new("priority:low")];
        assert_eq!(split(&now), (vec!["dock".to_owned()], Some(Priority::Low)));
        let tags = joined(&now, ["Dock".to_owned(), "new".to_owned(), "NEW".to_owned()], Some(Priority::High));
        assert_eq!(tags, [now[0].clone(), Tag::new("new"), Tag::new("priority:high")]);
        assert_eq!(joined(&now, [], None), []);
    }
}
