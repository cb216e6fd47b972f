//! The contract's rules about all tools.

use dialects::taiga::{TAIGA, TAIGA_EXTENDED};
use mcp::Effect;
use serde_json::{Value, json};

/// The contract's table, in its order.
const CATALOGUE: [&str; 29] = [
    "taiga.list_projects",
    "taiga.set_active_project",
    "taiga.get_project",
    "taiga.list_epics",
    "taiga.get_epic",
    "taiga.create_epic",
    "taiga.update_epic",
    "taiga.delete_epic",
    "taiga.list_user_stories",
    "taiga.get_user_story",
    "taiga.create_user_story",
    "taiga.update_user_story",
    "taiga.delete_user_story",
    "taiga.list_tasks",
    "taiga.get_task",
    "taiga.create_task",
    "taiga.update_task",
    "taiga.delete_task",
    "taiga.list_issues",
    "taiga.get_issue",
    "taiga.create_issue",
    "taiga.update_issue",
    "taiga.delete_issue",
    "taiga.search_user_stories",
    "taiga.search_epics",
    "taiga.search_tasks",
    "taiga.search_issues",
    "taiga.get_statuses",
    "taiga.get_members",
];

#[test]
fn the_catalogue_is_the_contracts() {
    let names: Vec<&str> = TAIGA.tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, CATALOGUE);
}

/// `--extended` appends tools to the contract's, whose positions stay.
#[test]
fn the_extended_catalogue_begins_with_the_contracts() {
    let names: Vec<&str> = TAIGA_EXTENDED.tools.iter().map(|tool| tool.name).collect();
    let added = ["taiga.list_sprints", "taiga.create_sprint", "taiga.update_sprint", "taiga.list_comments"];
    assert_eq!(names[..29], CATALOGUE);
    assert_eq!(names[29..33], added);
    assert!(TAIGA_EXTENDED.tools[29..].iter().all(|tool| tool.toolset == mcp::EXTENDED));
    for (contract, extended) in TAIGA.tools.iter().zip(TAIGA_EXTENDED.tools) {
        let (contract, extended) = ((contract.input)(), (extended.input)());
        let properties = |schema: &mcp::Schema| schema["properties"].as_object().cloned().unwrap_or_default();
        let beyond = properties(&extended);
        assert!(properties(&contract).iter().all(|(name, value)| beyond.get(name) == Some(value)));
        assert_eq!(contract.get("required"), extended.get("required"));
    }
}

#[test]
fn every_tool_forbids_unknown_arguments() {
    for tool in TAIGA.tools.iter().chain(TAIGA_EXTENDED.tools) {
        let schema = Value::Object((tool.input)());
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name
        );
        check_keywords(tool.name, &schema);
    }
}

/// Every keyword of a schema must be one of JSON Schema 2020-12: clients ignore an unknown one.
fn check_keywords(tool: &str, schema: &Value) {
    const KEYWORDS: [&str; 18] = [
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minLength",
        "minProperties",
        "minimum",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "type",
    ];
    for (keyword, value) in schema.as_object().unwrap() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{tool}: {keyword}");
        match keyword.as_str() {
            "properties" => value.as_object().unwrap().values().for_each(|below| check_keywords(tool, below)),
            "anyOf" | "oneOf" => value.as_array().unwrap().iter().for_each(|below| check_keywords(tool, below)),
            "items" => check_keywords(tool, value),
            _ => {}
        }
    }
}

#[test]
fn the_hints_follow_from_the_verb() {
    for tool in TAIGA.tools.iter().chain(TAIGA_EXTENDED.tools) {
        let verb = tool.name.trim_start_matches("taiga.").split('_').next().unwrap();
        let expected = match verb {
            "list" | "get" | "search" => Effect::Reads,
            "create" | "add" => Effect::Writes,
            "update" | "set" | "move" => Effect::Sets,
            "delete" => Effect::Destroys,
            other => panic!("{other} is no verb of the contract"),
        };
        assert_eq!(tool.effect, expected, "{}", tool.name);
    }
}

/// The contract's schemas from its chapter 5. Ours may be stricter, never laxer, and add `id` to an update.
#[test]
fn representative_schemas_are_kept() {
    let schema = |name: &str| Value::Object((TAIGA.try_find(name).unwrap().input)());
    let tags = json!({"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 40}, "maxItems": 32});
    let words = json!({"enum": ["lowest", "low", "normal", "high", "highest"]});
    let subject = json!({"type": "string", "minLength": 1, "maxLength": 200});
    let create = schema("taiga.create_task");
    assert_eq!(create["required"], json!(["userStoryId", "subject"]));
    let names = |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&create), ["userStoryId", "subject", "description", "assignedToId", "tags", "priority"]);
    let update = schema("taiga.update_task");
    let expected = ["id", "subject", "description", "assignedToId", "tags", "priority", "statusId", "blocked"];
    assert_eq!(names(&update), expected);
    for task in [&create, &update] {
        assert_eq!(task["properties"]["subject"], subject);
        assert_eq!(task["properties"]["tags"], tags);
        assert_eq!(task["properties"]["priority"], words);
        let nullable = json!([{"type": "integer", "minimum": 1}, {"type": "null"}]);
        assert_eq!(task["properties"]["assignedToId"]["anyOf"], nullable);
    }
    assert_eq!((&update["required"], &update["minProperties"]), (&json!(["id"]), &json!(2)));
    let blocked = &update["properties"]["blocked"];
    assert_eq!((&blocked["required"], &blocked["additionalProperties"]), (&json!(["isBlocked"]), &json!(false)));
    let project = schema("taiga.set_active_project");
    assert_eq!(project["oneOf"], json!([{"required": ["projectId"]}, {"required": ["projectSlug"]}]));
    let paging = schema("taiga.list_projects")["properties"].clone();
    assert_eq!((&paging["offset"]["minimum"], &paging["offset"]["default"]), (&json!(0), &json!(0)));
    let limit = &paging["limit"];
    assert_eq!((&limit["minimum"], &limit["maximum"], &limit["default"]), (&json!(1), &json!(200), &json!(50)));
}
