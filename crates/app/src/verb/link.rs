//! Links items to each other, to code and to commits.

use std::collections::{BTreeMap, HashSet, VecDeque};

use model::id::EntityId;
use model::item_ref::ItemRef;
use model::link::{LinkKind, normalize_touch};
use model::op::Change;
use model::text::escape_line;
use serde_json::Value;
use store::index::{Index, Row};

use crate::change::{check_revision, refuse_parent_cycle};
use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan, mention, set, short_id, subject, typed};
use crate::view::ItemView;

/// The target and type of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// This item blocks the other one.
    Blocks(ItemRef),
    /// The items are related.
    Relates(ItemRef),
    /// The other item is the parent of this one.
    Parent(ItemRef),
    /// This item is about this code: `path` or `path:anchor`.
    Touches(String),
    /// This commit belongs to this item: a revision as git reads it, such as `HEAD~2` or an abbreviated id.
    Commit(String),
}

impl Project {
    /// Links an item and returns it.
    pub fn link(&mut self, item: &ItemRef, target: &LinkTarget, if_unchanged: Option<&str>) -> Result<ItemView, Error> {
        let target = &self.with_commit_id(target, |revision| {
            Err(Error::not_found(format!("commit not found: `{}`", escape_line(revision)))
                .hint("name a commit of this repository, as in `git show REV`"))
        })?;
        self.connect(item, target, if_unchanged, "link", |context, row| link_changes(context, row, target))
    }

    /// Removes a link and returns the item.
    pub fn unlink(
        &mut self,
        item: &ItemRef,
        target: &LinkTarget,
        if_unchanged: Option<&str>,
    ) -> Result<ItemView, Error> {
        // The commit may be gone; then the text is compared with the linked ids.
        let target = &self.with_commit_id(target, |revision| Ok(revision.to_lowercase()))?;
        self.connect(item, target, if_unchanged, "unlink", |context, row| unlink_changes(context, row, target))
    }

    /// Replaces the revision of a commit link by its full id, or by the result of `otherwise`.
    fn with_commit_id(
        &self,
        target: &LinkTarget,
        otherwise: impl FnOnce(&str) -> Result<String, Error>,
    ) -> Result<LinkTarget, Error> {
        let LinkTarget::Commit(revision) = target else { return Ok(target.clone()) };
        let found = self.store.repository().resolve_commit(revision)?;
        Ok(LinkTarget::Commit(found.map_or_else(|| otherwise(revision), |id| Ok(id.to_string()))?))
    }

