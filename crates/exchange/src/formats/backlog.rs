//! Backlog.md: a folder of Markdown files. Tasks, drafts and milestones become items; acceptance criteria and the other
//! sections stay in the description; accepted and rejected decisions become decisions about the code; documents are left
//! out and counted.

mod decision;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use app::Error;
use jiff::civil::Date;
use model::item::ItemKind;
use serde_json::{Map, Value};

use super::{Sink, front_matter, markdown, priority_word, times};
use crate::input::{Input, read_text};
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId, Target};
use crate::{clean, scope};

/// Folders below the root, with what their files are.
const FOLDERS: &[(&str, Content)] = &[
    ("milestones", Content::Milestone),
    ("tasks", Content::Task),
    ("completed", Content::Task),
    ("drafts", Content::Draft),
    ("archive/tasks", Content::LeftOut("archived task", "it was archived in Backlog.md")),
    ("archive/drafts", Content::LeftOut("archived draft", "it was archived in Backlog.md")),
    ("decisions", Content::Decision),
    ("docs", Content::LeftOut("document", "documents are not work; leave them in the repository")),
];

/// Keys of a task that are read, or follow from others.
const READ_KEYS: &[&str] = &[
    "assignee",
    "completed_date",
    "created_date",
    "dependencies",
    "documentation",
    "due_date",
    "id",
    "labels",
    "milestone",
    "modified_files",
    "parent_task_id",
    "priority",
    "references",
    "reporter",
    "status",
    "subtasks",
    "title",
    "type",
    "updated_date",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Task,
    Draft,
    Milestone,
    Decision,
    LeftOut(&'static str, &'static str),
}

/// Reads a folder: `backlog`, or the project that has it.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let root = root(input)?;
    let mut milestones = Milestones::default();
    for (folder, content) in FOLDERS {
        let path = root.join(folder);
        if !path.is_dir() {
            continue;
        }
        for (path, name) in markdown::files(&path, folder)? {
            if let Content::LeftOut(what, why) = content {
                sink(Record::LeftOut(LeftOut::new(*what, why, name)))?;
                continue;
            }
            let text = read_text(&path, &name)?;
            let document = front_matter::read(&quote_people(&text), &name, 1)?;
            let record = match content {
                Content::Decision => decision::read(&Fields { fields: &document.fields, name: &name }, &document.body)?,
                Content::Milestone => Record::Item(Box::new(milestone(&name, &document)?)),
                content => Record::Item(Box::new(task(&name, &document, *content)?)),
            };
            if let Some(milestone) = milestones.missing(&record) {
                sink(milestone)?;
            }
            sink(record)?;
        }
    }
    Ok(())
}

/// The names of the milestones so far. Before they were files, the configuration listed them by name only.
#[derive(Default)]
struct Milestones(HashSet<String>);

impl Milestones {
    /// Returns the milestone of a task if nothing else declares it.
    fn missing(&mut self, record: &Record) -> Option<Record> {
        let Record::Item(item) = record else { return None };
        if item.kind == ItemKind::Milestone {
            self.0.extend(match &item.id {
                SourceId::Of(id) => vec![id.clone(), item.title.clone()],
                _ => vec![item.title.clone()],
            });
        }
        let Some(Target::Text(name)) = &item.milestone else { return None };
        let id = SourceId::Of(format!("milestone/{name}"));
        let new = || ImportedItem::new(item.place.clone(), id, ItemKind::Milestone, name.clone());
        self.0.insert(name.clone()).then(|| Record::Item(Box::new(new())))
    }
}

fn root(input: &Input) -> Result<PathBuf, Error> {
    let path = input.path();
    let places = [path.to_owned(), path.join("backlog"), path.join(".backlog")];
    places.into_iter().find(|place| is_root(place)).ok_or_else(|| {
        Error::invalid(format!("`{}` is not a folder of Backlog.md", input.name()))
            .hint("name the folder that has `tasks` and `config.yml`, usually `backlog`")
    })
}

