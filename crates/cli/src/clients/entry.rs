//! A server entry in a client's settings: written for an installation, parsed for a check.

use serde_json::{Map, Value, json};

use super::edit::{EditError, Member, get};
use super::{Client, Shape};

/// Where opencode version 2 stores servers.
const SECOND_OPENCODE: &[&str] = &["mcp", "servers"];

/// The command that starts a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// The working directory.
    pub(crate) folder: Option<String>,
    /// Additional environment variables.
    pub(crate) env: Vec<(String, String)>,
}

impl Client {
    /// Returns the keys of the object with the servers. Two versions of opencode use different ones; the text shows
    /// which.
    pub(crate) fn container(&self, text: &str) -> Result<&'static [&'static str], EditError> {
        let is_second = self.shape == Shape::OpenCode && self.is_second_opencode(text)?;
        Ok(if is_second { SECOND_OPENCODE } else { self.container })
    }

    // In version 1 `mcp.servers` would be a server of that name, with a type.
    fn is_second_opencode(&self, text: &str) -> Result<bool, EditError> {
        let found = get(self.syntax, text, &["mcp"])?;
        let servers = found.as_ref().and_then(|mcp| mcp.get("servers")).and_then(Value::as_object);
        Ok(servers.is_some_and(|servers| !servers.contains_key("type")))
    }

    /// Returns the members that an entry needs to start a server.
    pub(crate) fn members(&self, container: &[&str], launch: &Launch) -> Vec<Member> {
        let must = |key, value| Member { key, value, yields: false };
        let may = |key, value| Member { key, value, yields: true };
        let command = || must("command", json!(launch.command));
        let args = || must("args", json!(launch.args));
        let mut members = match self.shape {
            Shape::Plain => vec![command(), args()],
            Shape::Typed => vec![must("type", json!("stdio")), command(), args()],
            Shape::Copilot => vec![must("type", json!("local")), command(), args(), may("tools", json!(["*"]))],
            Shape::OpenCode => {
                let words: Vec<&String> = [&launch.command].into_iter().chain(&launch.args).collect();
                let enabled = (container != SECOND_OPENCODE).then(|| may("enabled", json!(true)));
                [must("type", json!("local")), must("command", json!(words))].into_iter().chain(enabled).collect()
            }
        };
        members.extend(launch.folder.as_ref().filter(|_| self.has_folder).map(|folder| must("cwd", json!(folder))));
        members
    }

    /// Returns the command of an entry; `None` if it has none, but a URL, for example.
    pub(crate) fn launch(&self, entry: &Value) -> Option<Launch> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let (command, args) = if self.shape == Shape::OpenCode {
            let mut words = texts(entry.get("command")?)?.into_iter();
            (words.next()?, words.collect())
        } else {
            let args = entry.get("args").map_or(Some(Vec::new()), texts)?;
            (entry.get("command")?.as_str()?.to_owned(), args)
        };
        let folder = entry.get("cwd").and_then(Value::as_str).map(str::to_owned);
        let env = entry.get("env").or(entry.get("environment")).and_then(Value::as_object);
        let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        Some(Launch { command, args, folder, env: env.into_iter().flatten().filter_map(pair).collect() })
    }
}

/// Returns whether an entry is for a remote server; none of its members are kept in ours.
pub(crate) fn is_remote(entry: &Map<String, Value>) -> bool {
    ["url", "httpUrl", "serverUrl"].iter().any(|key| entry.contains_key(*key))
}
