//! `cairn mcp doctor`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use app::Error;
use app::view::CheckOutcome;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser};
use dialects::DialectEntry;
use model::text::counted;
use serde::Serialize;
use serde_json::Value;

use super::install::{is_ours, names, server_name};
use super::probe;
use crate::arguments::Cli;
use crate::clients::entry::Launch;
use crate::clients::folders::Folders;
use crate::clients::program::{self, stem};
use crate::clients::settings::Settings;
use crate::clients::{CLIENTS, Client, edit};
use crate::commands::RepoPath;
use crate::commands::bridge::BridgeCli;
use crate::commands::doctor::outcome_style;
use crate::commands::mile::MileCli;
use crate::commands::ultragit::UltragitCli;
use crate::output::{FAINT, Ui, safe};

/// Program names of this program, and of those it replaces, in settings.
const PROGRAMS: &[&str] = &["cairn", "git-cairn", "git-mile", "ultragit", "lazygit-mcp-bridge"];

/// Check the settings of every client: start the configured server and list its tools.
///
/// Changes nothing; exits with code 1 if it finds an error. A project's settings come with the repository and are not
/// trusted: of their programs only this one is started.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn mcp doctor
  cairn mcp doctor --client claude-code --json")]
pub(crate) struct Doctor {
    /// Only this client; may be given several times.
    #[arg(long = "client", value_name = "CLIENT", value_parser = PossibleValuesParser::new(names(&[])))]
    clients: Vec<String>,
    /// Timeout of a server's response.
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
}

#[derive(Debug, Serialize)]
struct Report {
    servers: Vec<Row>,
    ok: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    client: &'static str,
    path: String,
    name: Option<String>,
    outcome: CheckOutcome,
    text: String,
    hint: Option<String>,
    server: Option<ServerRow>,
}

#[derive(Debug, Serialize)]
struct ServerRow {
    name: String,
    version: String,
    tools: usize,
}

/// A settings file and its client.
struct SettingsFile {
    client: &'static Client,
    path: PathBuf,
    is_project: bool,
}

/// The result of a check.
enum Finding {
    Fine(probe::Answer),
    Doubtful(String, Option<probe::Answer>),
    Broken(String),
}

