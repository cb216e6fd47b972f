//! Links of an item: to other items, to code and to commits.

use annotations::Annotated;
use app::verb::{LinkTarget, ListOptions};
use app::view::{ItemView, Reference};
use model::item_ref::ItemRef;

use crate::popup::{Entry, Menu, MenuPurpose, Popup, PromptPurpose};
use crate::state::{Interface, Note};

/// Maximum number of items that are offered for words.
const MAX_MATCHES: usize = 20;

/// A kind of link, seen from the selected item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkType {
    BlockedBy,
    Blocking,
    Related,
    Code,
    Commit,
}

/// An entry of the menu of links.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LinkChoice {
    Add(LinkType),
    Remove(LinkType, String),
}

impl LinkType {
    const ALL: [Self; 5] = [Self::BlockedBy, Self::Blocking, Self::Related, Self::Code, Self::Commit];

    fn name(self) -> &'static str {
        match self {
            Self::BlockedBy => "blocked by",
            Self::Blocking => "blocking",
            Self::Related => "related",
            Self::Code => "code",
            Self::Commit => "commit",
        }
    }

    fn question(self) -> &'static str {
        match self {
            Self::BlockedBy | Self::Blocking | Self::Related => "number, or words of its title",
            Self::Code => "path, or path:anchor",
            Self::Commit => "revision, such as HEAD",
        }
    }

    /// Returns the item that has the link, and its target. `blocked by` is a link of the other item.
    fn ends(self, item: &ItemRef, other: &str) -> (ItemRef, LinkTarget) {
        let target = match self {
            Self::BlockedBy => return (ItemRef::parse(other), LinkTarget::Blocks(item.clone())),
            Self::Blocking => LinkTarget::Blocks(ItemRef::parse(other)),
            Self::Related => LinkTarget::Relates(ItemRef::parse(other)),
            Self::Code => LinkTarget::Touches(other.to_owned()),
            Self::Commit => LinkTarget::Commit(other.to_owned()),
        };
        (item.clone(), target)
    }
}

impl Interface {
    /// Offers to add a link of each kind, and to remove each link that there is.
    pub(crate) fn link_menu(&mut self, item: &ItemView) {
        let reference = ItemRef::parse(&item.id);
        let shown = self.project.show_with_commits(&reference);
        let Some(item) = self.or_note(shown) else { return };
        let added = LinkType::ALL.map(|link| (format!("add: {}…", link.name()), LinkChoice::Add(link)));
        let removed = links(&item)
            .into_iter()
            .map(|(link, other, label)| (format!("remove: {} {label}", link.name()), LinkChoice::Remove(link, other)));
        let (labels, choices): (Vec<String>, Vec<LinkChoice>) = added.into_iter().chain(removed).unzip();
        let entries = labels.iter().map(|label| Entry::of(label, "")).collect();
        self.popup = Some(Popup::Menu(Menu::new("Links", entries, MenuPurpose::Link(reference, choices))));
    }

    pub(crate) fn choose_link(&mut self, item: &ItemRef, choice: &LinkChoice) {
        match choice {
            LinkChoice::Add(link) => {
                let title = format!("{}: {}", link.name(), link.question());
                self.ask(title, "", PromptPurpose::LinkTo(item.clone(), *link));
            }
            LinkChoice::Remove(link, other) => {
                let (from, target) = link.ends(item, other);
                self.write("removed a link", |state| Ok(vec![state.project.unlink(&from, &target, None)?]));
            }
        }
    }

    /// Links to the typed item; for words, offers the items that contain them.
    pub(crate) fn link_typed(&mut self, item: &ItemRef, link: LinkType, text: &str) {
        let is_number = text.trim_start_matches('#').chars().all(|c| c.is_ascii_digit());
        match link {
            LinkType::Code => {
                let known = self.project.annotations().check_touch(text);
                if self.or_note(known).is_some() {
                    self.link(item, link, text);
                }
            }
            LinkType::Commit => self.link(item, link, text),
            _ if is_number => self.link(item, link, text.trim_start_matches('#')),
            _ => self.offer_items(item, link, text),
        }
    }

    pub(crate) fn link(&mut self, item: &ItemRef, link: LinkType, other: &str) {
        let (from, target) = link.ends(item, other);
        self.write(&format!("linked ({})", link.name()), |state| Ok(vec![state.project.link(&from, &target, None)?]));
    }

    fn offer_items(&mut self, item: &ItemRef, link: LinkType, words: &str) {
        let found = self.project.list(&ListOptions {
            words: Some(words.to_owned()),
            limit: Some(MAX_MATCHES),
            all: true,
            ..ListOptions::default()
        });
        let Some(found) = self.or_note(found) else { return };
        if found.items.is_empty() {
            self.note = Some(Note::Failed(format!("no item contains `{words}`")));
            return;
        }
        let entry = |item: &ItemView| Entry {
            label: format!("{} {}", item.name(), item.title),
            value: item.id.clone(),
            is_current: false,
        };
        let entries = found.items.iter().map(entry).collect();
        self.popup = Some(Popup::Menu(Menu::new(link.name(), entries, MenuPurpose::LinkTo(item.clone(), link))));
    }
}

/// Returns the links of an item: their kind, the other end, and its name.
fn links(item: &ItemView) -> Vec<(LinkType, String, String)> {
    let items = [
        (LinkType::BlockedBy, &item.blocked_by),
        (LinkType::Blocking, &item.blocks),
        (LinkType::Related, &item.relates),
    ];
    let named = |one: &Reference| format!("{} {}", one.name(), one.title);
    let to_items =
        items.into_iter().flat_map(|(link, others)| others.iter().map(move |one| (link, one.id.clone(), named(one))));
    let code = item.touches.iter().map(|path| (LinkType::Code, path.clone(), path.clone()));
    let commits = item.commits.iter().flatten().filter(|commit| commit.relation == app::view::CommitRelation::Linked);
    let commits = commits.map(|commit| {
        let short = commit.id.get(..7).unwrap_or(&commit.id);
        (LinkType::Commit, commit.id.clone(), format!("{short} {}", commit.subject))
    });
    to_items.chain(code).chain(commits).collect()
}
