//! Executes the text of the `taiga` contract: its catalogue, schemas, scenarios and envelopes. Only the setup of each
//! case is defined here.

use std::time::Duration;

use dialects::taiga::TAIGA;
use serde_json::{Map, Value, json};
use testkit::taiga::{Answer, Fault, ItemKind};

use super::bench::Bench;

const SEED: &str = include_str!("seeds/taiga.md");

/// Returns the text under a heading with this number.
fn chapter(number: &str) -> &'static str {
    let text = SEED.split_once(&format!("# {number} ")).unwrap_or_else(|| panic!("no chapter {number}")).1;
    let text = text.split("\n## ").next().unwrap_or(text);
    if number.ends_with('.') { text } else { text.split("\n### ").next().unwrap_or(text) }
}

/// Returns the JSON blocks under a heading, without comments.
fn blocks(number: &str) -> Vec<String> {
    let blocks = chapter(number).split("```json\n").skip(1).map(|block| block.split_once("```").unwrap().0);
    blocks.map(|block| block.split("/*").map(|part| part.rsplit("*/").next().unwrap()).collect()).collect()
}

fn parsed(block: &str) -> Value {
    serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"))
}

/// Returns the cells of a table's rows, without its head.
fn rows(number: &str) -> Vec<Vec<&'static str>> {
    let rows = chapter(number).lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()).collect()
}

/// Parses a JavaScript object literal: keys with or without quotes, texts in single quotes.
fn literal(text: &str) -> Value {
    let mut written = String::new();
    for (n, part) in text.split('\'').enumerate() {
        if n % 2 == 1 {
            written.extend(["\"", part, "\""]);
            continue;
        }
        let mut name = String::new();
        for letter in part.chars().filter(|letter| *letter != '"') {
            match letter {
                letter if letter.is_alphabetic() => name.push(letter),
                ':' => written.extend(["\"", std::mem::take(&mut name).as_str(), "\":"]),
                other => {
                    written.push_str(&std::mem::take(&mut name));
                    written.push(other);
                }
            }
        }
    }
    parsed(&written)
}

/// Checks that a result has everything an example has; it may have more.
#[track_caller]
fn check(envelope: &Value, example: &Value) {
    assert_eq!(narrowed(envelope, example).to_string(), example.to_string(), "{envelope}");
}

/// Keeps only the keys that the example has, in its order. Trace ids and remaining pauses may differ.
fn narrowed(value: &Value, example: &Value) -> Value {
    let (Value::Object(fields), Value::Object(wanted)) = (value, example) else { return value.clone() };
    let kept = fields.iter().filter_map(|(name, value)| {
        let wanted = wanted.get(name)?;
        let is_any = name == "_traceId" && value.is_string() || name == "retryAfterMs" && value.is_u64();
        Some((name.clone(), if is_any { wanted.clone() } else { narrowed(value, wanted) }))
    });
    Value::Object(kept.collect())
}

fn schema(tool: &str) -> Value {
    Value::Object((TAIGA.try_find(tool).unwrap_or_else(|| panic!("there is no {tool}")).input)())
}

/// Returns arguments for a tool that lists.
fn given(tool: &str) -> Value {
    match tool {
        tool if tool.starts_with("search_") => json!({"query": "e"}),
        "get_statuses" => json!({"entity": "task"}),
        _ => json!({}),
    }
}

/// Returns the tools with this prefix, in the catalogue's order.
fn tools(verb: &str) -> Vec<&'static str> {
    let names = rows("4.").into_iter().filter_map(|row| row[0].strip_prefix("taiga."));
    names.filter(|name| name.starts_with(verb)).collect()
}

/// Chapter 4: the names in order, and which tools need a project.
#[test]
fn the_catalogue_is_served() {
    let rows = rows("4.");
    assert_eq!(rows.len(), 29);
    assert!(rows.iter().map(|row| row[0]).eq(TAIGA.tools.iter().map(|tool| tool.name)));
    let bench = Bench::remote();
    for row in rows {
        let envelope = bench.call(row[0].trim_start_matches("taiga."), &json!({}));
        let needs_project = envelope["error"]["message"] == "Active project not set";
        assert_eq!(needs_project, row[2] == "Yes", "{}: {envelope}", row[0]);
    }
}