    fn connect(
        &mut self,
        item: &ItemRef,
        target: &LinkTarget,
        if_unchanged: Option<&str>,
        verb: &str,
        changes: impl Fn(&PlanContext<'_>, &Row) -> Result<Vec<(EntityId, Change)>, Error>,
    ) -> Result<ItemView, Error> {
        let mut view = self.write_item(|context| {
            let row = context.find_living(item)?;
            check_revision(&row, if_unchanged)?;
            let words = format!("{verb} ({})", target.words());
            Ok((WritePlan::new(subject(&[&row], &words), changes(context, &row)?), row.item.id))
        })?;
        if let (LinkTarget::Commit(_), Some(row)) = (target, self.row_of(&view)?) {
            view.commits = Some(self.commits_of(&row)?);
        }
        Ok(view)
    }
}

impl LinkTarget {
    fn words(&self) -> String {
        match self {
            Self::Blocks(other) => format!("blocks {other}"),
            Self::Relates(other) => format!("relates to {other}"),
            Self::Parent(other) => format!("part of {other}"),
            Self::Touches(path) => format!("touches {path}"),
            Self::Commit(id) => format!("commit {}", short_id(id)),
        }
    }
}

fn link_changes(context: &PlanContext<'_>, row: &Row, target: &LinkTarget) -> Result<Vec<(EntityId, Change)>, Error> {
    let id = row.item.id;
    let add = |kind: LinkKind, value: String| Change::Add { field: kind.name().to_owned(), value };
    match target {
        LinkTarget::Blocks(other) => {
            let other = other_item(context, row, other)?;
            if row.item.blocks.contains(&other.item.id) {
                return Ok(Vec::new());
            }
            refuse_blocking_cycle(context.index, row, &other)?;
            Ok(vec![(id, add(LinkKind::Blocks, other.item.id.to_string()))])
        }
        LinkTarget::Relates(other) => {
            let other = other_item(context, row, other)?;
            let is_there = row.item.relates.contains(&other.item.id) || other.item.relates.contains(&id);
            let change = (id, add(LinkKind::Relates, other.item.id.to_string()));
            Ok(if is_there { Vec::new() } else { vec![change] })
        }
        LinkTarget::Parent(other) => {
            let other = other_item(context, row, other)?;
            refuse_parent_cycle(context.index, row, Some(other.item.id))?;
            let parent = other.item.id.to_string();
            let is_there = row.item.parent == Some(other.item.id);
            Ok(if is_there { Vec::new() } else { vec![(id, set("parent", parent))] })
        }
        LinkTarget::Touches(path) => {
            let path = normalize_touch(path)?;
            let is_there = row.item.touches.contains(&path);
            Ok(if is_there { Vec::new() } else { vec![(id, add(LinkKind::Touches, path))] })
        }
        LinkTarget::Commit(commit) => {
            let is_there = row.item.commits.contains(commit);
            Ok(if is_there { Vec::new() } else { vec![(id, add(LinkKind::Commits, commit.clone()))] })
        }
    }
}

fn unlink_changes(context: &PlanContext<'_>, row: &Row, target: &LinkTarget) -> Result<Vec<(EntityId, Change)>, Error> {
    let remove = |on: &Row, kind: LinkKind, value: String| -> Result<Option<(EntityId, Change)>, Error> {
        let entity = context.index.entity(on.item.id)?;
        let seen = entity.map(|entity| entity.tags(kind.name(), &value)).unwrap_or_default();
        let change = Change::Remove { field: kind.name().to_owned(), value, seen: seen.clone() };
        Ok((!seen.is_empty()).then_some((on.item.id, change)))
    };
    let changes: Vec<(EntityId, Change)> = match target {
        LinkTarget::Blocks(other) => {
            let other = context.find(other)?;
            remove(row, LinkKind::Blocks, other.item.id.to_string())?.into_iter().collect()
        }
        LinkTarget::Relates(other) => {
            let other = context.find(other)?;
            let here = remove(row, LinkKind::Relates, other.item.id.to_string())?;
            let there = remove(&other, LinkKind::Relates, row.item.id.to_string())?;
            here.into_iter().chain(there).collect()
        }
        LinkTarget::Parent(other) => {
            let other = context.find(other)?;
            let is_there = row.item.parent == Some(other.item.id);
            is_there.then(|| (row.item.id, set("parent", Value::Null))).into_iter().collect()
        }
        LinkTarget::Touches(path) => {
            let path = normalize_touch(path)?;
            remove(row, LinkKind::Touches, path)?.into_iter().collect()
        }
        LinkTarget::Commit(text) => match linked_commit(row, text) {
            Some(commit) => remove(row, LinkKind::Commits, commit)?.into_iter().collect(),
            None => Vec::new(),
        },
    };
    if changes.is_empty() {
        return Err(Error::not_found(format!("{} has no such link ({})", mention(row), target.words()))
            .hint(format!("`cairn show {}` shows its links", typed(row.reference())))
            .tool_hint("`show` lists its links"));
    }
    Ok(changes)
}

/// Returns the only linked commit whose id starts with a text of at least four digits.
fn linked_commit(row: &Row, text: &str) -> Option<String> {
    let mut found = row.item.commits.iter().filter(|commit| text.len() >= 4 && commit.starts_with(text));
    let first = found.next()?;
    found.next().is_none().then(|| first.clone())
}

fn other_item(context: &PlanContext<'_>, row: &Row, item: &ItemRef) -> Result<Row, Error> {
    let other = context.find_living(item)?;
    if other.item.id == row.item.id {
        return Err(Error::invalid(format!("{} cannot be linked to itself", mention(row))));
    }
    Ok(other)
}

fn refuse_blocking_cycle(index: &Index, blocker: &Row, blocked: &Row) -> Result<(), Error> {
    let pairs = index.blocking_pairs()?;
    let Some(path) = path_between(&pairs, blocked.item.id, blocker.item.id) else { return Ok(()) };
    let mut names = Vec::new();
    for id in path {
        names.push(index.item(id)?.map_or_else(|| id.to_string(), |row| row.reference().to_string()));
    }
    names.push(blocked.reference().to_string());
    Err(Error::conflict(format!("the link would create a cycle: {}", names.join(" blocks ")))
        .hint("remove one of these links first, with `cairn unlink`")
        .tool_hint("remove one of these links first: `link` with `remove`"))
}

/// Returns the shortest path from one item to another along `blocks` links.
pub(super) fn path_between(pairs: &[(EntityId, EntityId)], from: EntityId, to: EntityId) -> Option<Vec<EntityId>> {
    let mut next: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
    for (blocker, blocked) in pairs {
        next.entry(*blocker).or_default().push(*blocked);
    }
    let mut came_from: BTreeMap<EntityId, EntityId> = BTreeMap::new();
    let mut seen = HashSet::from([from]);
    let mut queue = VecDeque::from([from]);
    while let Some(here) = queue.pop_front() {
        if here == to {
            let mut path = vec![to];
            while let Some(before) = came_from.get(path.last()?) {
                path.push(*before);
            }
            path.reverse();
            return Some(path);
        }
        for there in next.get(&here).into_iter().flatten() {
            if seen.insert(*there) {
                came_from.insert(*there, here);
                queue.push_back(*there);
            }
        }
    }
    None
}

/// Returns the cycles among `blocks` links, each once, starting with its lowest id.
pub(super) fn blocking_cycles(pairs: &[(EntityId, EntityId)]) -> Vec<Vec<EntityId>> {
    let mut cycles: Vec<Vec<EntityId>> = Vec::new();
    let mut in_a_cycle: HashSet<EntityId> = HashSet::new();
    let candidates = cycle_candidates(pairs);
    for (blocker, blocked) in &candidates {
        if in_a_cycle.contains(blocker) {
            continue;
        }
        if let Some(mut cycle) = path_between(&candidates, *blocked, *blocker) {
            in_a_cycle.extend(&cycle);
            let lowest = cycle.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(n, _)| n);
            cycle.rotate_left(lowest);
            cycles.push(cycle);
        }
    }
    cycles
}

// Removes items that block nothing or are blocked by nothing, repeatedly: they are in no cycle.
fn cycle_candidates(pairs: &[(EntityId, EntityId)]) -> Vec<(EntityId, EntityId)> {
    let mut left = pairs.to_vec();
    loop {
        let blockers: HashSet<EntityId> = left.iter().map(|(blocker, _)| *blocker).collect();
        let blocked: HashSet<EntityId> = left.iter().map(|(_, blocked)| *blocked).collect();
        let before = left.len();
        left.retain(|(blocker, waiting)| blocked.contains(blocker) && blockers.contains(waiting));
        if left.len() == before {
            return left;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn pairs(pairs: &[(u128, u128)]) -> Vec<(EntityId, EntityId)> {
        let id = |n| EntityId::new(Uuid::from_u128(n));
        pairs.iter().map(|(a, b)| (id(*a), id(*b))).collect()
    }

    #[test]
    fn each_cycle_is_found_once() {
        let found = blocking_cycles(&pairs(&[(1, 2), (2, 3), (3, 1), (3, 4), (5, 6), (6, 5), (7, 8)]));
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
        assert!(blocking_cycles(&pairs(&[(1, 2), (2, 3), (1, 3)])).is_empty());
    }
}
