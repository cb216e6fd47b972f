//! One item: read, create, edit, comment.

use annotations::Annotated as _;
use app::view::ItemView;
use app::{ChangeSet, Error, NewItem};
use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::{Fields, kind, kind_schema};
use super::precondition::Wanted;
use super::reply;
use super::request::Asked;
use super::route::{Answered, Served};

/// A new item.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewItemBody {
    #[schemars(schema_with = "kind_schema")]
    kind: String,
    /// Title, one line.
    title: String,
    #[serde(default)]
    fields: Fields,
    #[serde(default)]
    labels: Vec<String>,
}

/// Changes to an item.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ItemChangeBody {
    #[serde(default)]
    fields: Fields,
    #[serde(default)]
    add_labels: Vec<String>,
    #[serde(default)]
    remove_labels: Vec<String>,
}

/// A new comment.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentBody {
    /// Markdown.
    text: String,
}

pub(super) async fn show(served: Served, asked: Asked) -> Answered {
    let id = asked.item()?;
    let item = served.shared.read(move |project| project.show_with_commits(&id)).await?;
    reply::item_unless_known(&asked.headers, &item)
}

pub(super) async fn create(served: Served, asked: Asked) -> Answered {
    let body: NewItemBody = asked.body()?;
    let kind = kind(&body.kind)?;
    let new = NewItem { fields: body.fields.parse()?, labels: body.labels, ..NewItem::new(kind, body.title) };
    let item = served.shared.write(&asked.principal, move |project| project.create(&new)).await?;
    reply::created(&item)
}

pub(super) async fn edit(served: Served, asked: Asked) -> Answered {
    let (id, wanted) = (asked.item()?, Wanted::of(&asked.headers)?);
    let body: ItemChangeBody = asked.body()?;
    let mut edit = ChangeSet {
        fields: body.fields.parse()?,
        add_labels: body.add_labels,
        remove_labels: body.remove_labels,
        ..ChangeSet::default()
    };
    let changed = served.shared.write(&asked.principal, move |project| {
        edit.if_unchanged = wanted.revision(project, &id)?;
        only(project.edit(&[id], &edit)?)
    });
    reply::item(&changed.await?)
}

pub(super) async fn delete(served: Served, asked: Asked) -> Answered {
    let (id, wanted) = (asked.item()?, Wanted::of(&asked.headers)?);
    let deleted = served.shared.write(&asked.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        only(project.delete(&[id], revision.as_deref())?)
    });
    reply::item(&deleted.await?)
}

pub(super) async fn reopen(served: Served, asked: Asked) -> Answered {
    let (id, wanted) = (asked.item()?, Wanted::of(&asked.headers)?);
    let reopened = served.shared.write(&asked.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        only(project.reopen(&[id], revision.as_deref())?)
    });
    reply::item(&reopened.await?)
}

pub(super) async fn comment(served: Served, asked: Asked) -> Answered {
    let (id, wanted) = (asked.item()?, Wanted::of(&asked.headers)?);
    let body: CommentBody = asked.body()?;
    let commented = served.shared.write(&asked.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.comment(&id, &body.text, revision.as_deref())
    });
    reply::created(&commented.await?)
}

pub(super) async fn edit_comment(served: Served, asked: Asked) -> Answered {
    let (id, wanted) = (asked.item()?, Wanted::of(&asked.headers)?);
    let comment = asked.parameter("commentId").to_owned();
    let body: CommentBody = asked.body()?;
    let edited = served.shared.write(&asked.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.edit_comment(&id, &comment, &body.text, revision.as_deref())
    });
    reply::item(&edited.await?)
}

pub(super) async fn history(served: Served, asked: Asked) -> Answered {
    let id = asked.item()?;
    reply::json(&served.shared.read(move |project| project.log_of(&id)).await?)
}

pub(super) async fn code(served: Served, asked: Asked) -> Answered {
    let id = asked.item()?;
    reply::json(&served.shared.read_annotations(move |project| project.annotations().code_of(&id)).await?)
}

fn only(items: Vec<ItemView>) -> Result<ItemView, Error> {
    items.into_iter().next().ok_or_else(|| Error::unavailable("the item is not indexed yet"))
}