/// Chapter 3.2: arguments and results of paging.
#[test]
fn pages_are_asked_for_and_answered_as_written() {
    let blocks = blocks("3.2");
    let (paging, wrapper) = (parsed(&blocks[0]), parsed(&blocks[1]));
    let paged = [tools("list_"), tools("search_"), vec!["get_members"]].concat();
    assert_eq!(paged.len(), 10);
    for bench in [Bench::local(), Bench::remote_project()] {
        let story = bench.make("create_user_story", json!({"subject": "Here"}));
        bench.make("create_task", json!({"subject": "Here", "userStoryId": story}));
        for tool in &paged {
            let properties = schema(&format!("taiga.{tool}"))["properties"].clone();
            for (name, shown) in paging.as_object().unwrap() {
                is_kept(shown, &properties[name], name);
            }
            let page = bench.data(tool, given(tool));
            assert!(is_valid(&wrapper, &page), "{tool}: {page}");
            assert_eq!((&page["meta"]["limit"], &page["meta"]["offset"]), (&json!(50), &json!(0)));
        }
    }
}

/// Returns whether a result follows one of the contract's schemas, which use few keywords.
fn is_valid(schema: &Value, value: &Value) -> bool {
    schema.as_object().unwrap().iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$id" => true,
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            other => panic!("unknown type {other}"),
        },
        "const" => value == rule,
        "required" => rule.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
        "properties" => rule.as_object().unwrap().iter().all(|(name, rule)| is_valid(rule, &value[name])),
        "additionalProperties" => {
            let known = schema["properties"].as_object().unwrap();
            rule == false && value.as_object().unwrap().keys().all(|name| known.contains_key(name))
        }
        other => panic!("unknown keyword {other}"),
    })
}

