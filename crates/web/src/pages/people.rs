//! People by the handles with which texts mention them: `@GraceHopper`, `@grace`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use app::view::MemberView;

use super::address::Asked;

/// The people of a project by handle, in lower case. A handle of two people is neither's.
#[derive(Debug, Clone, Default)]
pub(super) struct Handles(HashMap<String, Option<String>>);

impl Handles {
    pub(super) fn of(members: &[MemberView]) -> Self {
        let mut handles: HashMap<String, Option<String>> = HashMap::new();
        for member in members {
            let who = if member.email.is_empty() { &member.name } else { &member.email };
            for handle in handles_of(member) {
                match handles.entry(handle) {
                    Entry::Vacant(entry) => {
                        entry.insert(Some(who.clone()));
                    }
                    Entry::Occupied(mut entry) if entry.get().as_ref() != Some(who) => {
                        entry.insert(None);
                    }
                    Entry::Occupied(_) => {}
                }
            }
        }
        Self(handles)
    }

    /// Returns the URL of the work of a mentioned person; `None` if nobody has the handle.
    pub(super) fn address(&self, mention: &str) -> Option<String> {
        let who = self.0.get(&mention.trim_start_matches('@').to_lowercase())?.as_ref()?;
        let filter = format!("assignee == \"{}\"", who.replace('\\', "\\\\").replace('"', "\\\""));
        Some(Asked::default().and("filter", &filter).at("/all"))
    }
}

/// The name without blanks, as the editor writes it, the first name, the user name and the address without its host.
fn handles_of(member: &MemberView) -> Vec<String> {
    let name: String = member.name.split_whitespace().collect();
    let first = member.name.split_whitespace().next().unwrap_or_default();
    let local = member.email.split('@').next().unwrap_or_default();
    let all = [name.as_str(), first, member.username.as_str(), local];
    let mut handles: Vec<String> = all.into_iter().filter(|handle| !handle.is_empty()).map(str::to_lowercase).collect();
    handles.sort();
    handles.dedup();
    handles
}

#[cfg(test)]
pub(super) fn example() -> Handles {
    let handles = [("gracehopper", Some("grace@example.com")), ("grace", Some("grace@example.com")), ("ada", None)];
    Handles(handles.into_iter().map(|(handle, who)| (handle.to_owned(), who.map(str::to_owned))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_handle_of_one_person_leads_somewhere() {
        let people = example();
        assert_eq!(
            people.address("@GraceHopper").as_deref(),
            Some("/all?filter=assignee%20%3D%3D%20%22grace%40example.com%22")
        );
        assert_eq!((people.address("@ada"), people.address("@override")), (None, None));
    }
}
