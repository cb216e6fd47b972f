//! Results of tools, resources and prompts, before they are converted to types of the protocol library.

use std::fmt;

use serde_json::Value;

use crate::fault::Fault;

/// The result of a tool call. The simple case is one line: [`ToolResult::text`] or [`ToolResult::json`].
#[derive(Debug, Default)]
pub struct ToolResult {
    /// Content blocks for the model, in order.
    pub content: Vec<Content>,
    /// The same result for programs; it must conform to the tool's `output` schema.
    pub structured: Option<Value>,
    /// The tool failed.
    pub is_error: bool,
    /// A callback for after the client has received the result.
    pub then: Option<AfterDelivery>,
}

impl ToolResult {
    /// A result with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// A result with a value, serialized as JSON text.
    pub fn json(value: &impl serde::Serialize) -> Result<Self, Fault> {
        let text = serde_json::to_string(value).map_err(|error| Fault::Failed(error.to_string()))?;
        Ok(Self::text(text))
    }

    /// A result with a value, both as JSON text and as structured content.
    pub fn structured(value: &impl serde::Serialize) -> Result<Self, Fault> {
        let value = serde_json::to_value(value).map_err(|error| Fault::Failed(error.to_string()))?;
        Ok(Self { structured: Some(value.clone()), ..Self::text(value.to_string()) })
    }

    /// Appends a content block.
    #[must_use]
    pub fn and(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// Marks the result as failed.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Sets a callback that runs after the result has been written to the client. It does not run if the write fails.
    #[must_use]
    pub fn then(mut self, then: impl FnOnce() + Send + 'static) -> Self {
        self.then = Some(AfterDelivery(Box::new(then)));
        self
    }
}

/// A callback that runs after a result has been written. It may block.
pub struct AfterDelivery(pub(crate) Box<dyn FnOnce() + Send>);

impl AfterDelivery {
    /// Runs the callback, for callers that are not a server.
    pub fn run(self) {
        (self.0)();
    }
}

impl fmt::Debug for AfterDelivery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AfterDelivery")
    }
}

/// A content block of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// An image.
    Image {
        /// Base64 data.
        data: String,
        /// MIME type, such as `image/png`.
        mime: String,
    },
    /// An audio clip.
    Audio {
        /// Base64 data.
        data: String,
        /// MIME type, such as `audio/wav`.
        mime: String,
    },
    /// A resource with its contents.
    Embedded(ResourceContents),
    /// A link to a resource.
    Link(Resource),
}

/// A resource as listed by `resources/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// The URI for `resources/read`.
    pub uri: String,
    /// Name for programs.
    pub name: String,
    /// Display name.
    pub title: Option<String>,
    /// Description for the model.
    pub description: Option<String>,
    /// MIME type, such as `application/json`.
    pub mime: Option<String>,
}

/// The contents of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceContents {
    /// The URI from the request.
    pub uri: String,
    /// MIME type, such as `application/json`.
    pub mime: Option<String>,
    /// The whole contents; there are no partial reads.
    pub data: ResourceData,
}

/// The body of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceData {
    /// UTF-8 text.
    Text(String),
    /// Binary data as base64.
    Base64(String),
}

impl ResourceContents {
    /// Contents of a text resource.
    pub fn text(uri: impl Into<String>, mime: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime: Some(mime.into()), data: ResourceData::Text(text.into()) }
    }
}

/// The result of `prompts/get`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptResult {
    /// Description of the prompt.
    pub description: Option<String>,
    /// The messages to give to the model.
    pub messages: Vec<PromptMessage>,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    /// The role of the speaker.
    pub role: MessageRole,
    /// The content block of the message.
    pub content: Content,
}

/// The role of the speaker of a prompt message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageRole {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl PromptMessage {
    /// A message with the role of the user.
    pub fn user(content: Content) -> Self {
        Self { role: MessageRole::User, content }
    }
}
