//! `cairn read`, `deps`, `history` and `summary`: reads annotations. Also available under the program name `ultragit`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use annotations::{
    Annotated as _, Annotations, ContextFilter, ContextQuery, HistoryQuery, Measure, ReadQuery, markdown,
};
use app::{Env, Error, Project};
use clap::{Args, ValueEnum};
use inbox::Inbox;
use jiff::Timestamp;
use serde::Serialize;

use super::RepoPath;
use crate::output::Ui;

/// Show the annotations of a piece of code: intent, constraints, dependents.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn read src/mqtt/client.rs MqttClient::connect
  cairn read src/mqtt/client.rs --lines 42:67 --json
  cairn read src/mqtt/client.rs --max-tokens 2000")]
pub(crate) struct Read {
    #[command(flatten)]
    target: Target,
    /// Lines, as START:END.
    #[arg(long, value_name = "START:END")]
    lines: Option<String>,
    /// Maximum number of tokens of the answer, four bytes each; the least reliable annotations are cut first.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// Depth of related annotations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u32,
    /// Maximum number of annotations.
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_regions: usize,
    /// Only annotations written at or after this time: RFC 3339, or YYYY-MM-DD.
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<Timestamp>,
    /// Only annotations with one of these tags, separated by commas.
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,
    /// Only annotations by an author, or only inferred ones.
    #[arg(long, value_name = "LEVEL", default_value = "all")]
    context_level: ContextLevel,
    /// Minimum confidence, from 0 to 1.
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    min_confidence: f64,
    #[command(flatten)]
    answer: QueryAnswer,
}

/// Show which code depends on a piece of code.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn deps src/tls/session.rs TlsSessionCache::max_sessions")]
pub(crate) struct Deps {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    answer: QueryAnswer,
}

/// Show the annotated history of a piece of code, oldest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn history src/mqtt/client.rs MqttClient::connect --limit 5")]
pub(crate) struct History {
    #[command(flatten)]
    target: Target,
    /// Maximum number of entries, the newest ones.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = limit)]
    limit: usize,
    #[command(flatten)]
    answer: QueryAnswer,
}

/// Show the intent of the functions and types of a file or a folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn summary src/mqtt
  cairn summary src/mqtt/client.rs --json")]
pub(crate) struct Summary {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    answer: QueryAnswer,
}

/// Show the context of a piece of code: its annotations, open items about it and review messages.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn context src/mqtt/client.rs MqttClient::connect
  cairn context src/mqtt/client.rs --lines 42:67 --max-tokens 2000")]
pub(crate) struct Context {
    #[command(flatten)]
    target: Target,
    /// Lines, as START:END.
    #[arg(long, value_name = "START:END")]
    lines: Option<String>,
    /// Maximum number of tokens of the answer, four bytes each.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    #[command(flatten)]
    answer: QueryAnswer,
}

/// The code a question is about.
#[derive(Debug, Args)]
struct Target {
    /// The file, from the top of the repository or from here.
    path: String,
    /// The function or type, such as `MqttClient::connect`.
    #[arg(value_name = "ANCHOR")]
    name: Option<String>,
    /// The same as a flag, for scripts.
    #[arg(long, value_name = "ANCHOR", conflicts_with = "name")]
    anchor: Option<String>,
}

/// How an answer is found and shown.
#[derive(Debug, Clone, Args)]
struct QueryAnswer {
    /// Output format; by default Markdown on a terminal and for `context`, else JSON.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The notes ref to read; by default git's `ultragit.noteref`, else `refs/notes/ultragit`.
    #[arg(long, value_name = "REF")]
    noteref: Option<String>,
    /// Also superseded and expired annotations, marked as such.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON document.
    Json,
    /// For people, and models that read.
    Markdown,
    /// The JSON document, laid out.
    Pretty,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ContextLevel {
    /// Both.
    All,
    /// Written by the author of the change.
    Enhanced,
    /// Inferred from the change.
    Inferred,
}

impl Read {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let annotations = self.answer.annotations(&mut project)?;
        let query = ReadQuery {
            anchor: self.target.anchor(),
            lines: self.lines.clone(),
            max_tokens: self.max_tokens.map(|tokens| tokens as usize),
            depth: self.depth,
            max_regions: self.max_regions,
            since: self.since,
            tags: self.tags.clone(),
            context_level: match self.context_level {
                ContextLevel::All => ContextFilter::All,
                ContextLevel::Enhanced => ContextFilter::Enhanced,
                ContextLevel::Inferred => ContextFilter::Inferred,
            },
            min_confidence: self.min_confidence,
            measure: self.answer.measure(ui),
            ..ReadQuery::new(self.target.path(&annotations))
        };
        let view = annotations.read(&query)?;
        Ok(self.answer.print(ui, &view, markdown::read))
    }
}

