//! MCP servers beside each other: from the start of the process to the answer to `initialize`, a call that lists items,
//! memory, and the texts whose tokens are counted.

use std::process::Command;
use std::time::{Duration, Instant};

use super::super::measure::children_cpu;
use super::sandbox::{Sandbox, Values};
use super::session::Session;
use super::subject::Server;
use super::timing::{Cost, Rounds, batch, median};

/// What a server costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ServerCost {
    /// From the start of the process to the answer to `initialize`; the CPU time includes the end of the process.
    pub(crate) start: Cost,
    /// A call that lists items, if it can be made.
    pub(crate) list: Option<Cost>,
    /// Resident memory after that, in KiB.
    pub(crate) resident: u64,
    /// Tokens of the definitions of all tools.
    pub(crate) n_definition_tokens: usize,
    /// Tokens of the result of the list call.
    pub(crate) n_list_tokens: Option<usize>,
}

/// The responses whose tokens are counted.
pub(crate) struct Responses {
    pub(crate) definitions: String,
    pub(crate) list: Option<String>,
}

/// A server under measurement.
pub(crate) struct Measured<'a> {
    sandbox: &'a Sandbox<'a>,
    server: &'a Server,
    batch: u32,
    starts: Vec<Cost>,
}

impl<'a> Measured<'a> {
    /// Starts the server once, which fills caches, and decides how many starts make a batch.
    pub(crate) fn new(sandbox: &'a Sandbox<'a>) -> Result<Self, String> {
        let server = sandbox.subject.server.as_ref().ok_or("there is no server")?;
        let mut measured = Self { sandbox, server, batch: 1, starts: Vec::new() };
        measured.start_once()?;
        measured.batch = batch(measured.start_once()?);
        Ok(measured)
    }

    fn command(&self) -> Command {
        self.sandbox.command(self.server.arguments, &Values::default())
    }

    fn start_once(&self) -> Result<Duration, String> {
        let start = Instant::now();
        let session = Session::start(&mut self.command())?;
        let wall = start.elapsed();
        drop(session);
        Ok(wall)
    }

    fn start_batch(&mut self) -> Result<(), String> {
        let before = children_cpu().unwrap_or_default();
        let walls: Result<Vec<Duration>, String> = (0..self.batch).map(|_| self.start_once()).collect();
        let cpu = children_cpu().unwrap_or_default().saturating_sub(before) / self.batch;
        self.starts.push(Cost { cpu, wall: median(&walls?) });
        Ok(())
    }

    /// Calls the tool in one session, and returns the costs and the responses.
    fn call(&self) -> Result<(ServerCost, Responses), String> {
        let mut session = Session::start(&mut self.command())?;
        let definitions = session.ask("tools/list", "{}")?;
        let (list, response) = match self.server.list {
            Ok((tool, arguments)) => {
                let arguments = self.sandbox.replace(arguments, &Values::default());
                let (cost, response) = self.list(&mut session, tool, &arguments)?;
                (Some(cost), Some(response))
            }
            Err(_) => (None, None),
        };
        let median_of = |part: fn(&Cost) -> Duration| median(&self.starts.iter().map(part).collect::<Vec<_>>());
        let start = Cost { cpu: median_of(|cost| cost.cpu), wall: median_of(|cost| cost.wall) };
        let resident = self.sandbox.background().resident();
        Ok((ServerCost { start, list, resident, ..ServerCost::default() }, Responses { definitions, list: response }))
    }

    fn list(&self, session: &mut Session, tool: &str, arguments: &str) -> Result<(Cost, String), String> {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        let mut once = || {
            let start = Instant::now();
            session.ask("tools/call", &params).map(|response| (start.elapsed(), response))
        };
        let (_, response) = once()?;
        let (wall, _) = once()?;
        let background = self.sandbox.background();
        let before = background.cpu();
        // As many calls as fill a batch several times: a single one is far shorter than a step of the CPU clock.
        let n_calls = (4 * batch(wall)).clamp(4, 120);
        let walls: Result<Vec<Duration>, String> = (0..n_calls).map(|_| once().map(|(wall, _)| wall)).collect();
        let cpu = background.cpu().saturating_sub(before) / n_calls;
        Ok((Cost { cpu, wall: median(&walls?) }, response))
    }
}

/// Measures both alternately.
pub(crate) fn alternate(
    ours: &mut Measured<'_>,
    theirs: &mut Measured<'_>,
    rounds: Rounds,
) -> Result<[(ServerCost, Responses); 2], String> {
    let n_rounds = if theirs.batch == 1 { rounds.slow } else { rounds.usual };
    for _ in 0..n_rounds {
        ours.start_batch()?;
        theirs.start_batch()?;
    }
    Ok([ours.call()?, theirs.call()?])
}
