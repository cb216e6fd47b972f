//! Fixtures for resources, prompts and completion.

use mcp::{
    Argument, Call, Content, Fault, Prompt, PromptMessage, PromptResult, Question, Resource, ResourceContents,
    ResourceData, ResourcePage, ResourceTemplate, Resources,
};
use serde_json::{Value, json};

use crate::content::{PNG, image};
use crate::fixtures::Fixtures;

pub(crate) const RESOURCES: Resources<Fixtures> = Resources {
    list: |_, _| {
        let resource = |uri: &str, description: &str, mime: &str| Resource {
            uri: uri.to_owned(),
            name: uri.trim_start_matches("test://").to_owned(),
            title: None,
            description: Some(description.to_owned()),
            mime: Some(mime.to_owned()),
        };
        Ok(ResourcePage::all(vec![
            resource("test://static-binary", "A picture.", "image/png"),
            resource("test://static-text", "A text.", "text/plain"),
            resource("test://watched-resource", "One to subscribe to.", "text/plain"),
        ]))
    },
    templates: &[ResourceTemplate {
        uri: "test://template/{id}/data",
        name: "template",
        title: "A template",
        description: "Data of an id.",
        mime: "application/json",
        arguments: &[Argument { name: "id", description: "Which.", is_required: true, complete: None }],
    }],
    read,
    ends_with_null: false,
};

fn read(_: &Fixtures, uri: &str, _: &Call) -> Result<Vec<ResourceContents>, Fault> {
    let contents = match uri {
        "test://static-text" => {
            ResourceContents::text(uri, "text/plain", "This is the content of the static text resource.")
        }
        "test://static-binary" => ResourceContents {
            uri: uri.to_owned(),
            mime: Some("image/png".to_owned()),
            data: ResourceData::Base64(PNG.to_owned()),
        },
        "test://watched-resource" => ResourceContents::text(uri, "text/plain", "Watched resource content."),
        _ => {
            let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let id = id.ok_or_else(|| Fault::Missing("Resource not found".to_owned()))?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            ResourceContents::text(uri, "application/json", data.to_string())
        }
    };
    Ok(vec![contents])
}

pub(crate) const PROMPTS: &[Prompt<Fixtures>] = &[
    Prompt {
        name: "test_simple_prompt",
        title: "Simple",
        description: "A prompt without arguments.",
        arguments: &[],
        get: |_, _, _| Ok(said(vec![text("This is a simple prompt for testing.")])),
    },
    Prompt {
        name: "test_prompt_with_arguments",
        title: "With arguments",
        description: "A prompt with two arguments.",
        arguments: &[
            Argument {
                name: "arg1",
                description: "First test argument.",
                is_required: true,
                complete: Some(|_, typed, _| {
                    let known = ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(typed));
                    Ok(known.map(str::to_owned).collect())
                }),
            },
            required("arg2", "Second test argument."),
        ],
        get: |_, given, _| {
            let (first, second) = (word(given.get("arg1")), word(given.get("arg2")));
            Ok(said(vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]))
        },
    },
    Prompt {
        name: "test_prompt_with_embedded_resource",
        title: "With a resource",
        description: "A prompt that holds a resource.",
        arguments: &[required("resourceUri", "The resource.")],
        get: |_, given, _| {
            let uri = word(given.get("resourceUri"));
            let contents = ResourceContents::text(uri, "text/plain", "Embedded resource content for testing.");
            Ok(said(vec![Content::Embedded(contents), text("Please process the embedded resource above.")]))
        },
    },
    Prompt {
        name: "test_prompt_with_image",
        title: "With a picture",
        description: "A prompt that holds a picture.",
        arguments: &[],
        get: |_, _, _| Ok(said(vec![image(), text("Please analyze the image above.")])),
    },
    Prompt {
        name: "test_input_required_result_prompt",
        title: "That asks",
        description: "A prompt that asks the person.",
        arguments: &[],
        get: |_, _, call| {
            let schema = json!({
                "type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"],
            });
            let message = "What context should the prompt use?".to_owned();
            let answer = call.ask("user_context", Question::Elicit { message, schema })?;
            Ok(said(vec![text(&format!("Use this context: {}", word(answer["content"].get("context"))))]))
        },
    },
];

const fn required(name: &'static str, description: &'static str) -> Argument<Fixtures> {
    Argument { name, description, is_required: true, complete: None }
}

fn said(contents: Vec<Content>) -> PromptResult {
    PromptResult { description: None, messages: contents.into_iter().map(PromptMessage::user).collect() }
}

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

fn word(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