impl Context {
    pub(super) fn run(&self, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
        let mut project = place.open()?;
        let inbox = Inbox::open(&place.0, Env::default())?;
        // Models read it through pipes, where Markdown costs a third of JSON.
        let format = self.answer.format.or(Some(Format::Markdown));
        let answer = QueryAnswer { format, ..self.answer.clone() };
        let annotations = answer.annotations(&mut project)?;
        let code = ReadQuery {
            anchor: self.target.anchor(),
            lines: self.lines.clone(),
            max_tokens: self.max_tokens.map(|tokens| tokens as usize),
            measure: answer.measure(ui),
            ..ReadQuery::new(self.target.path(&annotations))
        };
        let view = annotations.context(&inbox, &ContextQuery { code })?;
        Ok(answer.print(ui, &view, markdown::context))
    }
}

impl Deps {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let annotations = self.answer.annotations(&mut project)?;
        let view = annotations.dependents(&self.target.path(&annotations), self.target.anchor().as_deref())?;
        Ok(self.answer.print(ui, &view, markdown::deps))
    }
}

impl History {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let annotations = self.answer.annotations(&mut project)?;
        let query =
            HistoryQuery { path: self.target.path(&annotations), anchor: self.target.anchor(), limit: self.limit };
        let view = annotations.history(&query)?;
        Ok(self.answer.print(ui, &view, markdown::history))
    }
}

impl Summary {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let annotations = self.answer.annotations(&mut project)?;
        let view =
            annotations.summary(&self.target.path(&annotations), self.target.anchor().as_deref(), &|_, _| true)?;
        Ok(self.answer.print(ui, &view, markdown::summary))
    }
}

impl Target {
    /// Returns the path from the top of the repository. One that is not there may be meant from here, as git means it.
    fn path(&self, annotations: &Annotations<'_>) -> String {
        self.in_current_folder(annotations).unwrap_or_else(|| self.path.clone())
    }

    fn in_current_folder(&self, annotations: &Annotations<'_>) -> Option<String> {
        let given = Path::new(&self.path);
        let file = std::env::current_dir().ok()?.join(given);
        // A link is not followed: git tracks the link.
        let file = file.parent()?.canonicalize().ok()?.join(file.file_name()?);
        let found = annotations.in_repository(file.to_str()?).ok()?;
        let top = file.ancestors().nth(Path::new(&found).components().count())?;
        (given.is_relative() && file.exists() && !top.join(given).exists()).then_some(found)
    }

    fn anchor(&self) -> Option<String> {
        self.name.clone().or_else(|| self.anchor.clone())
    }
}

impl QueryAnswer {
    /// Returns the newest annotations; outdated ones only with `--all`.
    fn annotations<'a>(&self, project: &'a mut Project) -> Result<Annotations<'a>, Error> {
        project.follow_annotations(self.noteref.as_deref())?;
        let annotations = project.annotations();
        Ok(if self.all { annotations.with_aged() } else { annotations })
    }

    fn format(&self, ui: &Ui) -> Format {
        let usual = if std::io::stdout().is_terminal() { Format::Markdown } else { Format::Json };
        if ui.json { Format::Json } else { self.format.unwrap_or(usual) }
    }

    /// Returns the function that measures the printed length of a result.
    fn measure(&self, ui: &Ui) -> Measure {
        match self.format(ui) {
            Format::Markdown => Measure::MARKDOWN,
            Format::Json | Format::Pretty => Measure::JSON,
        }
    }

    fn print<T: Serialize>(&self, ui: &Ui, view: &T, markdown: fn(&T) -> String) -> ExitCode {
        match self.format(ui) {
            Format::Json => ui.data(view),
            Format::Pretty => ui.pretty(view),
            Format::Markdown => ui.print(&crate::output::safe_block(&markdown(view))),
        }
        ExitCode::SUCCESS
    }
}

fn since(text: &str) -> Result<Timestamp, String> {
    let day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(app::local_zone()).ok();
    let found = text.parse().ok().or_else(|| day().map(|day| day.timestamp()));
    found.ok_or_else(|| "write a date as 2026-03-01, or a time as 2026-03-01T12:00:00Z".to_owned())
}

fn limit(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| "write a number, 1 or more".to_owned())
}
