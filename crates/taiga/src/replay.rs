//! Replays every recorded response of a real Taiga through the client: each must be parsed or refused as recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::client::ServerConnection;
use crate::dto::{
    Attachment, Comment, CustomAttribute, CustomValues, Epic, Issue, IssueType, Membership, Milestone, Points,
    Priority, Project, ProjectSummary, RelatedStory, Role, Severity, Status, Story, Task, User,
};
use crate::query::Query;
use crate::response::HttpResponse;
use crate::transport::{Outgoing, Transport, TransportFailure, Verb};
use crate::{AuthProblem, Client, Credentials, Error, ErrorKind, Login, Secret, Settings, SystemClock, TokenPair};

/// Number of cases per topic.
const TOPICS: [(&str, usize); 16] = [
    ("attachments", 4),
    ("auth", 34),
    ("blocked", 8),
    ("epics", 34),
    ("history", 14),
    ("http", 6),
    ("issues", 31),
    ("lookups", 31),
    ("members", 11),
    ("milestones", 8),
    ("projects", 25),
    ("search", 10),
    ("second", 150),
    ("tasks", 39),
    ("throttle", 7),
    ("userstories", 166),
];

#[derive(Clone, Deserialize)]
struct Case {
    #[serde(rename = "case")]
    name: String,
    request: Asked,
    response: Told,
}

#[derive(Clone, Deserialize)]
struct Asked {
    method: String,
    path: String,
}

#[derive(Clone, Deserialize)]
struct Told {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Value,
}

impl Transport for Told {
    fn send(&self, _: &Outgoing<'_>) -> Result<HttpResponse, TransportFailure> {
        let body = match &self.body {
            Value::Null => Vec::new(),
            Value::String(page) if page.starts_with('\n') => page.clone().into_bytes(),
            json => json.to_string().into_bytes(),
        };
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(HttpResponse { status: self.status, headers, body: Zeroizing::new(body) })
    }
}

