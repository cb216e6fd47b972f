//! What a handler may ask the client in the middle of a call.

use serde_json::{Value, json};

/// A question for the client.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Asks the person to fill in a form.
    Elicit {
        /// What they are told.
        message: String,
        /// The JSON Schema of the form.
        schema: Value,
    },
    /// Asks the client's model; the params of `sampling/createMessage`.
    Sample(Value),
    /// Asks which folders the client works in.
    Roots,
}

/// Questions that a call waits for, each with its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    /// The questions.
    pub questions: Vec<(String, Question)>,
    /// What the handler wants to remember until the client comes again. It passes through the client, which can read it
    /// but not change it.
    pub state: Option<String>,
}

/// What a client must be able to do for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// To ask its person.
    Elicitation,
    /// To ask its model.
    Sampling,
    /// To say where it works.
    Roots,
}

impl Question {
    /// Returns what the client must be able to do.
    pub fn needs(&self) -> Capability {
        match self {
            Self::Elicit { .. } => Capability::Elicitation,
            Self::Sample(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    /// Tells whether this can be an answer to it.
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

    /// Returns the request that asks it, as it goes over the wire.
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
    /// Returns its name in the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Says that a client lacks it.
    pub(crate) fn lack(self) -> &'static str {
        match self {
            Self::Elicitation => "the client cannot ask its person (`elicitation`)",
            Self::Sampling => "the client cannot ask its model (`sampling`)",
            Self::Roots => "the client does not say where it works (`roots`)",
        }
    }
}
