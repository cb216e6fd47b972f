//! The commits that belong to items, found by their messages. Git is asked only about new commits; commits that were
//! rewritten disappear with the history that contained them.

use model::mention::{CLOSE_KEYWORDS, Keywords, MentionKind, REF_KEYWORDS, mentions};
use serde::{Deserialize, Serialize};

use crate::git::{CommitId, CommitMessage};
use crate::index::{Mention, MentionChange, Reach};
use crate::open::{Store, StoreError};

/// Setting with the words that close an item.
const CLOSE_SETTING: &str = "cairn.closeKeywords";
/// Setting with the words that only link an item.
const REF_SETTING: &str = "cairn.refKeywords";

/// Incremented when the meaning of cached mentions changes.
const VERSION: u32 = 1;

/// The source of the cached mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    version: u32,
    close: Vec<String>,
    refs: Vec<String>,
    merged: Vec<String>,
    head: Option<String>,
}

impl Store {
    /// Returns the commits of the default branch and of `HEAD` whose messages mention an item, newest first.
    pub fn mentions_of(&self, number: u64) -> Result<Vec<Mention>, StoreError> {
        match self.uncached_mentions()? {
            None => Ok(self.index.mentions_of(number)?),
            Some(all) => Ok(all.into_iter().filter(|mention| mention.number == number).collect()),
        }
    }

    /// Returns the commits of the default branch whose messages close items that are not closed yet, newest first.
    pub fn closing_mentions(&self) -> Result<Vec<Mention>, StoreError> {
        let Some(all) = self.uncached_mentions()? else { return Ok(self.index.closing_mentions()?) };
        let closes = |one: &Mention| one.kind == MentionKind::Closes && one.reach == Reach::Merged;
        Ok(all.into_iter().filter(closes).collect())
    }

    /// Returns where a commit can be reached from, and the commit; `None` if it is not in this clone.
    pub fn commit_reach(&self, id: &str) -> Result<(Reach, Option<CommitMessage>), StoreError> {
        let Some(message) = self.repository.message_of(id)? else { return Ok((Reach::Gone, None)) };
        for tip in self.repository.default_branch()?.map(|branch| branch.tips).unwrap_or_default() {
            if self.is_ancestor(&message.id, &tip)? {
                return Ok((Reach::Merged, Some(message)));
            }
        }
        let is_at_head = match self.repository.head()? {
            Some(head) => self.is_ancestor(&message.id, &head)?,
            None => false,
        };
        let is_reached = is_at_head || self.repository.is_on_some_branch(&message.id)?;
        Ok((if is_reached { Reach::Branch } else { Reach::Gone }, Some(message)))
    }

    /// Brings the cached mentions to the current commits and returns `None`. If the cache cannot be written, returns all
    /// mentions, newest first.
    fn uncached_mentions(&self) -> Result<Option<Vec<Mention>>, StoreError> {
        let wanted = self.mention_source()?;
        if wanted.merged.is_empty() && wanted.head.is_none() {
            return Ok(Some(Vec::new()));
        }
        // Twice, because a process in another work tree may have moved it meanwhile.
        if (0..2).any(|_| self.move_mentions(&wanted).unwrap_or(false)) {
            return Ok(None);
        }
        let mut all = self.change_from_nothing(&wanted)?.mentions;
        all.sort_by_key(|mention| std::cmp::Reverse(mention.authored));
        Ok(Some(all))
    }

    fn move_mentions(&self, wanted: &Source) -> Result<bool, StoreError> {
        // A shallow history can be deepened without a change of its tips.
        let state = if self.repository.is_shallow()? { None } else { self.index.mention_state()? };
        let known: Option<Source> = state.as_deref().and_then(|text| serde_json::from_str(text).ok());
        if known.as_ref() == Some(wanted) {
            return Ok(true);
        }
        let known = known.filter(|known| known.has_meaning_of(wanted));
        let change = known.zip(state).and_then(|(known, state)| self.change_since(&known, state, wanted).ok());
        // If the earlier tips were garbage-collected, everything is read again.
        let change = change.map_or_else(|| self.change_from_nothing(wanted), Ok)?;
        Ok(self.index.move_mentions(&change)?)
    }

    fn mention_source(&self) -> Result<Source, StoreError> {
        let words = |setting: &str, default: &[&str]| -> Result<Vec<String>, StoreError> {
            let own = self.repository.config_string(setting)?;
            Ok(own.map_or_else(|| default.iter().map(|word| (*word).to_owned()).collect(), |own| Keywords::split(&own)))
        };
        let merged = self.repository.default_branch()?.map(|branch| branch.tips).unwrap_or_default();
        Ok(Source {
            version: VERSION,
            close: words(CLOSE_SETTING, &CLOSE_KEYWORDS)?,
            refs: words(REF_SETTING, &REF_KEYWORDS)?,
            merged: merged.iter().map(CommitId::to_string).collect(),
            head: self.repository.head()?.map(|head| head.to_string()),
        })
    }

    fn change_from_nothing(&self, wanted: &Source) -> Result<MentionChange, StoreError> {
        let found = self.repository.numbered_messages(&wanted.merged(), &[])?;
        let mut mentions = wanted.mentions_in(&found, Reach::Merged);
        mentions.extend(self.mentions_beyond(wanted)?);
        Ok(MentionChange { from: None, to: wanted.to_text(), gone: Vec::new(), mentions })
    }

    fn change_since(&self, known: &Source, state: String, wanted: &Source) -> Result<MentionChange, StoreError> {
        let (before, after) = (known.merged(), wanted.merged());
        let mut change = MentionChange { from: Some(state), to: wanted.to_text(), ..MentionChange::default() };
        if before != after {
            change.gone = self.repository.commits_lost(&before, &after)?;
            let found = self.repository.numbered_messages(&after, &before)?;
            change.mentions = wanted.mentions_in(&found, Reach::Merged);
        }
        change.mentions.extend(self.mentions_beyond(wanted)?);
        Ok(change)
    }

    /// Returns the mentions of the commits of `HEAD` that are not on the default branch.
    fn mentions_beyond(&self, wanted: &Source) -> Result<Vec<Mention>, StoreError> {
        let merged = wanted.merged();
        let head = wanted.head().filter(|head| !merged.contains(head));
        let found = self.repository.numbered_messages(head.as_slice(), &merged)?;
        Ok(wanted.mentions_in(&found, Reach::Branch))
    }
}

impl Source {
    /// Returns whether mentions read for another source mean the same, so that only the commits differ.
    fn has_meaning_of(&self, other: &Self) -> bool {
        (self.version, &self.close, &self.refs) == (other.version, &other.close, &other.refs)
    }

    fn merged(&self) -> Vec<CommitId> {
        self.merged.iter().filter_map(|id| id.parse().ok()).collect()
    }

    fn head(&self) -> Option<CommitId> {
        self.head.as_ref()?.parse().ok()
    }

    fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn mentions_in(&self, commits: &[CommitMessage], reach: Reach) -> Vec<Mention> {
        let keywords = Keywords::new(&self.close, &self.refs);
        let of = |commit: &CommitMessage| -> Vec<Mention> {
            let mention = |(number, kind)| Mention {
                commit: commit.id,
                number,
                kind,
                reach,
                authored: commit.authored,
                committed: commit.committed,
                author: commit.author.clone(),
                subject: commit.subject().to_owned(),
            };
            mentions(&commit.message, &keywords).into_iter().map(mention).collect()
        };
        commits.iter().flat_map(of).collect()
    }
}