#[test]
fn every_recorded_response_is_parsed() {
    let expected = expected();
    let mut seen = 0;
    let mut wrong = Vec::new();
    for (topic, count) in TOPICS {
        let cases = cases(topic);
        assert_eq!(cases.len(), count, "{topic}");
        seen += count;
        for case in cases {
            let outcome = outcome(&case);
            match expected.get(&case.name) {
                Some(expected) if *expected == outcome => {}
                other => wrong.push(format!("{}: {outcome}, expected {other:?}", case.name)),
            }
        }
    }
    assert_eq!((seen, expected.len()), (578, 578));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Required fields: identity, or what a write must carry.
const NEEDED: [&str; 16] = [
    "id",
    "version",
    "project",
    "subject",
    "created_date",
    "modified_date",
    "created_at",
    "name",
    "slug",
    "username",
    "estimated_start",
    "estimated_finish",
    "auth_token",
    "epic",
    "user_story",
    "total",
];

/// Older and newer servers omit fields, send null, or send more.
#[test]
fn absent_empty_and_new_fields_do_not_spoil_an_answer() {
    let mut tried = BTreeSet::new();
    for case in TOPICS.iter().flat_map(|(topic, _)| cases(topic)).filter(|case| case.response.status < 300) {
        let read_as = outcome(&case).split(' ').nth(1).unwrap_or_default().to_owned();
        for place in places(&case.response.body) {
            if !tried.insert((read_as.clone(), place.clone())) {
                continue;
            }
            for value in [None, Some(Value::Null)] {
                let mut changed = case.clone();
                alter(&mut changed.response.body, &place, value.clone());
                let outcome = outcome(&changed);
                assert!(!outcome.contains("unreadable"), "{} {place:?} as {value:?}: {outcome}", case.name);
            }
        }
    }
    assert!(tried.len() > 500, "{}", tried.len());
}

/// Paths of all optional fields in a body; for a list, the first element stands for all.
fn places(body: &Value) -> Vec<Vec<String>> {
    let below = |key: &str, value: &Value| {
        places(value).into_iter().map(move |place| [vec![key.to_owned()], place].concat()).collect::<Vec<_>>()
    };
    match body {
        Value::Object(fields) => {
            let deeper = fields.iter().flat_map(|(key, value)| below(key, value));
            let own = fields.keys().filter(|key| !NEEDED.contains(&key.as_str())).map(|key| vec![key.clone()]);
            own.chain(deeper).collect()
        }
        Value::Array(members) => members.first().map(|first| below("0", first)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn alter(body: &mut Value, place: &[String], value: Option<Value>) {
    let (key, below) = place.split_first().unwrap();
    if !below.is_empty() {
        let next = if body.is_array() { &mut body[0] } else { &mut body[key.as_str()] };
        return alter(next, below, value);
    }
    let fields = body.as_object_mut().unwrap();
    // Points are a map in which every key is a role id.
    if key.parse::<u64>().is_err() {
        fields.insert("something_new".to_owned(), serde_json::json!({"a": [1]}));
    }
    match value {
        Some(value) => _ = fields.insert(key.clone(), value),
        None => _ = fields.remove(key),
    }
}

#[test]
fn no_file_of_answers_is_forgotten() {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut topics: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    topics.sort();
    assert_eq!(topics, TOPICS.map(|(topic, _)| topic));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn cases(topic: &str) -> Vec<Case> {
    let text = fs::read_to_string(folder().join(format!("{topic}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn expected() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("expected.tsv")).unwrap();
    let row = |line: &str| line.split_once('\t').map(|(case, outcome)| (case.to_owned(), outcome.to_owned()));
    text.lines().filter_map(row).collect()
}

/// The result of a case, in the notation of the table.
fn outcome(case: &Case) -> String {
    let settings = Settings::new("http://127.0.0.1".parse().unwrap());
    let line = ServerConnection::over(Box::new(case.response.clone()), &settings, Arc::new(SystemClock::new()));
    let client = Client::on(line, Credentials::Bearer(Secret::new("TOKEN")));
    let verb = match case.request.method.as_str() {
        "POST" => Verb::Post,
        "PATCH" | "PUT" => Verb::Patch,
        "DELETE" => Verb::Delete,
        _ => Verb::Get,
    };
    match client.call(verb, &case.request.path, &Query::default(), None) {
        Ok(response) => {
            let read = read(case, &response).map_or_else(|error| format!("unreadable: {error}"), str::to_owned);
            let total = response.number("x-pagination-count").filter(|_| !response.body.is_empty());
            let total = total.map_or_else(String::new, |total| format!(" {total}"));
            format!("{} {read}{total}", response.status)
        }
        Err(error) => format!("{} {}", error.status.unwrap_or_default(), reason(&error)),
    }
}

fn reason(error: &Error) -> String {
    let problem = |problem: &AuthProblem| format!("{problem:?}").to_lowercase();
    match &error.kind {
        ErrorKind::Auth(why) => format!("auth {}", problem(why)),
        ErrorKind::Validation { conflict: true, .. } => "conflict version".to_owned(),
        ErrorKind::Validation { fields, .. } => {
            let fields: Vec<&str> = fields.keys().map(String::as_str).collect();
            format!("validation {}", fields.join(",")).trim_end().to_owned()
        }
        ErrorKind::RateLimit { wait } => format!("rate_limit {}", wait.as_secs()),
        other => other.category().to_owned(),
    }
}

/// Parses a successful response as the client's type for it, and returns the name of the type.
fn read(case: &Case, response: &HttpResponse) -> Result<&'static str, Error> {
    if response.body.is_empty() {
        return Ok("nothing");
    }
    let (path, query) = case.request.path.split_once('?').unwrap_or((&case.request.path, ""));
    let segments: Vec<&str> = path.trim_start_matches("/api/v1/").split('/').collect();
    let is_get = case.request.method == "GET";
    match segments[..] {
        ["auth"] => Login::read(response).map(|_| "login"),
        ["auth", "refresh"] => parse::<TokenPair>(response, "tokens"),
        ["users"] => parse::<Vec<User>>(response, "users"),
        ["users", _] => parse::<User>(response, "user"),
        ["projects"] if is_get => parse::<Vec<ProjectSummary>>(response, "projects"),
        ["projects", _] => parse::<Project>(response, "project"),
        ["memberships"] => parse::<Vec<Membership>>(response, "memberships"),
        ["memberships", _] => parse::<Membership>(response, "membership"),
        [list] if list.ends_with("-statuses") && is_get => parse::<Vec<Status>>(response, "statuses"),
        [list] | [list, _] if list.ends_with("-statuses") => parse::<Status>(response, "status"),
        ["priorities"] => parse::<Vec<Priority>>(response, "priorities"),
        ["severities"] => parse::<Vec<Severity>>(response, "severities"),
        ["points"] => parse::<Vec<Points>>(response, "points"),
        ["issue-types"] => parse::<Vec<IssueType>>(response, "types"),
        ["milestones"] if is_get => parse::<Vec<Milestone>>(response, "sprints"),
        ["milestones"] | ["milestones", _] => parse::<Milestone>(response, "sprint"),
        [list] if list.ends_with("-custom-attributes") => parse::<Vec<CustomAttribute>>(response, "attributes"),
        [_, "custom-attributes-values", _] => parse::<CustomValues>(response, "values"),
        [_, "attachments"] if is_get => parse::<Vec<Attachment>>(response, "files"),
        ["roles", _] => parse::<Role>(response, "role"),
        ["history", _, _] => parse::<Vec<Comment>>(response, "comments"),
        ["epics", _, "related_userstories"] if is_get => parse::<Vec<RelatedStory>>(response, "links"),
        ["epics", _, "related_userstories", "bulk_create"] => parse::<Vec<RelatedStory>>(response, "links"),
        ["epics", _, "related_userstories", ..] => parse::<RelatedStory>(response, "link"),
        _ if query.contains("only_ref") => parse::<Vec<Value>>(response, "refs"),
        ["epics", ref rest @ ..] => item::<Epic>(case, rest, response, "epic", "epics"),
        ["userstories", ref rest @ ..] => item::<Story>(case, rest, response, "story", "stories"),
        ["tasks", ref rest @ ..] => item::<Task>(case, rest, response, "task", "tasks"),
        ["issues", ref rest @ ..] => item::<Issue>(case, rest, response, "issue", "issues"),
        _ => parse::<Value>(response, "json"),
    }
}

fn item<T: DeserializeOwned>(
    case: &Case,
    rest: &[&str],
    response: &HttpResponse,
    one: &'static str,
    many: &'static str,
) -> Result<&'static str, Error> {
    let is_id = |segment: &str| segment == "by_ref" || segment.parse::<u64>().is_ok();
    match (case.request.method.as_str(), rest) {
        ("OPTIONS", _) => parse::<Value>(response, "json"),
        ("GET", []) | (_, ["bulk_create"]) => parse::<Vec<T>>(response, many),
        (_, []) => parse::<T>(response, one),
        (_, [id]) if is_id(id) => parse::<T>(response, one),
        _ => parse::<Value>(response, "json"),
    }
}

fn parse<T: DeserializeOwned>(response: &HttpResponse, name: &'static str) -> Result<&'static str, Error> {
    response.json::<T>("the recorded answer").map(|_| name)
}
