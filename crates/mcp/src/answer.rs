//! What a tool, a resource or a prompt answers with, before the protocol library sees it.

use std::fmt;

use serde_json::Value;

use crate::fault::Fault;

/// What a tool answers. The simple case is one line: [`ToolAnswer::text`] or [`ToolAnswer::json`].
#[derive(Debug, Default)]
pub struct ToolAnswer {
    /// What the model reads, in order.
    pub content: Vec<Content>,
    /// The same for programs; it must follow the tool's `output` schema.
    pub structured: Option<Value>,
    /// The tool did not do what it was asked.
    pub is_error: bool,
    /// What to do once the client has the answer.
    pub then: Option<Then>,
}

impl ToolAnswer {
    /// Answers with text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// Answers with a value, as JSON text.
    pub fn json(value: &impl serde::Serialize) -> Result<Self, Fault> {
        let text = serde_json::to_string(value).map_err(|error| Fault::Failed(error.to_string()))?;
        Ok(Self::text(text))
    }

    /// Answers with a value, as JSON text and as a structure.
    pub fn structured(value: &impl serde::Serialize) -> Result<Self, Fault> {
        let value = serde_json::to_value(value).map_err(|error| Fault::Failed(error.to_string()))?;
        Ok(Self { structured: Some(value.clone()), ..Self::text(value.to_string()) })
    }

    /// Adds a block.
    #[must_use]
    pub fn and(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// Says that the tool did not do what it was asked.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Does something once the answer has been written to the client, and never when it could not be.
    #[must_use]
    pub fn then(mut self, then: impl FnOnce() + Send + 'static) -> Self {
        self.then = Some(Then(Box::new(then)));
        self
    }
}

/// Something to do once an answer has been written. It may block.
pub struct Then(pub(crate) Box<dyn FnOnce() + Send>);

impl fmt::Debug for Then {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Then")
    }
}

/// A block of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture.
    Image {
        /// Its bytes, as base64.
        data: String,
        /// Such as `image/png`.
        mime: String,
    },
    /// Sound.
    Audio {
        /// Its bytes, as base64.
        data: String,
        /// Such as `audio/wav`.
        mime: String,
    },
    /// A resource, itself.
    Embedded(ResourceContents),
    /// A resource, by name.
    Link(Resource),
}

/// A resource in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// What it is read by.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Such as `application/json`.
    pub mime: Option<String>,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceContents {
    /// What it was read by.
    pub uri: String,
    /// Such as `application/json`.
    pub mime: Option<String>,
    /// All of it.
    pub data: ResourceData,
}

/// The bytes of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceData {
    /// Text.
    Text(String),
    /// Anything else, as base64.
    Base64(String),
}

impl ResourceContents {
    /// Holds text.
    pub fn text(uri: impl Into<String>, mime: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime: Some(mime.into()), data: ResourceData::Text(text.into()) }
    }
}

/// What a prompt answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptAnswer {
    /// What it is for.
    pub description: Option<String>,
    /// What to put before the model.
    pub messages: Vec<PromptMessage>,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

/// Who says something in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl PromptMessage {
    /// What the person says.
    pub fn user(content: Content) -> Self {
        Self { role: Role::User, content }
    }
}
