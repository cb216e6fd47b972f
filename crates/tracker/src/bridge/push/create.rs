//! Creates a local item on the server.

use app::Error;
use app::Project;
use serde_json::Value;
use taiga::ErrorKind;
use taiga::dto::ItemId;

use super::super::field_set::{AgreedFingerprints, FieldSet, Key};
use super::super::link::Link;
use super::super::local_item::LocalItem;
use super::super::remote::{self, Values};
use super::super::report;
use super::super::retrying_client::{is_about_one, user_error};
use super::Push;
use super::intents::Intent;
use crate::Kind;
use crate::mapping::item::RemoteItem;

impl Push<'_> {
    pub(super) fn create(
        &mut self,
        project: &mut Project,
        item: &mut LocalItem,
        kind: Kind,
        newest: u64,
    ) -> Result<(), Error> {
        let local = item.shape(self.mapping());
        let (values, unsendable) = self.sendable(item, &local);
        if self.options.dry_run {
            self.report.created.push(report::step(report::known(item, None), &[], item.n_unsent_comments()));
            return Ok(());
        }
        let intent = self.intent(item, kind, &local, &unsendable, newest);
        // On disk before the request: if the response is lost, the next run searches for the item.
        intent.put(&self.intents)?;
        let made = match self.post(item, kind, &values) {
            Ok(made) => made,
            Err(error) if is_about_one(&error) => {
                // The server rejected it, so nothing was created.
                self.intents.remove(&item.id().to_string())?;
                self.report.left.push(report::refused(report::known(item, None), None, error.message));
                return Ok(());
            }
            Err(error) => return Err(user_error(error)),
        };
        let there = self.mapping().of_remote(&made, item.row.item.parent);
        let mut base = intent.base;
        for key in &unsendable {
            base.agree(key, there.get(key), there.get(key));
        }
        let is_whole = unsendable.is_empty() && made.kind() != Kind::Story && there == local;
        let link = Link {
            remote_ref: self.mapping().remote_ref.clone(),
            kind: item.kind,
            id: made.id(),
            reference: made.core().reference,
            // Version 0 if the result differs from the request: the next pull then compares it.
            version: if is_whole { made.core().version } else { 0 },
            base,
            gone: false,
        };
        self.bridge.mapping.ids.add(item.id(), item.kind, made.id());
        self.made.insert(item.id());
        self.report.created.push(report::step(report::known(item, Some(&link)), &[], 0));
        self.record_link(project, item, link)?;
        // The link must be on disk before the intent is removed.
        self.flush(project)?;
        self.intents.remove(&item.id().to_string())?;
        self.put_into_epic(project, item, &local, &made)
    }

    /// Drops the later item if another clone pushed the same one at almost the same time: of two such clones, the later
    /// one sees both. Epics do not show our external reference, so they cannot be matched.
    pub(super) fn drop_duplicates(
        &mut self,
        project: &mut Project,
        here: &mut [LocalItem],
        kind: Kind,
    ) -> Result<(), Error> {
        let is_made = |item: &&mut LocalItem| item.kind == kind && self.made.contains(&item.id());
        let made: Vec<&mut LocalItem> = here.iter_mut().filter(is_made).collect();
        if made.is_empty() || kind == Kind::Epic {
            return Ok(());
        }
        let rows = self
            .server
            .call(|client| remote::list(client, kind, self.mapping().remote_ref.project))
            .map_err(user_error)?;
        for item in made {
            let name = item.id().to_string();
            let Some(link) = item.link.clone() else { continue };
            let is_older = |row: &&RemoteItem| remote::named_by_us(row) == Some(&name) && row.id() < link.id;
            let Some(older) = rows.iter().filter(is_older).min_by_key(|row| row.id()) else { continue };
            match self.server.call(|client| remote::delete(client, kind, link.id)) {
                Err(error) if !is_about_one(&error) => return Err(user_error(error)),
                _ => {}
            }
            self.bridge.mapping.ids.add(item.id(), kind.into(), older.id());
            let link = Link { id: older.id(), reference: older.core().reference, version: 0, ..link };
            self.record_link(project, item, link)?;
        }
        self.flush(project)
    }

    /// Splits the fields into those that can be sent and those that cannot, and reports the latter.
    fn sendable(&mut self, item: &LocalItem, local: &FieldSet) -> (Values, Vec<Key>) {
        let mut values = Values::new();
        let mut unsendable = Vec::new();
        for (key, value) in local.iter().filter(|(_, value)| !value.is_null()) {
            let why = self
                .mapping()
                .unsendable(item.kind, key, value, |id| self.options.dry_run && self.coming.contains(&id));
            if let Some(why) = why {
                self.report.left.push(report::left(report::known(item, None), Some(key), why));
                unsendable.push(key.clone());
            } else {
                values.insert(key.clone(), value.clone());
            }
        }
        (values, unsendable)
    }

    fn intent(&self, item: &LocalItem, kind: Kind, local: &FieldSet, unsendable: &[Key], newest: u64) -> Intent {
        let mut base = AgreedFingerprints::of(local);
        for key in unsendable {
            // Not sent, so agreed as absent: it stays a local change.
            base.agree(key, &Value::Null, &Value::Null);
        }
        if kind == Kind::Story {
            // The epic of a story is set by a separate request, after this one.
            base.agree(&Key::Parent, &Value::Null, &Value::Null);
        }
        let subject = local.get(&Key::Subject).as_str().unwrap_or_default().to_owned();
        Intent { remote_ref: self.mapping().remote_ref.clone(), kind, entity: item.id(), subject, after: newest, base }
    }

    fn post(&self, item: &LocalItem, kind: Kind, values: &Values) -> Result<RemoteItem, taiga::Error> {
        let project = self.mapping().remote_ref.project;
        let name = item.id().to_string();
        let made = self
            .server
            .call(|client| remote::create(client, &self.mapping().points, kind, project, values, Some(&name)));
        match made {
            // A server that rejects the external reference has created nothing, so try again without it.
            Err(taiga::Error { kind: ErrorKind::Validation { ref fields, .. }, .. })
                if fields.contains_key("external_reference") =>
            {
                self.server.call(|client| remote::create(client, &self.mapping().points, kind, project, values, None))
            }
            other => other,
        }
    }

    fn put_into_epic(
        &mut self,
        project: &mut Project,
        item: &mut LocalItem,
        local: &FieldSet,
        made: &RemoteItem,
    ) -> Result<(), Error> {
        let epic = local.get(&Key::Parent).as_u64().filter(|_| item.kind == Kind::Story);
        let (Some(epic), Some(link)) = (epic, item.link.clone()) else { return Ok(()) };
        match self.server.call(|client| client.link_story(ItemId(epic), made.core().id)) {
            Ok(_) => {
                let mut base = link.base.clone();
                base.agree(&Key::Parent, local.get(&Key::Parent), local.word(&Key::Parent));
                self.record_link(project, item, Link { base, ..link })
            }
            Err(error) if is_about_one(&error) => {
                let left = report::refused(report::known(item, Some(&link)), Some(&Key::Parent), error.message);
                self.report.left.push(left);
                Ok(())
            }
            Err(error) => Err(user_error(error)),
        }
    }
}