fn is_root(path: &Path) -> bool {
    path.join("tasks").is_dir() || path.join("completed").is_dir()
}

// The tool writes `assignee: @ada` and `[@ada]`, which YAML does not allow without quotes.
fn quote_people(text: &str) -> String {
    let mut is_inside = true;
    let lines = text.split_inclusive('\n').enumerate().map(|(n, line)| {
        is_inside &= n == 0 || line.trim_end() != "---";
        let is_person =
            line.starts_with("assignee:") || line.starts_with("reporter:") || line.trim_start().starts_with("- @");
        if !is_inside || !is_person || !line.contains('@') || line.contains(['"', '\'']) {
            return line.to_owned();
        }
        let mut quoted = String::new();
        let mut rest = line;
        while let Some(at) = rest.find('@') {
            let end = rest[at..].find([',', ']', '\n', '\r', ' ']).map_or(rest.len(), |end| at + end);
            let _ = write!(quoted, "{}\"{}\"", &rest[..at], &rest[at..end]);
            rest = &rest[end..];
        }
        quoted + rest
    });
    lines.collect()
}

fn task(name: &str, document: &front_matter::Document, content: Content) -> Result<ImportedItem, Error> {
    let is_draft = content == Content::Draft;
    let fields = Fields { fields: &document.fields, name };
    let id = fields.required("id")?;
    let title = fields.required("title")?;
    let place = format!("`{name}`");
    let mut item = ImportedItem::new(place, SourceId::Of(task_id(&id)), ItemKind::Task, title);
    item.number = (!is_draft).then(|| number(&id)).flatten();
    let status = fields.text("status").unwrap_or_default();
    let is_done = status.eq_ignore_ascii_case("done") || name.starts_with("completed/");
    // A project names its statuses itself; only of `Done`, and of completed tasks, it is known that they are closed.
    item.status = match (is_draft, is_done) {
        (true, _) => ImportedStatus::named("draft"),
        (false, true) => ImportedStatus::known(status, true),
        (false, false) => ImportedStatus::named(status),
    };
    let priority = fields.text("priority").unwrap_or_default();
    item.set_priority(&priority, priority_word(&priority));
    item.type_ = fields.text("type");
    item.labels = fields.texts("labels");
    item.assignees = fields.texts("assignee").iter().filter_map(|text| ImportedPerson::parse(text).known()).collect();
    item.author = fields.text("reporter").and_then(|text| ImportedPerson::parse(&text).known());
    item.created = fields.time("created_date")?;
    item.updated = fields.time("updated_date")?;
    item.closed = fields.time("completed_date")?.or(item.updated).or(item.created).filter(|_| !is_draft);
    item.due = fields.day("due_date")?;
    item.milestone = fields.text("milestone").map(Target::Text);
    item.parent = fields.text("parent_task_id").map(|id| Target::Id(task_id(&id)));
    item.blocked_by = fields.texts("dependencies").iter().map(|id| Target::Id(task_id(id))).collect();
    item.touches = fields.texts("modified_files");
    for key in ["references", "documentation"] {
        let texts = fields.texts(key);
        if !texts.is_empty() {
            item.extra.insert(key.to_owned(), texts.into());
        }
    }
    fields.keep_others(&mut item);
    (item.description, item.comments) = read_body(&document.body);
    Ok(item)
}

fn milestone(name: &str, document: &front_matter::Document) -> Result<ImportedItem, Error> {
    let fields = Fields { fields: &document.fields, name };
    let (id, title) = (fields.required("id")?, fields.required("title")?);
    let mut item = ImportedItem::new(format!("`{name}`"), SourceId::Of(id), ItemKind::Milestone, title);
    item.due = fields.day("due_date")?;
    item.description = read_body(&document.body).0;
    Ok(item)
}

/// Returns the id of a task, whatever prefix the project uses now: `BACK-7.1` and `task-7.1` are the same.
fn task_id(text: &str) -> String {
    let text = text.trim().to_lowercase();
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    if text.starts_with("draft") || digits.is_empty() { text } else { format!("task-{digits}") }
}

