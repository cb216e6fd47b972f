//! Fixtures that ask the client; the same code serves both protocol eras.

use mcp::{Call, Capability, Fault, Question, Questions, Tool, ToolResult};
use serde_json::{Value, json};

use crate::fixtures::{Fixtures, schema, tool, with_input};

pub(crate) const SAMPLING: Tool<Fixtures> = with_input(
    "test_sampling",
    || schema(json!({"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})),
    |_, given, call| {
        let answer = call.ask("answer", sample(given["prompt"].as_str().unwrap_or_default(), 100))?;
        Ok(ToolResult::text(format!("LLM response: {}", sampled(&answer))))
    },
);

pub(crate) const ELICITATION: Tool<Fixtures> = with_input(
    "test_elicitation",
    || schema(json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]})),
    |_, given, call| {
        let schema = json!({
            "type": "object",
            "properties": {
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"},
            },
            "required": ["username", "email"],
        });
        let answer = call.ask("user", elicit(given["message"].as_str().unwrap_or_default(), schema))?;
        Ok(ToolResult::text(format!("User response: <{}>", outcome(&answer, "action: ", ", content: "))))
    },
);

pub(crate) const DEFAULTS: Tool<Fixtures> = tool("test_elicitation_sep1034_defaults", |_, _, call| {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
        "required": [],
    });
    completed(call, schema)
});

pub(crate) const ENUMS: Tool<Fixtures> = tool("test_elicitation_sep1330_enums", |_, _, call| {
    let titled = |title: &str| -> Vec<Value> {
        let numbers = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
        numbers.map(|(value, name)| json!({"const": value, "title": format!("{name} {title}")})).to_vec()
    };
    let options = ["option1", "option2", "option3"];
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
        "required": [],
    });
    completed(call, schema)
});

pub(crate) const STREAMING_ELICITATION: Tool<Fixtures> = tool("test_streaming_elicitation", |_, _, call| {
    call.progress(0.0, Some(1.0), None);
    let name = ask_name(call, "user_name", "What is your name?")?;
    Ok(ToolResult::text(format!("Hello, {name}!")))
});

pub(crate) const MISSING_CAPABILITY: Tool<Fixtures> = tool("test_missing_capability", |_, _, call| {
    call.require(Capability::Sampling)?;
    Ok(ToolResult::text("The client can sample."))
});

pub(crate) const NAME: Tool<Fixtures> = tool("test_input_required_result_elicitation", |_, _, call| {
    let name = ask_name(call, "user_name", "What is your name?")?;
    Ok(ToolResult::text(format!("Hello, {name}!")))
});

pub(crate) const CAPITAL: Tool<Fixtures> = tool("test_input_required_result_sampling", |_, _, call| {
    let answer = call.ask("capital_question", sample("What is the capital of France?", 100))?;
    Ok(ToolResult::text(sampled(&answer)))
});

pub(crate) const ROOTS: Tool<Fixtures> = tool("test_input_required_result_list_roots", |_, _, call| {
    let answer = call.ask("client_roots", Question::Roots)?;
    Ok(ToolResult::text(format!("The client works in {}", answer["roots"])))
});

pub(crate) const STATE: Tool<Fixtures> = tool("test_input_required_result_request_state", |_, _, call| confirm(call));

pub(crate) const TAMPERED_STATE: Tool<Fixtures> =
    tool("test_input_required_result_tampered_state", |_, _, call| confirm(call));

pub(crate) const MULTIPLE: Tool<Fixtures> = tool("test_input_required_result_multiple_inputs", |_, _, call| {
    let questions = vec![
        ("user_name".to_owned(), elicit("What is your name?", one_string("name"))),
        ("greeting".to_owned(), sample("Generate a greeting", 50)),
        ("client_roots".to_owned(), Question::Roots),
    ];
    let answers = call.ask_all(Questions { questions, state: Some("asked".to_owned()) })?;
    let name = answers["user_name"]["content"]["name"].as_str().unwrap_or_default();
    Ok(ToolResult::text(format!("{} {name}, of {}", sampled(&answers["greeting"]), answers["client_roots"]["roots"])))
});

pub(crate) const ROUNDS: Tool<Fixtures> = tool("test_input_required_result_multi_round", |_, _, call| {
    let ask = |name: &str, message: &str, field: &str, state: String| {
        let questions = vec![(name.to_owned(), elicit(message, one_string(field)))];
        let answers = call.ask_all(Questions { questions, state: Some(state) })?;
        Ok::<String, Fault>(answers[name]["content"][field].as_str().unwrap_or_default().to_owned())
    };
    // The client sends only the answers of the last round; earlier ones are in the state.
    let name = match call.state().and_then(|state| state.strip_prefix("named ")) {
        Some(name) => name.to_owned(),
        None => ask("step1", "Step 1: What is your name?", "name", "unnamed".to_owned())?,
    };
    let color = ask("step2", "Step 2: What is your favorite color?", "color", format!("named {name}"))?;
    Ok(ToolResult::text(format!("{name} likes {color}.")))
});

pub(crate) const CAPABILITIES: Tool<Fixtures> = tool("test_input_required_result_capabilities", |_, _, call| {
    let all = [
        ("name", elicit("What is your name?", one_string("name"))),
        ("greeting", sample("Generate a greeting", 50)),
        ("roots", Question::Roots),
    ];
    let able = all.into_iter().filter(|(_, question)| call.require(question.needs()).is_ok());
    let questions = able.map(|(name, question)| (name.to_owned(), question)).collect();
    let answers = call.ask_all(Questions { questions, state: None })?;
    Ok(ToolResult::text(format!("{} answers", answers.len())))
});

fn confirm(call: &Call) -> Result<ToolResult, Fault> {
    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    let questions = vec![("confirm".to_owned(), elicit("Please confirm", schema))];
    call.ask_all(Questions { questions, state: Some("given out".to_owned()) })?;
    let is_ok = call.state() == Some("given out");
    Ok(ToolResult::text(if is_ok { "state-ok" } else { "the state is missing" }))
}

fn completed(call: &Call, schema: Value) -> Result<ToolResult, Fault> {
    let answer = call.ask("form", elicit("Please fill in the form", schema))?;
    Ok(ToolResult::text(format!("Elicitation completed: {}", outcome(&answer, "action=", ", content="))))
}

/// Asks for a name until the answer contains one.
fn ask_name(call: &Call, name: &str, message: &str) -> Result<String, Fault> {
    let question = elicit(message, one_string("name"));
    let answer = call.ask(name, question.clone())?;
    let again = || {
        let questions = vec![(name.to_owned(), question)];
        Fault::NeedsInput(Box::new(Questions { questions, state: None }))
    };
    answer["content"]["name"].as_str().map(str::to_owned).ok_or_else(again)
}

fn elicit(message: &str, schema: Value) -> Question {
    Question::Elicit { message: message.to_owned(), schema }
}

fn one_string(name: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]})
}

fn sample(prompt: &str, most: u32) -> Question {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    Question::Sample(json!({"messages": [message], "maxTokens": most}))
}

fn sampled(answer: &Value) -> String {
    answer["content"]["text"].as_str().unwrap_or_default().to_owned()
}

fn outcome(answer: &Value, action: &str, content: &str) -> String {
    format!("{action}{}{content}{}", answer["action"].as_str().unwrap_or_default(), answer["content"])
}
