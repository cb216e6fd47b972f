//! Sends comments. A remote comment with the same text, under our name or signed with the author's, is treated as one
//! sent earlier by an interrupted run or another clone.

use std::collections::BTreeSet;

use app::Error;
use app::Project;
use model::comment::Comment;
use model::entity::Entity;
use taiga::dto::ItemId;

use super::super::comments;
use super::super::local_item::LocalItem;
use super::super::report;
use super::super::retrying_client::{is_about_one, user_error};
use super::Push;
use crate::Kind;
use crate::mapping::requests;

impl Push<'_> {
    /// Sends the comments of an item that are not on the server.
    pub(super) fn push_comments(&mut self, project: &mut Project, item: &LocalItem, kind: Kind) -> Result<(), Error> {
        let remote_ref = self.mapping().remote_ref.clone();
        let Some(link) = item.link_to(&remote_ref).cloned().filter(|_| item.has_unsent_comments()) else {
            return Ok(());
        };
        let Some(entity) = project.index().entity(item.id())? else { return Ok(()) };
        let there = match self.server.call(|client| requests::comments(client, kind, ItemId(link.id))) {
            Ok(there) => there,
            // It was deleted or is hidden; the update before this has reported it.
            Err(error) if is_about_one(&error) => return Ok(()),
            Err(error) => return Err(user_error(error)),
        };
        let mut paired: BTreeSet<String> = comments::pairs(&remote_ref, &entity).into_keys().collect();
        let unsent = self.pair(project, &entity, &there, comments::unpaired(&remote_ref, &entity), &mut paired)?;
        let mut n_sent = 0;
        for comment in &unsent {
            if !self.options.dry_run && !self.push_comment(item, kind, link.id, comment)? {
                break;
            }
            n_sent += 1;
        }
        if n_sent > 0 {
            self.report_comments(item, n_sent);
        }
        if n_sent > 0 && !self.options.dry_run {
            let there =
                self.server.call(|client| requests::comments(client, kind, ItemId(link.id))).map_err(user_error)?;
            self.pair(project, &entity, &there, unsent, &mut paired)?;
            self.flush(project)?;
        }
        Ok(())
    }

    /// Records the comments that are already on the server, and returns the others.
    fn pair(
        &mut self,
        project: &mut Project,
        entity: &Entity,
        there: &[taiga::dto::Comment],
        unsent: Vec<Comment>,
        paired: &mut BTreeSet<String>,
    ) -> Result<Vec<Comment>, Error> {
        let is_mine = |one: &taiga::dto::Comment| {
            one.user.as_ref().and_then(|user| user.id).is_some_and(|id| id.0 == self.bridge.me)
        };
        let is_free = |one: &&taiga::dto::Comment| one.delete_comment_date.is_none() && !paired.contains(&one.id);
        let mut free: Vec<&taiga::dto::Comment> = there.iter().filter(is_free).collect();
        let mut rest = Vec::new();
        let mut pairs = Vec::new();
        for comment in unsent {
            // A comment by another user is ours only if it is signed: another clone sent it.
            let is_it = |one: &&taiga::dto::Comment| {
                if is_mine(one) {
                    comments::is_same(&comment, &one.text)
                } else {
                    one.text == comments::signed(&comment)
                }
            };
            match free.iter().position(is_it) {
                Some(place) => pairs.push((free.remove(place).id.clone(), comment.id)),
                None => rest.push(comment),
            }
        }
        for (there, here) in pairs {
            self.record(project, entity.id, comments::pair(&there, here))?;
            paired.insert(there);
        }
        Ok(rest)
    }

    /// Sends one comment; returns `false` if the server rejects it, which is reported.
    fn push_comment(&mut self, item: &LocalItem, kind: Kind, id: u64, comment: &Comment) -> Result<bool, Error> {
        let text = comments::text(&self.mapping().people, self.bridge.me, comment);
        let sent = self.server.call(|client| requests::add_comment(client, kind, ItemId(id), &text));
        match sent {
            Ok(()) => Ok(true),
            Err(error) if is_about_one(&error) => {
                let shown = report::known(item, item.link.as_ref());
                self.report.left.push(report::refused(shown, None, format!("a comment: {}", error.message)));
                Ok(false)
            }
            Err(error) => Err(user_error(error)),
        }
    }

    /// Adds the comment count to the item's entry in the report.
    fn report_comments(&mut self, item: &LocalItem, n_comments: usize) {
        let id = item.id().to_string();
        let steps = self.report.created.iter_mut().chain(&mut self.report.changed);
        if let Some(step) = steps.into_iter().find(|step| step.item.id == id) {
            step.comments += n_comments;
        } else {
            let shown = report::known(item, item.link.as_ref());
            self.report.changed.push(report::step(shown, &[], n_comments));
            self.report.unchanged = self.report.unchanged.saturating_sub(1);
        }
    }
}
