//! One item: read, create, edit, comment.

use annotations::Annotated as _;
use app::view::ItemView;
use app::{ChangeSet, Error, ErrorKind, NewItem, UnknownNames};
use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::{Fields, kind, kind_schema};
use super::precondition::ExpectedRevisions;
use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};

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
    /// Accept people that nobody has named before, and labels that are not declared although others are.
    #[serde(default)]
    create: bool,
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
    /// Accept people that nobody has named before, and labels that are not declared although others are.
    #[serde(default)]
    create: bool,
}

/// A new comment.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentBody {
    /// Markdown.
    text: String,
}

/// Returns what becomes of new names in a request.
pub(super) fn unknown_names(create: bool) -> UnknownNames {
    if create { UnknownNames::Create } else { UnknownNames::RefuseWithoutAddress }
}

/// Says how to insist on a new name.
pub(super) fn with_hint(error: Error) -> Error {
    if error.kind != ErrorKind::NotFound {
        return error;
    }
    let hint = error.hint_for_tools().map_or_else(String::new, |hint| format!("{hint} "));
    error.hint(format!("{hint}`create` accepts a new name"))
}

pub(super) async fn show(served: ApiState, request: ApiRequest) -> HandlerResult {
    let id = request.item()?;
    let item = served.shared.read(move |project| project.show_with_commits(&id)).await?;
    reply::item_unless_known(&request.headers, &item)
}

pub(super) async fn create(served: ApiState, request: ApiRequest) -> HandlerResult {
    let body: NewItemBody = request.body()?;
    let kind = kind(&body.kind)?;
    let mut new = NewItem { fields: body.fields.parse()?, labels: body.labels, ..NewItem::new(kind, body.title) };
    let item = served.shared.write(&request.principal, move |project| {
        project.check_new_names(&mut new, unknown_names(body.create)).map_err(with_hint)?;
        project.create(&new)
    });
    let item = item.await?;
    reply::created(&item)
}

pub(super) async fn edit(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let body: ItemChangeBody = request.body()?;
    let mut edit = ChangeSet {
        fields: body.fields.parse()?,
        add_labels: body.add_labels,
        remove_labels: body.remove_labels,
        ..ChangeSet::default()
    };
    let changed = served.shared.write(&request.principal, move |project| {
        edit.if_unchanged = wanted.revision(project, &id)?;
        project.check_changed_names(&mut edit, unknown_names(body.create)).map_err(with_hint)?;
        only(project.edit(&[id], &edit)?)
    });
    reply::item(&changed.await?)
}

pub(super) async fn delete(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let deleted = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        only(project.delete(&[id], revision.as_deref())?)
    });
    reply::item(&deleted.await?)
}

pub(super) async fn reopen(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let reopened = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        only(project.reopen(&[id], revision.as_deref())?)
    });
    reply::item(&reopened.await?)
}

pub(super) async fn comment(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let body: CommentBody = request.body()?;
    let commented = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.comment(&id, &body.text, revision.as_deref())
    });
    reply::created(&commented.await?)
}

pub(super) async fn edit_comment(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let comment = request.parameter("commentId").to_owned();
    let body: CommentBody = request.body()?;
    let edited = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.edit_comment(&id, &comment, &body.text, revision.as_deref())
    });
    reply::item(&edited.await?)
}

pub(super) async fn delete_comment(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let comment = request.parameter("commentId").to_owned();
    let deleted = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.delete_comment(&id, &comment, revision.as_deref())
    });
    reply::item(&deleted.await?)
}

pub(super) async fn history(served: ApiState, request: ApiRequest) -> HandlerResult {
    let id = request.item()?;
    reply::json(&served.shared.read(move |project| project.log_of(&id)).await?)
}

pub(super) async fn code(served: ApiState, request: ApiRequest) -> HandlerResult {
    let id = request.item()?;
    reply::json(&served.shared.read_annotations(move |project| project.annotations().code_of(&id)).await?)
}

fn only(items: Vec<ItemView>) -> Result<ItemView, Error> {
    items.into_iter().next().ok_or_else(|| Error::unavailable("the item is not indexed yet"))
}
