//! Converts our results to types of the protocol library.

use rmcp::model::{
    AudioContent, CallToolResult, CompletionInfo, ContentBlock, CustomNotification, EmbeddedResource, GetPromptResult,
    ImageContent, PromptMessage as SentMessage, ReadResourceResult, ResourceContents as SentContents, Role as SentRole,
    ServerNotification,
};
use serde_json::json;

use super::listing;
use crate::call::{LogLevel, LogMessage};
use crate::results::{Content, MessageRole, PromptResult, ResourceContents, ResourceData, ToolResult};

pub(super) fn tool_result(answer: ToolResult, explicit_is_error_false: bool) -> CallToolResult {
    let content = answer.content.into_iter().map(block).collect();
    let mut result = CallToolResult::success(content);
    result.is_error = (answer.is_error || explicit_is_error_false).then_some(answer.is_error);
    result.structured_content = answer.structured;
    result
}

pub(super) fn contents(contents: Vec<ResourceContents>) -> ReadResourceResult {
    ReadResourceResult::new(contents.into_iter().map(one_contents).collect())
}

pub(super) fn prompt(answer: PromptResult) -> GetPromptResult {
    let messages = answer.messages.into_iter().map(|message| {
        let role = match message.role {
            MessageRole::User => SentRole::User,
            MessageRole::Assistant => SentRole::Assistant,
        };
        SentMessage::new(role, block(message.content))
    });
    let mut result = GetPromptResult::new(messages.collect());
    result.description = answer.description;
    result
}

/// Truncates the values to the maximum of the protocol and adds the total.
pub(super) fn completion(mut values: Vec<String>) -> CompletionInfo {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    info
}

/// Encodes a log message as a custom notification: the library's type has no `message` member next to `data`.
pub(super) fn log(message: &LogMessage) -> ServerNotification {
    let mut params = json!({"level": message.level});
    if let Some(logger) = &message.logger {
        params["logger"] = json!(logger);
    }
    if let Some(text) = &message.message {
        params["message"] = json!(text);
    }
    params["data"] = message.data.clone();
    ServerNotification::CustomNotification(CustomNotification::new("notifications/message", Some(params)))
}

/// Converts a log level of the library through serde, since the library has deprecated the type.
pub(super) fn log_level(level: impl serde::Serialize) -> LogLevel {
    let read = serde_json::to_value(level).and_then(serde_json::from_value);
    read.unwrap_or(LogLevel::Info)
}

fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text),
        Content::Image { data, mime } => ContentBlock::Image(ImageContent::new(data, mime)),
        Content::Audio { data, mime } => ContentBlock::Audio(AudioContent::new(data, mime)),
        Content::Embedded(contents) => ContentBlock::Resource(EmbeddedResource::new(one_contents(contents))),
        Content::Link(resource) => ContentBlock::ResourceLink(listing::resource(resource)),
    }
}

fn one_contents(contents: ResourceContents) -> SentContents {
    let ResourceContents { uri, mime, data } = contents;
    match data {
        ResourceData::Text(text) => SentContents::TextResourceContents { uri, mime_type: mime, text, meta: None },
        ResourceData::Base64(blob) => SentContents::BlobResourceContents { uri, mime_type: mime, blob, meta: None },
    }
}
