//! Says something on an item, or says it better.

use model::id::OpId;
use model::op::Change;
use model::text::check_body;

use super::edit::{check_revision, views};
use crate::error::Error;
use crate::project::{Project, WritePlan, mention};
use crate::view::ItemView;

impl Project {
    /// Adds a comment and returns the item.
    pub fn comment(&mut self, id: &str, body: &str, if_unchanged: Option<&str>) -> Result<ItemView, Error> {
        let body = checked(body)?;
        let id = self.write(|context| {
            let row = context.find_living(id)?;
            check_revision(&row, if_unchanged)?;
            let change = Change::Comment { body: body.clone() };
            Ok((WritePlan::on(&[&row], "comment", vec![(row.item.id, change)]), row.item.id))
        })?;
        self.one(id)
    }

    /// Gives a comment a new text and returns the item. The comment is named by its id, a unique prefix or end of it,
    /// or its place in the list (1 is the oldest).
    pub fn edit_comment(
        &mut self,
        id: &str,
        comment: &str,
        body: &str,
        if_unchanged: Option<&str>,
    ) -> Result<ItemView, Error> {
        let body = checked(body)?;
        let id = self.write(|context| {
            let row = context.find_living(id)?;
            check_revision(&row, if_unchanged)?;
            let comments = context.index.entity(row.item.id)?.map(|entity| entity.comments()).unwrap_or_default();
            let place: Option<usize> = comment.parse().ok().filter(|_| comment.len() < 4);
            let is_named = |(n, id): (usize, OpId)| {
                let text = id.to_string();
                place.map_or_else(|| text.starts_with(comment) || text.ends_with(comment), |place| n + 1 == place)
            };
            let found: Vec<OpId> = comments
                .iter()
                .map(|comment| comment.id)
                .enumerate()
                .filter(|one| is_named(*one))
                .map(|(_, id)| id)
                .collect();
            let [target] = found.as_slice() else {
                return Err(Error::not_found(format!("`{comment}` names no single comment of {}", mention(&row)))
                    .hint(format!("`cairn show {} --json` shows the ids of its comments", row.number)));
            };
            let change = Change::EditComment { comment: *target, body: body.clone() };
            Ok((WritePlan::on(&[&row], "edit a comment", vec![(row.item.id, change)]), row.item.id))
        })?;
        self.one(id)
    }

    fn one(&self, id: model::id::EntityId) -> Result<ItemView, Error> {
        views(self.index(), &[id])?.pop().ok_or_else(|| Error::unavailable("the item is not indexed yet"))
    }
}

fn checked(body: &str) -> Result<String, Error> {
    if body.trim().is_empty() {
        return Err(Error::invalid("the comment is empty"));
    }
    check_body("comment", body.trim_end()).map_err(Error::invalid)
}
