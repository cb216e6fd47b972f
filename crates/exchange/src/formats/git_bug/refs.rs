//! The references of git-bug: packs of operations as a file `ops` in the tree of each commit, ordered by the clock in
//! the name of another file of that tree, and, for packs that were written at the same time, by the hash of the pack.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use store::git::{CommitId, Repository};

use super::super::{Sink, git_history};
use super::Identity;
use crate::input::{Input, MAX_UNIT};
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId};

const BUGS: &str = "refs/bugs/";
const IDENTITIES: &str = "refs/identities/";

#[derive(Deserialize)]
struct Pack<'a> {
    /// Missing before version 0.8; then each operation has its own.
    author: Option<Author>,
    #[serde(borrow)]
    ops: Vec<&'a RawValue>,
}

/// The id of an identity, or, in the oldest operations, the person itself.
#[derive(Deserialize)]
struct Author {
    #[serde(default)]
    id: String,
    #[serde(flatten)]
    person: Identity,
}

impl Author {
    fn find(&self, people: &HashMap<String, ImportedPerson>) -> Option<ImportedPerson> {
        people.get(&self.id).cloned().or_else(|| self.person.clone().into_person())
    }
}

/// An operation; its keys depend on `type`.
#[derive(Deserialize)]
struct Operation {
    #[serde(rename = "type")]
    kind: u64,
    timestamp: i64,
    author: Option<Author>,
    title: Option<String>,
    message: Option<String>,
    status: Option<u64>,
    #[serde(default)]
    added: Option<Vec<String>>,
    #[serde(default)]
    removed: Option<Vec<String>>,
    target: Option<String>,
    #[serde(default)]
    files: Option<Vec<String>>,
    /// What a bridge noted, such as `github-url`.
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    /// The same, noted later of the operation `target`.
    #[serde(default)]
    new_metadata: Option<BTreeMap<String, String>>,
}

/// An operation with its id and its author.
struct Signed {
    id: String,
    by: Option<ImportedPerson>,
    op: Operation,
}

pub(super) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let repository = git_history::repository(input)?;
    let people = identities(&repository)?;
    for (bug, tip) in repository.tips_below(BUGS)? {
        let place = format!("`{BUGS}{bug}`");
        let ops = operations(&repository, tip, &place, &people)?;
        match fold(&place, &bug, ops) {
            Some(item) => sink(Record::Item(Box::new(item)))?,
            None => sink(Record::LeftOut(LeftOut::new("bug", "its creation is missing", bug)))?,
        }
    }
    Ok(())
}

fn identities(repository: &Repository) -> Result<HashMap<String, ImportedPerson>, Error> {
    let mut people = HashMap::new();
    for (id, tip) in repository.tips_below(IDENTITIES)? {
        let commit = repository.read_commit(&tip, MAX_UNIT as u64).map_err(git_history::failed)?;
        let Some((_, blob)) = root_files(repository, &commit)?.into_iter().find(|(name, _)| name == "version") else {
            continue;
        };
        let version = repository.with_blob(&blob, MAX_UNIT as u64, |bytes| serde_json::from_slice::<Identity>(bytes));
        if let Ok(identity) = version.map_err(git_history::failed)? {
            people.extend(identity.into_person().map(|person| (id, person)));
        }
    }
    Ok(people)
}

