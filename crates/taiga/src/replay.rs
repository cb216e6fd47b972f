//! Replays every recorded response of a real Taiga through the client: each must be parsed or refused as recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::answer::Answer;
use crate::client::ServerConnection;
use crate::dto::{
    Attachment, Comment, CustomAttribute, CustomValues, Epic, Issue, IssueType, Membership, Milestone, Points,
    Priority, Project, ProjectSummary, RelatedStory, Role, Severity, Status, Story, Task, User,
};
use crate::query::Query;
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
    fn send(&self, _: &Outgoing<'_>) -> Result<Answer, TransportFailure> {
        let body = match &self.body {
            Value::Null => Vec::new(),
            Value::String(page) if page.starts_with('\n') => page.clone().into_bytes(),
            json => json.to_string().into_bytes(),
        };
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Answer { status: self.status, headers, body: Zeroizing::new(body) })
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
        Ok(answer) => {
            let read = read(case, &answer).map_or_else(|error| format!("unreadable: {error}"), str::to_owned);
            let total = answer.number("x-pagination-count").filter(|_| !answer.body.is_empty());
            let total = total.map_or_else(String::new, |total| format!(" {total}"));
            format!("{} {read}{total}", answer.status)
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
fn read(case: &Case, answer: &Answer) -> Result<&'static str, Error> {
    if answer.body.is_empty() {
        return Ok("nothing");
    }
    let (path, query) = case.request.path.split_once('?').unwrap_or((&case.request.path, ""));
    let segments: Vec<&str> = path.trim_start_matches("/api/v1/").split('/').collect();
    let is_get = case.request.method == "GET";
    match segments[..] {
        ["auth"] => Login::read(answer).map(|_| "login"),
        ["auth", "refresh"] => parse::<TokenPair>(answer, "tokens"),
        ["users"] => parse::<Vec<User>>(answer, "users"),
        ["users", _] => parse::<User>(answer, "user"),
        ["projects"] if is_get => parse::<Vec<ProjectSummary>>(answer, "projects"),
        ["projects", _] => parse::<Project>(answer, "project"),
        ["memberships"] => parse::<Vec<Membership>>(answer, "memberships"),
        ["memberships", _] => parse::<Membership>(answer, "membership"),
        [list] if list.ends_with("-statuses") && is_get => parse::<Vec<Status>>(answer, "statuses"),
        [list] | [list, _] if list.ends_with("-statuses") => parse::<Status>(answer, "status"),
        ["priorities"] => parse::<Vec<Priority>>(answer, "priorities"),
        ["severities"] => parse::<Vec<Severity>>(answer, "severities"),
        ["points"] => parse::<Vec<Points>>(answer, "points"),
        ["issue-types"] => parse::<Vec<IssueType>>(answer, "types"),
        ["milestones"] if is_get => parse::<Vec<Milestone>>(answer, "sprints"),
        ["milestones"] | ["milestones", _] => parse::<Milestone>(answer, "sprint"),
        [list] if list.ends_with("-custom-attributes") => parse::<Vec<CustomAttribute>>(answer, "attributes"),
        [_, "custom-attributes-values", _] => parse::<CustomValues>(answer, "values"),
        [_, "attachments"] if is_get => parse::<Vec<Attachment>>(answer, "files"),
        ["roles", _] => parse::<Role>(answer, "role"),
        ["history", _, _] => parse::<Vec<Comment>>(answer, "comments"),
        ["epics", _, "related_userstories"] if is_get => parse::<Vec<RelatedStory>>(answer, "links"),
        ["epics", _, "related_userstories", "bulk_create"] => parse::<Vec<RelatedStory>>(answer, "links"),
        ["epics", _, "related_userstories", ..] => parse::<RelatedStory>(answer, "link"),
        _ if query.contains("only_ref") => parse::<Vec<Value>>(answer, "refs"),
        ["epics", ref rest @ ..] => item::<Epic>(case, rest, answer, "epic", "epics"),
        ["userstories", ref rest @ ..] => item::<Story>(case, rest, answer, "story", "stories"),
        ["tasks", ref rest @ ..] => item::<Task>(case, rest, answer, "task", "tasks"),
        ["issues", ref rest @ ..] => item::<Issue>(case, rest, answer, "issue", "issues"),
        _ => parse::<Value>(answer, "json"),
    }
}

fn item<T: DeserializeOwned>(
    case: &Case,
    rest: &[&str],
    answer: &Answer,
    one: &'static str,
    many: &'static str,
) -> Result<&'static str, Error> {
    let is_id = |segment: &str| segment == "by_ref" || segment.parse::<u64>().is_ok();
    match (case.request.method.as_str(), rest) {
        ("OPTIONS", _) => parse::<Value>(answer, "json"),
        ("GET", []) | (_, ["bulk_create"]) => parse::<Vec<T>>(answer, many),
        (_, []) => parse::<T>(answer, one),
        (_, [id]) if is_id(id) => parse::<T>(answer, one),
        _ => parse::<Value>(answer, "json"),
    }
}

fn parse<T: DeserializeOwned>(answer: &Answer, name: &'static str) -> Result<&'static str, Error> {
    answer.json::<T>("the recorded answer").map(|_| name)
}
