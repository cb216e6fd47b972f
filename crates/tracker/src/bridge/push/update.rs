//! Updates a remote item with local changes.

use app::Error;
use app::Project;
use taiga::dto::ItemId;

use super::super::compare::{self, BridgeSide, Difference, Verdict};
use super::super::field_set::{FieldSet, Key};
use super::super::link::Link;
use super::super::local_item::LocalItem;
use super::super::remote::{self, Values};
use super::super::report;
use super::super::retrying_client::{is_about_one, is_absent, user_error};
use super::Push;
use crate::Kind;
use crate::mapping::item::RemoteItem;

/// The result of a sent change.
enum SendOutcome {
    Done(RemoteItem),
    /// Someone changed the same fields between our read and our write.
    Overtaken,
    /// The server rejected it.
    Refused(String),
}

impl Push<'_> {
    /// Sends local changes; on a version conflict, reads the item again and retries once.
    pub(super) fn update(
        &mut self,
        project: &mut Project,
        item: &mut LocalItem,
        kind: Kind,
        link: &Link,
    ) -> Result<(), Error> {
        let local = item.shape(self.mapping());
        if link.base.matches_here(&local) {
            self.report.unchanged += 1;
            return Ok(());
        }
        for is_last in [false, true] {
            let Some(read) = self.read(project, item, kind, link)? else { return Ok(()) };
            if self.update_from(project, item, link, &local, &read, is_last)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads a remote item; `None` if it is missing or moved to another project, which is reported.
    fn read(
        &mut self,
        project: &mut Project,
        item: &mut LocalItem,
        kind: Kind,
        link: &Link,
    ) -> Result<Option<RemoteItem>, Error> {
        match self.server.call(|client| remote::get(client, kind, link.id)) {
            Ok(read) if read.core().project.0 == self.mapping().remote_ref.project => Ok(Some(read)),
            Ok(_) => {
                let shown = report::known(item, Some(link));
                self.report.left.push(report::left(shown, None, "it is in another project there now"));
                Ok(None)
            }
            Err(error) if is_absent(&error) && self.taken.contains(&item.id()) => {
                // Recorded first: a later run that finds the intent must not match it with the old item.
                self.record_link(project, item, Link { gone: true, ..link.clone() })?;
                self.flush(project)?;
                self.create(project, item, kind, link.id)?;
                Ok(None)
            }
            Err(error) if is_absent(&error) => {
                self.report.conflicts.push(report::clash(item, link, "deleted there, changed here"));
                Ok(None)
            }
            Err(error) if is_about_one(&error) => {
                self.report.left.push(report::refused(report::known(item, Some(link)), None, error.message));
                Ok(None)
            }
            Err(error) => Err(user_error(error)),
        }
    }

    /// Returns whether the update is finished; if not, the item must be read again.
    fn update_from(
        &mut self,
        project: &mut Project,
        item: &mut LocalItem,
        link: &Link,
        local: &FieldSet,
        read: &RemoteItem,
        is_last: bool,
    ) -> Result<bool, Error> {
        let there = self.mapping().of_remote(read, item.row.item.parent);
        let mut differences = compare::compare(&link.base, local, &there);
        if self.taken.contains(&item.id()) {
            compare::resolve_conflicts(&mut differences, BridgeSide::Local);
        }
        let (values, unsendable) = self.to_send(item, &differences);
        let sent = if self.options.dry_run {
            SendOutcome::Done(read.clone())
        } else {
            self.send(item, read, &there, &values)?
        };
        let patched = match sent {
            SendOutcome::Done(patched) => patched,
            SendOutcome::Overtaken if !is_last => return Ok(false),
            SendOutcome::Overtaken => {
                self.report.conflicts.push(report::clash(item, link, "changed there again and again"));
                return Ok(true);
            }
            SendOutcome::Refused(why) => {
                self.report.left.push(report::refused(report::known(item, Some(link)), None, why));
                return Ok(true);
            }
        };
        let shown = report::known(item, Some(link));
        self.report.left.extend(unsendable.into_iter().map(|(key, why)| report::left(shown.clone(), Some(&key), why)));
        let conflict = report::conflict(self.mapping(), project.index(), item, link, &differences)?;
        self.report.conflicts.extend(conflict);
        let keys: Vec<Key> = values.keys().cloned().collect();
        if keys.is_empty() {
            let is_agreed = differences.is_empty();
            self.report.unchanged += usize::from(is_agreed);
        } else {
            self.report.changed.push(report::step(shown, &keys, 0));
        }
        if self.options.dry_run {
            return Ok(true);
        }
        let base = compare::base_after_push(&link.base, &there, local, &keys);
        let version = self.version(item, link, local, read, &patched);
        self.record_link(project, item, Link { version, base, ..link.clone() })?;
        Ok(true)
    }

    /// Splits the local changes into those that can be sent and those that cannot.
    fn to_send(&self, item: &LocalItem, differences: &[Difference]) -> (Values, Vec<(Key, String)>) {
        let mut values = Values::new();
        let mut unsendable = Vec::new();
        for one in differences.iter().filter(|one| one.verdict == Verdict::Local) {
            let is_coming = |id| self.options.dry_run && self.coming.contains(&id);
            match self.mapping().unsendable(item.kind, &one.key, &one.local, is_coming) {
                Some(why) => unsendable.push((one.key.clone(), why)),
                None => _ = values.insert(one.key.clone(), one.local.clone()),
            }
        }
        (values, unsendable)
    }

    fn send(
        &self,
        item: &LocalItem,
        read: &RemoteItem,
        there: &FieldSet,
        values: &Values,
    ) -> Result<SendOutcome, Error> {
        let mut fields = values.clone();
        let epic = if item.kind == Kind::Story { fields.remove(&Key::Parent) } else { None };
        let patched = if fields.is_empty() {
            Ok(read.clone())
        } else {
            self.server.call(|client| remote::patch(client, self.mapping(), read, &fields))
        };
        let moved = patched.and_then(|patched| {
            if let Some(epic) = &epic {
                self.move_to_epic(read, there.get(&Key::Parent).as_u64(), epic.as_u64())?;
            }
            Ok(patched)
        });
        match moved {
            Ok(patched) => Ok(SendOutcome::Done(patched)),
            Err(error) if error.is_conflict() => Ok(SendOutcome::Overtaken),
            Err(error) if is_about_one(&error) => Ok(SendOutcome::Refused(error.message)),
            Err(error) => Err(user_error(error)),
        }
    }

    fn move_to_epic(&self, story: &RemoteItem, from: Option<u64>, to: Option<u64>) -> Result<(), taiga::Error> {
        let id = story.core().id;
        if let Some(to) = to.filter(|to| !story.parents().contains(to)) {
            self.server.call(|client| client.link_story(ItemId(to), id))?;
        }
        if let Some(from) = from.filter(|from| Some(*from) != to) {
            self.server.call(|client| client.unlink_story(ItemId(from), id))?;
        }
        Ok(())
    }

    /// Returns the version up to which all changes are known. This is the version of our write only if nobody else
    /// wrote since the last pull; otherwise the next pull must read the item.
    fn version(&self, item: &LocalItem, link: &Link, local: &FieldSet, read: &RemoteItem, patched: &RemoteItem) -> u64 {
        let was = read.core().version;
        let is_ours = patched.core().version == was + 1 || patched.core().version == was;
        let mut after = self.mapping().of_remote(patched, item.row.item.parent);
        // The response does not contain the epic yet.
        after.set(Key::Parent, local.get(&Key::Parent).clone());
        let is_as_sent = after.iter().all(|(key, value)| *key == Key::Parent || local.get(key) == value);
        if was == link.version && is_ours && is_as_sent { patched.core().version } else { link.version }
    }
}
