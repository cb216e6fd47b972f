//! Adds, edits and deletes comments.

use model::comment::Comment;
use model::id::OpId;
use model::item_ref::ItemRef;
use model::op::Change;
use model::text::check_body;
use store::index::Row;

use crate::change::check_revision;
use crate::error::Error;
use crate::project::{Project, WritePlan, mention, subject};
use crate::view::ItemView;

impl Project {
    /// Adds a comment and returns the item.
    pub fn comment(&mut self, item: &ItemRef, body: &str, if_unchanged: Option<&str>) -> Result<ItemView, Error> {
        let body = checked(body)?;
        self.write_item(|context| {
            let row = context.find_living(item)?;
            check_revision(&row, if_unchanged)?;
            let change = Change::Comment { body: body.clone() };
            Ok((WritePlan::new(subject(&[&row], "comment"), [(row.item.id, change)]), row.item.id))
        })
    }

    /// Changes the text of a comment and returns the item. The comment is given by its id, a unique prefix or suffix of
    /// it, or its position in the list (1 is the oldest).
    pub fn edit_comment(
        &mut self,
        item: &ItemRef,
        comment: &str,
        body: &str,
        if_unchanged: Option<&str>,
    ) -> Result<ItemView, Error> {
        let body = checked(body)?;
        self.write_item(|context| {
            let row = context.find_living(item)?;
            check_revision(&row, if_unchanged)?;
            let comments = context.index.entity(row.item.id)?.map(|entity| entity.comments()).unwrap_or_default();
            let change = Change::EditComment { comment: find(&row, &comments, comment)?, body: body.clone() };
            Ok((WritePlan::new(subject(&[&row], "edit a comment"), [(row.item.id, change)]), row.item.id))
        })
    }

    /// Deletes a comment and returns the item. The text stays in the log; editing the comment brings it back.
    pub fn delete_comment(
        &mut self,
        item: &ItemRef,
        comment: &str,
        if_unchanged: Option<&str>,
    ) -> Result<ItemView, Error> {
        self.write_item(|context| {
            let row = context.find_living(item)?;
            check_revision(&row, if_unchanged)?;
            let comments = context.index.entity(row.item.id)?.map(|entity| entity.comments()).unwrap_or_default();
            let id = find(&row, &comments, comment)?;
            if comments.iter().any(|comment| comment.id == id && comment.body.is_empty()) {
                return Ok((WritePlan::default(), row.item.id));
            }
            let change = Change::EditComment { comment: id, body: String::new() };
            Ok((WritePlan::new(subject(&[&row], "delete a comment"), [(row.item.id, change)]), row.item.id))
        })
    }
}

fn find(row: &Row, comments: &[Comment], name: &str) -> Result<OpId, Error> {
    let place: Option<usize> = name.parse().ok().filter(|_| name.len() < 4);
    let is_named = |n: usize, id: OpId| {
        let text = id.to_string();
        place.map_or_else(|| text.starts_with(name) || text.ends_with(name), |place| n + 1 == place)
    };
    let found = comments.iter().enumerate().filter(|(n, comment)| is_named(*n, comment.id));
    let [(_, found)] = found.collect::<Vec<_>>()[..] else {
        return Err(Error::not_found(format!("`{name}` does not name one comment of {}", mention(row)))
            .hint(format!("`cairn show {} --json` shows the ids of its comments", row.number)));
    };
    Ok(found.id)
}

fn checked(body: &str) -> Result<String, Error> {
    if body.trim().is_empty() {
        return Err(Error::invalid("the comment is empty"));
    }
    Ok(check_body("comment", body.trim_end())?)
}
