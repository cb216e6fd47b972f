//! Syncs comments in both directions. A pair is a local and a remote comment; pairs are stored in a set field of the
//! item: `remote` alone for a pulled comment (its local id is derived from the remote one), `remote=local` for a pushed
//! one.

use std::collections::BTreeMap;

use model::comment::Comment;
use model::entity::Entity;
use model::id::OpId;
use model::op::Change;
use model::person::Person;
use store::{Origin, Step};

use super::link::{COMMENTS, FIELD, RemoteRef};
use super::people::People;

/// Returns the paired comments: remote id to local id.
pub(super) fn pairs(remote_ref: &RemoteRef, entity: &Entity) -> BTreeMap<String, OpId> {
    let read = |member: &str| match member.split_once('=') {
        Some((there, here)) => Some((there.to_owned(), here.parse().ok()?)),
        None => Some((member.to_owned(), remote_ref.comment(member))),
    };
    entity.set_members(COMMENTS).into_iter().filter_map(read).collect()
}

/// Returns the local comments without a remote counterpart.
pub(super) fn unpaired(remote_ref: &RemoteRef, entity: &Entity) -> Vec<Comment> {
    let pairs = pairs(remote_ref, entity);
    entity.comments().into_iter().filter(|comment| !pairs.values().any(|paired| *paired == comment.id)).collect()
}

/// Returns the change that stores a pair.
pub(super) fn pair(there: &str, here: OpId) -> Change {
    Change::Add { field: COMMENTS.to_owned(), value: format!("{there}={here}") }
}

/// Returns the text to send. A comment by someone else is signed with their name, since the server shows it under ours.
pub(super) fn text(people: &People, me: u64, comment: &Comment) -> String {
    if people.term_of(&comment.author) == me { comment.body.clone() } else { signed(comment) }
}

pub(super) fn signed(comment: &Comment) -> String {
    let day = comment.created.to_zoned(jiff::tz::TimeZone::UTC).date();
    format!("{}\n\n_{}, {day}_", comment.body, comment.author.short())
}

/// Returns whether a remote text is this comment, plain or signed.
pub(super) fn is_same(comment: &Comment, there: &str) -> bool {
    there == comment.body || there == signed(comment)
}

/// Returns the steps that import comments, and the number of comments. A comment deleted on the server is redacted. All
/// steps carry the remote time and author, so that a pull does not count as a change of the item.
pub(super) fn import(
    remote_ref: &RemoteRef,
    people: &People,
    entity: &Entity,
    comments: &[taiga::dto::Comment],
) -> (Vec<Step>, usize) {
    let known = pairs(remote_ref, entity);
    let mut unpaired = unpaired(remote_ref, entity);
    let mut steps = Vec::new();
    let mut n_brought = 0;
    for comment in comments {
        if let Some(here) = known.get(&comment.id) {
            let followed = followed(remote_ref, people, entity, comment, *here);
            n_brought += usize::from(followed.is_some());
            steps.extend(followed);
            continue;
        }
        if comment.delete_comment_date.is_some() || comment.text.trim().is_empty() {
            continue;
        }
        // A local comment that another clone pushed: it is in the log already.
        let by = author(people, comment);
        let dated = |change: Change, id: Option<OpId>| {
            let origin = Origin { at: comment.created_at, by: by.clone(), imported: Some(FIELD.into()), id };
            Step::imported(entity.id, change, origin)
        };
        if let Some(place) = unpaired.iter().position(|own| is_same(own, &comment.text)) {
            steps.push(dated(pair(&comment.id, unpaired.remove(place).id), None));
            continue;
        }
        let id = remote_ref.comment(&comment.id);
        if !entity.has_op(id) {
            n_brought += 1;
            steps.push(dated(Change::Comment { body: comment.text.replace('\0', "") }, Some(id)));
        }
        steps.push(dated(Change::Add { field: COMMENTS.to_owned(), value: comment.id.clone() }, None));
    }
    (steps, n_brought)
}

/// Returns the step for a paired comment that was edited, deleted or restored on the server.
fn followed(
    remote_ref: &RemoteRef,
    people: &People,
    entity: &Entity,
    comment: &taiga::dto::Comment,
    here: OpId,
) -> Option<Step> {
    let says = entity.comments().into_iter().find(|own| own.id == here)?.body;
    let text = comment.text.replace('\0', "");
    let (body, at, by, id) = match (comment.delete_comment_date, comment.edit_comment_date) {
        (Some(_), _) if says.is_empty() => return None,
        (Some(at), _) => {
            let by = comment
                .delete_comment_user
                .as_ref()
                .map_or_else(|| author(people, comment), |who| person(people, Some(who)));
            (String::new(), at, by, Some(remote_ref.redacted_comment(&comment.id, at)))
        }
        (None, _) if says == text || text.trim().is_empty() => return None,
        // It was deleted and restored.
        (None, at) if says.is_empty() => (text, at.unwrap_or(comment.created_at), author(people, comment), None),
        (None, Some(at)) => (text, at, author(people, comment), Some(remote_ref.edited_comment(&comment.id, at))),
        (None, None) => return None,
    };
    if id.is_some_and(|id| entity.has_op(id)) {
        return None;
    }
    let change = Change::EditComment { comment: here, body };
    Some(Step::imported(entity.id, change, Origin { at, by, imported: Some(FIELD.into()), id }))
}

fn author(people: &People, comment: &taiga::dto::Comment) -> Person {
    person(people, comment.user.as_ref())
}

fn person(people: &People, user: Option<&taiga::dto::CommentAuthor>) -> Person {
    let id = user.and_then(|user| user.id);
    let username = user.and_then(|user| user.username.as_deref());
    let name = user.and_then(|user| user.name.as_deref());
    let term = id.map(|id| people.term(id.0, username));
    let person = term.and_then(|term| people.person(&term, name));
    person.unwrap_or_else(|| Person::new(name.or(username).unwrap_or("someone"), ""))
}
