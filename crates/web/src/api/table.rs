//! The table of routes. A new route is an entry here and a handler.

use ::inbox::view::{InboxView, MessageView};
use annotations::view::TouchedCodeView;
use app::view::{
    BurndownView, FlowView, ItemView, LabelView, ListView, LogView, MemberView, ReadyView, SavedView, StatsView,
    WorkflowView,
};
use schemars::{Schema, SchemaGenerator, json_schema};

use super::route::Verb::{Delete, Get, Patch, Post};
use super::route::{Condition, Route, Shape, SuccessResponse, shape};
use super::{attachments, charts, choices, events, inbox, items, labels, links, lists, place, project, views};

const ITEM: Shape = shape::<ItemView>();

/// All routes. Routes of one path must be adjacent.
pub(super) const ROUTES: &[Route] = &[
    Route::new(
        (Get, "/api/project"),
        "getProject",
        "The project, its state, and the principal",
        SuccessResponse::Value(shape::<project::ProjectView>()),
        |served, request| Box::pin(project::show(served, request)),
    ),
    Route::new(
        (Get, "/api/items"),
        "listItems",
        "Items, filtered and sorted, page by page; closed ones only when asked for",
        SuccessResponse::Value(shape::<ListView>()),
        |served, request| Box::pin(lists::list(served, request)),
    )
    .query(shape::<lists::ListQuery>())
    .condition(Condition::Changed),
    Route::new(
        (Post, "/api/items"),
        "createItem",
        "Makes an item",
        SuccessResponse::MadeItem(ITEM),
        |served, request| Box::pin(items::create(served, request)),
    )
    .body(shape::<items::NewItemBody>()),
    Route::new(
        (Patch, "/api/items"),
        "editItems",
        "Makes the same changes to several items, in one commit",
        SuccessResponse::Value(shape::<place::ItemsView>()),
        |served, request| Box::pin(place::edit_all(served, request)),
    )
    .body(shape::<place::BulkBody>()),
    Route::new(
        (Get, "/api/items/{id}"),
        "getItem",
        "One item with its comments, links and children",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(items::show(served, request)),
    )
    .condition(Condition::Changed),
    Route::new(
        (Patch, "/api/items/{id}"),
        "editItem",
        "Changes fields and labels of an item",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(items::edit(served, request)),
    )
    .body(shape::<items::ItemChangeBody>())
    .condition(Condition::Unchanged),
    Route::new(
        (Delete, "/api/items/{id}"),
        "deleteItem",
        "Hides an item; reopening brings it back",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(items::delete(served, request)),
    )
    .condition(Condition::Unchanged),
    Route::new(
        (Post, "/api/items/{id}/reopen"),
        "reopenItem",
        "Opens a closed or deleted item again",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(items::reopen(served, request)),
    )
    .condition(Condition::Unchanged),
    Route::new(
        (Post, "/api/items/{id}/move"),
        "moveItem",
        "Puts an item at a place of a board: a place in the order, and the fields of the column",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(place::place(served, request)),
    )
    .body(shape::<place::PlaceBody>())
    .condition(Condition::Unchanged),
    Route::new(
        (Post, "/api/items/{id}/comments"),
        "addComment",
        "Adds a comment to an item; returns the item",
        SuccessResponse::MadeItem(ITEM),
        |served, request| Box::pin(items::comment(served, request)),
    )
    .body(shape::<items::CommentBody>())
    .condition(Condition::Unchanged),
    Route::new(
        (Patch, "/api/items/{id}/comments/{commentId}"),
        "editComment",
        "Edits a comment; the earlier text stays in its history",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(items::edit_comment(served, request)),
    )
    .body(shape::<items::CommentBody>())
    .condition(Condition::Unchanged),
    Route::new(
        (Delete, "/api/items/{id}/comments/{commentId}"),
        "deleteComment",
        "Deletes a comment; its text stays in the log, and editing it brings it back",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(items::delete_comment(served, request)),
    )
    .condition(Condition::Unchanged),
    Route::new(
        (Post, "/api/items/{id}/attachments"),
        "addAttachment",
        "Attaches a file of at most 10 MiB to an item; returns the item",
        SuccessResponse::MadeItem(ITEM),
        |served, request| Box::pin(attachments::upload(served, request)),
    )
    .query(shape::<attachments::UploadQuery>())
    .upload()
    .condition(Condition::Unchanged),
    Route::new(
        (Get, "/api/items/{id}/attachments/{attachmentId}"),
        "getAttachment",
        "The content of an attached file",
        SuccessResponse::Content,
        |served, request| Box::pin(attachments::content(served, request)),
    ),
    Route::new(
        (Delete, "/api/items/{id}/attachments/{attachmentId}"),
        "removeAttachment",
        "Removes an attachment; its content stays in the history",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(attachments::remove(served, request)),
    )
    .condition(Condition::Unchanged),
    Route::new(
        (Post, "/api/items/{id}/links"),
        "addLink",
        "Links an item to another one or to code",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(links::link(served, request)),
    )
    .body(shape::<links::LinkBody>())
    .condition(Condition::Unchanged),
    Route::new(
        (Delete, "/api/items/{id}/links"),
        "removeLink",
        "Takes a link away",
        SuccessResponse::Item(ITEM),
        |served, request| Box::pin(links::unlink(served, request)),
    )
    .body(shape::<links::LinkBody>())
    .condition(Condition::Unchanged),
    Route::new(
        (Get, "/api/items/{id}/history"),
        "getHistory",
        "What happened to an item, operation by operation",
        SuccessResponse::Value(shape::<LogView>()),
        |served, request| Box::pin(items::history(served, request)),
    ),
    Route::new(
        (Get, "/api/items/{id}/code"),
        "getCode",
        "The code that an item touches, with its annotations",
        SuccessResponse::Value(shape::<TouchedCodeView>()),
        |served, request| Box::pin(items::code(served, request)),
    ),
    Route::new(
        (Get, "/api/search"),
        "searchItems",
        "Searches items by words, closed ones too; matches in titles first",
        SuccessResponse::Value(shape::<ListView>()),
        |served, request| Box::pin(lists::search(served, request)),
    )
    .query(shape::<lists::SearchQuery>())
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/ready"),
        "listReady",
        "Work that can be started now, most urgent first",
        SuccessResponse::Value(shape::<ReadyView>()),
        |served, request| Box::pin(lists::ready(served, request)),
    )
    .query(shape::<lists::ReadyQuery>())
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/workflows"),
        "listWorkflows",
        "The statuses that items of each kind go through",
        SuccessResponse::Value(shape::<Vec<WorkflowView>>()),
        |served, request| Box::pin(project::workflows(served, request)),
    )
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/members"),
        "listMembers",
        "The members of the project",
        SuccessResponse::Value(shape::<Vec<MemberView>>()),
        |served, request| Box::pin(project::members(served, request)),
    )
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/labels"),
        "listLabels",
        "The labels that the team declared, and those that items have",
        SuccessResponse::Value(shape::<Vec<LabelView>>()),
        |served, request| Box::pin(labels::list(served, request)),
    )
    .condition(Condition::Changed),
    Route::new(
        (Post, "/api/labels"),
        "defineLabel",
        "Declares a label, or changes its color and description",
        SuccessResponse::Value(shape::<LabelView>()),
        |served, request| Box::pin(labels::define(served, request)),
    )
    .body(shape::<labels::LabelBody>()),
    Route::new(
        (Delete, "/api/labels/{name}"),
        "undefineLabel",
        "Removes the declaration of a label; items keep the label",
        SuccessResponse::Value(shape::<LabelView>()),
        |served, request| Box::pin(labels::undefine(served, request)),
    ),
    Route::new(
        (Get, "/api/views"),
        "listViews",
        "The saved views: lists under a name",
        SuccessResponse::Value(shape::<Vec<SavedView>>()),
        |served, request| Box::pin(views::list(served, request)),
    )
    .condition(Condition::Changed),
    Route::new(
        (Post, "/api/views"),
        "saveView",
        "Saves a view, in place of an earlier one of that name",
        SuccessResponse::Value(shape::<SavedView>()),
        |served, request| Box::pin(views::save(served, request)),
    )
    .body(shape::<views::ViewBody>()),
    Route::new(
        (Patch, "/api/views/{name}"),
        "renameView",
        "Renames a view",
        SuccessResponse::Value(shape::<SavedView>()),
        |served, request| Box::pin(views::rename(served, request)),
    )
    .body(shape::<views::ViewNameBody>()),
    Route::new(
        (Delete, "/api/views/{name}"),
        "removeView",
        "Removes a view",
        SuccessResponse::Value(shape::<SavedView>()),
        |served, request| Box::pin(views::remove(served, request)),
    ),
    Route::new(
        (Get, "/api/choices"),
        "listChoices",
        "The values that fields of work items can have, for pickers",
        SuccessResponse::Value(shape::<choices::ChoicesView>()),
        |served, request| Box::pin(choices::show(served, request)),
    )
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/stats"),
        "getStats",
        "Counts of items, operations and people",
        SuccessResponse::Value(shape::<StatsView>()),
        |served, request| Box::pin(project::stats(served, request)),
    ),
    Route::new(
        (Get, "/api/milestones/{id}/burndown"),
        "getBurndown",
        "Open items of a milestone, day by day",
        SuccessResponse::Value(shape::<BurndownView>()),
        |served, request| Box::pin(charts::burndown(served, request)),
    )
    .query(shape::<charts::ChartQuery>())
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/boards/{id}/flow"),
        "getFlow",
        "Items of a board in each status, day by day",
        SuccessResponse::Value(shape::<FlowView>()),
        |served, request| Box::pin(charts::flow(served, request)),
    )
    .query(shape::<charts::ChartQuery>())
    .condition(Condition::Changed),
    Route::new(
        (Get, "/api/inbox"),
        "listMessages",
        "Review messages about code",
        SuccessResponse::Value(shape::<InboxView>()),
        |served, request| Box::pin(inbox::list(served, request)),
    )
    .query(shape::<inbox::InboxQuery>())
    .condition(Condition::Changed),
    Route::new(
        (Post, "/api/inbox"),
        "sendMessage",
        "Sends a review message about code",
        SuccessResponse::Made(shape::<MessageView>()),
        |served, request| Box::pin(inbox::send(served, request)),
    )
    .body(shape::<inbox::RemarkBody>()),
    Route::new(
        (Delete, "/api/inbox/{messageId}"),
        "takeBackMessage",
        "Deletes a message of one's own that nobody has received yet; returns it",
        SuccessResponse::Value(shape::<MessageView>()),
        |served, request| Box::pin(inbox::take_back(served, request)),
    ),
    Route::new(
        (Post, "/api/inbox/{messageId}/replies"),
        "answerMessage",
        "Replies to a message or resolves it; returns the message",
        SuccessResponse::Made(shape::<MessageView>()),
        |served, request| Box::pin(inbox::answer(served, request)),
    )
    .body(shape::<inbox::ReplyBody>()),
    Route::new(
        (Delete, "/api/inbox/{messageId}/replies/{replyId}"),
        "takeBackReply",
        "Deletes a reply of one's own; a message that it resolved before anybody received it waits again",
        SuccessResponse::Value(shape::<MessageView>()),
        |served, request| Box::pin(inbox::take_back_reply(served, request)),
    ),
    Route::new(
        (Get, "/api/events"),
        "listen",
        "Server-sent events: `state` has the current state, `change` is sent after each change",
        SuccessResponse::Events,
        |served, request| Box::pin(events::listen(served, request)),
    )
    .condition(Condition::Heard),
    Route::new(
        (Get, "/api/openapi.json"),
        "getDescription",
        "This description",
        SuccessResponse::Value(any_object),
        |_, request| Box::pin(async move { project::openapi(&request) }),
    )
    .condition(Condition::Changed),
];

fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}