pub(super) fn run(arguments: &Doctor, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    place.check()?;
    let limit = Duration::from_secs(arguments.timeout);
    let mut servers = Vec::new();
    for found in arguments.files(place)? {
        servers.extend(found.rows(limit));
    }
    let ok = servers.iter().all(|row| row.outcome != CheckOutcome::Broken);
    print(ui, &Report { servers, ok });
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Doctor {
    fn files(&self, place: &RepoPath) -> Result<Vec<SettingsFile>, Error> {
        let folders = Folders::of_environment()?;
        // Outside a repository there are no project settings to check.
        let root = app::locate(&place.0).ok().and_then(|location| location.work_tree);
        let is_asked =
            |client: &&Client| self.clients.is_empty() || self.clients.iter().any(|name| name == client.name);
        let mut found = Vec::new();
        for client in CLIENTS.iter().filter(is_asked) {
            let project = root.as_ref().and_then(|root| client.project_file(root));
            found.extend(project.map(|path| SettingsFile { client, path, is_project: true }));
            found.push(SettingsFile { client, path: client.user_file(&folders), is_project: false });
        }
        Ok(found)
    }
}

impl SettingsFile {
    fn rows(&self, limit: Duration) -> Vec<Row> {
        let text = match Settings::at(&self.path).and_then(|settings| settings.read()) {
            Ok(Some(text)) => text,
            Ok(None) => return Vec::new(),
            Err(error) => return vec![self.unreadable(error.message, error.hint)],
        };
        match self.entries(&text) {
            Ok(entries) => entries.iter().map(|(name, entry)| self.row(name, entry, limit)).collect(),
            // The file cannot be parsed, so only check whether it mentions one of our names.
            Err(_) if !PROGRAMS.iter().any(|name| text.contains(name)) => Vec::new(),
            Err(error) => {
                let repair = self.repair("cairn", None);
                let hint = format!("correct the file there, then run `{repair}`");
                vec![self.unreadable(error.to_string(), Some(hint))]
            }
        }
    }

    fn unreadable(&self, text: String, hint: Option<String>) -> Row {
        let path = self.path.display().to_string();
        Row { client: self.client.name, path, name: None, outcome: CheckOutcome::Broken, text, hint, server: None }
    }

    /// Returns the entries for this program.
    fn entries(&self, text: &str) -> Result<Vec<(String, Value)>, edit::EditError> {
        let container = self.client.container(text)?;
        let Some(Value::Object(entries)) = edit::get(self.client.syntax, text, container)? else {
            return Ok(Vec::new());
        };
        let ours = entries.into_iter().filter(|(name, entry)| {
            let launch = self.client.launch(entry);
            PROGRAMS.contains(&name.as_str()) || launch.is_some_and(|launch| PROGRAMS.contains(&stem(&launch.command)))
        });
        Ok(ours.collect())
    }

    fn row(&self, name: &str, entry: &Value, limit: Duration) -> Row {
        let launch = self.client.launch(entry);
        let finding = match &launch {
            Some(launch) => self.check(name, launch, limit),
            None => Finding::Doubtful("starts no program, so there is nothing to check".to_owned(), None),
        };
        let (outcome, text, answer) = match finding {
            Finding::Fine(answer) => (CheckOutcome::Ok, None, Some(answer)),
            Finding::Doubtful(text, answer) => (CheckOutcome::Warning, Some(text), answer),
            Finding::Broken(text) => (CheckOutcome::Broken, Some(text), None),
        };
        let repair = || format!("run `{}`", self.repair(name, launch.as_ref()));
        Row {
            client: self.client.name,
            path: self.path.display().to_string(),
            name: Some(name.to_owned()),
            outcome,
            hint: text.is_some().then(repair),
            text: text.or_else(|| answer.as_ref().map(described)).unwrap_or_default(),
            server: answer.map(|answer| ServerRow {
                name: answer.name,
                version: answer.version,
                tools: answer.tools.len(),
            }),
        }
    }

    fn check(&self, name: &str, launch: &Launch, limit: Duration) -> Finding {
        let command = &launch.command;
        let Some(path) = program::find(command) else { return Finding::Broken(why_not_found(command)) };
        if let Some(folder) = launch.folder.as_ref().filter(|folder| !Path::new(folder).is_dir()) {
            return Finding::Broken(format!("the working directory `{folder}` does not exist"));
        }
        let is_this = program::is_this(&path);
        let served = served_dialect(stem(command), &launch.args);
        if is_this && let Err(problem) = served {
            return Finding::Broken(problem);
        }
        if self.is_project && !is_this {
            let text = format!("`{command}` is another program than this one; it was not started");
            return Finding::Doubtful(text, None);
        }
        let mut launch = launch.clone();
        if self.is_project {
            launch.env.clear();
        }
        match probe::query_server(&path, &launch, limit) {
            Ok(answer) => match mismatch(name, served.ok(), &answer) {
                Some(problem) => Finding::Broken(problem),
                None => self.check_answer(command, answer),
            },
            Err(problem) => Finding::Broken(format!("`{command}` {problem}")),
        }
    }

    fn check_answer(&self, command: &str, answer: probe::Answer) -> Finding {
        let title = self.client.title;
        let dotted = answer.tools.iter().find(|tool| tool.contains('.'));
        if let Some(tool) = dotted.filter(|_| self.client.needs_underscores) {
            return Finding::Broken(format!("{title} may refuse the name `{tool}`, and all tools with it"));
        }
        if self.client.is_graphical && !Path::new(command).is_absolute() {
            let text = format!("`{command}` is on the `PATH` of this shell, which {title} may not have");
            return Finding::Doubtful(text, Some(answer));
        }
        Finding::Fine(answer)
    }

    /// Returns the command that rewrites an entry. Only plain words are copied into it, since it is meant to be pasted.
    fn repair(&self, name: &str, launch: Option<&Launch>) -> String {
        let mut words = vec!["cairn mcp install --client", self.client.name];
        if !self.is_project && self.client.has_project_file() {
            words.push("--global");
        }
        let dialect = launch.and_then(|launch| expected(name, meant_dialect(launch)));
        if let Some(dialect) = dialect.filter(|dialect| !is_ours(dialect)) {
            words.extend(["--dialect", dialect.name]);
        }
        let default_name = dialect.map_or("cairn", |dialect| (dialect.server_name)());
        if name != default_name && server_name(name).is_ok() {
            words.extend(["--name", name]);
        }
        words.join(" ")
    }
}

fn described(answer: &probe::Answer) -> String {
    let tools = counted(answer.tools.len(), "tool");
    format!("{} {} answers with {tools}", answer.name, answer.version)
}

/// Returns the dialect that an entry is expected to start: by its name if that is a contract's, else by its command
/// line.
fn expected(name: &str, served: Option<&'static DialectEntry>) -> Option<&'static DialectEntry> {
    dialects::try_find_named(name).filter(|named| !is_ours(named)).or(served)
}

/// Returns the error if another server responded than the entry is expected to start.
fn mismatch(name: &str, served: Option<&'static DialectEntry>, answer: &probe::Answer) -> Option<String> {
    let wanted = (expected(name, served)?.server_name)();
    let text = || format!("starts `{}`; an entry named `{name}` must start `{wanted}`", answer.name);
    (answer.name != wanted).then(text)
}

/// Returns the dialect that a command line is meant to serve, even if it cannot be parsed.
fn meant_dialect(launch: &Launch) -> Option<&'static DialectEntry> {
    let (program, args) = (stem(&launch.command), &launch.args);
    let named = args.windows(2).find(|words| words[0] == "--dialect").and_then(|words| dialects::try_find(&words[1]));
    named.or_else(|| served_dialect(program, args).ok()).or_else(|| dialects::try_find_named(program))
}

/// Parses the arguments as this program would, and returns the dialect. Settings contain a command to be run; a command
/// that is not a server must not be run.
pub(super) fn served_dialect(name: &str, args: &[String]) -> Result<&'static DialectEntry, String> {
    let words = || std::iter::once(name).chain(args.iter().map(String::as_str));
    let served = match program::behaves_as(name) {
        "git-mile" => MileCli::try_parse_from(words()).map(|cli| cli.starts_server().then_some("mile")),
        "ultragit" => UltragitCli::try_parse_from(words()).map(|cli| cli.starts_server().then_some("ultragit")),
        "lazygit-mcp-bridge" => BridgeCli::try_parse_from(words()).map(|cli| cli.starts_server().then_some("lazygit")),
        _ => {
            Cli::try_parse_from(words()).map(|cli| cli.served_dialect().and_then(dialects::try_find).map(|it| it.name))
        }
    };
    match served {
        Ok(Some(dialect)) => super::find(dialect).map_err(|error| error.message),
        Ok(None) => Err(format!("the arguments `{}` do not start a server", args.join(" "))),
        Err(_) => Err(format!("the arguments `{}` are not understood", args.join(" "))),
    }
}

fn why_not_found(command: &str) -> String {
    let path = Path::new(command);
    match (path.components().count() > 1, path.exists()) {
        (true, true) => format!("`{command}` exists, but cannot be started"),
        (true, false) => format!("`{command}` does not exist"),
        (false, _) => format!("`{command}` is not on the `PATH`"),
    }
}

fn print(ui: &Ui, report: &Report) {
    if ui.json {
        ui.data(report);
        return;
    }
    if report.servers.is_empty() {
        ui.line("no client is connected");
        ui.line("`cairn mcp install` connects Claude Code to this repository, `--detect` every client found here");
        return;
    }
    for row in &report.servers {
        let style = outcome_style(row.outcome);
        let name = row.name.as_deref().map(|name| format!("`{}` in ", safe(name))).unwrap_or_default();
        let place = format!("{name}`{}`", safe(&row.path));
        ui.line(&format!("{style}{:>7}{style:#}  {:<14}  {place}: {}", row.outcome, row.client, safe(&row.text)));
        if let Some(hint) = &row.hint {
            ui.line(&format!("{:>23}  {FAINT}{}{FAINT:#}", "", safe(hint)));
        }
    }
}
