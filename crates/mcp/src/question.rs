//! Questions that a handler may ask the client during a call.

use serde_json::{Value, json};

/// A question for the client.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Elicitation: the person fills in a form.
    Elicit {
        /// Text of the form.
        message: String,
        /// The JSON Schema of the form.
        schema: Value,
    },
    /// Sampling by the client's model; the params of `sampling/createMessage`.
    Sample(Value),
    /// The client's root folders.
    Roots,
}

/// Questions that a call waits for, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    /// Name and question.
    pub questions: Vec<(String, Question)>,
    /// State that the handler needs when the call is repeated. It travels through the client, which can read it but
    /// cannot change it.
    pub state: Option<String>,
}

/// A client capability that a question needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// The client can ask its user.
    Elicitation,
    /// The client can ask its model.
    Sampling,
    /// The client can list its root folders.
    Roots,
}

impl Question {
    /// Returns the capability that the question needs.
    pub fn needs(&self) -> Capability {
        match self {
            Self::Elicit { .. } => Capability::Elicitation,
            Self::Sample(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    /// Returns whether `answer` has the shape of an answer to this question.
    pub(crate) fn takes(&self, answer: &Value) -> bool {
        match self {
            Self::Elicit { .. } => {
                let action = answer.get("action").and_then(Value::as_str);
                matches!(action, Some("accept" | "decline" | "cancel"))
            }
            Self::Sample(_) => answer.get("role").is_some() && answer.get("content").is_some(),
            Self::Roots => answer.get("roots").is_some_and(Value::is_array),
        }
    }

    /// Returns the JSON-RPC request for the question.
    pub(crate) fn to_request(&self) -> Value {
        match self {
            Self::Elicit { message, schema } => {
                json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
            }
            Self::Sample(params) => json!({"method": "sampling/createMessage", "params": params}),
            Self::Roots => json!({"method": "roots/list"}),
        }
    }
}

impl Capability {
    /// Returns the capability's name in the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Returns the error text for a client without the capability.
    pub(crate) fn lack(self) -> &'static str {
        match self {
            Self::Elicitation => "the client does not support `elicitation`",
            Self::Sampling => "the client does not support `sampling`",
            Self::Roots => "the client does not support `roots`",
        }
    }
}