fn operations(
    repository: &Repository,
    tip: CommitId,
    place: &str,
    people: &HashMap<String, ImportedPerson>,
) -> Result<Vec<Signed>, Error> {
    let mut packs = Vec::new();
    for (id, commit) in git_history::commits(repository, tip)? {
        let files = root_files(repository, &commit)?;
        let clock = files.iter().find_map(|(name, _)| name.strip_prefix("edit-clock-")?.parse::<u64>().ok());
        let Some((_, blob)) = files.into_iter().find(|(name, _)| name == "ops") else { continue };
        let bytes = repository.read_blob(&blob, MAX_UNIT as u64).map_err(git_history::failed)?;
        packs.push((clock.unwrap_or(0), hash(&bytes), id.to_string(), bytes));
    }
    packs.sort();
    let mut ops = Vec::new();
    for (_, _, commit, bytes) in &packs {
        let wrong = |error: serde_json::Error| Error::invalid(format!("{place}: commit {commit}: {error}"));
        let pack: Pack<'_> = serde_json::from_slice(bytes).map_err(wrong)?;
        for raw in pack.ops {
            let op: Operation = serde_json::from_str(raw.get()).map_err(wrong)?;
            let by = pack.author.as_ref().or(op.author.as_ref()).and_then(|author| author.find(people));
            ops.push(Signed { id: hash(raw.get().as_bytes()), by, op });
        }
    }
    Ok(ops)
}

fn root_files(
    repository: &Repository,
    commit: &store::git::RawCommit,
) -> Result<Vec<(String, store::git::ObjectId)>, Error> {
    repository.list_root(commit).map_err(git_history::failed)
}

// The id of an operation, and of a pack, is the hash of its bytes.
fn hash(json: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(json) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn fold(place: &str, bug: &str, ops: Vec<Signed>) -> Option<ImportedItem> {
    let mut item: Option<ImportedItem> = None;
    let mut created_by = String::new();
    let mut labels = BTreeSet::new();
    let mut comments: BTreeMap<usize, (String, ImportedComment)> = BTreeMap::new();
    for (n, Signed { id, by, op }) in ops.into_iter().enumerate() {
        let at = Timestamp::from_second(op.timestamp).ok();
        if op.kind == 1 && item.is_none() {
            let title = op.title.clone().unwrap_or_default();
            let mut new = ImportedItem::new(place, SourceId::Of(bug.to_owned()), ItemKind::Issue, title);
            (new.author, new.created) = (by.clone(), at);
            new.description = op.message.clone().unwrap_or_default();
            new.url = op.metadata.as_ref().and_then(page);
            item = Some(new);
            created_by.clone_from(&id);
        }
        let Some(item) = &mut item else { continue };
        item.updated = item.updated.max(at);
        for file in op.files.into_iter().flatten() {
            item.leave_out("attachment", "files stay in git-bug", file);
        }
        match op.kind {
            2 => item.title = op.title.unwrap_or_default(),
            3 => {
                let body = op.message.unwrap_or_default();
                comments
                    .insert(n, (id.clone(), ImportedComment { id: SourceId::Of(id), author: by, created: at, body }));
            }
            4 => {
                let is_closed = op.status == Some(2);
                item.status = ImportedStatus::known("", is_closed);
                (item.closed, item.closed_by) = if is_closed { (at, by) } else { (None, None) };
            }
            5 => {
                labels.extend(op.added.into_iter().flatten());
                labels.retain(|label| !op.removed.iter().flatten().any(|gone| gone == label));
            }
            6 => {
                let body = op.message.unwrap_or_default();
                if op.target.as_ref() == Some(&created_by) {
                    item.description = body;
                } else if let Some((_, comment)) = comments.values_mut().find(|(id, _)| op.target.as_ref() == Some(id))
                {
                    comment.body = body;
                }
            }
            8 if op.target.as_ref() == Some(&created_by) => {
                item.url = item.url.take().or_else(|| op.new_metadata.as_ref().and_then(page));
            }
            _ => {}
        }
    }
    let mut item = item?;
    item.labels = labels.into_iter().collect();
    item.comments = comments.into_values().map(|(_, comment)| comment).collect();
    Some(item)
}

/// Returns the page of a bug that a bridge copied from another tracker, or to it.
fn page(metadata: &BTreeMap<String, String>) -> Option<String> {
    let is_page = |url: &&String| url.starts_with("https://") || url.starts_with("http://");
    ["github-url", "gitlab-url"].into_iter().find_map(|name| metadata.get(name).filter(is_page).cloned())
}