fn number(id: &str) -> Option<u64> {
    id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

/// Returns the description, without the lines that only the tool reads, and the comments.
fn read_body(body: &str) -> (String, Vec<ImportedComment>) {
    let (mut text, mut comments) = (String::new(), String::new());
    let mut is_comments = false;
    for line in body.lines() {
        let trimmed = line.trim();
        match trimmed {
            "<!-- COMMENTS:BEGIN -->" => is_comments = true,
            "<!-- COMMENTS:END -->" => is_comments = false,
            "## Comments" | "## Description" => {}
            _ if is_comments => drop(writeln!(comments, "{line}")),
            _ if trimmed.starts_with("<!--") && (trimmed.ends_with(":BEGIN -->") || trimmed.ends_with(":END -->")) => {}
            _ => drop(writeln!(text, "{}", without_index(line))),
        }
    }
    (squeezed(&text), read_comments(&comments))
}

// `- [ ] #1 text`: the number is the place in the list.
fn without_index(line: &str) -> String {
    let Some((mark, rest)) = line.split_once("] #") else { return line.to_owned() };
    let text = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_criterion = mark.trim_start().starts_with("- [") && text.len() < rest.len();
    if is_criterion { format!("{mark}] {}", text.trim_start()) } else { line.to_owned() }
}

fn squeezed(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        if !(line.trim().is_empty() && lines.last().is_none_or(|last| last.trim().is_empty())) {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}

// Each has lines of `key: value`, then its text between two lines of `---`.
fn read_comments(text: &str) -> Vec<ImportedComment> {
    let mut comments = Vec::new();
    let mut parts = text.split("---\n");
    while let (Some(head), Some(body)) = (parts.next(), parts.next()) {
        let value = |key: &str| {
            head.lines()
                .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(':').map(|value| value.trim().to_owned()))
        };
        let created = value("created").and_then(|text| times::time(&text).ok());
        let author = value("author").and_then(|text| ImportedPerson::parse(&text).known());
        comments.push(ImportedComment { id: SourceId::None, author, created, body: body.trim().to_owned() });
    }
    comments
}

struct Fields<'a> {
    fields: &'a Map<String, Value>,
    name: &'a str,
}

impl Fields<'_> {
    fn text(&self, key: &str) -> Option<String> {
        let text = match self.fields.get(key)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// Keeps the keys that have no place here, such as `ordinal`, as custom fields.
    fn keep_others(&self, item: &mut ImportedItem) {
        for (key, value) in self.fields.iter().filter(|(key, _)| !READ_KEYS.contains(&key.as_str())) {
            let name = clean::one_line(key);
            let is_given = !matches!(value, Value::Null) && value != "" && *value != Value::Array(Vec::new());
            if is_given && !name.is_empty() {
                let name = if scope::has_meaning(&name) { format!("backlog {name}") } else { name };
                item.extra.insert(name, value.clone());
            }
        }
    }

    fn required(&self, key: &str) -> Result<String, Error> {
        self.text(key).ok_or_else(|| Error::invalid(format!("`{}`: the front matter has no `{key}`", self.name)))
    }

    fn texts(&self, key: &str) -> Vec<String> {
        match self.fields.get(key) {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => self.text(key).into_iter().collect(),
        }
    }

    fn time(&self, key: &str) -> Result<Option<jiff::Timestamp>, Error> {
        self.text(key).map(|text| times::time(&text)).transpose().map_err(|why| self.wrong(key, &why))
    }

    fn day(&self, key: &str) -> Result<Option<Date>, Error> {
        self.text(key).map(|text| times::day(&text)).transpose().map_err(|why| self.wrong(key, &why))
    }

    fn wrong(&self, key: &str, why: &str) -> Error {
        Error::invalid(format!("`{}`: `{key}`: {why}", self.name))
    }
}
