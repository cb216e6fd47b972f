//! Fixtures that need no answer of the client: all kinds of content, log messages, progress, schemas.

use std::thread::sleep;
use std::time::Duration;

use mcp::{Call, Content, Fault, LogLevel, LogMessage, ResourceContents, Tool, ToolResult};
use serde_json::json;

use crate::fixtures::{Fixtures, schema, tool, with_input};

/// A red PNG of one pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A WAV without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// The suite checks that messages arrive one after the other.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) const SIMPLE_TEXT: Tool<Fixtures> =
    tool("test_simple_text", |_, _, _| Ok(ToolResult::text("This is a simple text response for testing.")));

pub(crate) const IMAGE: Tool<Fixtures> = tool("test_image_content", |_, _, _| Ok(ToolResult::default().and(image())));

pub(crate) const AUDIO: Tool<Fixtures> = tool("test_audio_content", |_, _, _| {
    Ok(ToolResult::default().and(Content::Audio { data: WAV.to_owned(), mime: "audio/wav".to_owned() }))
});

pub(crate) const EMBEDDED: Tool<Fixtures> = tool("test_embedded_resource", |_, _, _| {
    let text = "This is an embedded resource content.";
    let contents = ResourceContents::text("test://embedded-resource", "text/plain", text);
    Ok(ToolResult::default().and(Content::Embedded(contents)))
});

pub(crate) const MIXED: Tool<Fixtures> = tool("test_multiple_content_types", |_, _, _| {
    let text = json!({"test": "data", "value": 123}).to_string();
    let contents = ResourceContents::text("test://mixed-content-resource", "application/json", text);
    Ok(ToolResult::text("Multiple content types test:").and(image()).and(Content::Embedded(contents)))
});

pub(crate) const ERROR: Tool<Fixtures> = tool("test_error_handling", |_, _, _| {
    Err(Fault::Failed("This tool intentionally returns an error for testing".to_owned()))
});

pub(crate) const WITH_LOGGING: Tool<Fixtures> = tool("test_tool_with_logging", |_, _, call| Ok(log(call)));

pub(crate) const LOGGING: Tool<Fixtures> = tool("test_logging_tool", |_, _, call| Ok(log(call)));

pub(crate) const WITH_PROGRESS: Tool<Fixtures> = tool("test_tool_with_progress", |_, _, call| {
    for (index, done) in [0.0, 50.0, 100.0].into_iter().enumerate() {
        if index > 0 {
            sleep(PAUSE);
        }
        call.progress(done, Some(100.0), Some(&format!("Completed step {done} of 100")));
    }
    Ok(ToolResult::text("Tool with progress executed."))
});

pub(crate) const JSON_SCHEMA: Tool<Fixtures> = with_input(
    "json_schema_2020_12_tool",
    || {
        schema(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                },
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        }))
    },
    |_, given, _| ToolResult::json(&given),
);

pub(crate) const CUSTOM_HEADERS: Tool<Fixtures> = with_input(
    "test_custom_headers",
    || {
        schema(json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "priority": {"type": "string", "x-mcp-header": "Priority"},
            },
        }))
    },
    |_, given, _| ToolResult::json(&given),
);

/// The image as a content block.
pub(crate) fn image() -> Content {
    Content::Image { data: PNG.to_owned(), mime: "image/png".to_owned() }
}

fn log(call: &Call) -> ToolResult {
    for (index, text) in
        ["Tool execution started", "Tool processing data", "Tool execution completed"].iter().enumerate()
    {
        if index > 0 {
            sleep(PAUSE);
        }
        call.log(LogMessage::new(LogLevel::Info, *text));
    }
    ToolResult::text("Tool with logging executed.")
}