/// Checks that a schema has everything the contract's has. Ours uses `integer`, nullable values as two schemas, no
/// `$id`, and may be stricter.
fn is_kept(shown: &Value, ours: &Value, place: &str) {
    let (Value::Object(shown), Value::Object(ours)) = (shown, ours) else {
        assert_eq!(shown, ours, "{place}");
        return;
    };
    for (key, shown) in shown {
        match (key.as_str(), shown) {
            ("$id", _) => {}
            ("type", Value::String(word)) if word == "number" => assert_eq!(ours["type"], "integer", "{place}"),
            ("type", Value::Array(_)) => {
                let types: Vec<&Value> = ours["anyOf"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
                assert_eq!((shown, &types[..]), (&json!(["number", "null"]), &[&json!("integer"), &json!("null")][..]));
            }
            // The id of an update does not count as a change.
            ("minProperties", _) => assert_eq!((shown, &ours[key]), (&json!(1), &json!(2)), "{place}"),
            _ => is_kept(shown, ours.get(key).unwrap_or(&Value::Null), &format!("{place}.{key}")),
        }
    }
    let added: Vec<&String> =
        ours.keys().filter(|key| place.ends_with(".properties") && !shown.contains_key(*key)).collect();
    assert!(added.is_empty() || added == ["id"] && place.starts_with("update"), "{place}: {added:?}");
}

/// Chapter 5: the schemas.
#[test]
fn the_schemas_are_kept() {
    let shown = |number: &str| parsed(&blocks(number)[0]);
    is_kept(&shown("5.1"), &schema("taiga.set_active_project"), "set_active_project");
    is_kept(&shown("5.2"), &schema("taiga.create_task"), "create_task");
    is_kept(&shown("5.3"), &schema("taiga.update_task"), "update_task");
    let deleted = shown("5.5");
    for bench in [Bench::local(), Bench::remote_project()] {
        let story = bench.make("create_user_story", json!({"subject": "A story"}));
        for tool in tools("delete_") {
            is_kept(&shown("5.4"), &schema(&format!("taiga.{tool}")), tool);
            let make = tool.replace("delete_", "create_");
            let mut one = json!({"subject": "Made to be deleted"});
            if make == "create_task" {
                one["userStoryId"] = json!(story);
            }
            let id = bench.make(&make, one);
            let answer = bench.data(tool, json!({"id": id}));
            assert!(is_valid(&deleted, &answer) && answer == json!({"id": id, "deleted": true}), "{tool}: {answer}");
        }
    }
}

/// Chapter 7: an envelope has exactly these keys, in this order, for every tool and outcome.
#[test]
fn every_answer_is_in_the_envelope() {
    let block = blocks("7.").remove(0);
    let shapes: Vec<Value> = block.lines().map(parsed).collect();
    let keys = |value: &Value| value.as_object().into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>();
    for bench in [Bench::local(), Bench::remote_project()] {
        let mut n_each = [0, 0];
        for row in rows("4.") {
            let tool = row[0].trim_start_matches("taiga.");
            for given in [given(tool), json!({"nonsense": 1})] {
                let envelope = bench.call(tool, &given);
                let outcome = usize::from(envelope["ok"] == false);
                assert_eq!(keys(&envelope), keys(&shapes[outcome]), "{envelope}");
                n_each[outcome] += 1;
            }
        }
        assert!(n_each[0] >= 11 && n_each[1] >= 29, "{n_each:?}");
    }
}

/// Chapters 3.4 and 8: a pause that was waited for is reported.
#[test]
fn a_pause_is_reported_with_the_result() {
    let shown = parsed(&format!("{{{}}}", blocks("3.4")[0]));
    let bench = Bench::remote_project();
    bench.taiga().throttle_next(1, Duration::from_secs(1));
    let envelope = bench.call("list_user_stories", &json!({}));
    assert_eq!(envelope["ok"], true);
    check(&envelope, &shown);
    bench.taiga().throttle_next(1, Duration::from_mins(1));
    let text = chapter("8.").split('`').find(|word| word.contains("rate_limit")).unwrap();
    check(&bench.call("list_epics", &json!({})), &literal(&text.replace(": X", ": 1")));
}

/// Chapter 16, row by row.
#[test]
fn the_scenarios_of_failure_are_answered() {
    let rows = rows("16.");
    assert_eq!(rows.len(), 4);
    for row in rows {
        let shown = literal(row[1]);
        match row[0].split(' ').next().unwrap() {
            "No" => check(&Bench::remote().call("create_task", &json!({"userStoryId": 1, "subject": "x"})), &shown),
            "Invalid" => {
                for bench in [Bench::local(), Bench::remote_project()] {
                    let id = bench.make("create_user_story", json!({"subject": "x"}));
                    check(&bench.call("update_user_story", &json!({"id": id, "statusId": 999_999})), &shown);
                }
            }
            "Network" => {
                let bench = Bench::remote();
                bench.taiga().cut_next(10);
                check(&bench.call("get_project", &json!({"projectId": 1})), &shown);
            }
            "Rate" => {
                let bench = Bench::remote_project();
                bench.taiga().throttle_next(1, Duration::from_mins(1));
                check(&bench.call("create_epic", &json!({"subject": "x"})), &shown);
            }
            other => panic!("unknown row: {other}"),
        }
    }
}

/// Chapter 17: a story on the server, with the example's values.
#[test]
fn the_example_of_a_success_is_answered() {
    let shown = parsed(&blocks("17.")[0]);
    let data = &shown["data"];
    let bench = Bench::remote();
    bench.data("set_active_project", json!({"projectId": data["projectId"]}));
    let mut story = bench.taiga().items(ItemKind::Story, 3).remove(0);
    story["id"] = data["id"].clone();
    story["subject"] = data["subject"].clone();
    story["status"] = data["statusId"].clone();
    // Taiga has fractions of a second; the contract has not.
    for (name, given) in [("created_date", "createdDate"), ("modified_date", "modifiedDate")] {
        story[name] = json!(data[given].as_str().unwrap().replace('Z', ".651Z"));
    }
    let path = format!("/userstories/{}", data["id"]);
    bench.taiga().fault_on("GET", &path, 1, Fault::Answer(Answer::json(200, &story)));
    check(&bench.call("get_user_story", &json!({"id": data["id"]})), &shown);
}

/// Chapter 18, on both back ends.
#[test]
fn the_example_of_an_error_is_answered() {
    let shown = parsed(&blocks("18.")[0]);
    for bench in [Bench::local(), Bench::remote_project()] {
        let envelope = bench.call("create_issue", &json!({}));
        check(&envelope, &shown);
        assert_eq!(envelope["error"].as_object().map(Map::len), shown["error"].as_object().map(Map::len), "{envelope}");
    }
}

/// Chapter 6: every tool that needs a project checks it (2) before the arguments (3).
#[test]
fn the_active_project_is_looked_for_before_the_arguments_are_checked() {
    let bench = Bench::remote();
    for row in rows("4.") {
        let envelope = bench.call(row[0].trim_start_matches("taiga."), &json!({"nonsense": true}));
        let error = &envelope["error"];
        if row[2] == "Yes" {
            assert_eq!(
                (&error["category"], &error["message"]),
                (&json!("validation"), &json!("Active project not set"))
            );
        } else {
            assert_eq!(error["details"]["nonsense"], "Unknown property", "{envelope}");
        }
    }
}
